"""The requests of described operations: paths, headers and bodies, with the ids that link them."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from bakeoff.descriptions.drawn_values import Drawn, Slot, Value, as_text, json_template, percent
from bakeoff.descriptions.faults import Notes
from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, text_in
from bakeoff.descriptions.media_types import is_made_up
from bakeoff.descriptions.number_values import unique_integer
from bakeoff.descriptions.openapi_document import Body, DescribedOperation, examples_beside, parameter_schema
from bakeoff.descriptions.openapi_entities import GENERIC, Entities, Entity
from bakeoff.descriptions.openapi_links import Linking, kept_of
from bakeoff.descriptions.openapi_names import as_of_parent, capture_name
from bakeoff.descriptions.own_account import credentials_in
from bakeoff.descriptions.pages import of_first_page
from bakeoff.descriptions.parameter_styles import cookies_of, form_of, header_of, path_of, query_of
from bakeoff.descriptions.schema_merging import Schema, kind_of
from bakeoff.descriptions.schema_templates import NOTHING, SchemaTemplates
from bakeoff.descriptions.text_values import unique_text
from bakeoff.descriptions.uploads import base64_of, made_up_types, parts_of
from bakeoff.documents.checked import Json

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_IN_STATIC_PATH = "/%:@!$&'()*+,;=-._~"
# A client sets these by what it sends.
_MOST_PARAMETERS = 8
_SHOWN = 40
_USUAL_TYPES = {"json": "application/json", "text": "text/plain", "binary": "application/octet-stream"}
_OF_CLIENT = ("content-type", "content-length", "host", "connection", "transfer-encoding")


class Messages:
    """Makes requests; what a person decides about them becomes `advice`."""

    def __init__(self, templates: SchemaTemplates, entities: Entities, advice: Notes) -> None:
        self._resolve = templates.resolve
        self._entities = entities
        self._templates = templates
        self._login_templates = templates.preferring_examples()
        self._advice = advice
        self._made_up: dict[str, tuple[str, list[str]]] = {}
        self._own: dict[DescribedOperation, Mapping[str, Drawn]] = {}
        self.linking = Linking(entities)

    def path(self, described: DescribedOperation, linked: Mapping[str, str], query: Sequence[str] = ()) -> str:
        """Path and query; `linked` are the slots of parameters that name entities, `query` further parts."""
        template, _, asked = described.path.partition("?")
        own = self._own_variables(described)
        parts = []
        for index, part in enumerate(_VARIABLE.split(described.base_path + template)):
            if index % 2 == 0:
                parts.append(_static(part))
            elif part in linked:
                parts.append(path_of(described.in_path(part), _captured(linked[part], {})))
            elif part in own:
                name = capture_name(part)
                is_repeated = part in self._named_in_body(described)
                value = own[part].again(name) if is_repeated else own[part].named(name)
                parts.append(path_of(described.in_path(part), value))
            else:
                parts.append(path_of(described.in_path(part), self._path_value(described, part)) or "x")
        whole = [part for each in self._asked(described) for part in self._query_value(described, each, linked)]
        whole = [*([_static(asked)] if asked else []), *whole, *query]
        return "".join(parts) + (f"?{'&'.join(whole)}" if whole else "")

    def headers(self, described: DescribedOperation) -> dict[str, str]:
        """The headers that the operation asks for, cookies included."""
        headers = {
            text_in(each, "name"): header_of(each, self._parameter(described, each))
            for each in described.required("header")
            if text_in(each, "name").lower() not in (*_OF_CLIENT, "authorization")
        }
        cookies = [
            part for each in described.required("cookie") for part in cookies_of(each, self._parameter(described, each))
        ]
        body = described.body
        if body is not None and body.media_type != _USUAL_TYPES.get(str(body.kind), body.media_type):
            headers["content-type"] = body.media_type
        return {**headers, **({"Cookie": "; ".join(cookies)} if cookies else {})}

    def credentials(self, described: DescribedOperation) -> list[tuple[tuple[str, ...], bool]]:
        """The places of an account's name and password in its body, and whether it must have them."""
        if described.body is None:
            return []
        schema = self._templates.merged(described.body.schema)
        return list(credentials_in(schema, lambda each: self._templates.members(each, written=True)))

    def message(self, described: DescribedOperation, *, is_login: bool, keeps_credentials: bool = False) -> str | None:
        """The template of its body, with `keeps_credentials` without those of an account; None where it sends none."""
        body = described.body
        if body is None or body.kind is None:
            return None
        templates = self._login_templates if is_login else self._templates
        if body.kind == "binary":
            self._advise_about_files(described, [body.media_type] if is_made_up(body.media_type) else [])
            return base64_of(body.media_type, templates.merged(body.schema)).quoted(str)
        value = templates.message(_texts_in(body), "body", given=self._example(body))
        self._take_notes(templates, described)
        if body.kind == "text":
            return as_text(value).quoted(str)
        if isinstance(value, Mapping):
            value = of_first_page(value, templates, body.schema)
            for path, _ in self.credentials(described) if keeps_credentials else []:
                value = _without(value, path)
            value = self._linked(described, body, value, is_login=is_login)
            self._advise_about_others(described, value)
        if body.kind == "json":
            return json_template(value)
        if not isinstance(value, Mapping):
            return "{}"
        if is_login and isinstance(body.example, type(NOTHING)):
            required = list_in(templates.merged(body.schema), "required")
            value = {name: each for name, each in value.items() if name in required} if required else value
        if body.kind == "form":
            return json_template(form_of(value, body.encoding))
        members = templates.members(body.schema, written=True)
        parts = parts_of(value, members, body.encoding, templates.merged)
        self._advise_about_files(described, made_up_types(parts))
        return json_template(parts)

    def _advise_about_others(self, described: DescribedOperation, value: Mapping[str, Value]) -> None:
        """Of entities that no request creates for it, ids are made up."""
        others = [each for each in self._entities.all if each is not self._entities.created_by(described)]
        names = dict.fromkeys(name for each in others for name in self._entities.references(described, each))
        for name in names:
            if name in value and "${captured." not in json_template(value[name]):
                words = "It holds the id of another entity, and is made up: write values that exist."
                self._advice.add(words, f"{described.name} {name}")

    def captures(self, entity: Entity) -> dict[str, Json]:
        """What a creation captures: the id, and what the request names that it lies within, or refers to."""
        creator = entity.creator
        linked = self.linked_variables(creator, self._entities.owner(creator))
        own = self._own_variables(creator)
        sent = {}
        for index, name in entity.captured.items():
            variable = creator.variables[index] if index < len(creator.variables) else ""
            if variable in linked:
                sent[name] = linked[variable]
            elif variable in own:
                sent[name] = own[variable].again(capture_name(variable)).quoted(percent)
        sent |= kept_of(self.linking.of(creator))
        shown: dict[str, Json] = {"id": entity.id_place} if entity.id_place else {}
        return {**shown, **{name: f"sent:{text}" for name, text in sent.items()}}

    def linked_variables(self, described: DescribedOperation, owner: Entity | None) -> dict[str, str]:
        """The slots of the variables of a path, by the name of each."""
        captured, variables = {} if owner is None else owner.captured, described.variables
        return {variables[index]: f"${{captured.{name}}}" for index, name in captured.items() if index < len(variables)}

    def _own_variables(self, described: DescribedOperation) -> Mapping[str, Drawn]:
        """The variables in the path of a creation that no entity gives: the id that it chooses, and made-up values."""
        if described not in self._own:
            created = self._entities.created_by(described)
            linked = self.linked_variables(described, self._entities.owner(described))
            free = described.variables if created is not None and created.called is None else []
            self._own[described] = {
                name: self._own_variable(described, name, is_id=created is not None and created.chooses(index))
                for index, name in enumerate(free)
                if name not in linked
            }
        return self._own[described]

    def _own_variable(self, described: DescribedOperation, name: str, *, is_id: bool) -> Drawn:
        unique = _own_id(self._templates.merged(parameter_schema(described.in_path(name)))) if is_id else None
        return as_text(self._path_value(described, name) if unique is None else unique)

    def _named_in_body(self, described: DescribedOperation) -> Mapping[str, str]:
        """The variables of a creation's own that its body holds too, each with the name of the member."""
        created, sent = self._entities.created_by(described), self._entities.sent(described)
        members: dict[str, str] = {}
        for index, name in enumerate(described.variables):
            is_id = created is not None and created.chooses(index) and len(created.id_path) == 1
            member = created.id_path[0] if created is not None and is_id else name
            if name in self._own_variables(described) and member in sent and (is_id or name.lower() not in GENERIC):
                members[name] = member
        return members

    def _asked(self, described: DescribedOperation) -> list[JsonObject]:
        """The parameters of its query: those of every request, and the identifier of what a call is about."""
        required = described.required("query")
        own = self._entities.own_names(described) if self._entities.called(described) is not None else []
        return required + [
            each
            for each in described.parameters
            if each.get("in") == "query" and each not in required and text_in(each, "name") in own
        ]

    def _example(self, body: Body) -> Any:
        """The example of a body; those of forms write numbers, truth values and lists as texts."""
        if body.kind == "json" or not isinstance(body.example, Mapping):
            return body.example
        members = self._templates.members(body.schema, written=True)
        return {name: _as_of_kind(each, kind_of(members.get(name, {}))) for name, each in body.example.items()}

    def _path_value(self, described: DescribedOperation, name: str) -> Value:
        """A value of a variable that names nothing which exists."""
        parameter = described.in_path(name)
        value = self._parameter(described, parameter)
        if not self._gives_values(parameter):
            self._made_up.setdefault(name, (path_of(parameter, value) or "x", []))[1].append(described.name)
        return value

    def add_made_up(self) -> None:
        """Adds advice about parameters of paths with values that are made up: the most frequent ones one by one."""
        by_count = sorted(self._made_up.items(), key=lambda each: -len(each[1][1]))
        for name, (value, operations) in by_count[:_MOST_PARAMETERS]:
            shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
            for operation in operations:
                self._advice.add(f"{{{name}}} in the path is {shown}. Write values that exist.", operation)
        for name, _ in by_count[_MOST_PARAMETERS:]:
            self._advice.add("Further parameters of paths are made up. Write values that exist.", f"{{{name}}}")

    def _query_value(
        self, described: DescribedOperation, parameter: JsonObject, linked: Mapping[str, str]
    ) -> list[str]:
        name = text_in(parameter, "name")
        if name in linked:
            return query_of(parameter, _captured(linked[name], {}))
        return query_of(parameter, self._parameter(described, parameter))

    def _parameter(self, described: DescribedOperation, parameter: JsonObject) -> Value:
        """The value of a parameter: one of its examples, or what its schema allows."""
        schema, name = parameter_schema(parameter), text_in(parameter, "name")
        whole = self._templates.merged(schema)
        if kind_of(whole) is None and not {"const", "enum", "example", "default"} & whole.keys():
            schema = {"type": "string"}
        examples = examples_beside(parameter, self._resolve)
        value = self._templates.message(schema, name, *examples[:1])
        self._take_notes(self._templates, described)
        return value

    def _gives_values(self, parameter: JsonObject) -> bool:
        schema = self._templates.merged(parameter_schema(parameter))
        return bool(examples_beside(parameter, self._resolve)) or not {
            "example",
            "examples",
            "default",
            "const",
        }.isdisjoint(schema)

    def _advise_about_files(self, described: DescribedOperation, media_types: Iterable[str]) -> None:
        for each in dict.fromkeys(media_types):
            self._advice.add(f"its {each} is random bytes. Write a file, if the service reads it.", described.name)

    def _take_notes(self, templates: SchemaTemplates, described: DescribedOperation) -> None:
        for words, detail in dict.fromkeys(templates.unmatched):
            self._advice.add(words if detail else f"{words}.", described.name, detail)
        templates.unmatched.clear()

    def _linked(
        self, described: DescribedOperation, body: Body, value: Mapping[str, Value], *, is_login: bool
    ) -> Mapping[str, Value]:
        """A body in which ids are those of the entities that are meant."""
        if is_login:
            return value
        created, owner = self._entities.created_by(described), self._entities.owner(described)
        value = self._with_named_in_path(described, body, value, owner)
        if created is not None:
            value = self._with_own_id(value, body.schema, created.id_path) if created.id_place else value
            for name, member in self._named_in_body(described).items():
                own = self._own_variables(described)[name].named(capture_name(name))
                value = self._with_member(value, body.schema, [member], partial(_as_member, own))
        named = owner if owner is not None and owner.is_item(described) and owner is not created else None
        if named is not None:
            return self._with_captured(self._with_referred(described, body, value, named), body.schema, named.id_path)
        for other, capture in reversed(self.linking.of(described).named):
            ids = other.id_path if other is self._entities.collects(described) else ()
            for name in [*self._entities.references(described, other), *ids]:
                if name in self._entities.sent(described):
                    value = self._with_reference(value, body.schema, name, (other, capture))
        return value

    def _with_named_in_path(
        self, described: DescribedOperation, body: Body, value: Mapping[str, Value], owner: Entity | None
    ) -> Mapping[str, Value]:
        """A body that names the entities of its path again, as its path does."""
        own = owner.id_path if owner is not None and owner.is_item(described) else ()
        for name, slot in self.linked_variables(described, owner).items():
            if name.lower() not in GENERIC and [name] != list(own) and name in self._entities.sent(described):
                value = self._with_member(value, body.schema, [name], partial(_captured, slot))
        return value

    def _with_referred(
        self, described: DescribedOperation, body: Body, value: Mapping[str, Value], named: Entity
    ) -> Mapping[str, Value]:
        """An update that refers to what the creation of its entity referred to."""
        for other, capture in reversed(self.linking.of(named.creator).named):
            for name in self._entities.references(described, other):
                value = self._with_reference(value, body.schema, name, (other, as_of_parent(capture)))
        return value

    def _with_reference(
        self, value: Mapping[str, Value], schema: Schema, name: str, known: tuple[Entity, str]
    ) -> Mapping[str, Value]:
        """A body in which a member is the id of an entity, or an object that holds it, or a list of one of these."""
        entity, capture = known
        member = self._templates.members(schema, written=True).get(name, {})
        is_list = kind_of(member) == "array"
        held = self._templates.merged(object_in(member, "items")) if is_list else member
        inner = self._entities.id_within(held, entity)
        if inner is None:
            return self._with_captured(value, schema, [name], capture)
        made = value.get(name)
        given = made[0] if isinstance(made, list) and made else made
        own = self._with_captured(given if isinstance(given, Mapping) else {}, held, [inner], capture)
        return {**value, name: [own] if is_list else own}

    def _with_own_id(self, value: Mapping[str, Value], schema: Schema, path: Sequence[str]) -> Mapping[str, Value]:
        """A new entity, with an id that the client chooses where it may: no other entity has it."""
        return self._with_member(value, schema, path, _own_id)

    def _with_captured(
        self, value: Mapping[str, Value], schema: Schema, path: Sequence[str], capture: str = "id"
    ) -> Mapping[str, Value]:
        """A body that names an entity which exists."""
        return self._with_member(value, schema, path, lambda member: _captured_in(member, capture))

    def _with_member(
        self, value: Mapping[str, Value], schema: Schema, path: Sequence[str], made: Callable[[Schema], Value]
    ) -> Mapping[str, Value]:
        """The value with what is made for the member at the path; as it is where there is none, or nothing is made."""
        name, members = path[0], self._templates.members(schema, written=True)
        if name not in members:
            return value
        if len(path) == 1:
            own = made(members[name])
            return value if own is None else {**value, name: own}
        inner = value.get(name)
        if not isinstance(inner, Mapping):
            return value
        return {**value, name: self._with_member(inner, members[name], path[1:], made)}


