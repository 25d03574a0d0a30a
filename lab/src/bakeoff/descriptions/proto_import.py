"""A workload from a proto file: its unary methods, what they send, and how they follow from one another.

A method such as CreateUser whose reply holds an id creates a user; methods such as GetUser need one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)

from bakeoff.descriptions.descriptors import descriptor_set
from bakeoff.descriptions.imported import READ_WEIGHT, ImportedApi, ImportedOperation, Life, Table
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError

_CREATES = re.compile(r"(Create|Add|Insert|Register|Save|Put)(?P<kind>[A-Z]\w*)")
_USES = re.compile(r"(?P<verb>Get|Read|Find|Fetch|Update|Patch|Replace|Delete|Remove)(?P<kind>[A-Z]\w*)")
_READS = ("Get", "Read", "Find", "Fetch")
_DELETES = ("Delete", "Remove")
_DEEPEST = 6
_TYPES = FieldDescriptorProto
_WHOLE = {
    *(_TYPES.TYPE_INT32, _TYPES.TYPE_INT64, _TYPES.TYPE_UINT32, _TYPES.TYPE_UINT64, _TYPES.TYPE_SINT32),
    *(_TYPES.TYPE_SINT64, _TYPES.TYPE_FIXED32, _TYPES.TYPE_FIXED64, _TYPES.TYPE_SFIXED32, _TYPES.TYPE_SFIXED64),
}
_WELL_KNOWN = {
    ".google.protobuf.Timestamp": '"${timestamp}"',
    ".google.protobuf.Duration": '"${integer 1 60}s"',
    ".google.protobuf.Empty": "{}",
    ".google.protobuf.Struct": "{}",
    ".google.protobuf.Value": '"${alphanumeric 8}"',
    ".google.protobuf.ListValue": "[]",
    ".google.protobuf.FieldMask": '""',
    ".google.protobuf.StringValue": '"${alphanumeric 8}"',
    ".google.protobuf.BoolValue": "${choice true|false}",
    **{f".google.protobuf.{kind}Value": "${integer 1 999}" for kind in ("Int32", "Int64", "UInt32", "UInt64")},
    **{f".google.protobuf.{kind}Value": "${decimal 1.00 999.00}" for kind in ("Float", "Double")},
}


@dataclass(frozen=True)
class _Created:
    """A kind of entity, and where the reply of what creates it holds its id."""

    kind: str
    pointer: str
    field: FieldDescriptorProto


def import_proto(file: Path) -> ImportedApi:
    """Raises UsageError where the file declares nothing that can be sent."""
    files = FileDescriptorSet.FromString(descriptor_set(file.resolve())).file
    return _Import(files).api(file)


class _Import:
    def __init__(self, files: Sequence[FileDescriptorProto]) -> None:
        self._main = files[-1]
        self._files = files
        self._messages: dict[str, DescriptorProto] = {}
        self._enums: dict[str, EnumDescriptorProto] = {}
        for file in files:
            self._add(f".{file.package}" if file.package else "", file.message_type, file.enum_type)
        methods = [method for _, method in self._methods()]
        self._created = {each.name: found for each in methods if (found := self._creates(each)) is not None}

    def api(self, file: Path) -> ImportedApi:
        if not self._main.service:
            raise UsageError(f"{file} declares no service, so there is nothing to send.")
        left_out = [f"{each.name} is left out: it streams." for _, each in self._methods() if _streams(each)]
        operations = [self._operation(service, each) for service, each in self._methods() if not _streams(each)]
        if not operations:
            raise UsageError(f"{file} describes no operation that can be sent. {' '.join(left_out)}")
        return ImportedApi(
            f"{self._main.service[0].name} of {file.name}",
            "grpc",
            operations,
            lives=[Life(each.kind, "NOT_FOUND", compares=False) for each in self._created.values()],
            left_out=left_out,
            files=dict(self._sources(file)),
            proto=file.name,
        )

    def _sources(self, file: Path) -> Iterator[tuple[str, str]]:
        """The file, and those beside it that it imports."""
        for each in self._files:
            source = file.parent / each.name
            if source.is_file():
                yield each.name, source.read_text("utf-8")

    def _methods(self) -> Iterator[tuple[str, MethodDescriptorProto]]:
        for service in self._main.service:
            for method in service.method:
                yield service.name, method

    def _full(self, name: str) -> str:
        return f"{self._main.package}.{name}".lstrip(".")

    def _add(self, scope: str, messages: Sequence[DescriptorProto], enums: Sequence[EnumDescriptorProto]) -> None:
        self._enums |= {f"{scope}.{each.name}": each for each in enums}
        for message in messages:
            self._messages[f"{scope}.{message.name}"] = message
            self._add(f"{scope}.{message.name}", message.nested_type, message.enum_type)

    def _operation(self, service: str, method: MethodDescriptorProto) -> ImportedOperation:
        created, needed = self._created.get(method.name), self._needed(method)
        call: dict[str, Json] = {"method": f"{self._full(service)}/{method.name}", "expect": "OK"}
        if created is not None:
            call["capture"] = {"id": created.pointer}
        using = _USES.fullmatch(method.name)
        verb = using["verb"] if using is not None and needed is not None else ""
        values = {} if needed is None else {needed[1].name: _captured(needed[1])}
        effect: Table | None = None
        if needed is not None and verb in _DELETES:
            effect = {"kind": "delete", "key": [needed[0].kind, "${captured.id}"]}
        return ImportedOperation(
            method.name,
            call,
            weight=READ_WEIGHT if verb in _READS else 1,
            creates=None if created is None else created.kind,
            needs=None if needed is None else needed[0].kind,
            message=self._template(method.input_type, values),
            effect=effect,
        )

    def _creates(self, method: MethodDescriptorProto) -> _Created | None:
        found = _CREATES.fullmatch(method.name)
        if found is None or _streams(method):
            return None
        kind = found["kind"]
        for pointer, field in self._ids(method.output_type, kind):
            return _Created(kind.lower(), pointer, field)
        return None

    def _needed(self, method: MethodDescriptorProto) -> tuple[_Created, FieldDescriptorProto] | None:
        """The entity that a method is about, and the field of its request that holds the id."""
        found = _USES.fullmatch(method.name)
        for created in self._created.values():
            if found is not None and found["kind"].lower() == created.kind:
                for pointer, field in self._ids(method.input_type, found["kind"]):
                    if pointer.count("/") == 1:
                        return created, field
        return None

    def _ids(self, type_name: str, kind: str) -> Iterator[tuple[str, FieldDescriptorProto]]:
        """Fields that hold the id of an entity, in the message itself or in the entity within it."""
        names = ("id", f"{_snake(kind)}_id", f"{kind.lower()}id", "uuid")
        message = self._messages[type_name]
        for field in message.field:
            if field.name in names and field.type != field.TYPE_MESSAGE:
                yield f"/{field.json_name}", field
        for field in message.field:
            if field.type == field.TYPE_MESSAGE and field.name == _snake(kind) and field.type_name in self._messages:
                for inner in self._messages[field.type_name].field:
                    if inner.name in names:
                        yield f"/{field.json_name}/{inner.json_name}", inner

    def _template(self, type_name: str, values: Mapping[str, str], depth: int = 0) -> str:
        """The message as JSON; `values` are templates of known fields. Of each oneof the first field is sent."""
        if type_name in _WELL_KNOWN:
            return _WELL_KNOWN[type_name]
        seen: set[int] = set()
        members = []
        for field in self._messages[type_name].field:
            if field.HasField("oneof_index") and not field.proto3_optional:
                if field.oneof_index in seen:
                    continue
                seen.add(field.oneof_index)
            is_deep = depth >= _DEEPEST or field.type_name == type_name or field.type_name == ".google.protobuf.Any"
            if not (is_deep and field.type == field.TYPE_MESSAGE):
                value = values.get(field.name) or self._value(field, depth)
                members.append(f'"{field.json_name}":{value}')
        return "{" + ",".join(members) + "}"

    def _value(self, field: FieldDescriptorProto, depth: int) -> str:
        message = self._messages.get(field.type_name)
        if message is not None and message.options.map_entry:
            return '{"a":' + self._value(message.field[1], depth + 1) + "}"
        value = self._single(field, depth)
        return f"[{value}]" if field.label == field.LABEL_REPEATED else value

    def _single(self, field: FieldDescriptorProto, depth: int) -> str:
        if field.type == field.TYPE_MESSAGE:
            return self._template(field.type_name, {}, depth + 1)
        if field.type == field.TYPE_ENUM:
            names = [each.name for each in self._enums[field.type_name].value]
            return f'"{_chosen(names[1:] or names)}"'
        if field.type == field.TYPE_STRING:
            return f'"{_text(field.name)}"'
        if field.type == field.TYPE_BYTES:
            return '"${choice QUJD|REVG|R0hJ}"'
        if field.type == field.TYPE_BOOL:
            return "${choice true|false}"
        return "${integer 1 999}" if field.type in _WHOLE else "${decimal 1.00 999.00}"


def _streams(method: MethodDescriptorProto) -> bool:
    return method.client_streaming or method.server_streaming


def _captured(field: FieldDescriptorProto) -> str:
    return '"${captured.id}"' if field.type == field.TYPE_STRING else "${captured.id}"


def _chosen(names: Sequence[str]) -> str:
    return f"${{choice {'|'.join(names)}}}" if len(names) > 1 else names[0]


def _text(name: str) -> str:
    """A text that fits a field's name."""
    if "uuid" in name:
        return "${uuid}"
    if "email" in name:
        return "user-${user}-${sequence}@example.org"
    return f"{name.replace('_', '-')}-${{alphanumeric 8}}"


def _snake(kind: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()
