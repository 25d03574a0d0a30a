from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bakeoff.judging.estimates import RatioTest, ratio_of
from bakeoff.judging.family import Key, decisions_of
from bakeoff.judging.judge import judge
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity
from bakeoff.results.machine_state import MachineState
from bakeoff.results.run import RunResult
from made_up import comparison_of, rounds_of, run_of


def found(*runs: RunResult, **changes: Any) -> dict[str, tuple[str, tuple[int, ...]]]:
    findings = judge(comparison_of(*runs, **changes)).findings
    assert all(each.advice for each in findings)
    return {each.kind: (each.message, tuple(each.rounds)) for each in findings}


def aa_pair(a: list[float], b: list[float]) -> list[RunResult]:
    return [
        *rounds_of("go-rest", a, contender="go-rest aa=a", factors={"aa": "a"}),
        *rounds_of("go-rest", b, contender="go-rest aa=b", factors={"aa": "b"}),
    ]


def at_speeds(*speeds: float | None) -> list[RunResult]:
    """A run for each round, before which a core was this fast."""
    return [
        run_of(number=number, machine_state=None if speed is None else {"speed_mb_s": speed})
        for number, speed in enumerate(speeds, start=1)
    ]


@pytest.mark.parametrize(
    ("runs", "kind", "words", "rounds"),
    [
        (rounds_of("go-rest", [100]), "too-few-rounds", "One round cannot separate", ()),
        (rounds_of("go-rest", [100, 100]), "too-few-rounds", "2 rounds cannot separate", ()),
        (
            [*rounds_of("go-rest", [100, 80, 100]), *rounds_of("rust-rest", [200, 160, 200])],
            "drift",
            "together were 25% faster than in round 2",
            (1, 2),
        ),
        (aa_pair([100, 101, 100], [110, 111.1, 110]), "aa-difference", "0.91× (95% interval ", ()),
        (
            [*rounds_of("go-rest", [1, 1, 1]), run_of("rust-rest", environment={"commit": "def", "cores": "2"})],
            "environment-changed",
            "commit.",
            (),
        ),
        (at_speeds(None, 320, 400), "throttled", "20% slower before a run of round 2", (2, 3)),
    ],
)
def test_a_finding(runs: list[RunResult], kind: str, words: str, rounds: tuple[int, ...]) -> None:
    findings = found(*runs)
    assert list(findings) == [kind]
    message, where = findings[kind]
    assert words in message
    assert where == rounds


@pytest.mark.parametrize(
    "runs",
    [
        [],
        rounds_of("go-rest", [100, 60, 100]),
        [*rounds_of("go-rest", [100, 96, 100]), *rounds_of("rust-rest", [200, 190, 200])],
        aa_pair([100, 103, 99], [101, 100, 100]),
        at_speeds(380, 400, 400),
        at_speeds(None, None, None),
    ],
)
def test_nothing_to_find(runs: list[RunResult]) -> None:
    assert found(*runs) == {}


def share_of_differing_aa_pairs(pairs: int, rounds: int, bias: float = 1.0, times: int = 400) -> float:
    """The share of comparisons with a finding, where each entry is measured with 2% noise; the first is biased."""
    random = np.random.default_rng(rounds)
    reported = 0
    for _ in range(times):
        ratios = 0.02 * 2**0.5 * random.standard_normal((pairs, rounds))
        ratios[0] += np.log(bias)
        tests: dict[Key, RatioTest] = {
            ("pair", str(at)): ratio_of([float(ratio) for ratio in each]) for at, each in enumerate(ratios)
        }
        reported += any(each.differs for each in decisions_of(tests, 0.5, tests).values())
    return reported / times


@pytest.mark.parametrize("pairs", [1, 6])
@pytest.mark.parametrize("rounds", [3, 5, 10])
def test_equal_aa_pairs_are_called_different_in_one_comparison_of_twenty_at_most(pairs: int, rounds: int) -> None:
    # A twentieth, and what 400 trials may show of one.
    assert share_of_differing_aa_pairs(pairs, rounds) <= 0.05 + 2 * (0.05 * 0.95 / 400) ** 0.5


