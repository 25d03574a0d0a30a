"""The pages in a real browser: laid out for every width, accessible, and live while a lab measures."""

import math
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.cli.serve import listening
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.serving.live import LiveState, Publication, RunOfMany, Standing, live_file
from bakeoff.serving.web_app import create_app
from browsers import SCHEMES, WIDTHS, axe_faults, keep_picture, layout_faults
from judgements import SPEEDS
from made_up import histogram_of, run_result
from made_up_records import engine_second, phase_end, phase_start
from names_of_targets import LONG

PAGES = {
    "comparisons": "comparisons",
    "comparison": "comparisons/1",
    "comparison-equal-load": "comparisons/2",
    "comparison-of-long-names": "comparisons/3",
    "report": "comparisons/1/report",
    "report-of-long-names": "comparisons/3/report",
    "runs": "runs",
    "run": "runs/1",
    "overlay": "overlay?run=1,8",
    "trends": "trends",
    "trends-of-a-long-name": f"trends?target={LONG}",
    "idle": "live",
    "nothing": "nothing",
}


@pytest.fixture
def address(filled: Server, empty_checkout: Project) -> Iterator[str]:
    """The application as people reach it."""
    with listening("127.0.0.1", 0) as listener:
        config = uvicorn.Config(
            create_app(empty_checkout, filled), log_level="error", access_log=False, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: complaints.extend([] if "//127.0.0.1" in request.url else [request.url]))
    yield page
    page.close()
    assert [complaint for complaint in complaints if not complaint.startswith("data:")] == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_is_accessible(
    page: Page, address: str, width: int, scheme: str, screenshots: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    faults = {}
    for name, path in PAGES.items():
        page.goto(address + path)
        keep_picture(page, screenshots, f"{name}-{width}-{scheme}")
        faults[name] = layout_faults(page)
        # Nothing that axe sees differs at the width between; the dark scheme differs in its colours alone.
        if width in (1440, 390) and (scheme == "light" or width == 1440):
            faults[name] += [fault["id"] for fault in axe_faults(page, scheme)]
    assert {name: found for name, found in faults.items() if found} == {}


def test_runs_that_are_ticked_are_overlaid(page: Page, address: str) -> None:
    page.goto(address + "comparisons/1")
    for run in (1, 2):
        page.get_by_label(f"select run {run}", exact=True).check()
    page.get_by_role("button", name="Compare selected runs").click()
    expect(page.get_by_text("Comparison of run 1, run 2")).to_be_visible()
    expect(page.locator("canvas").first).to_be_visible()


def test_the_live_page_follows_the_lab(page: Page, address: str, empty_checkout: Project) -> None:
    page.goto(address + "live")
    expect(page.locator("#idle")).to_be_visible()
    with Publication(live_file(empty_checkout), "./bakeoff run quick") as publication:
        progress = PlainProgress(Console(quiet=True), publication.publish)
        progress.step("fast: quick", 10.0)
        progress.record(phase_start())
        progress.record(engine_second(operations=12345, failed=7, service_histogram=histogram_of(1.0)))
        progress.record(phase_end(duration_ns=1_000_000_000))
        progress.standing(run_result("fast"))
        expect(page.locator("#step")).to_have_text("fast: quick · Baseline, 10 virtual users")
        expect(page.locator("#throughput")).to_have_text("12,345/s")
        expect(page.locator("#failed")).to_have_text("7")
        expect(page.locator("#throughput-high")).to_have_text("12,300/s")
        expect(page.locator("#standings tr")).to_have_text(re.compile("fast.*10 users"))
    expect(page.locator("#ended")).to_be_visible()
    expect(page.locator("#idle")).to_be_hidden()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_live_page_fits_and_is_accessible(
    page: Page, address: str, width: int, scheme: str, screenshots: Path, empty_checkout: Project
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    standings = [Standing(name, "200 users", 3, 50_000 * speed, 4.2, 0) for name, speed in SPEEDS.items()]
    state = LiveState(
        os.getpid(),
        "",
        step="producer-api-rust-rest: quick",
        planned_s=40.0,
        phase="Peak, 200 virtual users",
        failed=12,
        cpu_percent={"target": 61.0, "database": 55.0, "engine": 20.0},
        run=RunOfMany(7, 18, 420.0),
        rates_per_s=[5000 + 400 * math.sin(second) for second in range(90)],
        p99s_ms=[4 + math.sin(second / 3) for second in range(90)],
        standings=[*standings, Standing(LONG, "200 users", 1, 1.0, None, 3)],
    )
    page.goto(address + "live")
    with Publication(
        live_file(empty_checkout), "./bakeoff run quick --rounds 3 --target producer-api-*"
    ) as publication:
        publication.publish(state)
        expect(page.locator("#standings tr")).to_have_count(len(state.standings))
        keep_picture(page, screenshots, f"live-{width}-{scheme}")
        assert layout_faults(page) + [fault["id"] for fault in axe_faults(page, scheme)] == []
