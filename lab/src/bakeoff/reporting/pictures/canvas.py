"""A picture under construction: shapes and words as SVG, every word escaped."""

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from bakeoff.reporting.palette import LIGHT, Style, outline

WIDTH, HEIGHT = 1280, 720
FONT = "Inter, system-ui, sans-serif"

# Characters that XML cannot express, whatever a name may hold.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GLYPH_WIDTH = 0.56


class Canvas:
    """Collects elements; `document` is the finished SVG."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._elements: list[str] = []

    def document(self) -> str:
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
                f' height="{HEIGHT}" font-family={quoteattr(FONT)} role="img"'
                f" aria-label={quoteattr(_written(self._title))}>",
                f"<title>{escape(_written(self._title))}</title>",
                '<defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" '
                f'patternTransform="rotate(45)"><rect width="8" height="8" fill="{LIGHT.roles[1]}"/>'
                f'<rect width="1.5" height="8" fill="{LIGHT.background}"/></pattern></defs>',
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{LIGHT.background}"/>',
                *self._elements,
                "</svg>\n",
            ]
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0, dash: Sequence[int] = ()
    ) -> None:
        self.path([(x1, y1), (x2, y2)], colour, width, dash)

    def path(self, points: Sequence[tuple[float, float]], colour: str, width: float, dash: Sequence[int] = ()) -> None:
        data = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{" ".join(map(str, dash))}"' if dash else ""
        self._elements.append(
            f'<path d="{data}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"{dashes}/>'
        )

    def box(self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "none") -> None:
        self._elements.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.1f}" fill="{fill}"'
            f' stroke="{stroke}"/>'
        )

    def point(self, style: Style, x: float, y: float, radius: float = 6.0, colour: str | None = None) -> None:
        colour = colour or LIGHT.series[style.colour]
        fill = LIGHT.background if style.hollow else colour
        self._elements.append(
            f'<path d="{outline(style.shape, x, y, radius)}" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
        )

    def ring(self, x: float, y: float, radius: float, colour: str) -> None:
        self._elements.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )

    def words(
        self,
        text: str,
        x: float,
        y: float,
        size: float = 18,
        colour: str = LIGHT.text,
        anchor: str = "start",
        *,
        bold: bool = False,
        upright: bool = False,
    ) -> None:
        """Words with their baseline at y; `upright` ones run from bottom to top."""
        turned = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if upright else ""
        weight = ' font-weight="600"' if bold else ""
        self._elements.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}{turned}'
            f' paint-order="stroke" stroke="{LIGHT.background}" stroke-width="4" stroke-linejoin="round">'
            f"{escape(_written(text))}</text>"
        )


def width_of(text: str, size: float) -> float:
    """About how wide words are; nothing here measures glyphs."""
    return len(text) * size * _GLYPH_WIDTH


def shortened(text: str, width: float, size: float) -> str:
    """Words that fit, the rest left out."""
    most = max(2, int(width / (size * _GLYPH_WIDTH)))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _written(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)
