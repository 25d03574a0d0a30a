"""Factors in the words of a report."""

import math
from collections.abc import Sequence

from bakeoff.judging.contender_runs import level_name
from bakeoff.judging.judgement import Effect

_TITLES = {
    "protocol": "protocol",
    "language": "language",
    "payload": "payload",
    "write_mode": "write strategy",
    "tls": "TLS",
}


def known_first(effects: Sequence[Effect]) -> list[Effect]:
    """Effects that have a ratio, by factor."""
    order = list(_TITLES)
    known = [effect for effect in effects if math.isfinite(effect.ratio.median)]
    return sorted(known, key=lambda each: order.index(each.factor) if each.factor in order else len(order))


def what_is_equal(effects: Sequence[Effect]) -> str:
    """The meaning of an effect, in a sentence or two."""
    words = "The other factors of the comparison are equal."
    if any(effect.factor == "language" for effect in effects):
        words += " A language stands for its stacks: framework, server and driver differ with it."
    return words


def title_of(factor: str) -> str:
    """An unknown factor keeps its own name."""
    return _TITLES.get(factor, factor.replace("_", " "))


def words_of(factor: str, level: str) -> str:
    return level_name(level, factor)


def compared_levels(effect: Effect) -> tuple[str, str]:
    """The factor, and its two levels: `REST against gRPC`."""
    one, other = words_of(effect.factor, effect.one), words_of(effect.factor, effect.other)
    return title_of(effect.factor), f"{one} against {other}"
