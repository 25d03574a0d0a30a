"""Message templates of proto messages, by protobuf's JSON mapping; values are drawn again for each request."""

import re
from collections.abc import Iterator, Mapping, Sequence

from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from bakeoff.descriptions.proto_types import WHOLE, Types, is_required, is_set_by_server, is_short

# The names of fields from a message down to a field within it.
Path = tuple[str, ...]

_DEEPEST = 5
_ANY = ".google.protobuf.Any"
_MASK = ".google.protobuf.FieldMask"
_NULL = ".google.protobuf.NullValue"
_TEXT = '"${alphanumeric 8}"'
_BYTES = '"${choice QUJD|REVG|R0hJ}"'
_WHOLE_NUMBER = "${integer 1 999}"
_DECIMAL = "${decimal 1.00 999.00}"
_FLAG = "${choice true|false}"
_WELL_KNOWN = {
    ".google.protobuf.Timestamp": '"${timestamp}"',
    ".google.protobuf.Duration": '"${choice 1s|5s|30s|60s}"',
    ".google.protobuf.Empty": "{}",
    ".google.protobuf.Struct": "{}",
    ".google.protobuf.Value": _TEXT,
    ".google.protobuf.ListValue": "[]",
    ".google.protobuf.StringValue": _TEXT,
    ".google.protobuf.BytesValue": _BYTES,
    ".google.protobuf.BoolValue": _FLAG,
    **{f".google.protobuf.{kind}Value": _WHOLE_NUMBER for kind in ("Int32", "Int64", "UInt32", "UInt64")},
    **{f".google.protobuf.{kind}Value": _DECIMAL for kind in ("Float", "Double")},
}
# Fields that select what a reply shows, or whether a request has an effect: absent, they select all, and it has.
_SELECTING = re.compile(r"(.*_)?(mask|etag|dry_?run)|validate_only|view|order_by|sort(_by)?|filters?|query_filter")
# Texts by which a list chooses: a word that is made up would find nothing, or is no expression of the service's.
_CHOOSING = re.compile(
    r"(.*_)?(query|filters?|search|where|keywords?|terms?|criteria|prefix)(_(text|string|term|expression|expr))?|q"
)
_PAGING = re.compile(r"(.*_)?page_?token|(next_|start_)?cursor|continuation(_token)?|start_after|continue")
_TEXTS = (
    (r"uuid|guid|request_id", "${uuid}"),
    (r"(.*_)?e?mail(_address)?", "user-${user}-${sequence}@example.org"),
    (r"(.*_)?(url|uri)", "https://example.org/${alphanumeric 8}"),
    (r"(.*_)?currency(_code)?", "${choice EUR|USD|GBP}"),
    (r"(.*_)?language(_code)?|locale", "en"),
    (r"(.*_)?(country|region)_code", "${choice DE|FR|US}"),
    (r"(.*_)?time_?zone", "Etc/UTC"),
)
_NUMBERS = (
    (r"(.*_)?(page_size|limit|max_results|page_limit)", "${integer 1 50}"),
    (r"(.*_)?(offset|skip)", "0"),
    (r"page(_number|_index)?", "1"),
    (r"months?", "${integer 1 12}"),
    (r"days?", "${integer 1 28}"),
    (r"hours?", "${integer 0 23}"),
    (r"minutes?|seconds?", "${integer 0 59}"),
    (r"years?", "${integer 2000 2030}"),
    (r"(.*_)?port", "${integer 1024 65535}"),
)
_DECIMALS = (
    (r"(.*_)?lat(itude)?", "${decimal -89.00 89.00}"),
    (r"(.*_)?(lng|lon|longitude)", "${decimal -179.00 179.00}"),
)
_KEYS = {FieldDescriptorProto.TYPE_STRING: "a", FieldDescriptorProto.TYPE_BOOL: "true"}


def choosing(types: Types, type_name: str) -> tuple[Mapping[Path, str], Sequence[Path]]:
    """The texts of a list's request that choose what it shows: those that must be there, empty, and the others."""
    found = [each for each in types.fields(type_name) if each.type == each.TYPE_STRING]
    found = [each for each in found if _CHOOSING.fullmatch(each.name) and each.label != each.LABEL_REPEATED]
    needed: dict[Path, str] = {(each.name,): '""' for each in found if is_required(each)}
    return needed, [(each.name,) for each in found if (each.name,) not in needed]


