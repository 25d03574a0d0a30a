"""How figures are written on the terminal."""

NOTHING = "–"


def milliseconds(value: float) -> str:
    """Three significant digits, as far as anybody can believe them."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def number(value: float | None, places: int, unit: str = "") -> str:
    """A figure with so many places and its unit, or a dash where there is none."""
    return NOTHING if value is None else f"{value:,.{places}f}{unit}"


def percent(value: float | None) -> str:
    """A figure that is per cent, with a place where it is small; what is not zero is never written as zero."""
    if value is None:
        return NOTHING
    if 0 < value < 0.1:
        return "<0.1%"
    return f"{value:.0f}%" if value >= 10 or value == 0 else f"{value:.1f}%"
