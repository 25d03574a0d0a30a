"""Suggestions in messages about unknown words."""

from collections.abc import Sequence
from difflib import get_close_matches


def nearest(unknown: str, known: Sequence[str]) -> str:
    """The word that was probably meant, to follow a list of all words; or nothing."""
    close = get_close_matches(unknown, known, 1)
    return f" Did you mean {close[0]}?" if close else ""


def hint(unknown: str, known: Sequence[str], what: str) -> str:
    """The word that was probably meant, or all that there are: `what` names them, such as "Keys here"."""
    return nearest(unknown, known).strip() or f"{what}: {', '.join(known) or 'none'}."
