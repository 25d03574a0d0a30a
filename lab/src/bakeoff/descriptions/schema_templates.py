"""Message templates from JSON Schemas: values that the schema allows, drawn again for each request."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from bakeoff.descriptions.drawn_values import Value, choice, json_template, json_text, literal, sample_of
from bakeoff.descriptions.json_members import list_in, object_in, text_in, whole_in
from bakeoff.descriptions.number_values import distinct_numbers, number
from bakeoff.descriptions.references import Resolve
from bakeoff.descriptions.schema_checks import SchemaChecks
from bakeoff.descriptions.schema_merging import (
    ALTERNATIVES,
    ONLY_READ,
    Merging,
    Schema,
    kind_of,
    members_of_schema,
    schema_of,
    schemas_of,
)
from bakeoff.descriptions.text_values import FORMATS, is_pattern, matches, text, unique_text
from bakeoff.documents.checked import Json

# Optional members deeper than this are left out: a schema may contain itself.
_DEEPEST_OPTIONAL = 4
_DEEPEST = 12
# Optional members after these many are left out: schemas of billing systems hold thousands.
_MOST_MEMBERS = 400
_MOST_VARIANTS = 12
_MOST_ITEMS = 1000
# Keywords that the values of a merged schema may break, so that they are checked.
_CHECKED = {
    *(
        *ALTERNATIVES,
        "allOf",
        "if",
        "not",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "patternProperties",
    ),
    *("propertyNames", "contains", "unevaluatedProperties", "unevaluatedItems", "maxProperties", "minProperties"),
}
# Keywords that allow any text.
_PLAIN_TEXT = {"type", "title", "description", "example", "examples", "default", "format", "nullable", "deprecated"}
# Names of members that services often want to be different in each entity.
_NAMING = re.compile(
    r"^(id|uuid|guid|key|.*name|title|slug|login|user|handle|nick|alias|e?[-_]?mail.*|phone.*)$", re.IGNORECASE
)
_OWN_FORMATS = {"uuid", "guid"}
_MAIL_FORMATS = {"email", "idn-email"}


class _Nothing:
    """No value is given."""


NOTHING = _Nothing()


class SchemaTemplates:
    """Makes templates; `resolve` follows references. `unmatched` are values that may break their schema, and how.

    A value is the example, the default or one of the values that the description gives, where it gives any. With
    `prefers_examples` that is so for names too, which otherwise differ in each message.
    """

    def __init__(
        self,
        resolve: Resolve,
        *,
        prefers_examples: bool = False,
        merging: Merging | None = None,
        checks: SchemaChecks | None = None,
    ) -> None:
        self.resolve = resolve
        self._prefers_examples = prefers_examples
        self._merging = merging or Merging(resolve)
        self._checks = checks or SchemaChecks(resolve.document)
        self._members = 0
        self._is_lean = False
        self.unmatched: list[tuple[str, str]] = []

    def preferring_examples(self) -> "SchemaTemplates":
        """The same, with the examples of names too."""
        return SchemaTemplates(self.resolve, prefers_examples=True, merging=self._merging, checks=self._checks)

    def json(self, schema: Schema, name: str = "value") -> str:
        """The template of a value as JSON text."""
        return json_template(self.message(schema, name))

    def message(self, schema: Schema, name: str = "value", given: Any = NOTHING) -> Value:
        """The value of a whole body or parameter; `given` is an example of it that stands outside of the schema."""
        self._members = 0
        wrong = None if given is NOTHING else self._checks.broken(schema, given)
        if wrong is not None:
            self.unmatched.append((f"the example of its {name} breaks its schema", wrong))
        value = self._value(schema, name, 0, given if wrong is None or isinstance(given, Mapping) else NOTHING)
        problem = self._checks.broken(schema, sample_of(value))
        if problem is not None and given is not NOTHING:
            value = self._value(schema, name, 0)
            problem = self._checks.broken(schema, sample_of(value))
        if problem is not None:
            self.unmatched.append((f"{name} may not match its schema", problem))
        return value

    def merged(self, schema: Schema) -> Schema:
        """A schema without references: `allOf` in one, and the first of several alternatives."""
        return self._merging.merged(schema)

    def members(self, schema: Schema, *, written: bool) -> Mapping[str, Schema]:
        """The properties of an object that a request writes, or that a reply shows in any of its alternatives."""
        hidden = "readOnly" if written else "writeOnly"
        may_differ = not written and not _CHECKED.isdisjoint(self.resolve(schema))
        shown = list(islice(self._merging.variants(schema), _MOST_VARIANTS)) if may_differ else []
        members: dict[str, Schema] = {}
        for each in reversed(shown or [self.merged(schema)]):
            members |= {name: self.merged(member) for name, member in members_of_schema(each).items()}
        return {name: each for name, each in members.items() if not each.get(hidden)}

    def _value(self, schema: Schema, name: str, depth: int, given: Any = NOTHING) -> Value:
        if _CHECKED.isdisjoint(self.resolve(schema)):
            return self._of(self.merged(schema), name, depth, given)
        if any(map(self._merging.is_circular, self._bases(schema))):
            return self._of(self.merged(schema), name, depth, given)
        first: Value = None
        values = self._alternatives(schema, name, depth, given)
        for index, value in enumerate(values):
            if all(self._checks.accepts(schema, sample_of(value, number)) for number in range(2)):
                return value
            first = value if index == 0 else first
        return first

    def _bases(self, schema: Schema) -> list[Schema]:
        """A schema, and those that it extends."""
        return [schema, *schemas_of(list_in(self.resolve(schema), "allOf"))]

    def _alternatives(self, schema: Schema, name: str, depth: int, given: Any) -> Iterator[Value]:
        """Values of each combination of a schema; then those with the members alone that must be there."""
        variants = list(islice(self._merging.variants(schema), _MOST_VARIANTS)) if depth < _DEEPEST else []
        variants = [each for each in variants if ONLY_READ not in each] or variants
        for variant in variants or [self.merged(schema)]:
            yield self._of(variant, name, depth, given)
        was_lean, self._is_lean = self._is_lean, True
        try:
            for variant in variants:
                yield self._of(variant, name, depth, given)
        finally:
            self._is_lean = was_lean

    def _of(self, schema: Schema, name: str, depth: int, given: Any) -> Value:
        """The value of a schema without references and alternatives."""
        if "const" in schema:
            return literal(schema["const"])
        kind = kind_of(schema)
        if "enum" in schema:
            allowed = [each for each in list_in(schema, "enum") if each is not None or kind == "null"]
            if given is NOTHING and self._prefers_examples:
                given = next(iter(self._examples(schema)), NOTHING)
            return literal(given) if given in allowed else choice(allowed)
        examples = [given] if given is not NOTHING else self._examples(schema)
        if kind == "object" or (kind is None and examples and isinstance(examples[0], Mapping)):
            return self._object(schema, depth, examples)
        if kind == "array":
            return self._array(schema, name, depth, examples)
        if kind == "string":
            return self._text(schema, name, depth, [each for each in examples if isinstance(each, str)])
        if examples:
            return literal(examples[0]) if self._prefers_examples else choice(examples)
        if kind == "boolean":
            return choice([True, False])
        if kind in ("integer", "number"):
            is_whole = kind == "integer" or text_in(schema, "format").startswith(("int", "uint"))
            return number(schema, is_whole=is_whole)
        return None if kind == "null" else {}

    def _examples(self, schema: Schema) -> list[Json]:
        """Values that a schema gives, of those that it allows; a text where it only says otherwise in YAML."""
        is_text = kind_of(schema) == "string"
        found: list[Json] = [each for each in (schema.get("example"), *list_in(schema, "examples")) if each is not None]
        if not found and schema.get("default") is not None:
            found.append(schema["default"])
        if is_text:
            found = [str(each) if isinstance(each, int | float) else each for each in found]
        if is_text and _PLAIN_TEXT.issuperset(schema):
            return [each for each in found if isinstance(each, str)]
        return [each for each in found if self._checks.accepts(schema, each)]

    def _object(self, schema: Schema, depth: int, examples: Sequence[Json]) -> Value:
        example: Any = next((each for each in examples if isinstance(each, Mapping)), None)
        properties, required = members_of_schema(schema), [str(each) for each in list_in(schema, "required")]
        members: dict[str, Value] = {}
        for name, member in properties.items():
            merged = self.merged(member)
            if merged.get("readOnly") or depth >= _DEEPEST or (name not in required and merged.get("deprecated")):
                continue
            if name not in required and not self._is_wanted(name, depth, example):
                continue
            self._members += 1
            shown = NOTHING if example is None else example.get(name, NOTHING)
            is_shown = not isinstance(shown, _Nothing) and self._checks.accepts(member, shown)
            members[name] = self._value(member, name, depth + 1, shown if is_shown else NOTHING)
        rest = schema_of(schema.get("additionalProperties"))
        if example is not None and (rest is None or "not" not in rest):
            members |= {name: literal(each) for name, each in example.items() if name not in properties}
        for name in required:
            if name not in members and name not in properties:
                members[name] = self._value(self._schema_of_other(schema, name), name, depth + 1)
        self._add_dependent(schema, members, properties, depth)
        self._add_up_to_least(schema, members, depth)
        most = whole_in(schema, "maxProperties", len(members))
        for name in [each for each in reversed(members) if each not in required][: max(0, len(members) - most)]:
            del members[name]
        return members

    def _is_wanted(self, name: str, depth: int, example: Any) -> bool:
        """Whether an optional member is sent."""
        if example is not None:
            return name in example
        return not self._is_lean and depth < _DEEPEST_OPTIONAL and self._members < _MOST_MEMBERS

    def _add_dependent(
        self, schema: Schema, members: dict[str, Value], properties: Mapping[str, Schema], depth: int
    ) -> None:
        rules = {**object_in(schema, "dependencies"), **object_in(schema, "dependentRequired")}
        for name, needed in rules.items():
            for each in needed if name in members and isinstance(needed, list) else []:
                if each not in members:
                    members[str(each)] = self._value(
                        properties.get(str(each), {"type": "string"}), str(each), depth + 1
                    )

    def _add_up_to_least(self, schema: Schema, members: dict[str, Value], depth: int) -> None:
        """Members of a map: as many as there must be."""
        names = self._names(schema)
        while len(members) < whole_in(schema, "minProperties", 0):
            name = next((each for each in names if each not in members), None)
            if name is None:
                return
            members[name] = self._value(self._schema_of_other(schema, name), name, depth + 1)

    def _names(self, schema: Schema) -> Iterator[str]:
        """Names of a map's members."""
        allowed = self.merged(object_in(schema, "propertyNames"))
        yield from (str(each) for each in list_in(schema, "properties"))
        yield from (str(each) for each in list_in(allowed, "enum"))
        patterns = [text_in(allowed, "pattern"), *object_in(schema, "patternProperties")]
        for pattern in filter(None, patterns):
            drawn = text({**allowed, "pattern": pattern}, "")
            samples = [] if drawn is None else list(dict.fromkeys(drawn.samples))
            longer = [f"{sample}{letter}" for sample in samples[:1] for letter in "abcdefghijklmnopqrstuvwxyz"]
            yield from (each for each in (*samples, *longer) if matches(pattern, each))
        yield from (f"key{index}" for index in range(1, _MOST_ITEMS))

    def _schema_of_other(self, schema: Schema, name: str) -> Schema:
        """The schema of a member that has none of its own."""
        patterns = object_in(schema, "patternProperties")
        found = next((each for pattern, each in patterns.items() if matches(pattern, name)), None)
        other = schema_of(found) or schema_of(schema.get("additionalProperties")) or {}
        return other or {"type": "string"}

    def _array(self, schema: Schema, name: str, depth: int, examples: Sequence[Json]) -> Value:
        first = [each for value in list_in(schema, "prefixItems") if (each := schema_of(value)) is not None]
        items = schema_of(schema.get("items")) or {}
        given = next((each for each in examples if isinstance(each, list)), None)
        if given is not None:
            schemas = [*first, *[items] * len(given)]
            return [self._value(schemas[index], name, depth + 1, each) for index, each in enumerate(given)]
        least, most = whole_in(schema, "minItems", 0), whole_in(schema, "maxItems", _MOST_ITEMS)
        usual = 0 if depth >= _DEEPEST_OPTIONAL or self._is_lean else 1
        count = min(most, _MOST_ITEMS, max(usual, least, len(first)))
        if depth >= _DEEPEST:
            return []
        values = [self._value(each, name, depth + 1) for each in first[:count]]
        contained = schema_of(schema.get("contains"))
        if contained is not None:
            needed = whole_in(schema, "minContains", 1)
            values += [self._value({"allOf": [items, contained]}, name, depth + 1) for _ in range(needed)]
        missing = max(0, count - len(values))
        if schema.get("uniqueItems"):
            return [*values, *self._distinct(items, name, depth, missing)]
        return [*values, *(self._value(items, name, depth + 1) for _ in range(missing))]

    def _distinct(self, schema: Schema, name: str, depth: int, count: int) -> list[Value]:
        """Different items, as many as the schema allows up to a count."""
        merged = self.merged(schema)
        kind = kind_of(merged)
        if count == 0:
            return []
        if "enum" in merged or kind == "boolean":
            allowed = list_in(merged, "enum") or [True, False]
            return [literal(each) for each in allowed[:count]] if count > 1 else [self._value(schema, name, depth + 1)]
        if kind in ("integer", "number") and count > 1:
            return [literal(each) for each in distinct_numbers(merged, count, is_whole=kind == "integer")]
        values = [self._value(schema, f"{name}{index or ''}", depth + 1) for index in range(count)]
        samples = [sample_of(each) for each in values]
        if kind == "string" and len({str(each) for each in samples}) < count and "pattern" in merged:
            drawn = text(merged, "")
            texts = list(dict.fromkeys(() if drawn is None else drawn.samples))
            return [literal(each) for each in texts[:count]]
        return values

    def _text(self, schema: Schema, name: str, depth: int, examples: Sequence[str]) -> Value:
        if examples and not self._prefers_examples and 1 <= depth <= 2 and self._must_vary(schema, name):
            found = unique_text(schema, examples[0], name)
            if found is not None:
                return found
        if examples:
            return literal(examples[0]) if self._prefers_examples else choice(examples)
        if text_in(schema, "contentMediaType").endswith("json") and "contentSchema" in schema:
            return json_text(self._value(object_in(schema, "contentSchema"), name, depth + 1))
        found = text(schema, name)
        if found is not None:
            return found
        pattern = text_in(schema, "pattern")
        words = (f"{name} must match {pattern}", "")
        self.unmatched += [] if words in self.unmatched or not is_pattern(pattern) else [words]
        return text({each: value for each, value in schema.items() if each != "pattern"}, name)

    def _must_vary(self, schema: Schema, name: str) -> bool:
        """Whether a member is a name, which services often want to be different in each entity."""
        chosen = text_in(schema, "format")
        is_name = _NAMING.match(name) is not None
        return chosen in _MAIL_FORMATS or (is_name and (chosen in _OWN_FORMATS or chosen not in FORMATS))
