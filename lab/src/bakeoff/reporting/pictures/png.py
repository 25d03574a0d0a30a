"""PNG of a picture, the same everywhere: the font lies beside this package, and it is the picture's own."""

from importlib.resources import as_file, files

import resvg_py

_FONTS = ("Inter-Regular.ttf", "Inter-SemiBold.ttf")
_ZOOM = 2
"""Pixels for each unit of the SVG: sharp on a projector."""


def png_of(svg: str) -> bytes:
    """2560 × 1440 pixels. Letters that the font lacks are taken from the machine's fonts."""
    with as_file(files("bakeoff.reporting") / "assets" / "fonts") as folder:
        return resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=_ZOOM,
            font_files=[str(folder / name) for name in _FONTS],
            font_family="Inter",
            sans_serif_family="Inter",
        )
