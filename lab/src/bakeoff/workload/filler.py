"""Grows a message to a size with nested content that does not repeat."""

from collections.abc import Sequence

from bakeoff.workload import slots
from bakeoff.workload.declaration import Fill
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.slots import FillSlot, PadSlot, Segment, Segments
from bakeoff.workload.template import TemplateError, append_literal, parse_template

_WORDS = """
delivered inspected replaced checked noted owner reported vibration brake fluid level within limits tyre wear even
battery tested charging normal invoice settled workshop returned keys customer informed next visit planned filter
changed torque verified road test passed software updated coolant topped alignment adjusted spare present
""".split()  # noqa: SIM905 — prose is easier to read as prose

# Far from any event's own draws: the filler's numbers are made once for a plan, not for an event.
_FILLER_SEQUENCE = 0xF111E4


def widest(segments: Sequence[Segment], key_format: Sequence[Segment] = ()) -> int:
    """Most bytes that segments can render to, whatever is drawn."""
    return sum(_width(segment, key_format) for segment in segments)


def _width(segment: Segment, key_format: Sequence[Segment]) -> int:
    if isinstance(segment, str):
        return len(segment.encode())
    match segment:
        case slots.NamedSlot(_, of):
            return _width(of, key_format)
        case slots.IntegerSlot(low, high):
            return max(len(str(low)), len(str(high)))
        case slots.DecimalSlot(low, high, scale):
            units = max(abs(low), abs(high))
            return max(len(str(units)), scale + 1) + 1 + int(low < 0)
        case slots.ChoiceSlot(choices):
            return max(len(choice.encode()) for choice in choices)
        case slots.AlphanumericSlot(length):
            return length
        case slots.KeySlot():
            return widest(key_format)
    if segment.width is None:
        name = segment.__struct_config__.tag
        raise TemplateError(f"${{{name}}} has no known width, so a message with it cannot be grown to a size.")
    return segment.width


def fill_to(
    segments: Sequence[Segment], size: int, fill: Fill, variant: int, seed: int, key_format: Segments
) -> Segments:
    """The template with its `fill` slot made into literals and one pad, so that it renders to `size` bytes exactly."""
    room = size - widest(segments, key_format) - len(f',"{fill.padding}":""')
    if room < 0:
        raise TemplateError(f"a message of {size} bytes is too small: this template needs up to {size - room} bytes.")
    numbers = RandomNumbers(seed, variant, _FILLER_SEQUENCE)
    content = _content(fill, room, numbers)
    filled: Segments = []
    for segment in segments:
        if isinstance(segment, FillSlot):
            append_literal(filled, f'{content},"{fill.padding}":"')
            # The pad takes what the drawn slots leave below their widest.
            filled.append(PadSlot(_prose(numbers, size - _literal_bytes(segments) - len(content))))
            append_literal(filled, '"')
        elif isinstance(segment, str):
            append_literal(filled, segment)
        else:
            filled.append(segment)
    return filled


def _literal_bytes(segments: Sequence[Segment]) -> int:
    return sum(len(segment.encode()) for segment in segments if isinstance(segment, str))


def _content(fill: Fill, room: int, numbers: RandomNumbers) -> str:
    """Members that fit into `room` bytes: the single ones, then items of each list in turn."""
    nothing = Event("", 0, 0, 0)
    members: list[str] = []
    for written in fill.members:
        member = "," + render(parse_template(written), numbers, nothing)
        if len(member.encode()) > room:
            break
        members.append(member)
        room -= len(member.encode())
    lists: dict[str, list[str]] = {each.name: [] for each in fill.lists}
    templates = [(each.name, parse_template(each.item)) for each in fill.lists]
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
