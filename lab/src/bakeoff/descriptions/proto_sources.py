"""Finds the files of a proto: its imports may be relative to any folder, named or found by going up from the file."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path, PurePosixPath

from bakeoff.descriptions.proto_text import Import, ProtoText, Token
from bakeoff.errors import UsageError

# Folders that repositories keep protos of their own and of others in, relative to any folder above the file.
_USUAL = (
    *("proto", "protos", "api", "third_party", "third_party/proto", "third_party/googleapis", "googleapis", "include"),
    *("vendor", "vendor/proto", "proto/third_party", "proto/vendor", "src/main/proto", "src/proto", "idl", "schema"),
    *("node_modules/google-proto-files", "node_modules/google-gax/build/protos", "node_modules/protobufjs"),
)
_SYSTEM = (Path("/usr/local/include"), Path("/usr/include"))
_BUF_FILES = ("buf.yaml", "buf.work.yaml", "buf.gen.yaml")
_MOST_FOLDERS = 24
_SHOWN = 6


@dataclass(frozen=True)
class ProtoSource:
    """A proto file, and the folders that imports are relative to, looked into before those that are found."""

    file: Path
    roots: tuple[Path, ...] = ()


def proto_roots(folder: Path, paths: Sequence[str]) -> tuple[Path, ...]:
    """The folders that imports are relative to, as a file in `folder` writes them."""
    return tuple(folder / each for each in paths)


@dataclass(frozen=True)
class ProtoFile:
    """One file by the name that imports give it. `without` are its imports that were not found."""

    name: str
    path: Path
    text: str
    without: Sequence[Import] = ()


class ProtoSources:
    """The files of a source, and the imports that were not found."""

    def __init__(self, source: ProtoSource) -> None:
        self._source = source
        self._main = source.file.resolve()
        self._roots = [root.resolve() for root in source.roots]
        self._found_roots: list[Path] = []
        self._names: dict[Path, str] = {}
        self._texts: dict[Path, ProtoText] = {}
        self.missing: list[tuple[Path, Import]] = []
        self.files = self._read()

    @property
    def main(self) -> str:
        """The name of the source's own file."""
        return self._names[self._main]

    @property
    def own_files(self) -> Iterator[ProtoFile]:
        """Those that do not come with the tool."""
        # Not all below the roots: of an installed tool that is all packages, its own proto files among them.
        bundled = [root / "google" for root in bundled_roots()]
        return (each for each in self.files if not any(each.path.is_relative_to(folder) for folder in bundled))

    def why_missing(self, messages: str) -> str:
        """An import that was not found, and the folders that were looked in.

        The compiler's messages name types that are not defined: an import from the folder of one comes first.
        """
        undefined = [each.replace(".", "/") for each in re.findall(r'"([\w.]+)" is not defined', messages)]
        needed = [each for each in self.missing if any(name.startswith(_folder(each[1])) for name in undefined)]
        path, found = (needed or self.missing)[0]
        named = [str(root) for root in (*self._roots, *_above(path))]
        shown = ", ".join(named[:_SHOWN]) + (f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else "")
        return (
            f'{path}:{found.line}: the import "{found.path}" was not found. Looked in {shown}, their usual folders '
            "(proto, third_party, vendor) and what comes with the tool. Name the folder that it is relative to: "
            'init -I DIR, or proto_paths = ["DIR"] in bakeoff.toml.'
        )

    def knows_option(self, name: str) -> bool:
        """Whether one of the files declares an option, by its full name or a part of it."""
        scope, _, last = name.lstrip(".").rpartition(".")
        return any(
            last in extensions and (not scope or package.endswith(scope) or scope.startswith(package))
            for package, extensions in self._extensions
        )

    @cached_property
    def _extensions(self) -> Sequence[tuple[str, frozenset[str]]]:
        return [(each.package, frozenset(each.extensions())) for each in self._texts.values()]

    def _read(self) -> Sequence[ProtoFile]:
        waiting, links = [self._main], dict[tuple[Path, Import], Path]()
        while waiting:
            path = waiting.pop()
            if path in self._texts:
                continue
            text = self._texts[path] = ProtoText(_read_text(path))
            for each in text.imports():
                target = self._target(path, each.path)
                if target is None:
                    self.missing.append((path, each))
                else:
                    links[path, each] = target
                    waiting.append(target)
        self._names.setdefault(self._main, self._name_by_root(self._main))
        return [self._file(path, text, links) for path, text in self._texts.items()]

    def _file(self, path: Path, text: ProtoText, links: dict[tuple[Path, Import], Path]) -> ProtoFile:
        """The file with each import by the one name of what it imports: protoc takes two names for two files."""
        renamed: dict[Token, str] = {}
        for each in text.imports():
            target = links.get((path, each))
            if target is not None and self._names[target] != each.path:
                renamed[each.quoted] = f'"{self._names[target]}"'
        without = [each for where, each in self.missing if where == path]
        return ProtoFile(self._names[path], path, text.replaced(renamed), without)

    def _target(self, importing: Path, imported: str) -> Path | None:
        if imported.startswith(".") or "/." in imported:
            target = (importing.parent / imported).resolve()
            if not target.is_file():
                return None
            self._names.setdefault(target, self._name_by_root(target))
            return target
        known = next((path for path, name in self._names.items() if name == imported), None)
        if known is not None:
            return known
        for root in self._folders(importing):
            if (root / imported).is_file():
                target = (root / imported).resolve()
                if root not in (*self._roots, *self._found_roots):
                    self._found_roots.append(root)
                self._names.setdefault(target, imported)
                return target
        return self._packaged(imported) or self._by_ending(importing, imported)

    def _packaged(self, imported: str) -> Path | None:
        """A file that its package renames, since Python has another module of its name."""
        for root in bundled_roots():
            target = root / f"{imported.removesuffix('.proto')}_proto.proto"
            if target.is_file():
                self._names.setdefault(target, target.relative_to(root).as_posix())
                return target
        return None

    def _folders(self, importing: Path) -> Iterator[Path]:
        yield from self._roots
        yield from self._found_roots
        for file in dict.fromkeys((importing, self._main)):
            for folder in _above(file):
                yield folder
                yield from (folder / each for each in _USUAL)
                yield from _of_buf(folder)
        yield from _cached_by_buf()
        yield from _SYSTEM
        yield from bundled_roots()

    def _by_ending(self, importing: Path, imported: str) -> Path | None:
        """A file whose path ends like an import that starts with the name of the repository, as in Go."""
        parts = PurePosixPath(imported).parts
        for first in range(1, len(parts) - 1):
            for folder in _above(importing):
                target = folder.joinpath(*parts[first:])
                if target.is_file():
                    self._names.setdefault(target.resolve(), imported)
                    return target.resolve()
        return None

    def _name_by_root(self, path: Path) -> str:
        """The path of a file within the first root that contains it; its own name where none does."""
        for root in (*self._roots, *self._found_roots, self._main.parent, *self._main.parents):
            # The whole disk is no root: a file beside the first one is named by what both lie in.
            if path.is_relative_to(root) and root != Path(root.anchor):
                return path.relative_to(root).as_posix()
        return path.name


