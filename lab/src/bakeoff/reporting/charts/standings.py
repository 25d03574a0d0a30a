"""Charts of one figure for each contender: the ranking, what factors did, and what payloads cost."""

from collections.abc import Mapping, Sequence

from bakeoff.reporting.chart_shape import Axis, Chart, Series
from bakeoff.reporting.charts.making import THROUGHPUT, dots, lines, point, references_for, series
from bakeoff.reporting.shape import Figure, ReferenceLine, ReportedContender, ReportedEffect

_RATIO: Axis = {"label": "throughput ratio", "scale": "log", "format": "ratio", "ticks": None}


def ranking_chart(
    group: str, contenders: Sequence[ReportedContender], reference_lines: Sequence[ReferenceLine]
) -> Chart:
    """The maximum of each contender, in rank order."""
    drawn = [series(each, [_dot(peak)]) for each in contenders if (peak := each["peak_throughput_per_s"]) is not None]
    highest = max((each["points"][0][0] or 0.0 for each in drawn), default=0.0)
    references, beyond = references_for(highest, reference_lines)
    return dots(
        "ranking",
        "Maximum throughput",
        THROUGHPUT,
        drawn,
        group=group,
        note="Dot: median over rounds. Whisker: interval over the rounds.",
        references=references,
        beyond=beyond,
    )


def effects_chart(effects: Sequence[ReportedEffect]) -> Chart:
    """How many times the throughput each level of a factor gives; right of 1 is faster."""
    factors = list(dict.fromkeys(effect["factor"] for effect in effects))
    drawn: list[Series] = [
        {
            "name": _choice(effect),
            "identity": None,
            "style": factors.index(effect["factor"]),
            "points": [_dot(effect["ratio"])],
        }
        for effect in effects
        if effect["ratio"]["median"] > 0
    ]
    return dots(
        "effects",
        "Effect of each factor on throughput",
        _RATIO,
        drawn,
        note=(
            "Matched contenders and rounds, everything else equal. Right of 1: the first is faster. Whisker: "
            "interval over the rounds."
        ),
        references=[{"label": "no difference", "value": 1.0}],
    )


def _choice(effect: ReportedEffect) -> str:
    """Languages and protocols speak for themselves; `off` does not."""
    words = f"{effect['one']} ÷ {effect['other']}"
    return words if effect["factor"] in ("language", "protocol") else f"{effect['title']}, {words}"


def payloads_chart(payloads: Sequence[str], contenders: Sequence[ReportedContender]) -> Chart:
    """The maximum of each contender against the size of what it is sent."""
    by_identity: dict[str, dict[str, ReportedContender]] = {}
    for each in contenders:
        by_identity.setdefault(each["identity"], {})[each["payload"]] = each
    return lines(
        "payloads",
        "Maximum throughput by payload",
        {
            "label": "payload",
            "scale": "linear",
            "format": "count",
            "ticks": [(float(place), payload) for place, payload in enumerate(payloads)],
        },
        THROUGHPUT,
        [_along(payloads, sizes) for sizes in by_identity.values()],
        note="Whiskers: interval over the rounds.",
    )


def _along(payloads: Sequence[str], sizes: Mapping[str, ReportedContender]) -> Series:
    points = [
        point(float(place), peak)
        for place, payload in enumerate(payloads)
        if payload in sizes and (peak := sizes[payload]["peak_throughput_per_s"]) is not None
    ]
    return series(next(iter(sizes.values())), points)


def _dot(figure: Figure) -> list[float | None]:
    return [figure["median"], figure["low"], figure["high"]]
