"""Figures with as many digits as a reader needs."""


def three(value: float) -> str:
    """Three significant digits: 0.123, 1.23, 12.3, 123, 12,345."""
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.0995:
        return f"{value:#.2g}" if size >= 0.0001 else f"{value:.1e}"
    places = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.995 else 3
    return f"{value:,.{places}f}"


def rate(per_s: float) -> str:
    """Operations a second, in sentences as in tables: 1,234, 12.3, 0.500."""
    return f"{per_s:,.0f}" if per_s >= 100 else three(per_s)
