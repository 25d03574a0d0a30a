"""A differential flame graph as one SVG file (B. Gregg, 2014): widths of the second profile, colours of the change.

Red frames take a larger share than in the first profile, blue ones a smaller, white ones the same. A frame's title says
both shares. Pure functions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from bakeoff.profiling.stacks import Stacks

_WIDTH = 1200
_ROW = 17
_MARGIN = 10
_HEAD = 44
_LETTER = 6.6
# Narrower frames cannot be seen.
_LEAST_WIDTH = 0.3
# A change of this share has the full colour.
_FULL = 0.10


@dataclass
class _Frame:
    """A function below its callers, with the samples that it is in."""

    name: str
    before: int = 0
    after: int = 0
    below: dict[str, "_Frame"] = field(default_factory=dict)


def differential_flame_graph(before: Stacks, after: Stacks, title: str) -> str:
    """The picture of two profiles, as SVG text."""
    root = _tree(before, after)
    rows = list(_rows(root))
    height = _HEAD + _ROW * (1 + max((depth for depth, *_ in rows), default=0)) + _MARGIN
    frames = "\n".join(_drawn(root, *row, height) for row in rows)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}"
 height="{height}" font-family="ui-monospace, Menlo, monospace" font-size="11" role="img" aria-label="{escape(title)}">
<rect width="100%" height="100%" fill="#fff"/>
<text x="{_MARGIN}" y="20" font-size="14">{escape(title)}</text>
<text x="{_MARGIN}" y="36" fill="#555">Width: share of CPU now. Red: a larger share than before; blue: a smaller.</text>
{frames}
</svg>
"""


def _tree(before: Stacks, after: Stacks) -> _Frame:
    root = _Frame("all", before.total(), after.total())
    for stacks, member in ((before, "before"), (after, "after")):
        for stack, count in stacks.items():
            frame = root
            for name in stack:
                frame = frame.below.setdefault(name, _Frame(name))
                setattr(frame, member, getattr(frame, member) + count)
    return root


def _rows(root: _Frame) -> Iterator[tuple[int, float, float, _Frame]]:
    """Frames with their depth, left edge and width; callers stand below what they call."""
    pending: list[tuple[_Frame, int, float, float]] = [(root, 0, _MARGIN, _WIDTH - 2 * _MARGIN)]
    while pending:
        frame, depth, x, width = pending.pop()
        yield depth, x, width, frame
        for each in sorted(frame.below.values(), key=lambda each: each.name):
            own = (_WIDTH - 2 * _MARGIN) * each.after / root.after if root.after else 0.0
            if own >= _LEAST_WIDTH:
                pending.append((each, depth + 1, x, own))
                x += own


def _drawn(root: _Frame, depth: int, x: float, width: float, frame: _Frame, height: int) -> str:
    old = frame.before / root.before if root.before else 0.0
    new = frame.after / root.after if root.after else 0.0
    y = height - _MARGIN - _ROW * (depth + 1)
    letters = int((width - 4) / _LETTER)
    shown = frame.name if len(frame.name) <= letters else f"{frame.name[: letters - 1]}…" if letters > 3 else ""
    text = f'<text x="{x + 2:.1f}" y="{y + 12}">{escape(shown)}</text>' if shown else ""
    return (
        f"<g><title>{escape(frame.name)}: {old:.1%} → {new:.1%}</title>"
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 1}" fill="{_colour(new - old)}" stroke="#ddd" '
        f'stroke-width="0.3"/>{text}</g>'
    )


def _colour(change: float) -> str:
    """White for no change, towards red for a larger share and towards blue for a smaller."""
    faded = round(255 - 150 * min(1.0, abs(change) / _FULL))
    return f"rgb(255,{faded},{faded})" if change > 0 else f"rgb({faded},{faded},255)"
