"""Values as they stand in paths, queries, headers, cookies and forms: OpenAPI's style and explode."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from bakeoff.descriptions.drawn_values import Drawn, Value, as_text, header_template, json_text, percent
from bakeoff.descriptions.json_members import JsonObject, object_in, text_in

Pair: TypeAlias = tuple[str, Drawn]

_USUAL = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
_DELIMITERS = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
# RFC 3986 allows these in a query; of the reserved ones, & and # would end the value, and + is read as a space.
_RESERVED = ":/?@!$'()*,;[]"
_IN_PATH = "!$'()*+,:@"


def query_of(parameter: JsonObject, value: Value) -> list[str]:
    """The parts of a query that carry a parameter; without any where it has no value."""
    name, safe = text_in(parameter, "name"), _RESERVED if parameter.get("allowReserved") is True else ""
    if "content" in parameter:
        return [f"{percent(name)}={_percent(json_text(value))}"]
    style, explode = _style(parameter)
    if isinstance(value, Drawn) or value is None:
        return [f"{percent(name)}={_percent(as_text(value), safe)}"]
    if style == "deepObject":
        return [f"{percent(path)}={_percent(each, safe)}" for path, each in _deep(name, value)]
    if explode:
        return [f"{percent(each_name)}={_percent(each, safe)}" for each_name, each in _exploded(name, value)]
    listed = _DELIMITERS.get(style, ",").join(_percent(each, safe.replace(",", "")) for each in _flat(value))
    return [f"{percent(name)}={listed}"]


def path_of(parameter: JsonObject, value: Value) -> str:
    """What stands for a parameter in a path."""
    name = text_in(parameter, "name")
    style, explode = _style(parameter)
    if "content" in parameter:
        return _percent(json_text(value), _IN_PATH)
    if isinstance(value, Drawn) or value is None:
        text = _percent(as_text(value), _IN_PATH)
        return {"label": f".{text}", "matrix": f";{percent(name)}={text}"}.get(style, text)
    pairs = explode and isinstance(value, Mapping)
    if style == "matrix" and explode:
        return "".join(f";{percent(each_name)}={_percent(each)}" for each_name, each in _exploded(name, value))
    written = [
        f"{percent(each_name)}={_percent(each)}" if pairs else _percent(each)
        for each_name, each in (_exploded(name, value) if pairs else ((name, each) for each in _flat(value)))
    ]
    if style == "matrix":
        return f";{percent(name)}={','.join(written)}"
    return f".{('.' if explode else ',').join(written)}" if style == "label" else ",".join(written)


def header_of(parameter: JsonObject, value: Value) -> str:
    """What stands for a parameter in a header."""
    if "content" in parameter:
        return header_template(json_text(value))
    if isinstance(value, Drawn) or value is None:
        return header_template(as_text(value))
    _, explode = _style(parameter)
    if explode and isinstance(value, Mapping):
        return ",".join(f"{name}={header_template(each)}" for name, each in _exploded("", value))
    return ",".join(header_template(each) for each in _flat(value))


def cookies_of(parameter: JsonObject, value: Value) -> list[str]:
    """The pairs of a Cookie header that carry a parameter."""
    return query_of({**parameter, "style": "form", "allowReserved": False}, value)


def form_of(value: Mapping[str, Value], encoding: JsonObject) -> dict[str, Value]:
    """The members of a form: texts, numbers, and lists of these, under the names that they are sent with."""
    fields: dict[str, Value] = {}
    for name, each in value.items():
        rule = object_in(encoding, name)
        for field, part in _fields(name, each, rule):
            known = fields.get(field)
            if field in fields:
                fields[field] = [*(known if isinstance(known, list) else [known]), part]
            else:
                fields[field] = part
    return fields


def _fields(name: str, value: Value, rule: JsonObject) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Drawn) or value is None:
        yield name, value
        return
    style = text_in(rule, "style")
    if style == "deepObject":
        yield from _deep(name, value)
    elif text_in(rule, "contentType").endswith("json") or (isinstance(value, Mapping) and not style):
        yield name, json_text(value)
    elif rule.get("explode", style in ("", "form")):
        if isinstance(value, Mapping):
            yield from _exploded(name, value)
        else:
            yield name, [each if isinstance(each, Drawn) else json_text(each) for each in value]
    else:
        delimiter = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(style, ",")
        parts = [
            part for index, each in enumerate(_flat(value)) for part in ([delimiter] * bool(index) + [*each.parts])
        ]
        yield name, Drawn(parts or [""])


def _style(parameter: JsonObject) -> tuple[str, bool]:
    style = text_in(parameter, "style") or _USUAL.get(text_in(parameter, "in"), "form")
    explode = parameter.get("explode")
    return style, explode if isinstance(explode, bool) else style in ("form", "deepObject")


def _flat(value: Mapping[str, Value] | Sequence[Value]) -> Iterator[Drawn]:
    """Items, or names and values one after the other."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield Drawn([name])
            yield as_text(each)
    else:
        yield from map(as_text, value)


def _exploded(name: str, value: Mapping[str, Value] | Sequence[Value]) -> Iterator[Pair]:
    if isinstance(value, Mapping):
        for each_name, each in value.items():
            yield from ((each_name, as_text(item)) for item in (each if isinstance(each, list) else [each]))
    else:
        yield from ((name, as_text(each)) for each in value)


def _deep(name: str, value: Value) -> Iterator[Pair]:
    if isinstance(value, Mapping):
        for each_name, each in value.items():
            yield from _deep(f"{name}[{each_name}]", each)
    elif isinstance(value, Drawn) or value is None:
        yield name, as_text(value)
    else:
        for each in value:
            yield from _deep(f"{name}[]" if isinstance(each, Mapping) else name, each)


def _percent(value: Drawn, safe: str = "") -> str:
    """The template of a text in a URL; bars and braces of choices are escaped too."""
    return value.quoted(lambda text: percent(text, safe), lambda text: percent(text, safe))
