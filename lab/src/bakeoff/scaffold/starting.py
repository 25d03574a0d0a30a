"""How a repository builds and starts its service, by the files of each language's tools."""

import contextlib
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

from bakeoff.descriptions.json_members import object_in, text_in
from bakeoff.scaffold.description_files import files_of, text_of

# Programs of Python's packages, which a virtual environment has.
_OF_PYTHON = re.compile(r"(?=(?:python3?|uvicorn|gunicorn|hypercorn|granian|fastapi|flask|alembic)\b)")
# Of several programs the one that serves, by the name of its folder.
_SERVING = ("server", "api", "backend", "web", "service", "app")
_PYTHON_APPS = (
    (r"^(\w+)(?:: \w+)? = (?:\w+\.)?(?:FastAPI|Starlette|Litestar|Quart)\(", "uvicorn", "{0}:{1} --port {{port}}"),
    (r"^def (create_app|make_app|get_app)\(.*(?:\n.*)*?FastAPI\(", "uvicorn", "{0}:{1} --factory --port {{port}}"),
    (r"^(\w+)(?:: \w+)? = (?:\w+\.)?Flask\(", "gunicorn", "{0}:{1} --bind 127.0.0.1:{{port}}"),
)


@dataclass(frozen=True)
class ServiceCommands:
    """The commands of a service: `file` is what shows them, `main` the folder of a Go program, within the service.

    `warm_up_s` is how long what runs it may compile under load.
    """

    file: str
    build: str = ""
    run: str = ""
    prepare: str = ""
    programs: str = ""
    main: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    warm_up_s: int = 0

    def of_package(self, command: str) -> str:
        """A command with the programs that its build installs."""
        return _OF_PYTHON.sub(self.programs, command, count=1) if self.programs else command


def start_in(folder: Path, made_in: str) -> ServiceCommands | None:
    """The commands of the service in a folder, or None; builds may write into `made_in`, relative to it."""
    for detect in _DETECTING:
        # A file that cannot be read shows nothing: the tool that it is for says what is wrong with it.
        with contextlib.suppress(ValueError, ElementTree.ParseError):
            if (start := detect(folder, made_in)) is not None:
                return start
    return None


def _node(folder: Path, _made_in: str) -> ServiceCommands | None:
    file = folder / "package.json"
    if not file.is_file():
        return None
    package = json.loads(text_of(file))
    scripts = object_in(package, "scripts")
    tool = next((name for name, lock in _NODE_LOCKS.items() if (folder / lock).is_file()), "npm")
    installs = "npm ci" if (folder / "package-lock.json").is_file() else _NODE_INSTALLS.get(tool, "npm install")
    has_packages = bool(object_in(package, "dependencies") or object_in(package, "devDependencies"))
    steps = [installs] * has_packages + [f"{tool} run build"] * ("build" in scripts)
    started = text_in(scripts, "start") or (f"node {package['main']}" if "main" in package else "")
    # Without npm between them, signals reach the service itself.
    run = started if started.startswith("node ") or not started else f"{tool} start"
    migrate = next((name for name in _NODE_MIGRATIONS if name in scripts), None)
    prepare = f"{tool} run {migrate}" if migrate else ""
    if not prepare and (folder / "prisma" / "migrations").is_dir():
        prepare = "npx prisma migrate deploy"
    return ServiceCommands(file.name, " && ".join(steps), run, prepare)


_NODE_MIGRATIONS = ("migrate", "db:migrate", "migrate:deploy", "migration:run", "migrations:run")
_NODE_LOCKS = {"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock"}
_NODE_INSTALLS = {"pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --frozen-lockfile"}


def _go(folder: Path, made_in: str) -> ServiceCommands | None:
    if not (folder / "go.mod").is_file():
        return None
    sources = (path for path in files_of(folder) if path.suffix == ".go" and not path.name.endswith("_test.go"))
    mains = {path.parent for path in sources if re.search(r"^package main$(?s:.*)^func main\(", text_of(path), re.M)}
    named = re.search(r"^module\s+\S*?([\w.-]+?)(?:/v\d+)?\s*$", text_of(folder / "go.mod"), re.M)
    places = {path.relative_to(folder).as_posix(): path.name for path in mains}
    main = _serving(places, "" if named is None else named[1])
    if main is None:
        return ServiceCommands("go.mod")
    program = shlex.quote(f"{made_in}/bin/{(folder / main).resolve().name}")
    package = shlex.quote(f"./{'' if main == '.' else main}")
    return ServiceCommands("go.mod", f"go build -o {program} {package}", program, main=main)


def _rust(folder: Path, _made_in: str) -> ServiceCommands | None:
    file = folder / "Cargo.toml"
    if not file.is_file():
        return None
    binaries: dict[str, str] = {}
    for manifest in (path for path in files_of(folder) if path.name == "Cargo.toml"):
        cargo = tomllib.loads(text_of(manifest))
        name = str(cargo.get("package", {}).get("name", ""))
        named = [str(each.get("name")) for each in cargo.get("bin", [])]
        has_main = (manifest.parent / "src" / "main.rs").is_file()
        found = named or ([name] if has_main else []) + [each.stem for each in manifest.parent.glob("src/bin/*.rs")]
        binaries |= {each: each for each in [cargo.get("package", {}).get("default-run", "")] if each} or {
            each: each for each in found
        }
    program = _serving(binaries)
    if program is None:
        return ServiceCommands(file.name)
    return ServiceCommands(file.name, f"cargo build --release --bin {program}", f"target/release/{program}")


