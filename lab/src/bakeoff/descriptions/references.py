"""References of a description: other files become a part of it, and what leads nowhere is a fault."""

import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from bakeoff.descriptions.document_file import DocumentFile, read_document
from bakeoff.descriptions.faults import MOST_FAULTS, Fault
from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, objects_of
from bakeoff.documents.json_pointer import pointer_of
from bakeoff.errors import UsageError

# Where bundled files stand in the document that refers to them.
BUNDLED = "x-bakeoff-files"
# Members whose members have names that a user chooses: none of these is a keyword or an extension.
_NAMED = {
    *("properties", "patternProperties", "$defs", "definitions", "schemas", "headers", "parameters", "responses"),
    *("requestBodies", "examples", "links", "callbacks", "securitySchemes", "pathItems", "content", "variables"),
    *("encoding", "dependentSchemas"),
}
_LITERAL = {"example", "default", "const", "enum", "value"}

# How far schemas that extend others are followed.
_DEEPEST = 10

Place = tuple[str | int, ...]


class Bundle:
    """A document with all files that it refers to; `faults` are references that cannot be followed."""

    def __init__(self, file: DocumentFile, document: Any) -> None:
        self._file = file
        self._document = document
        self._files: Any = {}
        self._bundled_files: dict[str, DocumentFile] = {}
        self._places: dict[tuple[Path, str], Path] = {}
        self._own = file.path.resolve()
        self.sources: list[Path] = []
        self._kept: list[tuple[Place, str]] = []
        self._objects: list[Any] = []
        self.faults: list[Fault] = []
        self._walk(document, (), file.path, "#")
        if self._files:
            document[BUNDLED] = self._files
        resolve = Resolve(document)
        for place, reference in self._kept:
            if not resolve.leads_somewhere(reference):
                self._fault(place, f"refers to {reference}, which does not exist")
        for each in self._objects:
            _ask_for_what_is_written(each, resolve)

    def _walk(self, value: Any, place: Place, path: Path, root: str, *, has_names: bool = False) -> None:
        """Rewrites the references below a value in place. `root` is where the value's own file is found."""
        if isinstance(value, list):
            for index, each in enumerate(value):
                if isinstance(each, dict | list):
                    self._walk(each, (*place, index), path, root)
            return
        reference = value.get("$ref")
        if isinstance(reference, str) and not has_names:
            self._follow(value, reference, place, path, root)
        if not has_names and value.get("nullable") is True and isinstance(value.get("type"), str):
            _allow_null(value)
        if not has_names and "default" in value and (kind := _other_kind(value)) is not None:
            self._fault((*place, "default"), f"{json.dumps(value['default'])} is not of type {kind}")
        if not has_names and _kinds(value) - {"null"} == {"string"} and (wrong := _numbers_in(value.get("enum"))):
            self._fault((*place, "enum"), f"{wrong[0]} is not of type string")
            value["enum"] = [json.dumps(each) if json.dumps(each) in wrong else each for each in value["enum"]]
        if not has_names and ("properties" in value or "allOf" in value):
            self._objects.append(value)
        for name, each in value.items():
            if not isinstance(each, dict | list):
                continue
            if not has_names:
                if name[:2] == "x-" or name in _LITERAL or (name == "examples" and isinstance(each, list)):
                    continue
                if name == "mapping" and isinstance(each, dict):
                    self._mapping(each, place, path, root)
                    continue
            self._walk(each, (*place, name), path, root, has_names=not has_names and name in _NAMED)

    def _follow(self, holder: Any, reference: str, place: Place, path: Path, root: str) -> None:
        within = self._within(reference, place, path, root)
        if within is None:
            del holder["$ref"]
        else:
            holder["$ref"] = within
            self._kept.append((place, within))

    def _mapping(self, mapping: Any, place: Place, path: Path, root: str) -> None:
        for name, reference in mapping.items():
            if isinstance(reference, str) and ("#" in reference or "." in reference):
                within = self._within(reference, (*place, "mapping", name), path, root)
                mapping[name] = within or reference

    def _within(self, reference: str, place: Place, path: Path, root: str) -> str | None:
        """A reference as one within the bundled document; None, and a fault, where it cannot be followed."""
        name, _, fragment = reference.partition("#")
        if name and (identified := self._identified.get(name)) is not None:
            root = identified
        elif name:
            if "://" in name or "://" in str(path):
                own = self._file.path.name
                bundle = f"npx @redocly/cli bundle {own}"
                self._fault(place, f"refers to {urljoin(str(path), name)}: put it into one file with it: {bundle}")
                return None
            # Large descriptions refer to one file thousands of times.
            if (path, name) not in self._places:
                self._places[path, name] = (path.parent / unquote(name)).resolve()
            found = self._bundled(self._places[path, name], place)
            if found is None:
                return None
            root = found
        if fragment and not fragment.startswith("/"):
            anchored = self._anchored.get(fragment)
            if anchored is None:
                self._fault(place, f"refers to {reference}, which does not exist")
            return anchored
        return f"{root}{fragment}" if fragment or root != "#" else "#"

    @cached_property
    def _identified(self) -> Mapping[str, str]:
        return _named_by("$id", self._document)

    @cached_property
    def _anchored(self) -> Mapping[str, str]:
        return _named_by("$anchor", self._document)

    def _bundled(self, file: Path, place: Place) -> str | None:
        """Where a file stands in the document."""
        key = str(file)
        if file == self._own:
            return "#"
        root = f"#/{BUNDLED}{pointer_of([key])}"
        if key not in self._files:
            try:
                read = read_document(file, finds_repeated=False)
            except UsageError as error:
                self._fault(place, error.message.rstrip("."))
                return None
            value = self._files[key] = read.value
            self._bundled_files[key] = read
            self.sources.append(file)
            if isinstance(value, dict | list):
                self._walk(value, (BUNDLED, key), file, root)
        return root

    def _fault(self, place: Place, words: str) -> None:
        file, within = self._file, place
        if place[:1] == (BUNDLED,):
            file, within = self._bundled_files[str(place[1])], place[2:]
            words = f"{words} (in {os.path.relpath(file.path, self._file.path.parent)})"
        self.faults.append(Fault(pointer_of(within), words, file.line_of(within) if self._counts_lines else None))

    @property
    def _counts_lines(self) -> bool:
        """Finding lines takes time, and only the first faults are shown."""
        return len(self.faults) < MOST_FAULTS


