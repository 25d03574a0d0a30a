"""A description as its file has it: JSON by a JSON parser, YAML by a YAML 1.2 parser."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bakeoff.descriptions.lenient_yaml import read_lenient
from bakeoff.documents.checked import Json
from bakeoff.documents.json_pointer import pointer_of
from bakeoff.errors import UsageError

# Composing YAML for lines takes more than a second for each megabyte.
_LARGEST_COMPOSED = 512 << 10
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class DocumentFile:
    """The value of a file, with `repeated`: JSON pointers of members that an object names more than once."""

    path: Path
    text: str
    value: Json
    repeated: Sequence[str] = ()

    @property
    def is_json(self) -> bool:
        return self.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and "\n---" not in self.text

    def line_of(self, pointer: Sequence[str | int]) -> int | None:
        """The line of a place, or of the nearest one around it; None where it is not known."""
        if self.is_json:
            return 1 + self.text.count("\n", 0, _json_position(self.text, pointer))
        node = self._composed
        for step in pointer if node is not None else ():
            inner = next((value for name, value in _yaml_members(node) if name == str(step)), None)
            if inner is None:
                break
            node = inner
        return None if node is None else node.start_mark.line + 1

    @cached_property
    def _composed(self):  # type: ignore[no-untyped-def]  # PyYAML has no types for nodes
        return _composed(self.text)


def read_document(path: Path, *, finds_repeated: bool = True) -> DocumentFile:
    """Raises UsageError where the file cannot be read or is neither JSON nor YAML."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    return parsed_document(path, content, finds_repeated=finds_repeated)


def parsed_document(path: Path, content: bytes, *, finds_repeated: bool = True) -> DocumentFile:
    """The document of some bytes; `path` is the name by which messages call it."""
    text = _decoded(path, content)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _json_document(path, text)
        except ValueError as error:
            if path.suffix.lower() == ".json":
                raise UsageError(f"{path} is not JSON: {error}.") from error
    try:
        value = _plain(_yaml(_ESCAPED_PAIR.sub(_character, text)))
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path} is neither JSON nor YAML: {' '.join(str(error).split())}") from error
    repeated = list(_repeated(_composed(text), ())) if finds_repeated else []
    return DocumentFile(path, text, value, repeated)


def _yaml(text: str) -> object:
    from yaml12 import parse_yaml

    try:
        return parse_yaml(text)
    except (ValueError, TypeError):
        with contextlib.suppress(ValueError):
            return read_lenient(text)
        raise  # its own message has the line


def _character(found: re.Match[str]) -> str:
    """The character of two escapes, which JSON has and YAML has not; that of half a pair says so."""
    high, low = found[1], found[2]
    pair = "" if low is None else chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    return pair or "\ufffd"


def _decoded(path: Path, content: bytes) -> str:
    encoding = json.detect_encoding(content)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text: byte {error.start} is not {encoding}.") from error


def _json_document(path: Path, text: str) -> DocumentFile:
    names: list[str] = []

    def object_of(members: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(members)
        if len(found) < len(members):
            seen: set[str] = set()
            names.extend(name for name, _ in members if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        return found

    value: Json = json.loads(text, object_pairs_hook=object_of, parse_constant=lambda _: None)
    if _SURROGATE.search(json.dumps(value, ensure_ascii=False)) if "\\ud" in text.lower() else False:
        value = _with_whole_characters(value)
    return DocumentFile(path, text, value, names)


def _with_whole_characters(value: Json) -> Json:
    """Halves of surrogate pairs are no characters: they become the sign for that."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_SURROGATE.sub("\ufffd", name): _with_whole_characters(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_whole_characters(each) for each in value]
    return value


def _plain(value: object) -> Json:
    """Values of JSON: names as text, tags ignored, and `<<` merged as YAML 1.1 had it."""
    if isinstance(value, dict):
        members = {_name(name): _plain(each) for name, each in value.items()}
        merged = members.pop("<<", None) if isinstance(members.get("<<"), Mapping | list) else None
        for base in merged if isinstance(merged, list) else [merged]:
            members = {**base, **members} if isinstance(base, Mapping) else members
        return members
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return _plain(getattr(value, "value", str(value)))


def _name(name: object) -> str:
    name = getattr(name, "value", name)
    return name if isinstance(name, str) else json.dumps(name)


def _composed(text: str):  # type: ignore[no-untyped-def]
    import yaml

    if len(text) > _LARGEST_COMPOSED:
        return None
    try:
        return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return None  # YAML 1.1 has no place for what YAML 1.2 allows here


def _yaml_members(node) -> Iterator[tuple]:  # type: ignore[no-untyped-def, type-arg]
    import yaml

    if isinstance(node, yaml.MappingNode):
        yield from ((str(name.value), value) for name, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        yield from ((str(index), value) for index, value in enumerate(node.value))


def _repeated(node, place: tuple[str, ...]) -> Iterator[str]:  # type: ignore[no-untyped-def]
    seen: set[str] = set()
    for name, value in _yaml_members(node):
        if name in seen and name != "<<":
            yield pointer_of((*place, name))
        seen.add(name)
        yield from _repeated(value, (*place, name))


def _json_position(text: str, pointer: Sequence[str | int]) -> int:
    """The offset of a place in JSON text, or of the nearest one around it."""
    decoder = json.JSONDecoder()
    position = _after_space(text, 1 if text.startswith("\ufeff") else 0)
    for step in pointer:
        inner = _json_member(text, position, step, decoder)
        if inner is None:
            break
        position = inner
    return position


def _json_member(text: str, position: int, step: str | int, decoder: json.JSONDecoder) -> int | None:
    is_object = text[position] == "{"
    if not is_object and text[position] != "[":
        return None
    place, index = _after_space(text, position + 1), 0
    while text[place] not in "}]":
        name: str = str(index)
        if is_object:
            name, place = decoder.raw_decode(text, place)
            place = _after_space(text, _after_space(text, place) + 1)
        if name == str(step):
            return place
        _, place = decoder.raw_decode(text, place)
        place = _after_space(text, place)
        if text[place] == ",":
            place = _after_space(text, place + 1)
        index += 1
    return None


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return position if found is None else found.end()
