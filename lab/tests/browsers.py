"""Accessibility of pages in a real browser."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def axe_faults(page: Page, scheme: str) -> list[dict[str, Any]]:
    """Axe's findings about a page: everything in the light scheme, colours alone in the dark one."""
    chosen = {} if scheme == "light" else {"runOnly": ["cat.color"]}
    violations: list[dict[str, Any]] = (
        Axe().run(page, options={"resultTypes": ["violations"], **chosen}).response["violations"]
    )
    return violations
