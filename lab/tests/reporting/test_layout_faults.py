"""The layout test finds what it is for: each page here has one fault."""

import pytest
from playwright.sync_api import Browser

from browsers import layout_faults

PAGES = {
    "wider than the window": '<p style="width: 2000px">wide</p>',
    "cut off": '<p style="width: 40px; overflow: hidden; white-space: nowrap">much longer than its box</p>',
    "cut off below": '<p style="width: 90px; height: 10px; overflow: hidden">two lines of text in one</p>',
    "cut off at the edge": '<p style="position: absolute; left: -50px">outside</p>',
    "torn word": "<table><tr><td><p style='width: 30px; overflow-wrap: anywhere'>completed</p></td></tr></table>",
    "overlap": '<p>some words</p><p style="margin-top: -35px">and others</p>',
}
SOUND = {
    "a box that scrolls": '<div style="width: 90px; overflow-x: auto; white-space: nowrap">longer than its box</div>',
    "an ellipsis with its title": '<p title="all of a name" style="width: 50px; overflow: hidden; text-overflow: '
    'ellipsis; white-space: nowrap">all of a name</p>',
    "a cell that breaks at a space": "<table><tr><td style='width: 30px'>not completed</td></tr></table>",
    "lines that follow each other": '<p style="line-height: 1">one<br>two</p>',
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_fault_is_found(browser: Browser, kind: str) -> None:
    assert [fault.split(":")[0] for fault in _faults(browser, PAGES[kind])] == [kind.split(" below")[0].split(" at")[0]]


@pytest.mark.parametrize("kind", SOUND)
def test_a_sound_page_has_none(browser: Browser, kind: str) -> None:
    assert _faults(browser, SOUND[kind]) == []


def _faults(browser: Browser, body: str) -> list[str]:
    page = browser.new_page(viewport={"width": 600, "height": 400})
    try:
        page.set_content(body)
        return layout_faults(page)
    finally:
        page.close()
