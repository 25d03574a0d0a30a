"""Grows a message to a size with nested content that does not repeat."""

from collections.abc import Sequence

from bakeoff.documents import Document
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.template import Segment, Segments, TemplateError, append_literal, parse_template

_WORDS = """
delivered inspected replaced checked noted owner reported vibration brake fluid level within limits tyre wear even
battery tested charging normal invoice settled workshop returned keys customer informed next visit planned filter
changed torque verified road test passed software updated coolant topped alignment adjusted spare present
""".split()  # noqa: SIM905 — prose is easier to read as prose

# Far from any event's own draws: the filler's numbers are made once for a plan, not for an event.
_FILLER_SEQUENCE = 0xF111E4

_WIDTHS = {"uuid": 36, "date": 10, "timestamp": 24, "run": 8, "user": 7, "sequence": 10}


def widest(segments: Sequence[Segment], key_format: Sequence[Segment] = ()) -> int:
    """Most bytes that segments can render to, whatever is drawn."""
    return sum(_width(segment, key_format) for segment in segments)


def _width(segment: Segment, key_format: Sequence[Segment]) -> int:
    if isinstance(segment, str):
        return len(segment.encode())
    match segment["slot"]:
        case "named":
            return _width(segment["of"], key_format)
        case "integer":
            return max(len(str(end)) for end in (segment["min"], segment["max"]))
        case "decimal":
            units = max(abs(segment["min"]), abs(segment["max"]))
            return max(len(str(units)), int(segment["scale"]) + 1) + 1 + int(segment["min"] < 0)
        case "choice":
            return max(len(choice.encode()) for choice in segment["choices"])
        case "alphanumeric":
            return int(segment["length"])
        case "key":
            return widest(key_format)
        case "fill" | "pad":
            return 0
        case slot:
            if slot in _WIDTHS:
                return int(_WIDTHS[slot])
            raise TemplateError(f"${{{slot}}} has no known width, so a message with it cannot be grown to a size.")


def fill_to(
    segments: Sequence[Segment], size: int, fill: Document, variant: int, seed: int, key_format: Segments
) -> Segments:
    """The template with its `fill` slot made into literals and one pad, so that it renders to `size` bytes exactly."""
    room = size - widest(segments, key_format) - len(f',"{fill["padding"]}":""')
    if room < 0:
        raise TemplateError(f"a message of {size} bytes is too small: this template needs up to {size - room} bytes.")
    numbers = RandomNumbers(seed, variant, _FILLER_SEQUENCE)
    content = _content(fill, room, numbers)
    filled: Segments = []
    for segment in segments:
        if isinstance(segment, dict) and segment["slot"] == "fill":
            append_literal(filled, f'{content},"{fill["padding"]}":"')
            # What the drawn slots leave below their widest is the pad's to take.
            filled.append({"slot": "pad", "text": _prose(numbers, size - _literal_bytes(segments) - len(content))})
            append_literal(filled, '"')
        elif isinstance(segment, str):
            append_literal(filled, segment)
        else:
            filled.append(segment)
    return filled


def _literal_bytes(segments: Sequence[Segment]) -> int:
    return sum(len(segment.encode()) for segment in segments if isinstance(segment, str))


def _content(fill: Document, room: int, numbers: RandomNumbers) -> str:
    """Members that fit into `room` bytes: the single ones, then items of each list in turn."""
    nothing = Event("", 0, 0, 0)
    members: list[str] = []
    for template in fill.get("members", []):
        member = "," + render(parse_template(template), numbers, nothing)
        if len(member.encode()) > room:
            break
        members.append(member)
        room -= len(member.encode())
    lists: dict[str, list[str]] = {entry["name"]: [] for entry in fill.get("lists", [])}
    templates = [(entry["name"], parse_template(entry["item"])) for entry in fill.get("lists", [])]
    turn = 0
    while templates:
        name, template = templates[turn % len(templates)]
        item = render(template, numbers, nothing)
        # The first item of a list also pays for the list's name and brackets, any other for its comma.
        cost = len(item.encode()) + (1 if lists[name] else len(f',"{name}":[]'))
        if cost > room:
            break
        lists[name].append(item)
        room -= cost
        turn += 1
    return "".join(members) + "".join(f',"{name}":[{",".join(items)}]' for name, items in lists.items() if items)


def _prose(numbers: RandomNumbers, length: int) -> str:
    words: list[str] = []
    have = -1
    while have < length:
        words.append(_WORDS[numbers.below(len(_WORDS))])
        have += len(words[-1]) + 1
    return " ".join(words)
