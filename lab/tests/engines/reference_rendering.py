"""A second reading of formats/README.md: event = f(seed, user, sequence), written for clarity and for nothing else.

It shares no code with the lab or an engine. `formats/vectors/rendering.json` is what it says about `rendering_cases`;
`python reference_rendering.py` in this folder writes that file again.
"""

import base64
import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rendering_cases import CASES

VECTORS = Path(__file__).parents[3] / "lab/src/bakeoff/formats/vectors" / "rendering.json"
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
TWO_TO_32 = 1 << 32
SHARED_USER = 9_999_999

Json = dict[str, Any]
Acknowledged = Mapping[str, Sequence[int]]


def sfc32(seed: str, user: int, sequence: int) -> Iterator[int]:
    """The draws of one event, after the twelve that are discarded."""
    a, b, c = int(seed[8:], 16), user % TWO_TO_32, sequence % TWO_TO_32
    d = int(seed[:8], 16) ^ 0x9E3779B9
    count = 0
    while True:
        drawn = (a + b + d) % TWO_TO_32
        d = (d + 1) % TWO_TO_32
        a = b ^ (b >> 9)
        b = (c + (c << 3)) % TWO_TO_32
        c = ((c << 21 | c >> 11) % TWO_TO_32 + drawn) % TWO_TO_32
        count += 1
        if count > 12:
            yield drawn


def below(draw: int, count: int) -> int:
    """A draw as a whole number from 0 to count - 1."""
    return math.floor(draw / TWO_TO_32 * count)


def event(plan: Json, user: int, sequence: int, acknowledged: Acknowledged) -> Json:
    """The expected message of this user's event `sequence`, after the acknowledged ones before it."""
    draws = sfc32(plan["seed"], user, sequence)
    operation_index = _weighted(plan["operations"], next(draws))
    operation = plan["operations"][operation_index]
    variant = below(next(draws), len(operation["variants"]))
    reuse_draw, pick_draw = next(draws), next(draws)
    key = None
    if operation["key"] is not None:
        key = _key(plan, operation["key"], user, sequence, acknowledged, reuse_draw, pick_draw)
    context = {"plan": plan, "user": user, "sequence": sequence, "key": key["text"] if key else "", "values": {}}
    message = _render(operation["variants"][variant], draws, context, plan["size_bytes"])
    path = _render(operation["http"]["path"], draws, context, None) if operation["http"] else None
    rendered = {"operation": operation_index, "variant": variant, "key": key, "message": message, "path": path}
    if "body" in operation:
        # One character for each byte.
        rendered["body"] = encoded(operation["body"], message).decode("latin-1")
    return rendered


BOUNDARY = "--bakeoff-0b7f3c5e9d1a2468"


def encoded(kind: str, message: str) -> bytes:
    """The body that is sent for the message."""
    if kind == "binary":
        return base64.b64decode(message)
    values = []
    for name, value in json.loads(message, parse_int=str, parse_float=str).items():
        values += [(name, each) for each in (value if isinstance(value, list) else [value]) if each is not None]
    if kind == "form":
        return b"&".join(_percent(name) + b"=" + _percent(_plain(value)) for name, value in values)
    lines: list[bytes] = []
    for name, value in values:
        is_file = isinstance(value, dict)
        filename = f'; filename="{_quoted(value["filename"])}"' if is_file and "filename" in value else ""
        lines += [BOUNDARY.encode(), f'Content-Disposition: form-data; name="{_quoted(name)}"{filename}'.encode()]
        if is_file:
            lines.append(f"Content-Type: {value.get('content_type', 'application/octet-stream')}".encode())
        content = _plain(value).encode() if not is_file else None
        if content is None:
            content = base64.b64decode(value["base64"]) if "base64" in value else value["text"].encode()
        lines += [b"", content]
    return b"\r\n".join([*lines, BOUNDARY.encode() + b"--", b""])


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _percent(text: str) -> bytes:
    kept = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*-._"
    return b"".join(
        b"+" if byte == 0x20 else bytes([byte]) if byte in kept else b"%%%02X" % byte for byte in text.encode()
    )


def _quoted(text: str) -> str:
    return "".join({'"': "%22", "\r": "%0D", "\n": "%0A"}.get(letter, letter) for letter in text)


def body(plan: Json, batch: Json, user: int, sequence: int, count: int, acknowledged: Acknowledged) -> str:
    """The body of one request that carries `count` events."""
    messages = [event(plan, user, sequence + i, acknowledged)["message"] for i in range(count)]
    joined: str = batch["open"] + batch["separator"].join(messages) + batch["close"]
    return joined


def _weighted(operations: Sequence[Json], draw: int) -> int:
    wanted = below(draw, sum(operation["weight"] for operation in operations))
    reached = 0
    for index, operation in enumerate(operations):
        reached += operation["weight"]
        if reached > wanted:
            return index
    raise AssertionError("a draw lies below the sum of the weights")