def _folder(imported: Import) -> str:
    return imported.path.rpartition("/")[0] + "/"


def bundled_roots() -> list[Path]:
    """The folders of google/protobuf, and of google/api and its like, that come with the tool."""
    import google.api

    return [
        Path(str(resources.files("grpc_tools") / "_proto")).resolve(),
        Path(next(iter(google.api.__path__))).resolve().parents[1],
    ]


def _above(file: Path) -> list[Path]:
    """The folders that a file lies in, the nearest first, without the root of the disk."""
    return [each for each in file.parents[:_MOST_FOLDERS] if each != Path(each.anchor)]


@cache
def _of_buf(folder: Path) -> Sequence[Path]:
    """The folders of protos that the files of buf name."""
    return [path for name in _BUF_FILES for path in _named_by(folder / name)]


def _named_by(file: Path) -> Iterator[Path]:
    import yaml

    if not file.is_file():
        return
    try:
        document = yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, OSError, ValueError):
        return  # it is buf that says what is wrong with it
    document = document if isinstance(document, dict) else {}
    build = document.get("build")
    listed = [*_list(document, "modules"), *_list(document, "inputs"), *_list(document, "directories")]
    listed += _list(build, "roots") if isinstance(build, dict) else []
    for each in listed:
        place = each.get("path", each.get("directory")) if isinstance(each, dict) else each
        if isinstance(place, str):
            yield file.parent / place


def _list(document: dict[str, object], name: str) -> list[object]:
    value = document.get(name)
    return list(value) if isinstance(value, list) else []


def _cached_by_buf() -> Iterator[Path]:
    """The modules that buf has downloaded for this user."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    cache = Path(os.environ.get("BUF_CACHE_DIR") or usual / "buf")
    for version in ("v3/modules/b5", "v3/modules/shake256", "v3/modules"):
        yield from sorted((cache / version).glob("*/*/*/*/files"))


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
