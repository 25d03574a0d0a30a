"""What `bakeoff init` finds in repositories of several languages."""

import json
from pathlib import Path

import pytest

from bakeoff.documents.checked import Json
from bakeoff.project import Project
from bakeoff.scaffold.project_toml import Members, Open
from bakeoff.scaffold.repository import service_in

GO_MAIN = "package main\n\nfunc main() {}\n"
POM = (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>shop</artifactId><version>1.2</version>'
    "<parent><groupId>org.springframework.boot</groupId><version>3.4.0</version></parent></project>"
)
PACKAGE = {"scripts": {"start": "node server.js", "build": "tsc", "migrate": "x"}, "dependencies": {"pg": "8"}}
PIP = "[ -d .bakeoff/python ] || python3 -m venv .bakeoff/python && .bakeoff/python/bin/pip install -q "
PROGRAMS = ".bakeoff/python/bin/"


def shown(root: Path, files: dict[str, str], protocol: str = "rest") -> Members:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    members, _ = service_in(Project(root), protocol)
    return members


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"go.mod": "module shop", "cmd/shop/main.go": GO_MAIN, "cmd/shop/env.go": 'x := os.Getenv("PORT")'},
            {"build": "go build -o .bakeoff/bin/shop ./cmd/shop", "run": ".bakeoff/bin/shop"},
        ),
        (
            {
                "go.mod": "module shop\nrequire github.com/jackc/pgx/v5 v5.1.0",
                "cmd/migrate/main.go": GO_MAIN + 'var a = flag.String("metrics", ":81", "")',
                "cmd/server/main_test.go": 'var a = flag.String("test", ":82", "")',
                "cmd/server/main.go": GO_MAIN
                + 'var a = flag.String("addr", ":80", "")\nvar b = os.Getenv("SHOP_DB_DSN")',
            },
            {
                "build": "go build -o .bakeoff/bin/server ./cmd/server",
                "run": ".bakeoff/bin/server -addr 127.0.0.1:{port}",
                "env": {"SHOP_DB_DSN": "{database_url}"},
                "storage": "postgresql",
            },
        ),
        (
            {
                "go.mod": "module shop\nrequire github.com/jackc/pgx/v5 v5.1.0",
                "cmd/shop/main.go": GO_MAIN
                + 'x := os.Getenv("PORT") + os.Getenv("DB_HOST") + os.Getenv("DB_USERNAME")',
                ".env.example": "DB_PORT=5432\nDB_NAME=shop\nDB_PASSWORD=secret\nDB_POOL=4\n",
            },
            {
                "build": "go build -o .bakeoff/bin/shop ./cmd/shop",
                "run": ".bakeoff/bin/shop",
                "env": {
                    "DB_HOST": "{database_host}",
                    "DB_NAME": "{database_name}",
                    "DB_PASSWORD": "{database_password}",
                    "DB_PORT": "{database_port}",
                    "DB_USERNAME": "{database_user}",
                },
                "storage": "postgresql",
            },
        ),
        (
            {
                "go.mod": "module shop\nrequire modernc.org/sqlite v1.0.0",
                "my server/main.go": GO_MAIN
                + 'var a = flag.Int("port", 80, "")\nvar b = flag.String("file", "./shop.db", "")',
            },
            {
                "build": "go build -o '.bakeoff/bin/my server' './my server'",
                "run": "'.bakeoff/bin/my server' -port {port} -file \"{state}/shop.db\"",
                "storage": "files",
            },
        ),
        (
            {"Cargo.toml": '[package]\nname = "shop"', "src/main.rs": 'fn main() { std::env::var("HTTP_PORT"); }'},
            {
                "build": "cargo build --release --bin shop",
                "run": "target/release/shop",
                "env": {"HTTP_PORT": "{port}"},
            },
        ),
        (
            {"pom.xml": POM, "mvnw": ""},
            {
                "build": "./mvnw -q -DskipTests package",
                "run": "java -jar target/shop-1.2.jar",
                "env": {"SERVER_PORT": "{port}"},
                "warm_up_s": 60,
            },
        ),
        (
            {
                "build.gradle": 'plugins { id "org.springframework.boot" }\nversion = "2"',
                "settings.gradle": "rootProject.name = 'shop'",
            },
            {
                "build": "gradle -q assemble",
                "run": "java -jar build/libs/shop-2.jar",
                "env": {"SERVER_PORT": "{port}"},
                "warm_up_s": 60,
            },
        ),
        (
            {
                "package.json": json.dumps(
                    {
                        "scripts": {"start": "node server.js", "build": "tsc", "migrate": "x"},
                        "dependencies": {"pg": "8"},
                    }
                ),
                "package-lock.json": "{}",
                "server.js": "listen(process.env.PORT, process.env.DATABASE_URL)",
            },
            {
                "build": "npm ci && npm run build",
                "run": "node server.js",
                "storage": {"kind": "postgresql", "prepare": "npm run migrate"},
            },
        ),
        (
            {
                "requirements.txt": "fastapi\npsycopg\n",
                "alembic.ini": "",
                "src/shop/main.py": "import os\napp = FastAPI()\nURL = os.environ['DATABASE_URL']\n",
                ".venv/lib/other.py": "app = FastAPI()",
            },
            {
                "build": f"{PIP}-r requirements.txt uvicorn",
                "run": f"{PROGRAMS}uvicorn shop.main:app --port {{port}} --app-dir src",
                "storage": {"kind": "postgresql", "prepare": f"{PROGRAMS}alembic upgrade head"},
            },
        ),
        (
            {"requirements.txt": "django\ngunicorn\n", "manage.py": "", "shop/wsgi.py": ""},
            {
                "build": f"{PIP}-r requirements.txt",
                "run": f"{PROGRAMS}gunicorn shop.wsgi --bind 127.0.0.1:{{port}}",
            },
        ),
        (
            {
                "Procfile": "release: x\nweb: python3 api.py --port $PORT\n",
                "api.py": 'import os, sqlite3\nos.environ.get("DATA_DIR", ".")\n',
            },
            {"run": "python3 api.py --port $PORT", "env": {"DATA_DIR": "{state}"}, "storage": "files"},
        ),
        (
            {"Dockerfile": 'FROM ruby\nEXPOSE 9292\nCMD ["rackup", "-o", "0.0.0.0", "-p", "9292"]\n'},
            {"run": "rackup -o 127.0.0.1 -p {port}", "port": 9292},
        ),
        (
            {
                "Procfile": "web: bin/shop",
                "docker-compose.yml": "services:\n  db: { image: 'postgres:16' }\n  api: { build: ., environment: "
                "{ PORT: 80, APP_DATABASE_URL: 'postgres://db/x' } }\n",
            },
            {"run": "bin/shop", "env": {"APP_DATABASE_URL": "{database_url}"}, "storage": "postgresql"},
        ),
        (
            {
                "README.md": "",
                "backend/go.mod": "module shop",
                "backend/main.go": GO_MAIN + 'var p = os.Getenv("PORT")',
            },
            {
                "directory": "backend",
                "build": "go build -o ../.bakeoff/bin/backend ./",
                "run": "../.bakeoff/bin/backend",
            },
        ),
        ({"Procfile": "web: bin/shop"}, {"run": "bin/shop"}),
        (
            {
                "go.mod": "module example.com/x/shop/v2",
                "cmd/shop/main.go": GO_MAIN
                + 'var env = list("SHOP_HTTP_ADDR", "SHOP_GRPC_ADDR", "SHOP_PLAYGROUND_PORT")',
                "cmd/shopctl/main.go": GO_MAIN,
                "compose.yaml": "services: { shop: { image: 'example.com/shop:latest', command: run }, "
                "migrate: { image: 'example.com/shop:latest', command: migrate } }",
            },
            {
                "build": "go build -o .bakeoff/bin/shop ./cmd/shop",
                "run": ".bakeoff/bin/shop run",
                "env": {"SHOP_HTTP_ADDR": "127.0.0.1:{port}"},
            },
        ),
        (
            {
                "package.json": '{"workspaces": ["frontend"]}',
                "pyproject.toml": "[tool.uv.workspace]\n",
                "uv.lock": "",
                "frontend/package.json": '{"scripts": {"start": "vite"}}',
                "backend/pyproject.toml": "[project]\ndependencies = ['fastapi[standard]', 'psycopg']\n",
                "backend/alembic.ini": "",
                "backend/app/main.py": "app = FastAPI()\n",
                "backend/app/settings.py": "class Settings(BaseSettings):\n    database_url: PostgresDsn\n",
            },
            {
                "directory": "backend",
                "build": "uv sync --frozen",
                "run": "../.venv/bin/uvicorn app.main:app --port {port}",
                "storage": {"kind": "postgresql", "prepare": "../.venv/bin/alembic upgrade head"},
            },
        ),
        (
            {
                "requirements.txt": "flask\n",
                "Procfile": "web: gunicorn shop:app",
                "alembic.ini": "",
                "shop.py": "app = Flask(__name__)\n"
                'url = os.environ.get("DATABASE_URL") or "sqlite:///" + path("shop.db")\n',
            },
            {
                "build": f"{PIP}-r requirements.txt gunicorn",
                "run": f"{PROGRAMS}gunicorn shop:app",
                "env": {"DATABASE_URL": "sqlite:///{state}/data.db"},
                "storage": {"kind": "files", "prepare": f"{PROGRAMS}alembic upgrade head"},
            },
        ),
        (
            {
                "package.json": json.dumps({"scripts": {"start": "node a.js", "migration:run": "x"}}),
                "a.js": "listen(process.env.PORT)",
                "env-example-relational": "DATABASE_HOST=db\nDATABASE_NAME=shop\n",
                "compose.yml": "services: { db: { image: postgres } }",
            },
            {
                "run": "node a.js",
                "env": {"DATABASE_HOST": "{database_host}", "DATABASE_NAME": "{database_name}"},
                "storage": {"kind": "postgresql", "prepare": "npm run migration:run"},
            },
        ),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) and "run" not in value else "",
)
def test_what_files_show(tmp_path: Path, files: dict[str, str], expected: dict[str, Json]) -> None:
    assert shown(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({}, "run"),
        ({"go.mod": "module x", "cmd/a/main.go": GO_MAIN, "cmd/b/main.go": GO_MAIN}, "run"),
        ({"Dockerfile": 'CMD ["/app/server"]'}, "run"),
        ({"Dockerfile": "CMD [broken"}, "run"),
        ({"package.json": "{}"}, "run"),
        ({"package.json": "no JSON"}, "run"),
        ({"Cargo.toml": "no TOML"}, "run"),
        ({"pom.xml": "no XML"}, "run"),
        ({"docker-compose.yml": "a: ["}, "run"),
        ({"Cargo.toml": '[package]\nname = "shop"', "src/main.rs": "fn main() { bind(8080); }"}, "env"),
        ({"go.mod": "module shop", "main.go": GO_MAIN + 'os.Getenv("SHOP_PLAYGROUND_PORT")'}, "env"),
        ({"go.mod": "module shop", "main.go": GO_MAIN, "ui/a.js": "process.env.PORT"}, "env"),
        (
            {"go.mod": "module shop\nrequire a/sqlite v1\nrequire github.com/lib/pq v1", "main.go": GO_MAIN},
            "storage",
        ),
        ({"Procfile": "web: bin/shop $PORT", "requirements.txt": "aiosqlite"}, "storage"),
        ({"Procfile": "web: bin/shop $PORT", "requirements.txt": "asyncpg"}, "storage"),
    ],
)
def test_what_no_file_shows_is_for_a_person(tmp_path: Path, files: dict[str, str], name: str) -> None:
    assert isinstance(shown(tmp_path, files)[name], Open)


def test_of_several_services_that_with_the_description_is_meant(tmp_path: Path) -> None:
    files = {"one/Procfile": "web: a", "two/Procfile": "web: b", "two/docs/openapi.yaml": "", "one/go.mod": ""}
    shown(tmp_path, {**files, "two/go.mod": ""})

    members, _ = service_in(Project(tmp_path), "rest", tmp_path / "two" / "docs" / "openapi.yaml")

    assert members["directory"] == "two"


def test_examples_of_variables_are_named(tmp_path: Path) -> None:
    shown(tmp_path, {"Procfile": "web: a", "shop.env.example": "SECRET=1\n"})

    _, found = service_in(Project(tmp_path), "rest")

    assert found[-1].startswith("- shop.env.example names variables: write those that the service needs into env")


def test_a_service_of_grpc_takes_the_port_that_says_so(tmp_path: Path) -> None:
    files = {"Procfile": "web: bin/shop", "a.py": 'os.environ["HTTP_PORT"], os.environ["GRPC_PORT"]'}

    assert shown(tmp_path, files, "grpc")["env"] == {"GRPC_PORT": "{port}"}
    assert shown(tmp_path, files, "rest")["env"] == {"HTTP_PORT": "{port}"}
