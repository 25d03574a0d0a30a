"""Compiles proto files, and reads what other tools have compiled."""

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from bakeoff.descriptions.proto_editions import without_editions
from bakeoff.descriptions.proto_sources import ProtoFile, ProtoSource, ProtoSources, bundled_roots
from bakeoff.descriptions.proto_text import ProtoText, plain_options
from bakeoff.errors import UsageError

_MOST_LINES = 5
_OPTION = re.compile(rf"\boption\s+(?!(?:{'|'.join(plain_options())})\b)\w")
_TO_WRITE = "Write one with buf build -o FILE.binpb, or protoc --include_imports -o FILE.binpb."


@dataclass(frozen=True)
class CompiledProto:
    """A proto file and its imports as descriptors, or a file of descriptors.

    - `name`: the file's name among `files`, those that do not come with the tool; no text is known of descriptors.
    - `mains`: the names of descriptors that declare the services: of a set all.
    - `notes`: lines of what was left out.
    """

    descriptor_set: bytes
    name: str
    mains: Sequence[str]
    files: Sequence[ProtoFile] = ()
    notes: Sequence[str] = ()


def compiled_proto(source: ProtoSource) -> CompiledProto:
    """Raises UsageError where the file does not compile, with what protoc says, or the import that was not found.

    A file whose name does not end in .proto is an encoded FileDescriptorSet.
    """
    if source.file.suffix != ".proto":
        return _read_set(source.file)
    return _compiled_proto(ProtoSource(source.file.resolve(), tuple(root.resolve() for root in source.roots)))


@cache
def _compiled_proto(source: ProtoSource) -> CompiledProto:
    sources = ProtoSources(source)
    own = list(sources.own_files)
    with tempfile.TemporaryDirectory() as folder:
        for each in own:
            path = Path(folder, each.name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_readable(each, sources), "utf-8")
        descriptors, messages = _compiled(Path(folder), sources.main)
    if descriptors is None:
        if sources.missing:
            raise UsageError(f"{sources.why_missing(messages)} The compiler: {_shown(messages, own)}.")
        raise UsageError(f"{source.file} does not compile: {_shown(messages, own)}. Correct it.")
    return CompiledProto(without_editions(descriptors), sources.main, [sources.main], own, list(_notes(sources)))


def _read_set(file: Path) -> CompiledProto:
    try:
        content = file.read_bytes()
        files = FileDescriptorSet.FromString(content).file
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except DecodeError as error:
        raise UsageError(f"{file} is neither a .proto file nor a set of descriptors. {_TO_WRITE}") from error
    known: set[str] = set()
    for each in files:
        if missing := [name for name in each.dependency if name not in known]:
            raise UsageError(f"{file} lacks {missing[0]}, which {each.name} imports. {_TO_WRITE}")
        known.add(each.name)
    return CompiledProto(without_editions(content), file.name, [each.name for each in files])


def _notes(sources: ProtoSources) -> Iterator[str]:
    """A line for each import that nothing but options needed."""
    first = {each.path: (path, each.line) for path, each in reversed(sources.missing)}
    for imported, (path, line) in reversed(first.items()):
        yield f'{path.name}:{line}: the import "{imported}" was not found; the options that it declares are left out.'


def descriptor_set(source: ProtoSource) -> bytes:
    """The encoded FileDescriptorSet of a proto file, its imports included."""
    return compiled_proto(source).descriptor_set


def _readable(file: ProtoFile, sources: ProtoSources) -> str:
    """The text of a file; without the imports that were not found, and the options that nothing else declares."""
    missing = {each.path for each in file.without}
    text = ProtoText(file.text) if missing or _OPTION.search(file.text) else None
    if text is None:
        return file.text
    return text.without([each for each in text.imports() if each.path in missing], sources.knows_option)


def _compiled(folder: Path, main: str) -> tuple[bytes | None, str]:
    """The descriptors, or None where protoc refuses the file, and what it prints."""
    from grpc_tools import protoc

    out = folder / ".descriptors.pb"
    roots = [f"--proto_path={root}" for root in (folder, *bundled_roots())]
    with tempfile.TemporaryFile() as printed:
        with _errors_to(printed):
            status = protoc.main(["protoc", *roots, "--include_imports", f"--descriptor_set_out={out}", main])
        printed.seek(0)
        messages = printed.read().decode("utf-8", "replace").replace(f"{folder}/", "")
    return (out.read_bytes() if status == 0 else None), messages


@contextlib.contextmanager
def _errors_to(file: IO[bytes]) -> Iterator[None]:
    """Takes what protoc writes: as a library it knows standard error alone."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _shown(messages: str, files: Sequence[ProtoFile]) -> str:
    """The first errors, with the paths of the files in the places of their names."""
    paths = {each.name: str(each.path) for each in files}
    lines = [line for line in messages.splitlines() if line.strip() and ": warning: " not in line]
    split = (line.partition(":") for line in lines)
    shown = [f"{paths.get(name, name)}{colon}{rest}" for name, colon, rest in split][:_MOST_LINES]
    more = f" (and {len(lines) - _MOST_LINES} more)" if len(lines) > _MOST_LINES else ""
    return "; ".join(shown).removesuffix(".") + more
