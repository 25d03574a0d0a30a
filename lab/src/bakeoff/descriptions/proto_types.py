"""The messages and methods of compiled proto files, and what google.api's annotations say of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from google.api import field_behavior_pb2, resource_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    MethodDescriptorProto,
)

_TYPES = FieldDescriptorProto
WHOLE = {
    *(_TYPES.TYPE_INT32, _TYPES.TYPE_INT64, _TYPES.TYPE_UINT32, _TYPES.TYPE_UINT64, _TYPES.TYPE_SINT32),
    *(_TYPES.TYPE_SINT64, _TYPES.TYPE_FIXED32, _TYPES.TYPE_FIXED64, _TYPES.TYPE_SFIXED32, _TYPES.TYPE_SFIXED64),
}
_SHORT = {_TYPES.TYPE_INT32, _TYPES.TYPE_UINT32, _TYPES.TYPE_SINT32, _TYPES.TYPE_FIXED32, _TYPES.TYPE_SFIXED32}
_SET_BY_SERVER = {field_behavior_pb2.OUTPUT_ONLY, field_behavior_pb2.IDENTIFIER}
CREATES = ("create", "add", "insert", "register", "save", "put", "new", "upsert")
# These create where the reply shows an identifier of what they start, such as RunPodSandbox its pod_sandbox_id.
STARTS = ("run", "start", "open", "begin", "launch", "submit", "allocate")
READS = ("get", "read", "find", "fetch", "lookup", "describe", "show", "retrieve", "inspect")
DELETES = ("delete", "remove", "destroy", "drop")
UPDATES = ("update", "patch", "replace", "modify", "edit", "set")
LISTS = ("list", "query", "count", "browse", "enumerate")
VERBS = (*CREATES, *READS, *DELETES, *UPDATES, "list")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class Method:
    """A method of a service; `kind` is what its name is about, in the singular and in lower case."""

    service: str
    declared: MethodDescriptorProto
    package: str = ""

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def full_service(self) -> str:
        return f"{self.package}.{self.service}".lstrip(".")

    @property
    def streams(self) -> bool:
        return self.declared.client_streaming or self.declared.server_streaming

    @property
    def request(self) -> str:
        return self.declared.input_type

    @property
    def reply(self) -> str:
        return self.declared.output_type

    @property
    def verb(self) -> str:
        """The first word of its name, in lower case; the last of names such as UserAdd."""
        return (self._words or [""])[0]

    @property
    def _words(self) -> list[str]:
        words = words_of(self.name)
        is_noun_first = len(words) > 1 and words[-1] in VERBS and words[0] not in VERBS
        return [words[-1], *words[:-1]] if is_noun_first else words

    @property
    def kind(self) -> str:
        """The words between the verb and `By…`; those of the service where a method is called Get, or List."""
        rest = self._words[1:]
        rest = rest[: rest.index("by")] if "by" in rest else rest
        own = [each for each in words_of(self.service) if each not in ("service", "api")]
        return singular("_".join(rest or own))


class Types:
    """The messages and enums of some files, by their full names with a dot before them."""

    def __init__(self, files: Sequence[FileDescriptorProto]) -> None:
        self.messages: dict[str, DescriptorProto] = {}
        self.enums: dict[str, EnumDescriptorProto] = {}
        for file in files:
            self._add(f".{file.package}" if file.package else "", file.message_type, file.enum_type)

    def _add(self, scope: str, messages: Sequence[DescriptorProto], enums: Sequence[EnumDescriptorProto]) -> None:
        self.enums |= {f"{scope}.{each.name}": each for each in enums}
        for message in messages:
            self.messages[f"{scope}.{message.name}"] = message
            self._add(f"{scope}.{message.name}", message.nested_type, message.enum_type)

    def fields(self, type_name: str) -> Sequence[FieldDescriptorProto]:
        message = self.messages.get(type_name)
        return () if message is None else message.field

    def entry(self, field: FieldDescriptorProto) -> DescriptorProto | None:
        """The key and the value of a map; None for another field."""
        message = self.messages.get(field.type_name)
        return message if message is not None and message.options.map_entry else None

    def scalars(self, type_name: str) -> Iterator[FieldDescriptorProto]:
        """The texts and whole numbers of a message, of which an identifier is one."""
        for field in self.fields(type_name):
            if is_scalar(field) and field.label != field.LABEL_REPEATED:
                yield field

    def resource(self, type_name: str) -> resource_pb2.ResourceDescriptor | None:
        """What google.api.resource says of a message."""
        message = self.messages.get(type_name)
        if message is None or not message.options.HasExtension(resource_pb2.resource):
            return None
        found: resource_pb2.ResourceDescriptor = message.options.Extensions[resource_pb2.resource]
        return found


def is_scalar(field: FieldDescriptorProto) -> bool:
    return field.type == field.TYPE_STRING or field.type in WHOLE


def is_short(field: FieldDescriptorProto) -> bool:
    """Whether it is a whole number of 32 bits."""
    return field.type in _SHORT


def is_set_by_server(field: FieldDescriptorProto) -> bool:
    """Whether its annotations say that requests do not set it."""
    return bool(_SET_BY_SERVER & set(field.options.Extensions[field_behavior_pb2.field_behavior]))


def is_required(field: FieldDescriptorProto) -> bool:
    behaviors = field.options.Extensions[field_behavior_pb2.field_behavior]
    return field.label == field.LABEL_REQUIRED or field_behavior_pb2.REQUIRED in behaviors


def reference(field: FieldDescriptorProto) -> resource_pb2.ResourceReference:
    """What google.api.resource_reference says of a field; empty where it says nothing."""
    found: resource_pb2.ResourceReference = field.options.Extensions[resource_pb2.resource_reference]
    return found


def words_of(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def singular(name: str) -> str:
    """An English noun in the singular, as far as its ending shows it."""
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith(("ses", "xes", "ches", "shes", "zes")) and not name.endswith(("bases", "cases", "eases", "ouses")):
        return name[:-2]
    return (
        name[:-1]
        if name.endswith("s") and not name.endswith(("ss", "us", "is", "alias", "atlas", "bias", "canvas"))
        else name
    )
