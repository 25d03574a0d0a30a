"""Pages in a real browser: their accessibility, their layout, and pictures of them."""

import os
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (1440, 1024, 390)
SCHEMES = ("light", "dark")

_LAYOUT = Path(__file__).with_name("layout.js").read_text("utf-8")
_PICTURES = "BAKEOFF_SCREENSHOTS"


def axe_faults(page: Page, scheme: str) -> list[dict[str, Any]]:
    """Axe's findings about a page: everything in the light scheme, colours alone in the dark one."""
    chosen = {} if scheme == "light" else {"runOnly": ["cat.color"]}
    violations: list[dict[str, Any]] = (
        Axe().run(page, options={"resultTypes": ["violations"], **chosen}).response["violations"]
    )
    return violations


def layout_faults(page: Page) -> list[str]:
    """What sticks out, is cut off, lies over other text or is torn apart, and axes without a name."""
    faults: list[str] = page.evaluate(_LAYOUT)
    return faults


def keep_picture(page: Page, folder: Path, name: str) -> Path:
    """The whole page as a picture in a folder of the test run, or in the one that BAKEOFF_SCREENSHOTS names."""
    path = Path(os.environ.get(_PICTURES, folder)) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, full_page=True)
    return path
