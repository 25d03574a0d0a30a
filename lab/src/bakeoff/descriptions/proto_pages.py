"""Pages of lists over gRPC: the field of a request that takes a token, and where a reply shows it, as in AIP-158."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from bakeoff.descriptions.pages import LIMITS, MORE, SHOWING, TAKING, plain
from bakeoff.descriptions.proto_messages import MessageTemplates, Path, choosing
from bakeoff.descriptions.proto_types import WHOLE, Method, Types, is_required

_CAPTURED = "next"
_TOKENS = (FieldDescriptorProto.TYPE_STRING, FieldDescriptorProto.TYPE_BYTES)
_OPEN = (FieldDescriptorProto.TYPE_BOOL, FieldDescriptorProto.TYPE_ENUM, FieldDescriptorProto.TYPE_MESSAGE)
_PAGE_SIZE = "20"
_Field = tuple[Path, str, FieldDescriptorProto]


@dataclass(frozen=True)
class ProtoPages:
    """A list in pages: the message of each request, and what a reply shows for the next one."""

    message: str
    capture: Mapping[str, str]


def proto_pages(method: Method, types: Types, templates: MessageTemplates) -> ProtoPages | None:
    """The pages of a list; None where its messages show none, or where each request is for another list."""
    asked = list(_fields(types, method.request))
    shown = [each for each in _fields(types, method.reply) if not _is_list(each)]
    for path, _, taking in asked:
        if taking.type not in _TOKENS or (plain("".join(path)) not in TAKING and plain(path[-1]) not in TAKING):
            continue
        for _, pointer, showing in shown:
            if showing.type != taking.type or plain(showing.name) not in SHOWING:
                continue
            sizes = {
                each: _PAGE_SIZE for each, _, field in asked if plain(field.name) in LIMITS and field.type in WHOLE
            }
            values = {path: f'"${{captured.{_CAPTURED}}}"', **sizes}
            # Absent they leave the list whole; each page would draw others.
            without = [each for each, _, field in asked if _is_left_out(each, field, path)]
            empty, absent = choosing(types, method.request)
            values, without = {**empty, **values}, [*without, *absent]
            message, _ = templates.json(method.request, values, without)
            if re.search(r"\$\{(?!captured\.)", message) is None:
                flags = [
                    place for _, place, field in shown if field.type == field.TYPE_BOOL and plain(field.name) in MORE
                ]
                place = f"optional:{pointer}{f' while {flags[0]}' if flags else ''}"
                return ProtoPages(message, {_CAPTURED: place})
    return None


def _fields(types: Types, type_name: str) -> Iterator[_Field]:
    """The fields of a message and of those within it, by their names and their JSON pointers."""
    inner: list[_Field] = []
    for field in types.fields(type_name):
        yield (field.name,), f"/{field.json_name}", field
        if field.type == field.TYPE_MESSAGE and field.label != field.LABEL_REPEATED and types.entry(field) is None:
            inner += [
                ((field.name, own.name), f"/{field.json_name}/{own.json_name}", own)
                for own in types.fields(field.type_name)
            ]
    yield from inner


def _is_list(each: _Field) -> bool:
    return each[2].label == FieldDescriptorProto.LABEL_REPEATED


def _is_left_out(path: Path, field: FieldDescriptorProto, token: Sequence[str]) -> bool:
    holds_token = tuple(token[: len(path)]) == path
    is_open = field.type in _OPEN or field.label == FieldDescriptorProto.LABEL_REPEATED
    return is_open and not holds_token and not is_required(field)
