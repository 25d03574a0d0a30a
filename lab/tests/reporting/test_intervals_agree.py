"""No printed verdict contradicts its interval, in any document: that of a tie contains 1, that of a difference not."""

import html
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Estimate, Judgement, Verdict
from bakeoff.judging.verdict import factor_lines
from bakeoff.reporting.factor_effects import known_first
from bakeoff.reporting.html import html_report
from bakeoff.reporting.markdown import markdown_report
from bakeoff.reporting.report import report_of
from bakeoff.reporting.tables import all_tables
from bakeoff.reporting.text import text_report
from bakeoff.results.run import PhaseResult, RunResult
from bakeoff.storage.stored_runs import StoredComparison
from made_up import comparison_of, cost, divided, measured, operation, phase, run_of

TARGETS = ("rust-rest", "rust-grpc", "go-rest", "go-grpc", "java-rest")
RATIOS = ("throughput ratio", "ratio", "times as fast", "relative to leader")
DIFFERENT, ALIKE = ("faster", "slower", "lower", "higher"), ("tie", "equivalent")
_NUMBER = r"\d[\d,.]*"
_INTERVAL = rf"{_NUMBER}(?:–| to ){_NUMBER}|{_NUMBER} or (?:more|less)|not bounded by \d+ rounds"


@st.composite
def comparisons(draw: st.DrawFn) -> StoredComparison:
    """Contenders that are alike or not, with hardly any scatter or so much that few rounds bound nothing.

    Some run twice (A/A). All are offered a rate, and have two operations.
    """
    targets = draw(st.lists(st.sampled_from(TARGETS), min_size=2, max_size=4, unique=True))
    rounds, scatter = draw(st.integers(1, 6)), draw(st.sampled_from([0.0002, 0.003, 0.03, 0.3, 2.0]))
    aa, runs = draw(st.booleans()), list[RunResult]()
    for place, target in enumerate(targets):
        level = draw(st.sampled_from([1000.0, 1003.0, 1030.0, 1300.0, 9000.0]))
        for side in ("a", "b") if aa and place == 0 else ("",):
            name, factors = (f"{target} aa={side}", {"aa": side}) if side else (target, {})
            for number in range(1, rounds + 1):
                phases = _phases(level, math.exp(scatter * draw(st.floats(-1, 1))))
                runs.append(run_of(target, number=number, phases=phases, contender=name, factors=factors))
    return comparison_of(*runs, rounds=rounds)


def _phases(level: float, off: float) -> list[PhaseResult]:
    mean_ms = 1000 / level * off
    held = measured(50.0, mean_ms, costs={"target": cost(5 * off)})
    done = divided({"Save": operation(1000, mean_ms), "Read": operation(1000, 2.0)})
    return [phase(1, 64, held, rate=50.0), phase(2, 64, replace(done, operations=round(level * off * 10)))]


@given(comparisons())
@settings(max_examples=60)
def test_every_verdict_agrees_with_the_interval_of_its_ratio(comparison: StoredComparison) -> None:
    judgement = judge(comparison)
    for ratio, verdict in _judged(judgement):
        assert (verdict == "unknown") == (ratio.confidence is None)
        assert (verdict in ("faster", "slower")) == ratio.excludes_one
        assert ratio.low is None or 0 < ratio.low <= ratio.median * (1 + 1e-9)
        assert ratio.high is None or ratio.median * (1 - 1e-9) <= ratio.high < math.inf
    for pair in judgement.pairings:
        if pair.equivalent_within is not None:
            low, high = pair.ratio.low, pair.ratio.high
            assert low is not None and high is not None
            assert max(high, 1 / low) <= 1 + pair.equivalent_within + 1e-12


