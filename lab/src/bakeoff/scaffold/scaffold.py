"""A new workload and its first target: which files, and what is in them."""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bakeoff.documents.checked import Json
from bakeoff.documents.project_file import folders
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project
from bakeoff.targets.access import access_of
from bakeoff.targets.manifest import MADE_BY_BUILDS

DATABASES = ("postgresql", "none")
PROTOCOLS = ("rest", "grpc")

TEMPLATES = Path(__file__).with_name("templates")
# A target is called NAME-rest or NAME-grpc, a name of at most 63 characters too.
_NAME = re.compile(r"[a-z][a-z0-9-]{0,57}")
_STORING = ("schema.sql", "reset.sql", "audit.sql", "upsert.sql", "upsert_one.sql")
_DEFAULT_PORT = 8080


@dataclass(frozen=True)
class Scaffold:
    """The name of the new workload, how its target is reached, and whether a database takes part."""

    name: str
    protocol: str
    database: str
    path: str
    port: int = _DEFAULT_PORT
    base_url: str = f"http://127.0.0.1:{_DEFAULT_PORT}"
    title: str = ""

    @property
    def target(self) -> str:
        return f"{self.name}-{self.protocol}"

    @property
    def stores(self) -> bool:
        """Whether there is something to audit."""
        return self.database == "postgresql"


def scaffold_of(name: str, protocol: str, database: str, url: str | None) -> Scaffold:
    """The scaffold that was asked for; raises UsageError for what cannot be meant.

    A URL such as `http://127.0.0.1:8080/v1/things` says where the API listens, and over REST its path where entries
    are posted.
    """
    check_name(name)
    if name in MADE_BY_BUILDS:
        raise UsageError(f'A workload cannot be called "{name}": folders of that name hold build outputs.')
    if protocol not in PROTOCOLS:
        raise UsageError(f'--protocol is "{protocol}": use {" or ".join(PROTOCOLS)}.')
    if database not in DATABASES:
        raise UsageError(f'--database is "{database}": use {" or ".join(DATABASES)}.')
    scaffold = Scaffold(name, protocol, database, path=f"/{name}")
    return scaffold if url is None else _placed(scaffold, url)


def check_name(name: str) -> None:
    """Raises UsageError for what no workload can be called."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f'"{name}" is not a workload name: use lower-case letters, digits and hyphens, a letter first, at most '
            "58 of them, such as users or car-loans."
        )


def _placed(scaffold: Scaffold, url: str) -> Scaffold:
    address, path = address_in(url)
    if path != "/" and scaffold.protocol == "grpc":
        raise UsageError(f'"{url}" has a path, but gRPC addresses have none: write http://host:port.')
    return replace(scaffold, base_url=address, port=access_of(address).port, path=path.rstrip("/") or scaffold.path)


def address_in(url: str) -> tuple[str, str]:
    """The address of an API, such as http://127.0.0.1:8080, and the path in it. Raises UsageError for another text.

    That of grpc://host:port is an address of HTTP too, as targets have them.
    """
    parts = re.fullmatch(r"(https?|grpcs?)(://[^/?#]*)(/[A-Za-z0-9/._~-]*)?", url)
    if parts is None:
        raise UsageError(f'"{url}" is not an API address: write http://host:port, or http://host:port/path.')
    address = f"{parts[1].replace('grpc', 'http')}{parts[2]}"
    access_of(address)
    return address, parts[3] or "/"


def write_scaffold(project: Project, scaffold: Scaffold) -> list[Path]:
    """Writes the files and returns their paths.

    Raises UsageError, and writes nothing, where one of the folders exists already.
    """
    return write_files(project, scaffold, dict(_rendered(project, scaffold)))


def write_files(project: Project, scaffold: Scaffold, files: Mapping[Path, str | bytes]) -> list[Path]:
    """Writes the files of a new workload and its target; raises UsageError where one of their folders exists."""
    for folder in (folder_of(project, "workloads") / scaffold.name, folder_of(project, "targets") / scaffold.name):
        if folder.exists():
            raise UsageError(f"{project.relative(folder)} already exists and was not changed. Choose another name.")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    except OSError as error:
        raise BakeoffError(f"{project.relative(path)} cannot be written: {error.strerror}.") from error
    return list(files)


def folder_of(project: Project, kind: str) -> Path:
    """The folder that new files of a kind go into. Raises UsageError where the project names none."""
    folder = next(folders(project, kind), None)
    if folder is None:
        raise UsageError(f'{project.file} names no folder for {kind}: add [folders] {kind} = ["{kind}"].')
    return folder


def rendered_target(project: Project, scaffold: Scaffold) -> tuple[Path, str]:
    """The manifest of the first target: its path, and its text."""
    path = folder_of(project, "targets") / scaffold.name / scaffold.protocol / "target.toml"
    values = _values(scaffold) | {"target_file": project.relative(path)}
    return path, environment().get_template("target.toml.j2").render(values)


def _rendered(project: Project, scaffold: Scaffold) -> Iterator[tuple[Path, str]]:
    templates = environment()
    for template in _templates(scaffold):
        path = folder_of(project, "workloads") / scaffold.name / template.relative_to("contract").with_suffix("")
        yield path, templates.get_template(str(template)).render(_values(scaffold))
    yield rendered_target(project, scaffold)


def environment() -> Environment:
    """The templates of this package."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - no HTML is made
    )


def _templates(scaffold: Scaffold) -> Iterator[Path]:
    left_out = {*(() if scaffold.stores else _STORING), *(() if scaffold.protocol == "grpc" else ("service.proto",))}
    for path in sorted((TEMPLATES / "contract").rglob("*.j2")):
        if path.stem not in left_out:
            yield path.relative_to(TEMPLATES)


def _values(scaffold: Scaffold) -> dict[str, Json]:
    words = scaffold.name.split("-")
    package = "_".join(words) + ".v1"
    service_name = "".join(word.capitalize() for word in words) + "Service"
    return {
        "name": scaffold.name,
        "title": scaffold.title or scaffold.name,
        "target": scaffold.target,
        "protocol": scaffold.protocol,
        "protocol_title": {"rest": "REST", "grpc": "gRPC"}[scaffold.protocol],
        "database": scaffold.database,
        "stores": scaffold.stores,
        "port": scaffold.port,
        "path": scaffold.path,
        # Quoted: a workload may be called order, or user.
        "table": '"' + "_".join(words) + '"',
        # Any number will do that other workloads of the same server do not use.
        "lock": zlib.crc32(scaffold.name.encode()),
        "package": package,
        "service_name": service_name,
        "service": f"{package}.{service_name}",
    }
