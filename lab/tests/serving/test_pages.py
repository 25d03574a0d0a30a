"""The pages over a real database."""

import html
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from bakeoff.judging.fastest import store_fastest
from bakeoff.postgres.server import Server
from bakeoff.results.document import Origin
from bakeoff.storage.metrics_store import MetricsStore
from made_up import BEGIN, measured, run_result
from made_up_equal_load import Made
from names_of_targets import HOSTILE


def test_the_list_shows_each_comparison_and_its_targets(pages: TestClient) -> None:
    page = pages.get("/").text
    assert './bakeoff run quick <span class="option">--rounds</span> 3' in page
    assert "fast, slow" in page


@pytest.mark.parametrize(
    ("rounds", "rates", "found"),
    [
        # Windows of five seconds carry no rank, and leave open who is fastest where more was done.
        (4, {"fast": (200.0, 10.0), "slow": (100.0, 10.0), "short": (20.0, 5.0)}, "200/s<small>fast</small>"),
        (4, {"fast": (200.0, 10.0), "slow": (100.0, 10.0), "short": (900.0, 5.0)}, "–"),
        (4, {"fast": (200.0, 10.0), "short": (900.0, 5.0)}, "–"),
        (4, {"fast": (200.0, 10.0), "alike": (200.0, 10.0)}, "–"),
        # Two rounds cannot separate a difference from chance.
        (2, {"fast": (200.0, 10.0), "slow": (100.0, 10.0)}, "–"),
    ],
)
def test_the_list_names_as_fastest_the_contender_that_the_report_names(
    pages: TestClient, metrics: Server, rounds: int, rates: Mapping[str, tuple[float, float]], found: str
) -> None:
    store = MetricsStore(metrics)
    comparison = store.begin_comparison(Origin(BEGIN, "", "events", "quick", "./bakeoff run quick", rounds), {})
    try:
        for number in range(1, rounds + 1):
            for name, (rate, window_s) in rates.items():
                total = measured(rate + number / 10, window_s=window_s)
                store.add_run(comparison, run_result(name, total=total, round=number))
        store_fastest(store, comparison)
        row = pages.get("/").text.split(f'href="/comparisons/{comparison}"')[1]
        assert re.findall(r'data-label="Fastest"[^>]*>(.*?)</td>', row)[0] == found
        heading = re.findall(r"<h1>(.*?)</h1>", pages.get(f"/comparisons/{comparison}").text)[0]
        assert ("fast is fastest" in heading, "fastest" in heading) == (found != "–", found != "–")
    finally:
        with metrics.connect() as connection:
            connection.execute("DELETE FROM comparisons WHERE id = %s", [comparison])


@pytest.mark.parametrize(
    ("query", "found"),
    [("q=fas", True), ("q=f_s", False), ("q=%25", False), ("mode=full", False), ("status=completed&mode=quick", True)],
)
def test_filters_and_search(pages: TestClient, query: str, found: bool) -> None:
    assert ("fast, slow" in pages.get(f"/comparisons?{query}").text) is found


def test_a_comparison_begins_with_its_verdict(pages: TestClient) -> None:
    page = pages.get("/comparisons/1").text
    heading = re.search(r"<h1>(.*?)</h1>", page)
    assert heading is not None
    assert "fast" in heading.group(1)
    assert page.count('name="run"') == 6


def test_the_standings_are_those_of_the_best_load(pages: TestClient) -> None:
    standings = pages.get("/comparisons/1").text.split('id="standings"')[1].split("</section>")[0]
    assert "Each at the load that ranks it" in standings
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in standings.split("<tr>")[2:]]
    # 60% of a core for ten seconds: 6 s over 2,020 and 1,020 operations.
    assert [row[-2] for row in rows] == ["2,970", "5,882"]


def test_an_equal_load_stands_below_the_standings(pages: TestClient, metrics: Server) -> None:
    assert 'id="equal-load"' not in pages.get("/comparisons/1").text
    store = MetricsStore(metrics)
    comparison = store.begin_comparison(Origin(BEGIN, "", "events", "equal", "./bakeoff run equal", 5), {})
    try:
        for run in (*Made("go-rest").runs(), *Made("rust-rest", maximum=9000.0).runs()):
            store.add_run(comparison, replace(run, mode="equal"))
        section = pages.get(f"/comparisons/{comparison}").text.split('id="equal-load"')[1].split("</section>")[0]
        assert "At an equal load of 1,000/s" in section and "At an equal load of 500/s" in section
        assert re.findall(r'<th scope="row">(.*?)</th>', section)[:2] == ["Go REST", "Rust REST"]
        assert "9,000" in section
    finally:
        with metrics.connect() as connection:
            connection.execute("DELETE FROM comparisons WHERE id = %s", [comparison])