@given(comparisons())
@settings(max_examples=40)
def test_no_document_prints_a_verdict_that_its_interval_contradicts(comparison: StoredComparison) -> None:
    judgement = judge(comparison)
    report = report_of(judgement, comparison)
    tables = [dict(zip(table.headings, row, strict=True)) for table in all_tables(judgement) for row in table.rows]
    rows = [row for row in tables if {*RATIOS} & {*row}]
    for row in rows:
        (ratio,) = (row[heading] for heading in RATIOS if heading in row)
        assert _agree(ratio, row.get("verdict", "")), row
    for document in (markdown_report(report), text_report(report)):
        assert all(_interval(row[heading]) in document for row in rows for heading in RATIOS if heading in row)
    page = html.unescape(html_report(report))
    cell = rf"<td>\s*((?:tie, )?{_NUMBER}×)<small>([^<]*)</small>\s*</td>"
    for ratio, interval, verdict in re.findall(rf'{cell}(?:<td class="left">([^<]*)</td>)?', page):
        assert _agree(f"{ratio} ({interval})", verdict), (ratio, interval, verdict)
    for line in factor_lines(judgement):
        found = re.search(rf"\((?:\d+% interval )?({_INTERVAL})\)", line)
        assert ("which chance explains too" in line) == (found is not None and _contains_one(found[1])), line
    for words in re.findall(rf"× \((?:\d+% interval )?({_INTERVAL})\)", judgement.verdict):
        assert not _contains_one(words), judgement.verdict
    drawn = [series.points[0] for chart in report.charts if chart.slot == "effects" for series in chart.series]
    for (_, low, high), effect in zip(drawn, known_first(judgement.effects), strict=True):
        shows = (low is not None and low > 1) or (high is not None and high < 1)
        assert shows == (effect.verdict in ("faster", "slower"))


def test_three_rounds_that_bound_nothing_are_said_to() -> None:
    rust, go = (
        [run_of(target, number=number, phases=_phases(1000.0, off)) for number, off in enumerate(offs, start=1)]
        for target, offs in (("rust-rest", (1.0, 30.0, 0.04)), ("go-rest", (1.0, 1.1, 0.9)))
    )
    comparison = comparison_of(*rust, *go)
    judgement = judge(comparison)
    (pair,) = judgement.pairings
    assert (pair.verdict, pair.ratio.low, pair.ratio.high) == ("tie", None, None)
    page = html_report(report_of(judgement, comparison))
    assert "not bounded by 3 rounds" in page
    assert any("not bounded by 3 rounds" in line for line in factor_lines(judgement))


def test_a_sure_difference_of_few_rounds_has_the_bound_that_shows_it() -> None:
    rust, go = (
        [run_of(target, number=number, phases=_phases(level, off)) for number, off in enumerate(offs, start=1)]
        for target, level, offs in (("rust-rest", 9e8, (1.0, 1.9, 0.8)), ("go-rest", 1000.0, (1.0, 1.0, 1.0)))
    )
    (pair,) = judge(comparison_of(*rust, *go)).pairings
    assert pair.verdict in ("faster", "slower")
    (near, far) = (pair.ratio.high, pair.ratio.low) if pair.verdict == "slower" else (pair.ratio.low, pair.ratio.high)
    assert near is not None and far is None


def _judged(judgement: Judgement) -> Iterator[tuple[Estimate, Verdict]]:
    for effect in [*judgement.effects, *judgement.operation_effects]:
        yield effect.ratio, effect.verdict
        yield from ((pair.ratio, pair.verdict) for pair in effect.pairs)
    equal = [pairs for load in judgement.equal_loads for pairs in load.pairings.values()]
    yield from ((pair.ratio, pair.verdict) for pairs in (judgement.pairings, *equal) for pair in pairs)


def _agree(ratio: str, verdict: str) -> bool:
    """Whether a cell agrees with the verdict in its row, or with the word `tie` in itself."""
    found = re.fullmatch(rf"(tie, )?({_NUMBER})×(?: \(({_INTERVAL})\))?", ratio)
    if found is None:
        return not re.search(r"\d", ratio)
    tie, median, interval = found.groups()
    if interval is None:
        return verdict in ("", "too few rounds") and not tie
    if verdict and not verdict.startswith((*DIFFERENT, *ALIKE)):
        return False
    is_alike = bool(tie) if not verdict else verdict.startswith(ALIKE)
    return _contains_one(interval) == is_alike and (is_alike or float(median.replace(",", "")) != 1)


def _contains_one(words: str) -> bool:
    numbers = [float(each.replace(",", "")) for each in re.findall(_NUMBER, words)]
    if words.startswith("not bounded"):
        return True
    if len(numbers) == 1:
        return numbers[0] <= 1 if words.endswith("more") else numbers[0] >= 1
    low, high = numbers
    return low <= 1 <= high


def _interval(cell: str) -> str:
    found = re.search(rf"\(({_INTERVAL})\)", cell)
    return "" if found is None else found[1]
