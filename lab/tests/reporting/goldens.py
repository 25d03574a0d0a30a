"""Documents that must not change unnoticed; UPDATE_GOLDENS=1 writes them again, to be read in the diff."""

import os
from pathlib import Path

_FOLDER = Path(__file__).with_name("golden")


def check_golden(name: str, text: str) -> None:
    """Holds a text against the file of that name."""
    path = _FOLDER / name
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), f"{name} changed: UPDATE_GOLDENS=1 writes it again, then read the diff"