def test_a_lab_that_favours_one_of_twelve_entries_is_found_out() -> None:
    assert share_of_differing_aa_pairs(6, 10, bias=1.05) >= 0.9


@pytest.mark.parametrize("status", ["interrupted", "failed", "running"])
def test_a_comparison_that_is_not_whole(status: str) -> None:
    assert list(found(*rounds_of("go-rest", [1, 1, 1]), status=status)) == ["incomplete"]


def test_changes_that_no_commit_names() -> None:
    environment = {"uncommitted_changes": "true", "commit": "abc"}
    assert list(found(*rounds_of("go-rest", [1, 1, 1], environment=environment))) == ["uncommitted-changes"]


def _seen(target: str, number: int, vacuum_s: float | None, checkpoint_s: float | None = 0.0) -> RunResult:
    activity = DatabaseActivity(phases={"1": PhaseActivity(vacuum_s=vacuum_s, checkpoint_s=checkpoint_s)})
    return replace(run_of(target, number=number), database_activity=activity)


@pytest.mark.parametrize(
    ("first", "second", "is_found"),
    [
        ((0.0, 0.0), (0.0, 0.0), False),
        ((1.5, 0.0), (0.0, 0.0), True),
        ((0.0, 0.5), (0.0, 0.0), True),
        # Both met it: the round remains fair.
        ((1.5, 0.0), (0.5, 0.0), False),
        # Of one nothing is known.
        ((1.5, 0.0), (None, 0.0), False),
    ],
)
def test_maintenance_in_one_contender_s_window_only(
    first: tuple[float | None, float], second: tuple[float | None, float], is_found: bool
) -> None:
    runs = [_seen("rust-rest", 2, *first), _seen("go-rest", 2, *second)]
    findings = [each for each in judge(comparison_of(*runs)).findings if each.kind == "uneven-maintenance"]
    assert bool(findings) is is_found
    if findings:
        assert "Rust REST at 10 users in round 2" in findings[0].message and findings[0].rounds == (2,)


@pytest.mark.parametrize(("flushes_ms", "is_found"), [((1.0, 1.9), False), ((1.0, 2.0), True), ((None, 3.0), False)])
def test_a_disk_that_changed_between_runs(flushes_ms: tuple[float | None, float], is_found: bool) -> None:
    runs = [
        replace(run_of(number=number), machine_state=MachineState(fsync_after_ms=flush_ms))
        for number, flush_ms in enumerate(flushes_ms, start=1)
    ]
    assert ("uneven-disk" in [each.kind for each in judge(comparison_of(*runs)).findings]) is is_found


@pytest.mark.parametrize(
    ("flushes_ms", "others_ms", "is_found"),
    [
        ((1.0, 1.1, 2.2), (3.0, 3.0, 3.1), True),
        ((1.0, 1.1, 1.9), (3.0, 3.0, 3.1), False),
        # The whole round met the slow disk: it remains fair.
        ((1.0, 1.1, 2.2), (3.0, 3.0, 6.1), False),
        # Two rounds do not show what is usual, and a contender that is unknown in a round is no other.
        ((1.0, 2.2), (3.0, 3.0), False),
        ((1.0, 1.1, 2.2), (None, None, None), False),
    ],
)
def test_flushes_that_were_slow_in_one_contender_s_window_only(
    flushes_ms: tuple[float, ...], others_ms: tuple[float | None, ...], is_found: bool
) -> None:
    runs = [
        replace(
            run_of(name, number=number),
            database_activity=DatabaseActivity(phases={"1": PhaseActivity(fsync_ms=flush_ms)}),
        )
        for name, each in (("rust-rest", flushes_ms), ("go-rest", others_ms))
        for number, flush_ms in enumerate(each, start=1)
    ]
    findings = [each for each in judge(comparison_of(*runs)).findings if each.kind == "uneven-flushes"]
    assert bool(findings) is is_found
    if findings:
        assert "Rust REST at 10 users in round 3." in findings[0].message and findings[0].rounds == (3,)