def _serving(programs: Mapping[str, str], whole: str = "") -> str | None:
    """The only one of some programs by their places, or the only one whose name says that it serves.

    Otherwise that with the name of the whole.
    """
    if len(programs) == 1:
        return next(iter(programs))
    named = [place for place, name in programs.items() if re.split(r"[-_.]", name)[-1] in _SERVING]
    named = named if len(named) == 1 else [place for place, name in programs.items() if name == whole]
    return named[0] if len(named) == 1 else None


def _maven(folder: Path, _made_in: str) -> ServiceCommands | None:
    file = folder / "pom.xml"
    if not file.is_file():
        return None
    root = ElementTree.fromstring(text_of(file))  # noqa: S314 - the user's own file
    inner = {each.tag.split("}")[-1]: (each.text or "").strip() for each in [*_children(root, "parent"), *root]}
    final = next((each.text for build in root.iter() for each in build if each.tag.endswith("}finalName")), None)
    jar = f"target/{final or '-'.join(inner.get(name, '$') for name in ('artifactId', 'version'))}.jar"
    tool = "./mvnw" if (folder / "mvnw").is_file() else "mvn"
    return _java(file, f"{tool} -q -DskipTests package", jar, "target/quarkus-app/quarkus-run.jar")


def _children(root: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    for each in root:
        if each.tag.endswith(f"}}{name}"):
            yield from each


def _gradle(folder: Path, _made_in: str) -> ServiceCommands | None:
    file = next((path for name in ("build.gradle", "build.gradle.kts") if (path := folder / name).is_file()), None)
    if file is None:
        return None
    settings = "".join(text_of(path) for path in folder.glob("settings.gradle*"))
    name = re.search(r"rootProject\.name\s*=\s*['\"](.+?)['\"]", settings)
    version = re.search(r"^version\s*=?\s*['\"](.+?)['\"]", text_of(file), re.M)
    jar = f"build/libs/{name[1] if name else folder.resolve().name}{f'-{version[1]}' if version else ''}.jar"
    tool = "./gradlew" if (folder / "gradlew").is_file() else "gradle"
    return _java(file, f"{tool} -q assemble", jar, "build/quarkus-app/quarkus-run.jar")


# On two cores that it shares, a Spring or Quarkus service doubles its throughput between second 30 and 60.
_JAVA_WARMS_UP_S = 60


def _java(file: Path, build: str, jar: str, quarkus_jar: str) -> ServiceCommands:
    text, start = text_of(file), ServiceCommands(file.name, build, warm_up_s=_JAVA_WARMS_UP_S)
    if "io.quarkus" in text:
        return replace(start, run=f"java -jar {quarkus_jar}", environment={"QUARKUS_HTTP_PORT": "{port}"})
    if "org.springframework.boot" in text and "$" not in jar:
        return replace(start, run=f"java -jar {jar}", environment={"SERVER_PORT": "{port}"})
    return start


def _python(folder: Path, made_in: str) -> ServiceCommands | None:
    file = next((name for name in _PYTHON_FILES if (folder / name).is_file()), None)
    # A pyproject.toml without a project is that of a workspace, or of tools.
    if file is None or (file == "pyproject.toml" and not _HAS_PROJECT.search(text_of(folder / file))):
        return None
    wanted = "".join(text_of(folder / name) for name in _PYTHON_FILES if (folder / name).is_file())
    found = _python_app(folder)
    server = found[0] if found is not None else ""
    extra = f" {server}" if server and server not in wanted and "fastapi[standard]" not in wanted else ""
    locked = next((each for each in (folder, folder.parent) if (each / "uv.lock").is_file()), None)
    if locked is not None:
        # The members of a workspace share the environment of its root.
        programs = ".venv/bin/" if locked == folder else "../.venv/bin/"
        build = "uv sync --frozen" + (f" && uv pip install{extra}" if extra else "")
    else:
        programs, what = f"{made_in}/python/bin/", "-r requirements.txt" if file == "requirements.txt" else "."
        build = f"[ -d {made_in}/python ] || python3 -m venv {made_in}/python && {programs}pip install -q {what}{extra}"
    prepare = "alembic upgrade head" if (folder / "alembic.ini").is_file() else ""
    run = "" if found is None else f"{found[0]} {found[1]}"
    if (folder / "manage.py").is_file():
        prepare = "python manage.py migrate"
        run = "python manage.py runserver --noreload {port}"
        settings = next(iter(sorted(folder.glob("*/wsgi.py"))), None)
        if settings is not None and "gunicorn" in wanted:
            run = f"gunicorn {settings.parent.name}.wsgi --bind 127.0.0.1:{{port}}"
    start = ServiceCommands(file, build, programs=programs)
    return ServiceCommands(file, build, start.of_package(run), start.of_package(prepare), programs)


_HAS_PROJECT = re.compile(r"^\[(?:project|tool\.poetry)\]", re.M)
_PYTHON_FILES = ("requirements.txt", "pyproject.toml")


def _python_app(folder: Path) -> tuple[str, str] | None:
    """The server of the application that a module makes, and its arguments."""
    sources = sorted((path for path in files_of(folder) if path.suffix == ".py"), key=lambda path: len(path.parts))
    for pattern, server, arguments in _PYTHON_APPS:
        for path in sources:
            if (found := re.search(pattern, text_of(path), re.M)) is not None:
                parts = [*path.relative_to(folder).parent.parts, path.stem]
                lies_in_src = parts[0] == "src" and len(parts) > 1
                module = ".".join(parts[1:] if lies_in_src else parts).removesuffix(".__init__")
                where = {"uvicorn": " --app-dir src", "gunicorn": " --chdir src"}[server] if lies_in_src else ""
                return server, arguments.format(module, found[1]) + where
    return None


_DETECTING: Sequence[Callable[[Path, str], ServiceCommands | None]] = (_go, _rust, _maven, _gradle, _python, _node)