class MessageTemplates:
    """Makes templates. `left_out` are the places of fields that no template can hold, each with the reason."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def json(
        self, type_name: str, values: Mapping[Path, str], without: Sequence[Path] = ()
    ) -> tuple[str, list[tuple[str, str]]]:
        """The message as JSON, and each field that cannot be sent, with the reason.

        `values` are templates of known fields. Of each oneof the first field is sent that can be.
        """
        left_out: list[tuple[str, str]] = []
        message = _Message(self._types, values, without, left_out)
        return message.template(type_name, (), (type_name,)), left_out


class _Message:
    def __init__(
        self, types: Types, values: Mapping[Path, str], without: Sequence[Path], left_out: list[tuple[str, str]]
    ) -> None:
        self._types = types
        self._values = values
        self._without = without
        self._left_out = left_out

    def template(self, type_name: str, place: Path, within: Sequence[str]) -> str:
        if type_name in _WELL_KNOWN:
            return _WELL_KNOWN[type_name]
        members = [f'"{field.json_name}":{value}' for field, value in self._members(type_name, place, within)]
        return "{" + ",".join(members) + "}"

    def _members(
        self, type_name: str, place: Path, within: Sequence[str]
    ) -> Iterator[tuple[FieldDescriptorProto, str]]:
        chosen: set[int] = set()
        known = {path[len(place)] for path in self._values if len(path) > len(place) and path[: len(place)] == place}
        fields = self._types.fields(type_name)
        # A oneof with a known field sends that one.
        chosen |= {each.oneof_index for each in fields if each.name in known and _is_of_oneof(each)}
        for field in fields:
            inside = (*place, field.name)
            if field.name not in known:
                if inside in self._without or (_is_of_oneof(field) and field.oneof_index in chosen):
                    continue
                if not is_required(field) and (is_set_by_server(field) or _SELECTING.fullmatch(field.name)):
                    continue
            value = self._values.get(inside) or self._value(field, inside, within)
            if value is not None:
                chosen |= {field.oneof_index} if _is_of_oneof(field) else set()
                yield field, value
        for field in fields:
            if field.type_name == _MASK and field.name == "update_mask":
                yield field, f'"{",".join(self._masked(fields, place, within))}"'

    def _masked(self, fields: Sequence[FieldDescriptorProto], place: Path, within: Sequence[str]) -> Iterator[str]:
        """The members of the entity beside a mask that are sent, other than those that identify it."""
        entities = [each for each in fields if each.type == each.TYPE_MESSAGE and each.type_name not in _WELL_KNOWN]
        entities = [each for each in entities if each.type_name != _MASK and self._types.entry(each) is None]
        for entity in entities[:1]:
            inside = (*place, entity.name)
            for field, _ in self._members(entity.type_name, inside, (*within, entity.type_name)):
                path = re.sub(r"_([a-z])", lambda found: found[1].upper(), field.name)
                if (*inside, field.name) not in self._values and "_" not in path and _in_snake_case(path) == field.name:
                    yield path

    def _value(self, field: FieldDescriptorProto, place: Path, within: Sequence[str]) -> str | None:
        """The template of a field's value; None where it is not sent."""
        entry = self._types.entry(field)
        if entry is not None:
            key, value = entry.field
            inner = self._single(value, place, within)
            return None if inner is None else f'{{"{_KEYS.get(key.type, "1")}":{inner}}}'
        single = self._single(field, place, within)
        return f"[{single}]" if single is not None and field.label == field.LABEL_REPEATED else single

    def _single(self, field: FieldDescriptorProto, place: Path, within: Sequence[str]) -> str | None:
        if field.type in (field.TYPE_MESSAGE, field.TYPE_GROUP):
            return self._message(field, place, within)
        if field.type == field.TYPE_ENUM:
            return self._enum(field)
        if field.type == field.TYPE_STRING:
            return f'"{_text(field.name)}"'
        if field.type == field.TYPE_BYTES:
            is_token = _PAGING.fullmatch(field.name) or place[-2:] == ("pagination", "key")
            return '""' if is_token else _BYTES
        if field.type == field.TYPE_BOOL:
            return _FLAG
        return _number(field)

    def _message(self, field: FieldDescriptorProto, place: Path, within: Sequence[str]) -> str | None:
        if field.type_name == _ANY:
            self._left_out.append((".".join(place), "google.protobuf.Any holds a message of any type"))
            return None
        is_needed = field.label == field.LABEL_REQUIRED
        if field.type_name in within or field.type_name == _MASK or (len(within) > _DEEPEST and not is_needed):
            return None
        return self.template(field.type_name, place, (*within, field.type_name))

    def _enum(self, field: FieldDescriptorProto) -> str:
        if field.type_name == _NULL:
            return "null"
        names = [each.name for each in self._types.enums[field.type_name].value if each.number != 0]
        names = list(dict.fromkeys(names)) or [self._types.enums[field.type_name].value[0].name]
        return f'"${{choice {"|".join(names)}}}"' if len(names) > 1 else f'"{names[0]}"'


def _in_snake_case(path: str) -> str:
    """A path of a mask as readers of its JSON understand it; a name that does not come back cannot be in one."""
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", path)


def _is_of_oneof(field: FieldDescriptorProto) -> bool:
    return field.HasField("oneof_index") and not field.proto3_optional


def _text(name: str) -> str:
    """A text that fits a field's name."""
    if _PAGING.fullmatch(name):
        return ""
    known = next((value for pattern, value in _TEXTS if re.fullmatch(pattern, name)), None)
    return known or f"{name.replace('_', '-')}-${{alphanumeric 8}}"


def _number(field: FieldDescriptorProto) -> str:
    if field.type not in WHOLE:
        return next((value for pattern, value in _DECIMALS if re.fullmatch(pattern, field.name)), _DECIMAL)
    return next((value for pattern, value in _NUMBERS if re.fullmatch(pattern, field.name)), _WHOLE_NUMBER)


def unique_value(field: FieldDescriptorProto) -> str:
    """An identifier that the client chooses: no other user, request or run has it."""
    if field.type in WHOLE:
        return f"${{integer 1 {2_147_483_647 if is_short(field) else 4_294_967_295}}}"
    return f'"{field.name.replace("_", "-").strip("-")}-${{run}}-${{user}}-${{sequence}}"'
