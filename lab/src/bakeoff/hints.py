"""What a message adds to a word that is not known."""

from collections.abc import Sequence
from difflib import get_close_matches


def hint(unknown: str, known: Sequence[str], what: str) -> str:
    """The word that was probably meant, or all that there are: `what` names them, such as "Keys here"."""
    close = get_close_matches(unknown, known, 1)
    return f"Did you mean {close[0]}?" if close else f"{what}: {', '.join(known) or 'none'}."
