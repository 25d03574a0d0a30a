"""With an even number of rounds every figure of a row follows one rule, so that the row does not contradict itself."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.history.comparing import side_by_side
from bakeoff.history.run_references import Referenced
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Estimate, Judgement
from bakeoff.reporting.html import html_report
from bakeoff.reporting.report import report_of
from bakeoff.reporting.tables import all_tables
from bakeoff.reporting.verdict_text import judgement_table
from bakeoff.results.run import RunResult
from bakeoff.storage.stored_runs import StoredComparison
from made_up import comparison_of, divided, histogram_of, latency_of, operation, phase, run_of

ORDER = ("min", "p50", "p90", "p95", "p99", "p99.9", "max")


def comparison(rounds: Sequence[Sequence[float]]) -> StoredComparison:
    """Two targets with these latencies of requests in each round; the second answers in the reverse order of rounds."""
    runs = [
        _run(target, number, latencies)
        for target, own in (("go-rest", rounds), ("rust-rest", rounds[::-1]))
        for number, latencies in enumerate(own, start=1)
    ]
    return comparison_of(*runs)


def _run(target: str, number: int, latencies_ms: Sequence[float]) -> RunResult:
    histogram = histogram_of(*latencies_ms, times=500)
    latency, count = latency_of(histogram), 500 * len(latencies_ms)
    own = {name: operation(count, latency=latency, histogram=histogram) for name in ("Read", "Save")}
    part = divided(own, latency=latency, histogram=histogram)
    return run_of(target, number=number, phases=[phase(1, 10, part)], total=part)


@given(st.sampled_from([2, 4, 6]).flatmap(lambda count: st.lists(_latencies(), min_size=count, max_size=count)))
@settings(max_examples=40)
def test_no_row_of_any_table_contradicts_itself(rounds: list[list[float]]) -> None:
    stored = comparison(rounds)
    judgement = judge(stored)
    for figures in _figures(judgement):
        shown = [figures[name].median for name in ORDER if name in figures]
        assert shown == sorted(shown)
        assert _in_order([figures[name].median for name in ("min", "mean", "max")])
        # Each is a figure of a round, and no mean of two rounds.
        assert all(each.median in each.values for each in figures.values())
    tables = [*all_tables(judgement), judgement_table(judgement)]
    for table in tables:
        for row in table.rows:
            if len(row) == len(table.headings):
                assert _rises(dict(zip(table.headings, row, strict=True))), (table.title, row)
    for shown_row in _html_rows(html_report(report_of(judgement, stored))):
        assert _rises(shown_row), shown_row


def test_runs_compare_takes_the_same_figures() -> None:
    stored = comparison([[1.0, 2.0, 3.0], [9.0, 10.0, 30.0], [1.0, 2.0, 3.0], [9.0, 10.0, 30.0]])
    (level,) = next(each for each in judge(stored).contenders if each.target == "go-rest").levels
    own = [run for run in stored.runs if run.result.target == "go-rest"]
    columns = side_by_side([Referenced("a", own), Referenced("b", own)])[0].columns
    for name in ("min", "mean", "p50", "p99", "max"):
        assert columns[0].medians[name] == level.latency_ms[name].median


def _latencies() -> st.SearchStrategy[list[float]]:
    return st.lists(st.sampled_from([0.5, 1.0, 4.0, 7.76, 20.0, 38.0, 300.0]), min_size=3, max_size=6)


def _figures(judgement: Judgement) -> Iterator[dict[str, Estimate]]:
    for contender in judgement.contenders:
        for level in (*contender.levels, *([contender.total] if contender.total else [])):
            yield dict(level.latency_ms)
            yield from (dict(each.latency_ms) for each in level.operations.values())


def _rises(row: dict[str, str]) -> bool:
    """Whether the latencies of a row are in their order, as far as it has them."""
    by_name = {heading.removesuffix(" ms"): cell for heading, cell in row.items()}
    known = {name: value for name, cell in by_name.items() if (value := _number(cell)) is not None}
    ordered = [known[name] for name in ORDER if name in known]
    means = [known[name] for name in ("min", "mean", "max") if name in known]
    return _in_order(ordered) and _in_order(means)


def _in_order(values: Sequence[float]) -> bool:
    """As far as three digits of a histogram, and of a table, show it."""
    return all(one <= other * 1.006 for one, other in pairwise(values))


def _number(cell: str) -> float | None:
    found = re.match(r"\d[\d,]*(?:\.\d+)?", cell)
    return None if found is None else float(found[0].replace(",", ""))


def _html_rows(page: str) -> Iterator[dict[str, str]]:
    for table in re.findall(r"<table.*?</table>", page, re.S):
        headings = [_plain(each) for each in re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", table, re.S)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table.partition("<tbody>")[2], re.S):
            cells = [_plain(each) for each in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
            if len(cells) == len(headings):
                yield dict(zip(headings, cells, strict=True))


def _plain(cell: str) -> str:
    return re.sub(r"<[^>]+>", "", re.sub(r"<br>", " ", re.sub(r"<small>.*?</small>", "", cell, flags=re.S))).strip()