def test_every_run_of_a_comparison_names_its_bottleneck(pages: TestClient) -> None:
    runs = pages.get("/comparisons/1").text.split('id="runs"')[1].split("</section>")[0]
    assert runs.count('class="left">unknown</td>') == 6


def test_the_page_of_a_run_tells_its_bottleneck_and_what_was_seen_beside(pages: TestClient) -> None:
    page = html.unescape(pages.get("/runs/1").text)
    details = page.split('<h2 id="targets">')[1].split("<h2 ")[0]
    assert "<details" in details
    assert " open>" in details
    for words in ("no other resource was saturated", "CPU 60%, IO:WalSync 25%", "1,750"):
        assert words in details


def test_the_full_report_brings_its_own_policy(pages: TestClient) -> None:
    reply = pages.get("/comparisons/1/report")
    assert reply.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert "default-src 'none'" in html.unescape(reply.text)


def test_figures_as_json(pages: TestClient) -> None:
    assert pages.get("/comparisons/1.json").json()["judgement"]["comparison_id"] == 1


def test_any_runs_can_be_overlaid(pages: TestClient) -> None:
    page = pages.get("/overlay?run=1&run=2,3").text
    assert "Comparison of run 1, run 2, run 3" in page


def test_runs_of_one_target(pages: TestClient) -> None:
    page = pages.get("/runs?target=slow").text
    assert page.count('name="run"') == 3


def test_a_page_that_is_not_the_last_leads_to_the_older(pages: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bakeoff.serving.pages.PAGE_LENGTH", 5)
    first = pages.get("/runs").text
    older = re.search(r'href="\?(before=\d+)"', first)
    assert older is not None
    second = pages.get(f"/runs?{older.group(1)}").text
    assert (first.count('name="run"'), second.count('name="run"')) == (5, 3)


def test_trends_draw_each_run(pages: TestClient) -> None:
    assert pages.get("/trends?target=fast&metric=p99").text.count("<circle") == 3


def test_trends_begin_with_what_was_measured_last(pages: TestClient) -> None:
    page = pages.get("/trends").text
    assert "<circle" in page
    assert re.search(r">\d\d \w{3}</text>", page), "dates on the axis"


@pytest.mark.parametrize(
    ("address", "back"),
    [("/comparisons/1/report", "/comparisons/1"), ("/runs/1", "/runs"), ("/overlay?run=1&run=2", "/runs")],
)
def test_a_report_leads_back(pages: TestClient, address: str, back: str) -> None:
    assert f'<a class="back" href="{back}">' in pages.get(address).text


def test_a_single_run_is_not_blamed_for_being_alone(pages: TestClient) -> None:
    assert "Only one contender" not in pages.get("/runs/1").text


def test_the_newest_comparison_has_an_address(pages: TestClient) -> None:
    found = pages.get("/comparisons/newest", follow_redirects=False).headers["location"]
    assert re.fullmatch(r"/comparisons/\d+", found) and pages.get(found).status_code == 200


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/comparisons/999", 404),
        ("/runs/999", 404),
        ("/runs/" + "9" * 18, 404),
        ("/runs/" + "9" * 19, 404),
        ("/runs/" + "9" * 5000, 404),
        ("/runs/one", 404),
        ("/runs/٣", 404),
        ("/runs/-1", 404),
        ("/comparisons/1.5", 404),
        ("/comparisons/x.json", 404),
        ("/comparisons/" + "9" * 5000 + ".json", 404),
        ("/comparisons/" + "9" * 5000 + "/report", 404),
        ("/overlay", 400),
        ("/overlay?run=one", 400),
        ("/overlay?run=" + "9" * 5000, 400),
        ("/overlay?run=" + ",".join(map(str, range(1, 14))), 400),
        ("/runs?before=x", 400),
        ("/comparisons?before=" + "9" * 18, 200),
        ("/runs?before=999", 404),
        ("/trends?metric=colour", 400),
        ("/trends?target=%00", 200),
        ("/nothing", 404),
        ("/static/..%2f..%2fapp.py", 404),
    ],
)
def test_what_is_not_there_is_said_so(pages: TestClient, address: str, status: int) -> None:
    assert pages.get(address).status_code == status


@pytest.mark.parametrize("address", ["/comparisons", "/comparisons/2", "/comparisons/2/report", "/runs", "/trends"])
def test_a_hostile_name_stays_text(pages: TestClient, address: str) -> None:
    assert HOSTILE not in pages.get(address).text
