"""Schemas without references and alternatives: `allOf` in one schema, and each combination of the other keywords."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice

from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, text_in
from bakeoff.descriptions.references import Resolve
from bakeoff.documents.checked import Json

Schema = JsonObject

ALTERNATIVES = ("oneOf", "anyOf")
# Marks the combinations with an alternative that replies alone show.
ONLY_READ = "x-only-read"
_COMBINING = {"allOf", *ALTERNATIVES, "if", "then", "else", "discriminator"}
_HIGHEST = {"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
_LOWEST = {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
_NESTED = ("items", "additionalProperties", "contains", "propertyNames", "not")


class Merging:
    """Merges schemas of one document."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve
        self._merged: dict[int, tuple[Schema, Schema]] = {}

    def merged(self, schema: Schema) -> Schema:
        """The first combination of a schema."""
        if _COMBINING.isdisjoint(schema) and "$ref" not in schema:
            return schema
        known = self._merged.get(id(schema))
        if known is None:
            # The schema is kept with it, so that its identity stays its own.
            known = schema, next(self.variants(schema), {})
            self._merged[id(schema)] = known
        return known[1]

    def variants(self, schema: Schema, within: frozenset[str] = frozenset()) -> Iterator[Schema]:
        """The combinations of a schema, the likeliest first.

        `within` are the references that are being merged: a schema adds nothing to itself.
        """
        reference = schema.get("$ref")
        if isinstance(reference, str):
            if reference in within:
                return
            within |= {reference}
        schema = self._resolve(schema)
        parts: list[Callable[[], Iterator[Schema]]] = []
        for each in schemas_of(list_in(schema, "allOf")):
            if str(each.get("$ref")) not in within:
                parts.append(lambda each=each: self._part(each, reference, within))  # type: ignore[misc]
        own = {name: each for name, each in schema.items() if name not in _COMBINING}
        parts.append(lambda: iter([own]))
        for name in ALTERNATIVES:
            alternatives = schemas_of(list_in(schema, name))
            # A subtype that names its base is itself the alternative of the base that is meant.
            if alternatives and not any(str(each.get("$ref")) in within for each in alternatives):
                parts.append(lambda given=alternatives: self._alternatives(schema, given, within))  # type: ignore[misc]
        if "if" in schema:
            parts.append(lambda: self._conditions(schema, within))
        combinations = _combined({}, parts)
        first = next(combinations, None)
        # Where each one contradicts itself, the first is what is meant.
        yield from chain([first], combinations) if first is not None else islice(_combined({}, parts, strict=False), 1)

    def is_circular(self, schema: Schema) -> bool:
        """Whether its alternatives are subtypes that name it as their base: nothing can check these."""
        whole = self._resolve(schema)
        alternatives = [each for name in ALTERNATIVES for each in schemas_of(list_in(whole, name))]
        bases = [
            base
            for each in alternatives
            for base in schemas_of(list_in(self._resolve(each), "allOf"))
            if self._resolve(base) is whole or list_in(self._resolve(base), "oneOf") == list_in(whole, "oneOf")
        ]
        return bool(alternatives and bases)

    def _part(self, part: Schema, reference: Json, within: frozenset[str]) -> Iterator[Schema]:
        """A part of `allOf`; a base with a discriminator names the subtype that refers to it."""
        base = self._resolve(part)
        for variant in self.variants(part, within):
            yield joined(variant, self._named_by(base, reference, variant))

    def _alternatives(self, schema: Schema, given: Sequence[Schema], within: frozenset[str]) -> Iterator[Schema]:
        nulls, only_read = [], []
        for each in given:
            for variant in self.variants(each, within):
                named = joined(variant, self._named_by(schema, each.get("$ref"), variant))
                if kind_of(variant) == "null":
                    nulls.append(variant)
                elif self._is_only_read(variant):
                    only_read.append({**named, ONLY_READ: True})
                else:
                    yield named
        yield from (*only_read, *nulls)

    def _is_only_read(self, variant: Schema) -> bool:
        """Whether replies alone show a schema: a request would have none of its members."""
        members = members_of_schema(variant).values()
        is_hidden = bool(members) and all(self._resolve(each).get("readOnly") for each in members)
        return is_hidden or bool(variant.get("readOnly"))

    def _named_by(self, schema: Schema, reference: Json, variant: Schema) -> Schema:
        """What a discriminator says of a schema that a reference names; empty where that says it itself."""
        discriminator = object_in(schema, "discriminator")
        property_name = text_in(discriminator, "propertyName")
        if not property_name or not isinstance(reference, str):
            return {}
        last = reference.rpartition("/")[2]
        mapping = object_in(discriminator, "mapping")
        mapped = next((name for name, target in mapping.items() if target in (reference, last)), None)
        own = self.merged(object_in(object_in(variant, "properties"), property_name))
        allowed = [own["const"]] if "const" in own else list_in(own, "enum")
        if mapped is None and allowed and last not in allowed:
            return {"required": [property_name]}
        return {"properties": {property_name: {"const": mapped or last}}, "required": [property_name]}

    def _conditions(self, schema: Schema, within: frozenset[str]) -> Iterator[Schema]:
        condition, met = object_in(schema, "if"), object_in(schema, "then")
        yield from self.variants({"allOf": [condition, met]}, within)
        yield from self.variants(object_in(schema, "else"), within)


