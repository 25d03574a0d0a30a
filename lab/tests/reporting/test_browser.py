"""The page in a real browser: charts draw, what a reader does has an effect, no other server is asked for anything."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from bakeoff.judging.judgement import JudgedContender, Judgement
from bakeoff.reporting.html import html_report
from bakeoff.reporting.report import report_of
from bakeoff.results.findings import JudgedFinding, KindName
from bakeoff.results.stack import Stack
from bakeoff.storage.stored_runs import StoredComparison
from browsers import SCHEMES, WIDTHS, axe_faults, keep_picture, layout_faults
from hostile import hostile_comparison
from judgements import Shape, comparison


@dataclass
class Visit:
    """A page and everything that went wrong on it."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def charts(self) -> list[dict[str, Any]]:
        """Each drawn chart: its slot, the names of what is shown, and whether there is ink on it."""
        found: list[dict[str, Any]] = self.page.evaluate(
            """() => [...document.querySelectorAll("figure[data-slot]")].map((figure) => {
                const canvas = figure.querySelector("canvas"), chart = Chart.getChart(canvas);
                const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                return {
                    slot: figure.dataset.slot,
                    shown: chart.data.datasets.filter((_, number) => chart.isDatasetVisible(number)).map((each) => each.label),
                    ink: pixels.some((value, place) => place % 4 === 3 && value > 0),
                };
            })"""  # noqa: E501
        )
        return found

    def shown(self, slot: str) -> list[str]:
        return next(list(chart["shown"]) for chart in self.charts() if chart["slot"] == slot)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files as a reader gets them, by name."""
    folder = tmp_path_factory.mktemp("pages")
    comparisons = {
        "plain": comparison(),
        "payloads": comparison(Shape(payloads=("4k", "64k"))),
        "hostile": hostile_comparison(),
        "stacks": stacks_comparison(),
        "long": long_names_comparison(),
    }
    for name, case in comparisons.items():
        (folder / f"{name}.html").write_text(html_report(report_of(*case)), "utf-8")
    return {name: folder / f"{name}.html" for name in comparisons}


def stacks_comparison() -> tuple[Judgement, StoredComparison]:
    """A comparison of stacks with labels in common."""
    judgement, stored = comparison(Shape(targets=("rust-rest", "rust-grpc", "go-rest", "java-rest")))

    def access_of(entry: JudgedContender) -> str:
        return "SQL" if entry.name == "Rust REST" else "ORM"

    contenders = [
        replace(each, stack=Stack({"framework": each.target, "access": access_of(each)}, 2_000_000, 345))
        for each in judgement.contenders
    ]

    return replace(judgement, contenders=contenders), stored


def long_names_comparison() -> tuple[Judgement, StoredComparison]:
    """Places from 12 on, names with long words, and one finding of all."""
    judgement, stored = comparison()
    contenders = [
        replace(
            each,
            name=f"{name}, SQLAlchemy async, asyncpg",
            rank=12 + place,
            tied_with=[other.key for other in judgement.contenders if other is not each],
            findings=[
                JudgedFinding(
                    KindName("high-variance"),
                    "warning",
                    f"By {place + 11}%.",
                    "At best --warm-up 60s and --settle 30s, or --phase-duration 20s, or --warm-up 90s.",
                    [1],
                )
            ],
        )
        for place, (each, name) in enumerate(zip(judgement.contenders, ("FastAPI", "Litestar", "Django"), strict=True))
    ]
    return replace(judgement, contenders=contenders), stored


def visit(browser: Browser, path: Path, width: int = 1440, *, unfolded: bool = True, **options: Any) -> Visit:
    page = browser.new_page(viewport={"width": width, "height": 900}, **options)
    seen = Visit(page)

    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            seen.complaints.append(f"console: {message.text}")

    def request(request: Request) -> None:
        if not request.url.startswith((path.as_uri(), "data:")):
            seen.complaints.append(f"request: {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: seen.complaints.append(f"error: {error}"))
    page.on("request", request)
    page.goto(path.as_uri())
    if unfolded:
        page.get_by_role("button", name="Unfold all").click()
        page.get_by_role("button", name="Fold", exact=True).wait_for()
    return seen


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["plain", "payloads", "hostile", "stacks", "long"])
def test_charts_draw_without_complaint(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str, screenshots: Path
) -> None:
    seen = visit(browser, pages[name], width, color_scheme=scheme)
    keep_picture(seen.page, screenshots, f"unfolded-{name}-{width}-{scheme}")
    charts = seen.charts()
    assert {"ranking", "throughput", "latency", "time-throughput", "cost-cpu", "effects", "resources"} <= {
        chart["slot"] for chart in charts
    }
    assert all(chart["ink"] and chart["shown"] for chart in charts)
    assert layout_faults(seen.page) == []
    assert seen.complaints == []
    seen.page.close()


def test_a_hostile_name_does_not_run(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["hostile"])
    seen.page.locator("button[data-figures]").first.click()
    assert seen.page.evaluate("window.hacked") is None
    assert "</script><script>window.hacked=1</script>" in seen.page.locator("h1").inner_text()
    assert seen.complaints == []


def test_the_policy_stops_scripts_that_are_not_the_reports_own(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    seen.page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' }))"
    )
    assert seen.page.evaluate("window.hacked") is None
    assert "Content Security Policy" in " ".join(seen.complaints)


def test_a_target_is_switched_off_in_all_charts_and_on_again(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    button = seen.page.get_by_role("button", name="Go REST")
    before = seen.charts()
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    for slot in ("ranking", "throughput", "latency", "time-throughput"):
        assert sorted(seen.shown(slot)) == ["Rust REST", "Rust gRPC"]
    assert (
        len(seen.page.evaluate("Chart.getChart(document.querySelector('[data-slot=cost-cpu] canvas')).data.labels"))
        == 2
    )
    button.press("Enter")
    assert seen.charts() == before


def test_the_payload_chooses_charts_and_tables(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["payloads"])
    title = seen.page.locator("[data-slot=throughput] strong")
    assert title.inner_text() == "Throughput by load, payload 4k"
    seen.page.locator("#group").select_option("payload 64k")
    assert title.inner_text() == "Throughput by load, payload 64k"
    label = seen.page.locator("[data-slot=throughput] canvas").get_attribute("aria-label")
    assert str(label).startswith("Throughput by load, payload 64k.")
    assert seen.page.locator("[data-group='payload 64k'] table.standings").is_visible()
    assert not seen.page.locator("[data-group='payload 4k'] table.standings").is_visible()


def test_a_link_to_another_payload_brings_it_up(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["payloads"])
    seen.page.evaluate("location.hash = '#ranking-payload-64k'")
    seen.page.wait_for_function("document.getElementById('group').value === 'payload 64k'")


def test_a_link_to_a_folded_target_unfolds_it(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    target = seen.page.locator("section[aria-labelledby=targets] details details").nth(1)
    assert target.get_attribute("open") is None
    seen.page.evaluate("id => { location.hash = id; }", target.get_attribute("id"))
    seen.page.wait_for_function("id => document.getElementById(id).open", arg=target.get_attribute("id"))


def test_latency_is_shown_at_any_load(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    figure = seen.page.locator("[data-slot=latency]")
    figure.get_by_label("Show").select_option("200 users")
    assert figure.locator("strong").inner_text() == "Latency at 200 users"


@pytest.mark.parametrize("slot", ["throughput", "ranking", "cost-cpu", "latency"])
def test_arrow_keys_show_what_hovering_shows(browser: Browser, pages: dict[str, Path], slot: str) -> None:
    seen = visit(browser, pages["plain"])
    canvas = seen.page.locator(f"[data-slot={slot}] canvas")
    canvas.press("ArrowRight")
    assert _tooltip(seen.page, slot)
    canvas.press("Escape")
    assert _tooltip(seen.page, slot) == []


def test_hovering_tells_figures_with_their_interval(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    seen.page.locator("[data-slot=ranking] canvas").hover()
    seen.page.wait_for_function(
        "Chart.getChart(document.querySelector('[data-slot=ranking] canvas')).tooltip.opacity > 0"
    )
    assert " to " in _tooltip(seen.page, "ranking")[0]


def test_figures_of_a_chart_are_listed_on_demand(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    figure = seen.page.locator("[data-slot=throughput]")
    button = figure.get_by_role("button", name="Figures")
    button.click()
    assert figure.locator("tbody tr").count() == 9
    assert "42,418/s" in figure.locator("table").inner_text()
    assert button.get_attribute("aria-expanded") == "true"
    button.click()
    assert not figure.locator("table").is_visible()


def test_a_chart_is_saved_as_a_picture(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"])
    with seen.page.expect_download() as download:
        seen.page.locator("[data-slot=throughput]").get_by_role("button", name="Save PNG").click()
    assert download.value.suggested_filename == "throughput-payload-default.png"
    assert seen.complaints == []


def test_light_and_dark_on_request(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"], color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = seen.page.evaluate(background)
    seen.page.locator("#theme").click()
    assert seen.page.evaluate(background) != light
    assert seen.page.locator("#theme").inner_text() == "Light"


def test_paper_shows_what_is_unfolded_in_light_colours(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["payloads"], color_scheme="dark")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    seen.page.emulate_media(media="print", color_scheme="light")
    assert seen.page.locator("table.standings:visible").count() == 2
    assert seen.page.locator("#provenance").is_visible()
    assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    seen.page.emulate_media(media="screen", color_scheme="dark")
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert seen.page.locator("table.standings:visible").count() == 1


def test_a_rank_stands_beside_its_name_and_a_finding_of_many_is_a_table(
    browser: Browser, pages: dict[str, Path]
) -> None:
    seen = visit(browser, pages["long"], unfolded=False)
    row = seen.page.locator(".standings tbody th").first
    rank, name = (row.locator(each).bounding_box() for each in (".rank", ".who"))
    assert rank is not None and name is not None
    assert rank["x"] + rank["width"] <= name["x"] and abs(rank["y"] - name["y"]) < rank["height"]
    assert seen.page.locator(".findings p").first.inner_text() == "By …."
    assert seen.page.locator(".findings table td").all_inner_texts() == ["11%", "12%", "13%"]


def test_the_summary_is_printed_on_two_pages(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"], unfolded=False)
    assert seen.page.pdf(format="A4").count(b"/Type /Page\n") <= 2


@pytest.mark.parametrize(("width", "most"), [(1440, 3), (1024, 3.5), (390, 4.5)])
def test_what_is_read_first_fits_few_screens(browser: Browser, pages: dict[str, Path], width: int, most: float) -> None:
    seen = visit(browser, pages["plain"], width, unfolded=False)
    assert seen.page.evaluate("document.documentElement.scrollHeight / innerHeight") <= most
    badge, plot = (seen.page.locator(each).bounding_box() for each in (".badge", "[data-slot=ranking] canvas"))
    assert badge is not None and plot is not None
    assert badge["y"] < plot["y"] < 900


def test_an_unfolded_part_draws_its_charts(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"], unfolded=False)
    assert not seen.page.locator("[data-slot=latency] canvas").is_visible()
    seen.page.get_by_role("link", name="Latency", exact=True).first.click()
    seen.page.wait_for_function("Chart.getChart(document.querySelector('[data-slot=latency] canvas'))")
    assert seen.page.locator("[data-slot=latency] canvas").is_visible()
    assert seen.complaints == []


def test_all_can_be_reached_with_the_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["plain"], unfolded=False)
    seen.page.keyboard.press("Tab")
    assert seen.page.evaluate("document.activeElement.className") == "skip"
    seen.page.keyboard.press("Tab")
    assert seen.page.evaluate("document.activeElement === document.querySelector('[data-identity]')")


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [("plain", 1440, "light"), ("plain", 1440, "dark"), ("plain", 390, "light"), ("payloads", 1024, "light")],
)
def test_axe_finds_no_serious_fault(
    browser: Browser, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    seen = visit(browser, pages[name], width, color_scheme=scheme, bypass_csp=True)
    seen.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    violations = axe_faults(seen.page, scheme)
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in violations] == []


def _tooltip(page: Page, slot: str) -> list[str]:
    lines: list[str] = page.evaluate(
        """slot => {
            const { tooltip } = Chart.getChart(document.querySelector(`[data-slot=${slot}] canvas`));
            return tooltip.opacity ? tooltip.body.flatMap((part) => part.lines) : [];
        }""",
        slot,
    )
    return lines


def test_a_filter_leaves_stacks_out_of_table_and_chart(browser: Browser, pages: dict[str, Path]) -> None:
    seen = visit(browser, pages["stacks"])
    rows = seen.page.locator("tr[data-labels]:visible")
    shown = seen.page.locator(".filters output")
    assert rows.count() == len(seen.shown("ranking")) == 4
    assert seen.page.locator(".filters select").count() == 2, "a label of each alone is no filter"

    access = seen.page.get_by_label("Access")
    access.focus()
    seen.page.keyboard.press("ArrowDown")
    assert access.input_value() == "ORM"
    assert rows.count() == len(seen.shown("ranking")) == 3
    assert shown.inner_text() == "3 of 4 shown"
    seen.page.get_by_label("Language").select_option("Rust")
    assert [each.inner_text() for each in rows.locator("th").all()] == seen.shown("ranking") == ["Rust gRPC"]
    assert seen.page.locator(".chip[aria-pressed=true]").count() == 1
    access.select_option("SQL")
    seen.page.get_by_label("Language").select_option("")
    assert seen.shown("ranking") == ["Rust REST"]
    access.select_option("")
    assert rows.count() == len(seen.shown("ranking")) == 4
    assert shown.inner_text() == "4 of 4 shown"
    # To look for ink several times is this test's own doing.
    assert [each for each in seen.complaints if "getImageData" not in each] == []


def test_without_scripts_the_table_of_stacks_is_whole(browser: Browser, pages: dict[str, Path]) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(pages["stacks"].as_uri())
    page.locator("summary", has=page.locator("#stacks")).click()
    assert page.locator("tr[data-labels]:visible").count() == 4
    assert not page.locator(".filters").is_visible()
