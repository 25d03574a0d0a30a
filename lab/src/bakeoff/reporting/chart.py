"""The shape of a chart: enough to draw it anywhere."""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from bakeoff.judging.judgement import Estimate, JudgedContender, ReferenceLine
from bakeoff.reporting.numbers import rounded

Point = list[float | None]
Format = Literal["rate", "ms", "us", "mb", "percent", "ratio", "seconds", "count", "nines", "derived"]
MarkKind = Literal["maximum", "optimal", "breaking"]

# A reference line stretches a chart by this much at most; what lies higher is listed in words.
_ROOM = 1.6


class Axis(msgspec.Struct, frozen=True):
    """`ticks` are value and words, None where the renderer may choose; `format` is how a value is written."""

    label: str
    scale: Literal["linear", "log"]
    format: Format
    ticks: list[tuple[float, str]] | None = None


THROUGHPUT = Axis("operations/s", "linear", "rate")
NO_AXIS = Axis("", "linear", "count")


class ChartSeries(msgspec.Struct, frozen=True):
    """Points [x, y, low, high] of a line, or one [value, low, high] of a dot; low and high may be None.

    `style` numbers colour, dash and point. `identity` is what a reader switches on and off, None: always shown.
    `drawn`: points alone, or a curve without points; without it both. `faded`: drawn pale.
    """

    name: str
    identity: str | None
    style: int
    points: list[Point]
    drawn: Literal["points", "curve"] | UnsetType = UNSET
    faded: bool | UnsetType = UNSET


class Mark(msgspec.Struct, frozen=True):
    """A point of a line that means something."""

    identity: str
    style: int
    kind: MarkKind
    x: float
    y: float
    words: str


class Reference(msgspec.Struct, frozen=True):
    """A line across the chart: what something else can do."""

    label: str
    value: float


class Stack(msgspec.Struct, frozen=True):
    """One layer of stacked bars: a value for each row, None where it is unknown."""

    name: str
    style: int
    values: list[float | None]


class BarRow(msgspec.Struct, frozen=True):
    """A bar's name, and the contender that it belongs to."""

    name: str
    identity: str
    style: int


class Chart(msgspec.Struct, kw_only=True):
    """One picture. `slot` is its place on the page; group and variant choose between the charts of a slot.

    lines: series over x; dots: a row for each series, value along x; bars: `stacks` for each of `rows`, along x.
    `beyond` lists the references off the scale. `id` also names the picture's file. Series without points are left out.
    """

    id: str = ""
    slot: str
    group: str | None = None
    variant: str | None = None
    preferred: bool = True
    kind: Literal["lines", "dots", "bars"] = "lines"
    title: str
    note: str = ""
    x: Axis
    y: Axis = NO_AXIS
    series: list[ChartSeries] = []
    marks: list[Mark] = []
    references: list[Reference] = []
    beyond: list[str] = []
    rows: list[BarRow] = []
    stacks: list[Stack] = []

    def __post_init__(self) -> None:
        self.id = "-".join(anchor(part) for part in (self.slot, self.group, self.variant) if part is not None)
        self.series = [each for each in self.series if each.points]


def anchor(text: str) -> str:
    """A name as the end of a link."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "x"


def identity(contender: JudgedContender) -> str:
    """The name of a contender's identity in the page."""
    return f"c{contender.identity}"


def series(contender: JudgedContender, points: list[Point]) -> ChartSeries:
    return ChartSeries(contender.name, identity(contender), contender.identity, points)


def dot(estimate: Estimate) -> Point:
    return [None if value is None else rounded(value) for value in (estimate.median, estimate.low, estimate.high)]


def point(x: float, estimate: Estimate) -> Point:
    return [x, *dot(estimate)]


def references_for(highest: float, known: Sequence[ReferenceLine]) -> tuple[list[Reference], list[str]]:
    """Reference lines that fit on a chart whose data reach to `highest`, and words for those that do not."""
    fitting = [Reference(line.label, rounded(line.per_s)) for line in known if line.per_s <= highest * _ROOM]
    beyond = [f"{line.label}: {line.per_s:,.0f}/s" for line in known if line.per_s > highest * _ROOM]
    return fitting, beyond
