"""The shape of a chart: enough to draw it anywhere."""

from typing import Literal, NotRequired, TypedDict

Point = list[float | None]
Format = Literal["rate", "ms", "us", "mb", "percent", "ratio", "seconds", "count", "nines", "derived"]
MarkKind = Literal["maximum", "optimal", "breaking"]


class Axis(TypedDict):
    """`ticks` are value and words, None where the renderer may choose; `format` is how a value is written."""

    label: str
    scale: Literal["linear", "log"]
    format: Format
    ticks: list[tuple[float, str]] | None


class Series(TypedDict):
    """Points [x, y, low, high] of a line, or one [value, low, high] of a dot; low and high may be None.

    `style` numbers colour, dash and point. `identity` is what a reader switches on and off, None: always shown.
    `drawn`: points alone, or a curve without points; without it both.
    """

    name: str
    identity: str | None
    style: int
    points: list[Point]
    drawn: NotRequired[Literal["points", "curve"]]


class Mark(TypedDict):
    """A point of a line that means something."""

    identity: str
    style: int
    kind: MarkKind
    x: float
    y: float
    words: str


class Reference(TypedDict):
    """A line across the chart: what something else can do."""

    label: str
    value: float


class Span(TypedDict):
    """A stretch of the x axis with a name: a phase."""

    begin: float
    end: float
    label: str


class Stack(TypedDict):
    """One layer of stacked bars: a value for each row, None where it could not be told."""

    name: str
    style: int
    values: list[float | None]


class Row(TypedDict):
    """A bar's name and whose it is."""

    name: str
    identity: str
    style: int


class Chart(TypedDict):
    """One picture. `slot` is its place on the page; group and variant choose between the charts of a slot.

    lines: series over x; dots: a row for each series, value along x; bars: `stacks` for each of `rows`, along x.
    `beyond` says which references lie off the scale. `anchored` y axes begin at zero.
    """

    id: str
    slot: str
    group: str | None
    variant: str | None
    preferred: bool
    kind: Literal["lines", "dots", "bars"]
    title: str
    note: str
    x: Axis
    y: Axis
    series: list[Series]
    marks: list[Mark]
    references: list[Reference]
    beyond: list[str]
    spans: list[Span]
    rows: list[Row]
    stacks: list[Stack]
