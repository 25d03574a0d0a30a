"""Names and numbers of contenders that stay the same from payload to payload. Pure functions."""

import itertools
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bakeoff.judging.judgement import JudgedContender

LOOKS = 8
"""Hues, and points, that a report tells apart."""


def identified(contenders: Sequence[JudgedContender]) -> list[JudgedContender]:
    """The contenders with name and identity.

    An identity follows from language and protocol, so that a target looks the same in all reports: its hue is that of
    the language, its point that of the protocol. Several of one language and protocol are numbered by name, and take
    points of no protocol while there are any.
    """
    names = _names(contenders)
    alike = {contender.key: _alike(contender) for contender in contenders}
    hues = _places({contender.language for contender in contenders})
    points = _places({contender.protocol for contender in contenders})
    free = [point for point in range(LOOKS) if point not in points.values()]
    places: dict[tuple[str, ...], int] = {}
    taken: set[int] = set()
    for contender in sorted(contenders, key=lambda each: alike[each.key]):
        if alike[contender.key] in places:
            continue
        hue, own = hues[contender.language], points[contender.protocol]
        firsts = [_number(hue, point, 0) for point in (own, *free)]
        turns = (_number(hue, own, turn) for turn in itertools.count(1))
        places[alike[contender.key]] = next(each for each in itertools.chain(firsts, turns) if each not in taken)
        taken.add(places[alike[contender.key]])
    return [replace(each, name=names[each.key], identity=places[alike[each.key]]) for each in contenders]


def _number(hue: int, point: int, turn: int) -> int:
    return (turn * LOOKS + point) * LOOKS + hue


def _places(names: Iterable[str]) -> dict[str, int]:
    """A place for each name, the same whatever other names there are unless two want one."""
    places: dict[str, int] = {}
    for name in sorted(names):
        wanted = zlib.crc32(name.lower().encode()) % LOOKS
        ring = [(wanted + step) % LOOKS for step in range(LOOKS)]
        places[name] = next((place for place in ring if place not in places.values()), wanted)
    return places


def _names(contenders: Sequence[JudgedContender]) -> dict[str, str]:
    """Labels without the payload, which stands above them; whole labels where that would make two alike."""
    shorter = {each.key: each.label.replace(f" · payload {each.payload}", "") for each in contenders}
    places = {(each.division, shorter[each.key]) for each in contenders}
    return shorter if len(places) == len(contenders) else {each.key: each.label for each in contenders}


def _alike(contender: JudgedContender) -> tuple[str, ...]:
    factors = (f"{name}={level}" for name, level in sorted(contender.factors.items()) if name != "payload")
    return (contender.target, *factors)
