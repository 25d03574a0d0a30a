"""Windows of mode sustained show their worst moments, PostgreSQL's upkeep and what grew."""

from dataclasses import replace
from html import unescape

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.sustained import lack_upkeep, sustained_windows
from bakeoff.reporting.html import html_report
from bakeoff.reporting.markdown import markdown_report
from bakeoff.reporting.missing import WITHOUT_UPKEEP
from bakeoff.reporting.report import report_of
from bakeoff.reporting.text import text_report
from bakeoff.reporting.verdict_text import judgement_table
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity
from bakeoff.results.run import RunResult, Second
from bakeoff.running.findings import sustained_findings
from made_up import comparison_of, measured, phase, run_result

MIB = 2**20
SEEN = PhaseActivity(
    table_bytes_before=600 * MIB,
    table_bytes_after=700 * MIB,
    commits=1000,
    checkpoints=3,
    autovacuums=2,
    wal_bytes=300 * MIB,
)


def sustained(worst: int, seen: PhaseActivity = SEEN, mode: str = "sustained") -> RunResult:
    own = phase(1, 64, measured(100.0, window_s=10.0))
    rates = [100, worst, 120, *([110] * 7)]
    seconds = [Second(float(place), 1, rate, 0, 1.0, 900.0 / rate) for place, rate in enumerate(rates)]
    # What comes after the window is no second of it, however bad.
    seconds += [Second(10.0, 1, 1, 0, 1.0, 5000.0), Second(11.0, 2, 1, 0, 1.0, 5000.0)]
    activity = DatabaseActivity(phases={"1": seen})
    return run_result(mode=mode, phases=[own], timeline=seconds, database_activity=activity)


def test_the_worst_round_and_the_least_upkeep_are_shown() -> None:
    (window,) = sustained_windows([sustained(50), sustained(30, replace(SEEN, checkpoints=2))])
    assert (window.load, window.worst_second_per_s, window.worst_second_p99_ms) == ("64 users", 30, 30.0)
    assert (window.checkpoints, window.autovacuums, window.table_bytes_before) == (2, 2, 600 * MIB)
    assert window.table_bytes_each == pytest.approx(100 * MIB / 1000)
    assert window.wal_bytes_each == pytest.approx(300 * MIB / 1000)


def test_other_modes_have_none_and_what_is_not_counted_is_unknown() -> None:
    assert sustained_windows([sustained(50, mode="quick")]) == []
    (window,) = sustained_windows([sustained(50, PhaseActivity())])
    assert (window.checkpoints, window.table_bytes_each, window.wal_bytes_each) == (None, None, None)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (SEEN, []),
        (PhaseActivity(), []),
        (replace(SEEN, checkpoints=1), ["In phase 1 1 of at least 2 checkpoints ended."]),
        (replace(SEEN, autovacuums=0), ["In phase 1 no autovacuum ended."]),
        (
            replace(SEEN, table_bytes_before=100 * MIB),
            ["In phase 1 100 MiB of tables fitted into 128 MiB of buffers."],
        ),
    ],
)
def test_a_window_that_is_not_what_the_mode_promises_is_named(seen: PhaseActivity, words: list[str]) -> None:
    found = sustained_findings(DatabaseActivity(phases={"1": seen}), 128 * MIB)
    assert [each.message for each in found] == words
    assert sustained_findings(None, 128 * MIB) == []


@pytest.mark.parametrize(
    ("windows", "lacks"),
    [
        ([], False),
        ([PhaseActivity()], False),
        ([PhaseActivity(checkpoints=0, autovacuums=0)], True),
        ([PhaseActivity(checkpoints=0, autovacuums=0), PhaseActivity(checkpoints=1, autovacuums=0)], False),
        ([PhaseActivity(checkpoints=0, autovacuums=2)], False),
    ],
)
def test_windows_without_upkeep_show_a_fresh_database(windows: list[PhaseActivity], lacks: bool) -> None:
    assert lack_upkeep([sustained(50, each, "quick") for each in windows]) is lacks


def test_a_report_on_windows_without_upkeep_says_so_beside_its_figures() -> None:
    stored = comparison_of(sustained(50, PhaseActivity(checkpoints=0, autovacuums=0), "quick"))
    report = report_of(judge(stored), stored)
    for document in (html_report(report), markdown_report(report), text_report(report)):
        assert WITHOUT_UPKEEP[1:] in " ".join(unescape(document).split())
    assert WITHOUT_UPKEEP in judgement_table(report.judgement).note
