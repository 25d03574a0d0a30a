"""Performance goals: the file, and the runs to which it applies."""

from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.gating.check import Outcome
from bakeoff.gating.goals import checked_against_goals, read_goals
from bakeoff.history.run_figures import figures_of
from bakeoff.results.run import Status
from made_up import measured, run_result


def file_of(folder: Path, text: str) -> Path:
    path = folder / "goals.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "there are no goals"),
        ("p50_ms = 1", 1, "p50_ms: 1 is not of type 'object'"),
        ("[a]\n\np50_ms = -1", 3, "a.p50_ms: -1"),
        ("[a]\np99 = 5", 2, "there is no key p99. Did you mean p99_ms?"),
        ('# a comment\n[rest]\ntarget = "x"', 2, "rest has no goal"),
        ("[a]\np50_ms = 1\n[b]\np50_ms = '2'", 4, "b.p50_ms: '2' is not of type 'number'"),
    ],
)
def test_a_wrong_file_names_line_and_key(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(UsageError) as error:
        read_goals(file_of(tmp_path, text))
    assert f"goals.toml, line {line}: " in error.value.message
    assert words in error.value.message


@pytest.mark.parametrize("text", ["[a", "a = 1\na = 2"])
def test_what_is_no_toml_says_so(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="not valid TOML"):
        read_goals(file_of(tmp_path, text))


def test_each_limit_is_a_check(tmp_path: Path) -> None:
    text = """
        [fast]
        target = "o*"
        p50_ms = 2
        p999_ms = 0.5
        throughput_per_s = 100
        error_rate = 0
    """
    runs = [figures_of(run_result("one", total=measured(100.0, 1.0)))]
    gate = checked_against_goals(read_goals(file_of(tmp_path, text)), runs)
    assert {check.metric: check.outcome for check in gate.checks} == {
        "p50": Outcome.PASSED,
        "p99.9": Outcome.FAILED,
        "throughput": Outcome.PASSED,
        "errors": Outcome.PASSED,
    }


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ('target = "*-rset"', 'target = "*-rset" (nearest: go-rest, rust-rest, rust-grpc)'),
        ('protocol = "gprc"\ntarget = "*"', 'protocol = "gprc" (nearest: grpc, rest)'),
        ('mode = "full"\nload = "20"', 'mode = "full" (nearest: quick) and load = "20" (nearest: 10)'),
        ('target = "go-*"\nprotocol = "grpc"', 'target = "go-*", protocol = "grpc"'),  # each means a run, no run both
    ],
)
def test_a_table_that_means_no_run_fails_whatever_the_others_do(tmp_path: Path, conditions: str, words: str) -> None:
    sets = read_goals(file_of(tmp_path, f"[all]\np50_ms = 10\n\n[typed]\n{conditions}\np50_ms = 10"))
    runs = [run_result("go-rest"), run_result("rust-rest"), run_result("rust-grpc", protocol="grpc")]
    gate = checked_against_goals(sets, [figures_of(run) for run in runs])
    (failed,) = gate.failed
    assert failed.words == f"[typed] matches no run: {words}"
    assert failed.series.label == f"{tmp_path / 'goals.toml'}, line 4"
    assert failed.final
    assert gate.exit_status == 1


def test_where_nothing_was_measured_no_table_is_kept(tmp_path: Path) -> None:
    gate = checked_against_goals(read_goals(file_of(tmp_path, "[all]\np50_ms = 10")), [])
    assert [check.words for check in gate.failed] == ["[all] matches no run: nothing was measured"]


def test_a_figure_that_is_missing_misses_its_goal(tmp_path: Path) -> None:
    sets = read_goals(file_of(tmp_path, "[all]\np50_ms = 1"))
    gate = checked_against_goals(sets, [replace(figures_of(run_result()), p50_ms=None)])
    assert [(check.outcome, check.words) for check in gate.checks] == [
        (Outcome.FAILED, "nothing was measured (goal all)")
    ]


def test_runs_that_did_not_complete_are_no_ones_business_here(tmp_path: Path) -> None:
    sets = read_goals(file_of(tmp_path, "[all]\np50_ms = 1"))
    assert checked_against_goals(sets, [figures_of(run_result(status=Status.FAILED))]).exit_status == 2
