"""Finds what a workload's gRPC tables name and its proto file does not declare: methods, and members of messages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bakeoff.documents.checked import Json
from bakeoff.text.hints import hint
from bakeoff.workload.declaration import Declaration, GrpcCall, Operation
from bakeoff.workload.missing_names import Problem, filled

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

# Their JSON is not that of their fields.
_FREE_FORM = "google.protobuf."


class Declared:
    """The methods and messages of an encoded FileDescriptorSet."""

    def __init__(self, descriptor_set: bytes) -> None:
        from google.protobuf import descriptor_pb2

        self._messages: dict[str, DescriptorProto] = {}
        self.methods: dict[str, tuple[str, str]] = {}
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor_set).file:
            package = f".{file.package}" if file.package else ""
            self._add(package, file.message_type)
            for service in file.service:
                for method in service.method:
                    name = f"{package}.{service.name}/{method.name}".lstrip(".")
                    self.methods[name] = (method.input_type, method.output_type)

    def _add(self, scope: str, messages: "Sequence[DescriptorProto]") -> None:
        for message in messages:
            self._messages[f"{scope}.{message.name}"] = message
            self._add(f"{scope}.{message.name}", message.nested_type)

    def members(self, type_name: str) -> "Mapping[str, FieldDescriptorProto] | None":
        """The fields of a message by their names in JSON and in the file; None where any member is possible."""
        message = self._messages.get(type_name)
        if message is None or type_name.startswith(f".{_FREE_FORM}") or message.options.map_entry:
            return None
        return {name: field for field in message.field for name in (field.name, field.json_name)}


def proto_problems(workload: Declaration, declared: Declared) -> Iterator[Problem]:
    """Everything that operations name and the proto file does not declare."""
    for index, operation in enumerate(workload.operations):
        if operation.grpc is None:
            continue
        for problem in _problems_of(operation, operation.grpc, declared):
            words = f"operation {operation.name}: {problem.words}"
            yield Problem(("operations", index, *problem.place), words, problem.text)


def _problems_of(operation: Operation, call: GrpcCall, declared: Declared) -> Iterator[Problem]:
    method = declared.methods.get(call.method)
    if method is None:
        words = f"the proto file declares no method {call.method}."
        yield Problem(("grpc", "method"), f"{words} {hint(call.method, list(declared.methods), 'Methods')}")
        return
    request, reply = method
    for entry, pointers in (("capture", call.capture.values()), ("reply", call.reply)):
        for pointer in pointers:
            reason = _unknown_member(declared, reply, pointer)
            if reason is not None:
                yield Problem(("grpc", entry), f'{entry} "{pointer}": {reason}', f'"{pointer}"')
    message = (operation.message_over("grpc") or "").strip()
    if message and not operation.has_text:
        for problem in _unknown_members(declared, request, json.loads(filled(message))):
            yield replace(problem, place=operation.place_of_message("grpc"))


def _unknown_member(declared: Declared, type_name: str, pointer: str) -> str | None:
    """Why a pointer leads to no member of a message; None where it does, or may."""
    parts = pointer.split("/")[1:]
    while parts:
        members = declared.members(type_name)
        if members is None:
            return None
        name = parts.pop(0)
        if name not in members:
            known = [each for each in members if members[each].json_name == each]
            return f"{type_name.lstrip('.')} has no field {name}. {hint(name, known, 'Fields')}"
        field = members[name]
        if field.label == field.LABEL_REPEATED and parts and declared.members(field.type_name or ".") is not None:
            parts.pop(0)
        if not field.type_name:
            return None
        type_name = field.type_name
    return None


def _unknown_members(declared: Declared, type_name: str, message: Json) -> Iterator[Problem]:
    members = declared.members(type_name)
    if members is None or not isinstance(message, dict):
        return
    for name, value in message.items():
        if name not in members:
            known = [each for each in members if members[each].json_name == each]
            words = f"{type_name.lstrip('.')} has no field {name}. {hint(name, known, 'Fields')}"
            yield Problem(("message",), f"the message: {words}", f'"{name}"')
            return
        for each in value if isinstance(value, list) else [value]:
            yield from _unknown_members(declared, members[name].type_name, each)