def _own_id(member: Schema) -> Value:
    """An id for each user and sequence; None where the schema leaves the client no choice."""
    if kind_of(member) in ("integer", "number"):
        return unique_integer(member)
    if kind_of(member) in ("string", None) and "enum" not in member:
        return unique_text(member)
    return None


def _texts_in(body: Body) -> Schema:
    """The schema of a body: a text where none is given for one."""
    return {"type": "string"} if body.kind == "text" and not body.schema else body.schema


def _as_of_kind(value: Json, kind: str | None) -> Json:
    if not isinstance(value, str) or kind not in ("boolean", "integer", "number", "array", "object"):
        return value
    try:
        return json.loads(value)  # type: ignore[no-any-return]
    except ValueError:
        return [value] if kind == "array" else value


def _captured(slot: str, schema: Schema) -> Drawn:
    return Drawn([Slot(slot, ["1"])], is_bare=kind_of(schema) in ("integer", "number"))


def _as_member(value: Drawn, member: Schema) -> Drawn:
    """A value of a path as a member of a body holds it."""
    return Drawn(value.parts, is_bare=kind_of(member) in ("integer", "number"))


def _captured_in(member: Schema, name: str) -> Value:
    """A captured value as a member holds it: by itself, or in a list."""
    if kind_of(member) == "array":
        return [_captured(f"${{captured.{name}}}", object_in(member, "items"))]
    return _captured(f"${{captured.{name}}}", member)


def _static(part: str) -> str:
    """A part of a path as it is sent: escapes that stand in it already are kept."""
    written = quote(part, safe=_IN_STATIC_PATH)
    return re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", written)


def _without(value: Mapping[str, Value], path: Sequence[str]) -> dict[str, Value]:
    """A message without the member at a path."""
    if len(path) == 1:
        return {name: each for name, each in value.items() if name != path[0]}
    inner = value.get(path[0])
    return {**value, path[0]: _without(inner, path[1:])} if isinstance(inner, Mapping) else dict(value)
