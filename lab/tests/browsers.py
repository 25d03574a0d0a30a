"""A real browser, for what people look at."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, headless; a test that needs it is skipped where there is none."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not on PATH (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def axe_faults(page: Page, scheme: str) -> list[dict[str, Any]]:
    """Axe's findings about a page: everything in the light scheme, colours alone in the dark one."""
    chosen = {} if scheme == "light" else {"runOnly": ["cat.color"]}
    violations: list[dict[str, Any]] = (
        Axe().run(page, options={"resultTypes": ["violations"], **chosen}).response["violations"]
    )
    return violations