def _key(
    plan: Json, kind: int, user: int, sequence: int, acknowledged: Acknowledged, reuse_draw: int, pick_draw: int
) -> Json:
    known = acknowledged.get(str(kind), [])
    reuse = plan["keys"][kind]["reuse"]
    owner, made_by, shared = user, sequence, {}
    if reuse is not None and reuse_draw / TWO_TO_32 < reuse["share"]:
        if "shared" in reuse:
            owner, made_by, shared = SHARED_USER, _pick(reuse, pick_draw, reuse["shared"]), {"shared": True}
        elif known:
            made_by = known[_pick(reuse, pick_draw, len(known))]
    context = {"plan": plan, "user": owner, "sequence": made_by, "key": ""}
    text = _render(plan["keys"][kind]["format"], iter(()), context, None)
    return {"kind": kind, "sequence": made_by, "text": text} | shared


def _pick(reuse: Json, draw: int, count: int) -> int:
    if reuse["pick"] == "uniform":
        return below(draw, count)
    u, s = draw / TWO_TO_32, reuse["s"]
    x = (count + 1) ** u if s == 1 else (1 + u * ((count + 1) ** (1 - s) - 1)) ** (1 / (1 - s))
    return int(min(count - 1, math.floor(x) - 1))


def _render(segments: Sequence[Any], draws: Iterator[int], context: Json, size_bytes: int | None) -> str:
    texts = [segment if isinstance(segment, str) else _slot(segment, draws, context) for segment in segments]
    pads = [index for index, segment in enumerate(segments) if isinstance(segment, dict) and segment["slot"] == "pad"]
    if pads:
        assert size_bytes is not None
        room = size_bytes - len("".join(texts).encode())
        texts[pads[0]] = segments[pads[0]]["text"][:room]
    return "".join(texts)


def _slot(slot: Json, draws: Iterator[int], context: Json) -> str:
    match slot["slot"]:
        case "uuid":
            return _uuid(draws)
        case "integer":
            return str(slot["min"] + below(next(draws), slot["max"] - slot["min"] + 1))
        case "decimal":
            return _decimal(slot, next(draws))
        case "choice":
            return str(slot["choices"][below(next(draws), len(slot["choices"]))])
        case "alphanumeric":
            return "".join(LETTERS[below(next(draws), 32)] for _ in range(slot["length"]))
        case "date":
            first, after = datetime.date(slot["from"], 1, 1), datetime.date(slot["to"] + 1, 1, 1)
            return (first + datetime.timedelta(days=below(next(draws), (after - first).days))).isoformat()
        case "timestamp":
            return _timestamp(context["plan"]["base_time_ms"] + context["sequence"] * 1000 + context["user"] % 1000)
        case "sequence" if "modulo" in slot:
            return str(context["sequence"] % slot["modulo"])
        case "user" | "sequence" | "key" as name:
            return str(context[name])
        case "run":
            return str(context["plan"]["run"])
        case "named":
            context["values"][slot["name"]] = _slot(slot["of"], draws, context)
            return str(context["values"][slot["name"]])
        case "value":
            return str(context["values"][slot["name"]])
        case "captured" if "prefix" in slot:
            value = context["captured"].get(slot["name"], "")
            return f"{slot['prefix']}{_escaped(slot['prefix'], value)}" if value else ""
        case "captured" | "login" as source:
            return str(context[source][slot["name"]])
        case "pad":
            return ""
        case name:
            raise AssertionError(f"no case holds the slot {name}")


def _escaped(prefix: str, value: str) -> str:
    """The value of a parameter; after another beginning it is a part of a query already."""
    return quote(value, safe="") if prefix.endswith("=") else value


def _uuid(draws: Iterator[int]) -> str:
    number = 0
    for _ in range(4):
        number = number << 32 | next(draws)
    digits = f"{number:032x}"
    variant = f"{int(digits[16], 16) & 0x3 | 0x8:x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _decimal(slot: Json, draw: int) -> str:
    units = slot["min"] + below(draw, slot["max"] - slot["min"] + 1)
    if units % 10 == 0:
        units = units + 1 if units + 1 <= slot["max"] else units - 1
    whole, fraction = divmod(abs(units), 10 ** slot["scale"])
    return f"{'-' if units < 0 else ''}{whole}.{fraction:0{slot['scale']}d}"


def _timestamp(epoch_ms: int) -> str:
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=epoch_ms)
    return moment.isoformat(timespec="milliseconds") + "Z"


def vectors() -> Json:
    """The whole content of `rendering.json`."""
    return {"version": 1, "cases": [_answered(case) for case in CASES]}


def _answered(case: Json) -> Json:
    plan = case["plan"]
    return {
        "name": case["name"],
        "plan": plan,
        "events": [requested | event(plan, **requested) for requested in case["events"]],
        "batch": case["batch"],
        "requests": [requested | {"body": body(plan, case["batch"], **requested)} for requested in case["requests"]],
    }


def text() -> str:
    """`rendering.json` as it is written: one line for each event, so that a difference can be read."""
    cases = []
    for case in vectors()["cases"]:
        members = [f'"name": {_line(case["name"])}', f'"plan": {_line(case["plan"])}', _lines("events", case["events"])]
        members += [f'"batch": {_line(case["batch"])}', _lines("requests", case["requests"])]
        cases.append("    {\n      " + ",\n      ".join(members) + "\n    }")
    return '{\n  "version": 1,\n  "cases": [\n' + ",\n".join(cases) + "\n  ]\n}\n"


def _lines(name: str, items: Sequence[Json]) -> str:
    inside = ",\n".join("        " + _line(item) for item in items)
    return f'"{name}": [\n{inside}\n      ]' if items else f'"{name}": []'


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    VECTORS.write_text(text(), encoding="utf-8")
