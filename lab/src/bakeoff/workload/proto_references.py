"""Finds what a workload's gRPC tables name and its proto file does not declare: methods, and members of messages."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from bakeoff.documents.checked import Json
from bakeoff.text.hints import hint
from bakeoff.workload.declaration import Declaration, GrpcCall, Operation, sent_text
from bakeoff.workload.missing_names import Problem, filled
from bakeoff.workload.proto_files import ProtoFiles

# Their JSON is not that of their fields.
_FREE_FORM = "google.protobuf."


def _members(message: Descriptor | None) -> Mapping[str, FieldDescriptor] | None:
    """The fields of a message by their names in JSON and in the file; None where any member is possible."""
    if message is None or message.full_name.startswith(_FREE_FORM) or message.GetOptions().map_entry:
        return None
    return {name: field for field in message.fields for name in (field.name, field.json_name)}


def proto_problems(workload: Declaration, declared: ProtoFiles) -> Iterator[Problem]:
    """Everything that operations name and the proto file does not declare."""
    for index, operation in enumerate(workload.operations):
        if operation.grpc is None:
            continue
        for problem in _problems_of(operation, operation.grpc, declared):
            words = f"operation {operation.name}: {problem.words}"
            yield Problem(("operations", index, *problem.place), words, problem.text)


def _problems_of(operation: Operation, call: GrpcCall, declared: ProtoFiles) -> Iterator[Problem]:
    method = declared.methods.get(call.method)
    if method is None:
        words = f"the proto file declares no method {call.method}."
        yield Problem(("grpc", "method"), f"{words} {hint(call.method, list(declared.methods), 'Methods')}")
        return
    captured = [place for place in call.capture.values() if sent_text(place) is None]
    for entry, pointers in (("capture", captured), ("reply", call.reply)):
        for pointer in pointers:
            reason = _unknown_member(method.output, pointer)
            if reason is not None:
                yield Problem(("grpc", entry), f'{entry} "{pointer}": {reason}', f'"{pointer}"')
    message = (operation.message_over("grpc") or "").strip()
    if message and not operation.has_text:
        for problem in _unknown_members(method.input, json.loads(filled(message))):
            yield replace(problem, place=operation.place_of_message("grpc"))


def _unknown_member(message: Descriptor | None, pointer: str) -> str | None:
    """Why a pointer leads to no member of a message; None where it does, or may."""
    parts = pointer.split("/")[1:]
    while parts and message is not None and (members := _members(message)) is not None:
        name = parts.pop(0)
        if name not in members:
            return _no_field(message, name)
        field = members[name]
        message = field.message_type
        if field.is_repeated and parts and _members(message) is not None:
            parts.pop(0)
    return None


def _no_field(message: Descriptor, name: str) -> str:
    known = [field.json_name for field in message.fields]
    return f"{message.full_name} has no field {name}. {hint(name, known, 'Fields')}"


def _unknown_members(message: Descriptor | None, document: Json) -> Iterator[Problem]:
    members = _members(message)
    if message is None or members is None or not isinstance(document, dict):
        return
    for name, value in document.items():
        if name not in members:
            yield Problem(("message",), f"the message: {_no_field(message, name)}", f'"{name}"')
            return
        for each in value if isinstance(value, list) else [value]:
            yield from _unknown_members(members[name].message_type, each)
