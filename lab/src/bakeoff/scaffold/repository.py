"""A service's commands, port, variables and storage, read from its repository as members of a target."""

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bakeoff.descriptions.json_members import JsonObject, object_in, objects_by_name, text_in
from bakeoff.documents.checked import Json
from bakeoff.project import Project
from bakeoff.scaffold.description_files import files_of, text_of
from bakeoff.scaffold.project_toml import Members, Open
from bakeoff.scaffold.starting import ServiceCommands, start_in

_CODE = {".c", ".cc", ".cs", ".go", ".java", ".js", ".kt", ".mjs", ".php", ".py", ".rb", ".rs", ".scala", ".ts"}
# Sources of a service, by the file of its tools: those of other languages are of other programs.
_CODE_OF = {
    "go.mod": {".go"},
    "Cargo.toml": {".rs"},
    **{name: {".java", ".kt", ".scala"} for name in ("pom.xml", "build.gradle", "build.gradle.kts")},
    **{name: {".py"} for name in ("requirements.txt", "pyproject.toml")},
    "package.json": {".js", ".mjs", ".ts"},
}
_SETTINGS = re.compile(r"\bBaseSettings\b")
_SETTING = re.compile(r"^    ([A-Za-z]\w*)\s*:", re.M)
_LARGEST_BYTES = 200_000
_EXAMPLE = re.compile(r"(?=.*\benv\b)(?=.*(?:example|sample|template|dist)).*")
_COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b")
_OF_OTHERS = re.compile(
    r"DB|DATABASE|POSTGRES|PG|MYSQL|MONGO|REDIS|SMTP|MAIL|KAFKA|AMQP|RABBIT|METRICS|ADMIN|DEBUG|PROXY"
)
# What may stand before PORT, besides the name of the service.
_OF_SERVICE = {"APP", "API", "HTTP", "REST", "GRPC", "SERVER", "SERVICE", "WEB", "LISTEN", "BIND", "BACKEND"}
# Folders of a repository of several programs, where the service lies.
_BACKENDS = ("backend", "server", "api", "service")
_DATABASE_URL = re.compile(r"(?:.*_)?(?:DATABASE|DB|POSTGRES|POSTGRESQL|PG|SQLALCHEMY|SQLITE)\w*_?(?:URL|URI|DSN)")
_DATABASE_PART = re.compile(
    r"(?:.*_)?(?:DATABASE|DB|POSTGRES|POSTGRESQL|PG)_?(?P<part>HOST|HOSTNAME|PORT|NAME|DATABASE|DB|USER|USERNAME|PASSWORD|PASS)"
)
_PARTS = {"HOSTNAME": "host", "DATABASE": "name", "DB": "name", "USERNAME": "user", "PASS": "password"}
_DATA_FILE = re.compile(r"(?:.*_)?(?:DB|DATABASE|SQLITE|DATA|STORE|STORAGE|BOLT)_?(?P<what>PATH|FILE|DIR|FOLDER)")
_FLAG = re.compile(r'flag\.\w+\((?:&[\w.]+,\s*)?"(?P<name>[\w-]+)",\s*(?P<usual>"[^"]*"|\d+)')
_POSTGRESQL = re.compile(r'postgres|psycopg|asyncpg|jackc/pgx|lib/pq|"pg"', re.IGNORECASE)
_FILES = re.compile(r"sqlite|bbolt|badger|pebble|leveldb|rocksdb|\bsled\b", re.IGNORECASE)
_IMPORTS_SQLITE = re.compile(r"^import .*\bsqlite3\b|^from sqlite3 import|node:sqlite", re.M)
_SQLITE_URL = re.compile(r"sqlite(?:\+\w+)?:/{2,3}")
_DEPENDENCIES = {
    *("package.json", "go.mod", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts"),
    *("requirements.txt", "pyproject.toml", "schema.prisma"),
}


def service_in(project: Project, protocol: str, described: Path | None = None) -> tuple[Members, list[str]]:
    """The members of the target, and a line for each file that shows them.

    The service lies in the project's folder, or in the one within it that has the files of one: of several in that
    with its description, or that is called as backends are.
    """
    found = list[_Shown]()
    for directory in (project.root, *_service_below(project.root, described)):
        start = start_in(directory, os.path.relpath(project.state, directory))
        shown = _Shown(directory, start or ServiceCommands(""), protocol)
        found += [shown] if start is not None or shown.command else []
    # The files of a root may be those of a workspace alone.
    best = next((each for each in found if each.command), found[0] if found else None)
    if best is None:
        return {"run": _UNKNOWN_RUN}, []
    place = {} if best.folder == project.root else {"directory": best.folder.name}
    return {**place, **best.members}, best.found


_UNKNOWN_RUN = Open("…", "the command that starts it; its port is {port} here, and the variable PORT")
_UNKNOWN_PORT = Open({"NAME": "{port}"}, "the variable that it takes its port from, or add {port} to run")


def _service_below(folder: Path, described: Path | None) -> list[Path]:
    below = [each for each in sorted(folder.iterdir()) if each.is_dir() and not each.name.startswith(".")]
    services = [each for each in below if start_in(each, "") is not None]
    describing = [each for each in services if described is not None and described.is_relative_to(each)]
    named = [each for each in services if each.name in _BACKENDS]
    return next((each for each in (services, describing, named) if len(each) == 1), [])


@dataclass(frozen=True)
class _Shown:
    """Facts that the files of a service show."""

    folder: Path
    start: ServiceCommands
    protocol: str

    @property
    def members(self) -> Members:
        run, environment = self.command, dict(self.start.environment)
        members: dict[str, Json | Open] = {"build": self.start.build} if self.start.build else {}
        flags = list(self._flags)
        run += "".join(f" {flag}" for flag in flags) if run else ""
        environment |= self._storage_variables
        has_port = "{port}" in f"{run}{environment}" or "$PORT" in run or self._port_variable == "PORT"
        # What a Procfile starts as web listens on PORT.
        has_port |= not self._port_variable and self._web is not None
        if not has_port and self._port_variable:
            environment[self._port_variable] = "{port}" if self._port_variable.endswith("PORT") else "127.0.0.1:{port}"
        members["run"] = run or _UNKNOWN_RUN
        if environment:
            members["env"] = environment
        elif run and not has_port:
            members["env"] = _UNKNOWN_PORT
        if self._port is not None:
            members["port"] = self._port
        if self.start.warm_up_s:
            members["warm_up_s"] = self.start.warm_up_s
        return {**members, **self._storage(f"{run}{environment}")}

    @property
    def found(self) -> list[str]:
        example = next(iter(self._examples), "")
        words = (
            f"- {example} names variables: write those that the service needs into env, or a file .env that it reads."
        )
        examples = [words] if example and not self._has(".env") else []
        files = [self.start.file, *(name for name in ("Procfile", "Dockerfile") if self._has(name)), *self._composed]
        return [f"Looked at {', '.join(name for name in files if name)}.", *examples]

    @cached_property
    def _examples(self) -> Sequence[str]:
        """Files with examples of the environment, such as .env.example."""
        names = (path.name for path in self.folder.iterdir() if path.is_file())
        return sorted(name for name in names if _EXAMPLE.fullmatch(name.replace("_", "-")))

    @cached_property
    def _web(self) -> str | None:
        """The command of a Procfile for what serves, without a port of its own."""
        web = re.search(r"^web:\s*(.+)$", self._text("Procfile"), re.M)
        return None if web is None else web[1].strip()

    @cached_property
    def command(self) -> str:
        """The command that starts the service; empty where no file shows it."""
        if self._web is not None:
            return self.start.of_package(self._web)
        if self.start.run:
            return f"{self.start.run}{self._composed_arguments}"
        commands = re.findall(r"^(?:CMD|ENTRYPOINT)\s+(\[.*\])\s*$", self._text("Dockerfile"), re.M)
        if len(commands) != 1 or _list(commands[0])[:1] == [] or _list(commands[0])[0].startswith(("/", ".")):
            return ""
        words = shlex.join(_list(commands[0])).replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - what is replaced
        return self.start.of_package(words if self._port is None else re.sub(rf"\b{self._port}\b", "{port}", words))

    @cached_property
    def _port(self) -> int | None:
        exposed = re.findall(r"^EXPOSE\s+(\d+)(?:/tcp)?\s*$", self._text("Dockerfile"), re.M)
        return int(exposed[0]) if len(exposed) == 1 and 0 < int(exposed[0]) < 65536 else None

    @cached_property
    def _sources(self) -> list[str]:
        suffixes = _CODE_OF.get(self.start.file, _CODE)
        paths = (path for path in files_of(self.folder) if path.suffix in suffixes)
        return [text_of(path) for path in paths if path.stat().st_size <= _LARGEST_BYTES]

    @cached_property
    def _variables(self) -> list[str]:
        """Environment variables that the service reads, by its sources and the examples of their values."""
        lines = [line for text in self._sources for line in text.splitlines() if "env" in line.lower()]
        names = {name for line in lines for name in _VARIABLE.findall(line)}
        # Members of pydantic's settings are variables.
        names |= {found.upper() for text in self._sources if _SETTINGS.search(text) for found in _SETTING.findall(text)}
        names |= set(re.findall(r"^ENV\s+([A-Z][A-Z0-9_]+)", self._text("Dockerfile"), re.M))
        for file in self._examples:
            names |= set(re.findall(r"^#? ?([A-Z][A-Z0-9_]+)=", self._text(file), re.M))
        return sorted(names | {name for each in self._composed.values() for name in each})

    @cached_property
    def _port_variable(self) -> str:
        own = [name for name in self._variables if not _OF_OTHERS.search(name)]
        ports = self._of_service([name for name in own if re.fullmatch(r"(?:\w+_)?PORT", name)])
        addresses = self._of_service([name for name in own if re.fullmatch(r"(?:\w+_)?(?:ADDR|ADDRESS|LISTEN)", name)])
        if "PORT" in ports:
            return "PORT"
        return next((names[0] for names in (ports, addresses) if len(names) == 1), "")

    def _of_service(self, names: Sequence[str]) -> Sequence[str]:
        """Those of the service itself: its name stands before PORT or ADDR, or what it serves."""
        found = [name for name in names if _OF_SERVICE.issuperset(name.split("_")[1:-1])]
        return [name for name in found if ("GRPC" in name) == (self.protocol == "grpc")] or found

    @property
    def _flags(self) -> Iterator[str]:
        """Flags of a Go program for its port and its files; other programs of the repository have their own."""
        if not self.start.main:
            return
        sources = sorted((self.folder / self.start.main).glob("*.go"))
        texts = [text_of(path) for path in sources if not path.name.endswith("_test.go")]
        for name, usual in (each.groups() for text in texts for each in _FLAG.finditer(text)):
            value = usual.strip('"')
            if name in ("port", "p", f"{self.protocol}-port", "http-port"):
                yield f"-{name} {{port}}"
            elif re.fullmatch(r"[\w.]*:\d+", value):
                yield f"-{name} 127.0.0.1:{{port}}"
            elif self._kind == "postgresql":
                continue
            elif re.search(r"\.(db|sqlite3?|bolt)$", value):
                yield f'-{name} "{{state}}/{Path(value).name}"'
            elif name in ("data", "data-dir", "dir", "state"):
                yield f'-{name} "{{state}}"'

    @cached_property
    def _composed(self) -> Mapping[str, Mapping[str, str]]:
        """The variables of the services that a compose file builds, by the file's name."""
        file = next((name for name in _COMPOSE if self._has(name)), None)
        built = self._composed_own
        return {} if file is None else {file: {k: v for each in built for k, v in _variables_of(each).items()}}

    @property
    def _compose_services(self) -> Sequence[JsonObject]:
        return list(self._composed_by_name.values())

    @cached_property
    def _composed_by_name(self) -> Mapping[str, JsonObject]:
        import yaml

        file = next((name for name in _COMPOSE if self._has(name)), None)
        try:
            document = yaml.safe_load(self._text(file)) if file else None
        except yaml.YAMLError:
            return {}  # it is Compose that says what is wrong with it
        return objects_by_name(object_in(document, "services")) if isinstance(document, dict) else {}

    @property
    def _composed_own(self) -> Sequence[JsonObject]:
        """The services of a compose file that it builds, or that run an image with the service's name under it."""
        built = [each for each in self._compose_services if "build" in each]
        names = {self.folder.resolve().name, Path(self.start.main).name}
        own = [each for name, each in self._composed_by_name.items() if _image(each) in names and name in names]
        return built or own

    @property
    def _composed_arguments(self) -> str:
        """What a compose file adds to the program that its only built service is."""
        commands = [each.get("command") for each in self._composed_own]
        if len(commands) != 1 or not self.start.main:
            return ""
        text = shlex.join(map(str, commands[0])) if isinstance(commands[0], list) else str(commands[0] or "")
        return f" {text}" if re.fullmatch(r"[a-z][\w-]*(?: -.*)?", text) else ""

    @cached_property
    def _kind(self) -> str:
        """Where it keeps its data: postgresql, files, or empty where nothing shows it."""
        if any("postgres" in text_in(each, "image") for each in self._compose_services):
            return "postgresql"
        if _POSTGRESQL.search(self._needed):
            return "postgresql"
        in_sources = any(map(_IMPORTS_SQLITE.search, self._sources)) or _SQLITE_URL.search(self._shown_values)
        return "files" if _FILES.search(self._needed) or in_sources else ""

    @cached_property
    def _needed(self) -> str:
        """The files that name what it depends on."""
        return "".join(text_of(path) for path in files_of(self.folder) if path.name in _DEPENDENCIES)

    @cached_property
    def _shown_values(self) -> str:
        """Texts that may hold values of variables."""
        return "\n".join([*self._sources, *map(self._text, self._examples), str(self._composed)])

    @cached_property
    def _storage_variables(self) -> Mapping[str, str]:
        if self._kind == "postgresql":
            named = [name for name in self._variables if _DATABASE_URL.fullmatch(name)]
            # The lab sets DATABASE_URL itself.
            return {name: "{database_url}" for name in named if name != "DATABASE_URL"} if named else self._parts
        if self._kind != "files":
            return {}
        files = {name: found for name in self._variables if (found := _DATA_FILE.fullmatch(name)) is not None}
        values = {
            name: "{state}" if each["what"] in ("DIR", "FOLDER") else "{state}/data.db" for name, each in files.items()
        }
        prefix = _SQLITE_URL.search(self._shown_values)
        urls = [name for name in self._variables if _DATABASE_URL.fullmatch(name) and prefix is not None]
        return values or dict.fromkeys(urls, f"{prefix[0] if prefix else ''}{{state}}/data.db")

    @property
    def _parts(self) -> Mapping[str, str]:
        """The variables of a service that takes its database in parts: none without a host and a name."""
        found = {name: each["part"] for name in self._variables if (each := _DATABASE_PART.fullmatch(name)) is not None}
        parts = {name: f"{{database_{_PARTS.get(part, part.lower())}}}" for name, part in found.items()}
        return parts if {"{database_host}", "{database_name}"} <= {*parts.values()} else {}

    def _storage(self, texts: str) -> Members:
        prepare = {"prepare": self.start.prepare} if self.start.prepare else {}
        kind = self._kind or ("files" if "{state}" in texts else "")
        table: dict[str, Json] = {"kind": kind, **prepare}
        if kind == "files" and "{state}" not in texts:
            return {"storage": Open(table, "name {state}, the folder of a run's files, in run or env")}
        knows_url = "DATABASE_URL" in self._variables or "{database_" in texts
        if kind == "postgresql" and not knows_url and _FILES.search(self._needed):
            words = "it can store in PostgreSQL or files: name {database_url}, or of kind files {state}, in run or env"
            return {"storage": Open(table, words)}
        if kind == "postgresql" and not knows_url:
            return {"storage": Open(table, "name {database_url} in run or env, if DATABASE_URL is not what it reads")}
        return {"storage": table if prepare else kind} if kind else {}

    def _has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def _text(self, name: str) -> str:
        return text_of(self.folder / name) if self._has(name) else ""


def _list(text: str) -> list[str]:
    """The words of a command in its JSON form; none where it is not JSON."""
    try:
        words = json.loads(text)
    except ValueError:
        return []
    return [str(each) for each in words]


def _variables_of(service: JsonObject) -> dict[str, str]:
    """The environment of a service of a compose file, in either of its forms."""
    listed = service.get("environment")
    if isinstance(listed, list):
        return {name: value for name, _, value in (str(each).partition("=") for each in listed)}
    return {name: str(value) for name, value in object_in(service, "environment").items()}


def _image(service: JsonObject) -> str:
    """The last part of the name of a service's image, without its version."""
    return text_in(service, "image").rpartition("/")[2].partition(":")[0]
