"""What single factors did, in the words of a report."""

import math
from collections.abc import Sequence

from bakeoff.judging.contender_runs import language_name, level_name
from bakeoff.judging.judgement import Effect, Judgement
from bakeoff.reporting.contender_entries import pairing_entries
from bakeoff.reporting.estimate_entries import figure
from bakeoff.reporting.shape import ReportedEffect

TITLES = {
    "protocol": "protocol",
    "language": "language",
    "payload": "payload",
    "write_mode": "write strategy",
    "tls": "TLS",
}


def effect_entries(judgement: Judgement) -> list[ReportedEffect]:
    """What factors did to throughput, grouped by factor, the known ones first."""
    return _entries(judgement.effects)


def operation_effect_entries(judgement: Judgement) -> list[ReportedEffect]:
    """The same for each operation."""
    return _entries(judgement.operation_effects)


def _entries(effects: Sequence[Effect]) -> list[ReportedEffect]:
    order = list(TITLES)
    known = [effect for effect in effects if math.isfinite(effect.ratio.median)]
    known.sort(key=lambda effect: order.index(effect.factor) if effect.factor in order else len(order))
    return [_entry(effect) for effect in known]


def title_of(factor: str) -> str:
    """A factor in words: an unknown one by its own name."""
    return TITLES.get(factor, factor.replace("_", " "))


def _entry(effect: Effect) -> ReportedEffect:
    ratio = figure(effect.ratio)
    return {
        "factor": effect.factor,
        "title": title_of(effect.factor),
        "one": _words(effect.factor, effect.one),
        "other": _words(effect.factor, effect.other),
        "ratio": ratio,
        "pairs": pairing_entries(effect.pairs),
        "verdict": effect.verdict,
        "operation": effect.operation,
        "load": effect.load,
    }


def _words(factor: str, level: str) -> str:
    return language_name(level) if factor == "language" else level_name(level)
