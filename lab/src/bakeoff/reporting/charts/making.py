"""Makes charts out of what differs between them."""

from collections.abc import Sequence

from bakeoff.reporting.chart_shape import Axis, Chart, Mark, Point, Reference, Row, Series, Span, Stack
from bakeoff.reporting.identities import anchor
from bakeoff.reporting.shape import Figure, ReferenceLine, ReportedContender

_ROOM = 1.6
"""A reference line stretches a chart by this much at most; what lies higher is said in words."""

THROUGHPUT: Axis = {"label": "operations/s", "scale": "linear", "format": "rate", "ticks": None}
NO_AXIS: Axis = {"label": "", "scale": "linear", "format": "count", "ticks": None}


def chart_id(slot: str, group: str | None, variant: str | None = None) -> str:
    """Also the name of the picture's file."""
    return "-".join(anchor(part) for part in (slot, group, variant) if part is not None)


def lines(
    slot: str,
    title: str,
    x: Axis,
    y: Axis,
    series: Sequence[Series],
    *,
    group: str | None = None,
    variant: str | None = None,
    preferred: bool = True,
    note: str = "",
    marks: Sequence[Mark] = (),
    references: Sequence[Reference] = (),
    beyond: Sequence[str] = (),
    spans: Sequence[Span] = (),
) -> Chart:
    """A chart of lines. Series without points are left out."""
    return {
        "id": chart_id(slot, group, variant),
        "slot": slot,
        "group": group,
        "variant": variant,
        "preferred": preferred,
        "kind": "lines",
        "title": title,
        "note": note,
        "x": x,
        "y": y,
        "series": [each for each in series if each["points"]],
        "marks": list(marks),
        "references": list(references),
        "beyond": list(beyond),
        "spans": list(spans),
        "rows": [],
        "stacks": [],
    }


def dots(
    slot: str,
    title: str,
    x: Axis,
    series: Sequence[Series],
    *,
    group: str | None = None,
    note: str = "",
    references: Sequence[Reference] = (),
    beyond: Sequence[str] = (),
) -> Chart:
    """A chart with a row for each series: a dot with whiskers."""
    chart = lines(slot, title, x, NO_AXIS, series, group=group, note=note, references=references, beyond=beyond)
    return {**chart, "kind": "dots"}


def bars(
    slot: str,
    title: str,
    x: Axis,
    rows: Sequence[Row],
    stacks: Sequence[Stack],
    *,
    group: str | None = None,
    variant: str | None = None,
    preferred: bool = True,
    note: str = "",
) -> Chart:
    """A chart with a stacked bar for each row."""
    chart = lines(slot, title, x, NO_AXIS, [], group=group, variant=variant, preferred=preferred, note=note)
    return {**chart, "kind": "bars", "rows": list(rows), "stacks": list(stacks)}


def series(contender: ReportedContender, points: list[Point]) -> Series:
    return {
        "name": contender["name"],
        "identity": contender["identity"],
        "style": contender["style"],
        "points": points,
    }


def point(x: float, figure: Figure) -> Point:
    return [x, figure["median"], figure["low"], figure["high"]]


def references_for(highest: float, known: Sequence[ReferenceLine]) -> tuple[list[Reference], list[str]]:
    """Reference lines that fit on a chart whose data reach to `highest`, and words for those that do not."""
    fitting: list[Reference] = []
    beyond: list[str] = []
    for line in known:
        if line["per_s"] <= highest * _ROOM:
            fitting.append({"label": line["label"], "value": line["per_s"]})
        else:
            beyond.append(f"{line['label']}: {line['per_s']:,.0f}/s")
    return fitting, beyond
