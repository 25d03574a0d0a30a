"""Where an API is described: a file of its repository, or what the running service shows."""

import contextlib
import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from bakeoff.descriptions.faults import first_faults
from bakeoff.descriptions.imported import ImportedApi
from bakeoff.documents.whole_file import write_whole
from bakeoff.engines.client import client_of
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.scaffold.scaffold import address_in
from bakeoff.targets.access import access_of, is_loopback
from bakeoff.workload.expressible import expressible

# Where frameworks show the description of a running service.
_SERVED = ("openapi.json", "openapi.yaml", "v3/api-docs", "api/openapi.json", "swagger/v1/swagger.json", "swagger.json")
_NAMES = [f"{stem}.{suffix}" for stem in ("openapi", "swagger") for suffix in ("yaml", "yml", "json")]
_SKIPPED = {"node_modules", "vendor", "third_party", "target", "build", "dist", "testdata", "test", "tests", "venv"}
# Pages that show a description to people, and what names its place in them: a file, or a member of the viewer's call.
_PAGES = ("docs", "api/docs", "swagger", "swagger-ui/index.html", "api", "redoc", "documentation", "")
_NAMED_IN_PAGE = re.compile(
    r"""["']([^"'\s<>]+\.(?:json|ya?ml))["']|(?:\burl|spec-url|apiDescriptionUrl)["']?\s*[:=]\s*["']([^"'\s<>]+)["']"""
)
_DESCRIBES = re.compile(rb"""(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.""", re.M)
_DOCUMENTS = {".json", ".yaml", ".yml"}
_REFLECTED = "services.binpb"
_TIMEOUT_S = 10.0
_MOST_NAMES = 12
_MOST_FILES = 1000
_REFERENCE = re.compile(r"""["']?\$ref["']?\s*:\s*["']?([^\s"'#,}]+)""")
_LARGEST_BYTES = 64 << 20


@dataclass(frozen=True)
class Source:
    """A description: the member of a workload that names it, its file, and the API in it.

    `proto_paths` are the folders that were named for imports of proto files.
    """

    kind: str
    file: Path
    api: ImportedApi
    proto_paths: Sequence[Path] = ()

    @property
    def found(self) -> Iterator[str]:
        """The imported operations, those left out, and what remains to decide, a line each."""
        names = [each.name for each in self.api.operations]
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        listed = ", ".join(names[:_MOST_NAMES]) + more
        yield f"{self.file.name}: {len(names)} operation{'' if len(names) == 1 else 's'}: {listed}"
        if self.api.health is not None and "path" in self.api.health:
            yield f"- The health check is {self.api.health['method']} {self.api.health['path']}."
        for line in (*self.api.left_out, *self.api.advice):
            yield f"- {line}"
        for line in first_faults(self.api.faults):
            yield f"- {self.file.name}: {line}"
        if self.api.address is not None and not is_local(self.api.address):
            yield f"- Its server is {self.api.address}: nothing is sent there unless you name it yourself."


def description_of(
    folder: Path,
    openapi: str | None,
    proto: Path | None,
    url: str | None,
    passed_over: list[str],
    proto_paths: Sequence[Path] = (),
) -> Source | None:
    """The description that was named, that the running service shows, or that lies in the folder; None for none.

    A file found in the folder that cannot be imported is `passed_over`, with the reason.
    """
    if openapi is not None:
        return _read(fetched(openapi, folder) if "://" in openapi else Path(openapi).absolute())
    if proto is not None:
        return _read_proto(proto.absolute(), proto_paths)
    if url is not None and is_grpc(url):
        return _read_proto(reflected(url, folder), proto_paths)
    shown = None if url is None else served(url, folder)
    for file in described_in(folder) if shown is None else [shown]:
        try:
            return _read(file, proto_paths)
        except BakeoffError as error:
            passed_over.append(f"- not used: {error.message}")
        except Exception as error:  # noqa: BLE001 - a file found by chance must not stop the project
            passed_over.append(f"- not used: {file} cannot be imported: {type(error).__name__}: {error}")
    return None


def _read(file: Path, proto_paths: Sequence[Path] = ()) -> Source:
    if file.suffix == ".proto":
        return _read_proto(file, proto_paths)
    from bakeoff.descriptions.openapi_import import import_openapi

    return Source("openapi", file, expressible(import_openapi(file)))


def _read_proto(file: Path, proto_paths: Sequence[Path]) -> Source:
    from bakeoff.descriptions.proto_import import import_proto
    from bakeoff.descriptions.proto_sources import ProtoSource

    roots = tuple(path.absolute() for path in proto_paths)
    return Source("proto", file, expressible(import_proto(ProtoSource(file, roots))), roots)


def described_by(url: str, folder: Path) -> Source | None:
    """The description that a running service shows; None where it shows none that can be used."""
    with contextlib.suppress(BakeoffError):
        shown = served(url, folder)
        return None if shown is None else _read(shown)
    return None