NOWHERE = object()


class Resolve:
    """Follows `$ref`s within one document."""

    def __init__(self, document: JsonObject) -> None:
        self.document = document

    def __call__(self, entry: JsonObject) -> JsonObject:
        """An entry with what it refers to; members beside it replace those, but a type by no other one."""
        for _ in range(50):
            if "$ref" not in entry:
                return entry
            target = self.target(str(entry["$ref"])) or {}
            if len(entry) == 1:
                entry = target
            else:
                others = "type" in target and not _kinds(entry) & _kinds(target)
                skipped = ("$ref", "type") if others else ("$ref",)
                entry = {**target, **{name: each for name, each in entry.items() if name not in skipped}}
        return {}

    def target(self, reference: str) -> JsonObject | None:
        """What a reference leads to; None where that is not an object."""
        target = self._found(reference)
        if isinstance(target, bool):
            return {} if target else {"not": {}}
        return target if isinstance(target, dict) else None

    def leads_somewhere(self, reference: str) -> bool:
        return self._found(reference) is not NOWHERE

    def _found(self, reference: str) -> Any:
        target: Any = self.document
        for name in reference.removeprefix("#").split("/")[1:]:
            plain = unquote(name).replace("~1", "/").replace("~0", "~")
            if isinstance(target, list) and plain.isdecimal() and int(plain) < len(target):
                target = target[int(plain)]
            elif isinstance(target, dict) and plain in target:
                target = target[plain]
            else:
                return NOWHERE
        return target


def _kinds(schema: JsonObject) -> set[str]:
    kinds = schema.get("type")
    found = set(map(str, kinds if isinstance(kinds, list) else [kinds]))
    return found | ({"integer"} if "number" in found else set())


def _numbers_in(values: Any) -> list[str]:
    """Numbers and truth values of an enum, as texts."""
    found = values if isinstance(values, list) else []
    return [json.dumps(each) for each in found if isinstance(each, bool | int | float)]


def _allow_null(schema: Any) -> None:
    """OpenAPI 3.0 says nullable where JSON Schema has the type null."""
    schema["type"] = [schema["type"], "null"]
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]


def _other_kind(schema: Any) -> str | None:
    """The type of a schema, where its default is of another one."""
    kinds = schema.get("type")
    allowed = kinds if isinstance(kinds, list) else [kinds]
    default = schema["default"]
    names = _KINDS.get(type(default), ())
    if isinstance(default, float) and default.is_integer():
        names = _KINDS[int]
    return None if kinds is None or not names or set(names) & set(map(str, allowed)) else " or ".join(map(str, allowed))


_KINDS = {
    type(None): ("null",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
}


def _ask_for_what_is_written(schema: Any, resolve: Resolve) -> None:
    """Members that are only read are not required of a request, wherever the schema says so."""
    own = [each for each in objects_of(list_in(schema, "allOf")) if "$ref" not in each]
    asking: list[Any] = [each for each in (schema, *own) if isinstance(each.get("required"), list)]
    if asking and (hidden := _only_read(schema, resolve, _DEEPEST)):
        for each in asking:
            each["required"] = [name for name in each["required"] if name not in hidden]


def _only_read(schema: JsonObject, resolve: Resolve, depth: int) -> set[str]:
    """The members that are only read, of a schema and of those that it extends."""
    members = schema.get("properties")
    named = members.items() if isinstance(members, dict) else ()
    hidden = {name for name, each in named if isinstance(each, dict) and resolve(each).get("readOnly")}
    for each in objects_of(list_in(schema, "allOf")) if depth > 0 else ():
        hidden |= _only_read(resolve(each), resolve, depth - 1)
    return hidden


def _named_by(keyword: str, document: JsonObject) -> dict[str, str]:
    """The schemas of a document that a keyword gives a name, as references."""
    schemas = object_in(object_in(document, "components"), "schemas")
    return dict(_named(keyword, schemas, "#/components/schemas"))


def _named(keyword: str, value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if isinstance(value.get(keyword), str):
            yield value[keyword], place
        for name, each in value.items():
            yield from _named(keyword, each, place + pointer_of([name]))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _named(keyword, each, f"{place}/{index}")
