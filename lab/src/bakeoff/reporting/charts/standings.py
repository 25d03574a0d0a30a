"""Charts of one figure for each contender: the ranking, what factors did, and what payloads cost."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from bakeoff.judging.judgement import Effect, Estimate, JudgedContender, ReferenceLine
from bakeoff.reporting.chart import (
    THROUGHPUT,
    Axis,
    Chart,
    ChartSeries,
    Reference,
    dot,
    identity,
    point,
    references_for,
    series,
)
from bakeoff.reporting.factor_effects import title_of, what_is_equal, words_of
from bakeoff.reporting.figures import ratio_and_interval


def ranking_chart(group: str, contenders: Sequence[JudgedContender], reference_lines: Sequence[ReferenceLine]) -> Chart:
    """The maximum of each contender, the highest first; those without a rank are faded in their place."""
    drawn = [_standing(each, peak) for each in contenders if (peak := each.peak_throughput_per_s) is not None]
    drawn.sort(key=lambda each: -(each.points[0][0] or 0.0))
    highest = max((each.points[0][0] or 0.0 for each in drawn), default=0.0)
    references, beyond = references_for(highest, reference_lines)
    return Chart(
        slot="ranking",
        title="Maximum throughput",
        kind="dots",
        x=THROUGHPUT,
        series=drawn,
        group=group,
        note=(
            "Dot: median over rounds. Whisker: interval over the rounds. Faded: no rank. Pairs are tested round by "
            "round: one may be faster though the whiskers overlap."
        ),
        references=references,
        beyond=beyond,
    )


def _standing(contender: JudgedContender, peak: Estimate) -> ChartSeries:
    shown = series(contender, [dot(peak)])
    return shown if contender.rank is not None else replace(shown, name=f"{shown.name}, no rank", faded=True)


def effects_chart(effects: Sequence[Effect]) -> Chart:
    """How many times the throughput each level of a factor gives; right of 1 is faster."""
    factors = list(dict.fromkeys(effect.factor for effect in effects))
    return Chart(
        slot="effects",
        title="Effect of each factor on throughput",
        kind="dots",
        x=Axis("throughput ratio", "log", "ratio"),
        series=[
            ChartSeries(_row_of(effect), None, factors.index(effect.factor), [dot(effect.ratio)])
            for effect in effects
            if effect.ratio.median > 0
        ],
        note=(
            f"{what_is_equal(effects)} Right of 1: the first is faster. Whisker: the interval of its test; one that "
            "contains 1 is a tie."
        ),
        references=[Reference("no difference", 1.0)],
    )


def _row_of(effect: Effect) -> str:
    ratio = effect.ratio
    unbounded = ratio.confidence is not None and ratio.low is None and ratio.high is None
    return f"{_choice(effect)}, {ratio_and_interval(ratio)[1]}" if unbounded else _choice(effect)


def _choice(effect: Effect) -> str:
    """Languages and protocols speak for themselves; `off` does not."""
    words = f"{words_of(effect.factor, effect.one)} ÷ {words_of(effect.factor, effect.other)}"
    return words if effect.factor in ("language", "protocol") else f"{title_of(effect.factor)}, {words}"


def payloads_chart(payloads: Sequence[str], contenders: Sequence[JudgedContender]) -> Chart:
    """The maximum of each contender against the size of what it is sent."""
    by_identity: dict[str, dict[str, JudgedContender]] = {}
    for each in contenders:
        by_identity.setdefault(identity(each), {})[each.payload] = each
    return Chart(
        slot="payloads",
        title="Maximum throughput by payload",
        x=Axis("payload", "linear", "count", [(float(place), payload) for place, payload in enumerate(payloads)]),
        y=THROUGHPUT,
        series=[_along(payloads, sizes) for sizes in by_identity.values()],
        note="Whiskers: interval over the rounds.",
    )


def _along(payloads: Sequence[str], sizes: Mapping[str, JudgedContender]) -> ChartSeries:
    points = [
        point(float(place), peak)
        for place, payload in enumerate(payloads)
        if payload in sizes and (peak := sizes[payload].peak_throughput_per_s) is not None
    ]
    return series(next(iter(sizes.values())), points)