def _combined(
    base: Schema, parts: Sequence[Callable[[], Iterator[Schema]]], *, strict: bool = True
) -> Iterator[Schema]:
    if not parts:
        yield base
        return
    for each in parts[0]():
        both = joined(base, each)
        allowed = list_in(both, "enum")
        if not (strict and "const" in both and allowed and both["const"] not in allowed):
            yield from _combined(both, parts[1:], strict=strict)


def schemas_of(values: Sequence[Json]) -> list[Schema]:
    """Schemas, the ones that are only true or false included."""
    return [schema for each in values if (schema := schema_of(each)) is not None]


def schema_of(value: Json) -> Schema | None:
    if isinstance(value, bool):
        return {} if value else {"not": {}}
    return value if isinstance(value, Mapping) else None


def kind_of(schema: Schema) -> str | None:
    """The type of a value: the first that is not null; without any, the one that its other keywords are about."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return next((str(each) for each in kinds if each != "null"), "null")
    if kinds is not None:
        return str(kinds)
    return next((kind for kind, names in _KEYWORDS.items() if not names.isdisjoint(schema)), None)


_KEYWORDS = {
    "object": {"properties", "additionalProperties", "patternProperties", "minProperties", "propertyNames"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"},
    "string": {"minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}


def joined(base: Schema, more: Schema) -> Schema:
    """What both schemas allow, where one schema can say it; otherwise `more` counts."""
    if not base or not more:
        return more or base
    both: dict[str, Json] = {**base, **more}
    for name in base.keys() & more.keys():
        one, other = base[name], more[name]
        if one == other:
            continue
        if name in _HIGHEST | _LOWEST and _are_numbers(one, other):
            both[name] = max(one, other) if name in _HIGHEST else min(one, other)  # type: ignore[type-var]
        elif name == "enum" and isinstance(one, list) and isinstance(other, list):
            both[name] = [each for each in one if each in other] or other
        elif name == "type":
            both[name] = _common_types(one, other)
        elif name in ("properties", "patternProperties"):
            both[name] = _members_of_both(object_in(base, name), object_in(more, name))
        elif name == "required":
            both[name] = list(dict.fromkeys([*list_in(base, name), *list_in(more, name)]))
        elif name in _NESTED and isinstance(one, Mapping) and isinstance(other, Mapping):
            both[name] = {"anyOf": [one, other]} if name == "not" else {"allOf": [one, other]}
        elif name == "additionalProperties" and one is False:
            both[name] = False
    return both


def _members_of_both(one: JsonObject, other: JsonObject) -> dict[str, Json]:
    return {
        name: {"allOf": [one[name], other[name]]}
        if name in one and name in other and one[name] != other[name]
        else other.get(name, one.get(name))
        for name in {**one, **other}
    }


def _are_numbers(*values: Json) -> bool:
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)


def _common_types(one: Json, other: Json) -> Json:
    kinds = [list(each) if isinstance(each, list) else [each] for each in (one, other)]
    common = [each for each in kinds[0] if each in kinds[1]]
    if not common and "integer" in kinds[0] + kinds[1] and "number" in kinds[0] + kinds[1]:
        common = ["integer"]
    return common[0] if len(common) == 1 else common or other


def members_of_schema(schema: Schema) -> dict[str, Schema]:
    """The properties of a merged schema, those that are only true or false included."""
    properties = object_in(schema, "properties")
    return {str(name): found for name, each in properties.items() if (found := schema_of(each)) is not None}
