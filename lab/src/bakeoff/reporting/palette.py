"""Colours, dashes and points: contenders stay apart for colour-blind readers, and in black and white."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Shape = Literal["circle", "triangle", "square", "diamond", "down"]


@dataclass(frozen=True)
class Theme:
    """Colours of one background. `series` keep three to one against it, and apart from each other in every sight."""

    background: str
    text: str
    muted: str
    grid: str
    accent: str
    danger: str
    series: Sequence[str]
    roles: Sequence[str]


@dataclass(frozen=True)
class Style:
    """How one contender is drawn. `colour` is a place in a theme's series."""

    colour: int
    dash: Sequence[int]
    shape: Shape
    hollow: bool


LIGHT = Theme(
    background="#ffffff",
    text="#1b1f24",
    muted="#5b6470",
    grid="#e3e6ea",
    accent="#1558b0",
    danger="#b42318",
    series=("#1764c0", "#391156", "#083f38", "#b85c8e", "#875017", "#3d96f1", "#dc6407", "#5b457a"),
    roles=("#26415f", "#7f97b3", "#c9d3de"),
)
DARK = Theme(
    background="#15181d",
    text="#e8eaed",
    muted="#a3abb6",
    grid="#2d333b",
    accent="#7ab7ff",
    danger="#ff8a7a",
    series=("#5aa9ff", "#7a72ee", "#a8f5dd", "#c78ab4", "#d54135", "#f5e14f", "#f28a30", "#9b6691"),
    roles=("#c3d5ea", "#7089a6", "#3c4d61"),
)

_DASHES: Sequence[Sequence[int]] = (
    (),
    (7, 4),
    (2, 3),
    (10, 3, 2, 3),
    (12, 5),
    (4, 2, 1, 2),
    (1, 3),
    (8, 2, 2, 2, 2, 2),
)
_POINTS: Sequence[tuple[Shape, bool]] = (
    ("circle", False),
    ("triangle", False),
    ("square", False),
    ("diamond", False),
    ("down", False),
    ("circle", True),
    ("square", True),
    ("diamond", True),
)


def style(number: int) -> Style:
    """The style of an identity: its hue, then its point, then a turn of dashes."""
    rest, colour = divmod(number, len(LIGHT.series))
    turn, point = divmod(rest, len(_POINTS))
    shape, hollow = _POINTS[point]
    return Style(colour, _DASHES[(colour + point + turn) % len(_DASHES)], shape, hollow)


def outline(shape: Shape, x: float, y: float, radius: float) -> str:
    """A point as the data of an SVG path."""
    if shape == "circle":
        return (
            f"M{x - radius:.1f} {y:.1f}a{radius:.1f} {radius:.1f} 0 1 0 {2 * radius:.1f} 0"
            f"a{radius:.1f} {radius:.1f} 0 1 0 {-2 * radius:.1f} 0Z"
        )
    corners = {
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "diamond": [(0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)],
        "triangle": [(0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
        "down": [(0, 1.15), (1.1, -0.85), (-1.1, -0.85)],
    }[shape]
    return "M" + "L".join(f"{x + radius * dx:.1f} {y + radius * dy:.1f}" for dx, dy in corners) + "Z"


def faded(colour: str) -> str:
    """A colour of the light palette, pale on its background: two fifths of it."""
    own, ground = (bytes.fromhex(each.removeprefix("#")) for each in (colour, LIGHT.background))
    return "#" + bytes(round(0.4 * one + 0.6 * other) for one, other in zip(own, ground, strict=True)).hex()