def described_in(folder: Path) -> list[Path]:
    """The descriptions of a repository: OpenAPI documents before proto files with services, the nearest first."""
    files = sorted(files_of(folder), key=lambda path: (len(path.relative_to(folder).parts), path))
    documents = [path for path in files if path.name.lower() in _NAMES]
    others = (path for path in files if path.suffix.lower() in _DOCUMENTS and path not in documents)
    documents += [path for path in others if _holds_description(path)]
    return documents + [path for path in files if path.suffix == ".proto" and "\nservice " in text_of(path)]


def files_of(folder: Path) -> Iterator[Path]:
    """The files of a service, without dependencies, builds and tests."""
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if name not in _SKIPPED and not name.startswith("."))
        yield from (Path(here) / name for name in sorted(names) if (Path(here) / name).is_file())


def is_local(address: str) -> bool:
    """Whether an address is one of this machine."""
    return is_loopback(urlsplit(address).hostname or "")


def text_of(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def fetched(url: str, folder: Path) -> Path:
    """Downloads a description into the folder: a measurement must not change when it changes there.

    Files that it refers to, beside it or below, are downloaded to the same places.
    """
    status, content = _answer(url)
    if status != http.HTTPStatus.OK:
        raise UsageError(f"{url} answered {status}: name the address of an OpenAPI document.")
    file = _kept(content, folder)
    wanted = list(_references(content, url, file))
    known = {file}
    while wanted and len(known) < _MOST_FILES:
        there, here = wanted.pop()
        if here in known or not here.is_relative_to(folder.resolve()):
            continue
        known.add(here)
        status, content = _answer(there)
        # What cannot be had is a fault of the description, which the import names with its place.
        if status == http.HTTPStatus.OK:
            here.parent.mkdir(parents=True, exist_ok=True)
            _kept_as(here, content)
            wanted += _references(content, there, here)
    return file


def _references(content: bytes, url: str, file: Path) -> Iterator[tuple[str, Path]]:
    """Addresses of the files that a document refers to relative to its own, and where they belong."""
    for name in _REFERENCE.findall(content.decode("utf-8", "replace")):
        if "://" not in name:
            yield urljoin(url, name), (file.parent / unquote(name)).resolve()


def served(url: str, folder: Path) -> Path | None:
    """The description that a running service shows below its root, downloaded; None where it shows none."""
    root = "{0.scheme}://{0.netloc}/".format(urlsplit(url))
    for place in _shown_places(root):
        status, content = _answer(place)
        if status == http.HTTPStatus.OK and _is_description(content):
            return _kept(content, folder)
    return None


def _shown_places(root: str) -> Iterator[str]:
    """Where a service may show its description: the usual paths, then those that its pages of documentation name."""
    yield from (root + path for path in _SERVED)
    for page in _PAGES:
        status, content = _answer(root + page)
        if status != http.HTTPStatus.OK or content.lstrip()[:1] != b"<":
            continue
        yield f"{root}{page}-json"
        for named in dict.fromkeys(_NAMED_IN_PAGE.findall(content.decode("utf-8", "replace"))):
            place = urljoin(f"{root}{page}", next(filter(None, named)))
            if place.startswith(root):
                yield place


def _holds_description(path: Path) -> bool:
    """Whether a file, of any name, is an OpenAPI document; one that cannot be read is none."""
    try:
        return path.stat().st_size <= _LARGEST_BYTES and _is_description(path.read_bytes())
    except OSError:
        return False


def _is_description(content: bytes) -> bool:
    """Whether a text is an OpenAPI document, and no page about one."""
    return content.lstrip()[:1] != b"<" and _DESCRIBES.search(content) is not None and b"paths" in content


def is_grpc(url: str) -> bool:
    return urlsplit(url).scheme in ("grpc", "grpcs")


def reflected(url: str, folder: Path) -> Path:
    """The services of a running gRPC server, as its reflection shows them, written into the folder."""
    address, _ = address_in(url)
    access = access_of(address)
    there = (access.host, access.port)
    reply = client_of().ask(there, access.scheme("grpc"), "", timeout_s=_TIMEOUT_S, reflect=True, **access.tls_fields())
    if reply.failure == "reflection":
        raise UsageError(f"{url} does not show its services: {reply.reason}. Name their file: --proto FILE.")
    if reply.failure:
        raise UsageError(f"{url} does not answer: {reply.reason}. Start the service, or name its file: --proto FILE.")
    return _kept_as(folder / _REFLECTED, reply.body)


def status_of(url: str) -> int:
    """The status that a GET of a URL is answered with."""
    return _answer(url)[0]


def _answer(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as reply:  # noqa: S310 - the caller's own address
            return reply.status, reply.read(_LARGEST_BYTES)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b""
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise UsageError(f"{url} does not answer: {reason}. Start the service, or leave the URL out.") from error


def _kept(content: bytes, folder: Path) -> Path:
    return _kept_as(folder / ("openapi.json" if content.lstrip().startswith(b"{") else "openapi.yaml"), content)


def _kept_as(file: Path, content: bytes) -> Path:
    if file.exists() and file.read_bytes() != content:
        option = "--proto" if file.name == _REFLECTED else "--openapi"
        raise UsageError(f"{file} exists, has other content, and was not changed. Remove it, or use {option} {file}.")
    try:
        return write_whole(file, content)
    except OSError as error:
        raise BakeoffError(f"{file} cannot be written: {error.strerror}.") from error
