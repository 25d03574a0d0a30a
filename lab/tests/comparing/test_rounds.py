"""Which runs are made, in which order, and what becomes of those that fail."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.schedule import level_order
from bakeoff.options.variant import COMMIT
from bakeoff.results.findings import Finding, KindName
from bakeoff.results.run import RunResult, Status
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.running.modes import PROBE
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.storage.metrics_store import Unfinished
from fake_lab import MEASURED, Answer, Arrivals, Lab, Store, completed
from made_up import measured, phase


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    return Lab(monkeypatch, tmp_path)


THREE = ComparisonRequest("quick", "", rounds=3, phase_duration_s=4)


def test_every_contender_is_proven_before_the_first_round(lab: Lab) -> None:
    made = lab.run(THREE)
    assert made[:2] == ["A", "B"]
    assert [sorted(made[number : number + 2]) for number in (2, 4, 6)] == [["a1", "b1"], ["a2", "b2"], ["a3", "b3"]]
    assert [name for name, _ in lab.conformed] == ["a", "b"]
    assert (lab.store.ended, lab.comparison.id, lab.judged) == (("completed", {}), 7, [7])
    assert not lab.comparison.failed


def test_a_target_that_does_not_conform_is_not_measured(lab: Lab) -> None:
    lab.broken = {"a"}
    assert lab.run(THREE) == ["B", "b1", "b2", "b3"]
    assert "1 of 1 conformance cases failed" in lab.comparison.not_measured["a"]
    assert lab.comparison.failed
    assert lab.store.refused == {"a"}


def test_a_reason_names_the_target_once(lab: Lab) -> None:
    lab.answer = lambda run: replace(completed(run), status=Status.FAILED, failure="a: prepare failed with status 1.")
    lab.run(THREE, "a", sides=["base"])
    assert lab.comparison.not_measured == {"a commit=base": "a commit=base: prepare failed with status 1."}


def test_a_smoke_test_that_fails_stops_the_longer_mode(lab: Lab) -> None:
    failing = replace(MEASURED, failed=10, ok=0, errors={"timeout": 10})
    finding = Finding(KindName("errors"), "error", "All failed.", "")

    def answer(run: RunRequest) -> RunResult:
        good = completed(run)
        return replace(good, total=failing, findings=[finding]) if run.contender.key == "a" else good

    lab.answer = answer
    assert lab.run(THREE) == ["A", "B", "b1", "b2", "b3"]
    assert lab.comparison.not_measured == {"a": "a: its smoke test failed. All failed."}


@pytest.mark.parametrize(
    ("failing", "bad_round", "made"),
    [
        ("candidate", 0, {"candidate": 0, "base": 0}),
        ("base", 0, {"candidate": 3, "base": 0}),  # goals may hold for it
        ("candidate", 1, {"candidate": 2, "base": 2}),
        ("candidate", 3, {"candidate": 3, "base": 3}),
    ],
)
def test_another_commit_is_not_measured_without_its_candidate(
    lab: Lab, failing: str, bad_round: int, made: dict[str, int]
) -> None:
    """From `bad_round` on each run of a side fails; round 0 is its smoke run."""

    def answer(run: RunRequest) -> RunResult:
        good, number = completed(run), 0 if run.mode == "smoke" else run.round
        bad = run.contender.factors[COMMIT] == failing and number >= bad_round
        return replace(good, status=Status.FAILED, failure="prepare failed.") if bad else good

    lab.answer = answer
    lab.run(THREE, "ab", sides=["base", "candidate"])
    runs = [run.contender for run in lab.measured if run.mode == "quick"]
    found = {(each.target.name, each.factors[COMMIT]) for each in runs}
    assert found == {(name, side) for name in "ab" for side, count in made.items() if count}
    counts = {side: sum(each.factors[COMMIT] == side for each in runs) / 2 for side in made}
    # In the round of a candidate's second failure the base may have been the first.
    assert counts["candidate"] == made["candidate"] and counts["base"] <= made["base"]
    assert lab.comparison.failed


@pytest.mark.parametrize(
    ("bad_rounds", "made", "not_measured"),
    [
        ({1}, ["a1", "a2", "a3"], {}),
        ({3}, ["a1", "a2", "a3"], {}),
        # No contender is tried a third time.
        ({1, 2}, ["a1", "a2"], {"a": "a: it died."}),
        ({2, 3}, ["a1", "a2", "a3"], {}),
    ],
)
def test_one_failed_run_is_bad_luck_and_two_are_enough(
    lab: Lab, bad_rounds: set[int], made: list[str], not_measured: dict[str, str]
) -> None:
    def answer(run: RunRequest) -> RunResult:
        good = completed(run)
        bad = run.mode == "quick" and run.round in bad_rounds
        return replace(good, status=Status.FAILED, failure="it died.") if bad else good

    lab.answer = answer
    assert lab.run(THREE, "a")[1:] == made
    assert lab.comparison.not_measured == not_measured
    assert lab.comparison.failed
    # What failed is kept all the same.
    assert len(lab.store.runs) == 1 + len(made)


def test_every_run_may_settle_for_as_long_as_any_other_and_contenders_of_a_round_share_the_order(lab: Lab) -> None:
    def answer(run: RunRequest) -> RunResult:
        good = completed(run)
        return good if good.warm_up is None else replace(good, warm_up=WarmUp(steady=False))

    lab.answer = answer
    lab.run(THREE)
    runs = [run for run in lab.measured if run.mode == "quick"]
    assert {run.settling for run in runs} == {Settling(12, 4)}, "also of a contender that was not steady before"
    orders = {number: {tuple(run.level_order) for run in runs if run.round == number} for number in (1, 2, 3)}
    assert all(len(each) == 1 for each in orders.values()), "within a round levels are met at the same table size"
    assert len({order for each in orders.values() for order in each}) > 1, "and not always from small to large"


def test_an_interrupted_run_is_the_last(lab: Lab) -> None:
    def answer(run: RunRequest) -> RunResult:
        good = completed(run)
        return replace(good, status=Status.INTERRUPTED) if run.round == 2 else good

    lab.answer = answer
    assert lab.run(THREE, "a") == ["A", "a1", "a2"]
    assert lab.comparison.interrupted
    assert lab.store.ended == ("interrupted", {})


def test_what_is_done_is_not_done_again(lab: Lab) -> None:
    done = frozenset({("a", 1), ("a", 2), ("a", 3), ("b", 2)})
    unfinished = Unfinished(5, datetime.now(UTC), {}, done)
    assert sorted(lab.run(THREE, "abc", unfinished)) == ["B", "C", "b1", "b3", "c1", "c2", "c3"]
    # What still runs is proven again: it may have been built again, and not every contender had passed before.
    assert [name for name, _ in lab.conformed] == ["b", "c"]
    assert (lab.store.resumed, lab.comparison.id) == (5, 5)


def test_who_failed_the_smoke_test_fails_it_when_resumed(lab: Lab) -> None:
    failing = replace(MEASURED, failed=10, ok=0, errors={"timeout": 10})
    finding = Finding(KindName("errors"), "error", "All failed.", "")
    lab.answer = lambda run: replace(completed(run), total=failing, findings=[finding])
    # Its smoke run came to an end the first time too, and lies in the database.
    assert lab.run(THREE, "a", Unfinished(5, datetime.now(UTC), {}, frozenset())) == ["A"]
    assert lab.comparison.refused == {"a"}


def test_a_store_that_is_away_costs_no_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lab = Lab(monkeypatch, tmp_path, Store(away=True))
    assert lab.run(THREE, "a") == ["A", "a1", "a2", "a3"]
    assert lab.comparison.unstored == 4
    assert len(lab.comparison.runs) == 3
    assert "the database is away." in lab.progress.said
    assert lab.progress.said[-1] == (
        "How the comparison ended could not be stored. the database is still away. When the database is available "
        "again, ./bakeoff runs import and then ./bakeoff run --resume completes it."
    )


def test_a_comparison_of_which_nothing_is_left_is_brought_to_its_end(lab: Lab) -> None:
    done = frozenset({("a", 1), ("a", 2), ("a", 3)})
    assert lab.run(THREE, "a", Unfinished(5, datetime.now(UTC), {}, done)) == []
    assert lab.store.ended == ("completed", {})


def test_who_was_measured_before_is_not_unmeasured_by_runs_that_fail_now(lab: Lab) -> None:
    lab.answer = lambda run: (
        completed(run) if run.mode == "smoke" else replace(completed(run), status=Status.FAILED, failure="it died.")
    )
    lab.run(THREE, "a", Unfinished(5, datetime.now(UTC), {}, frozenset({("a", 1)})))
    assert lab.store.ended == ("completed", {})


def test_a_smoke_run_measures_each_contender_as_soon_as_it_is_built(lab: Lab) -> None:
    proven: list[tuple[str, int]] = []

    def answer(run: RunRequest) -> RunResult:
        proven.append((run.contender.key, len(lab.conformed)))
        return completed(run)

    lab.answer = answer
    lab.broken.add("b")
    assert lab.run_as_built(ComparisonRequest("smoke", "", rounds=2), "abc", Arrivals("cba"))[:2] == ["c1", "a1"]
    # The first is measured when no other has been proven yet, and those of the second round follow all of the first.
    assert proven[:2] == [("c", 1), ("a", 3)]
    assert sorted(key for key, _ in proven[2:]) == ["a", "c"]
    found = [[finding.kind for finding in run.findings] for run in lab.comparison.runs]
    assert found == [["concurrent-builds"], [], [], []]


def test_each_run_says_when_its_target_was_proved(lab: Lab) -> None:
    lab.run(THREE)
    proved = [run.environment["target_conformance"] for run in lab.comparison.runs]
    assert len(proved) == 6
    assert all(words.startswith("proved at 2") for words in proved)


EQUAL = ComparisonRequest("equal", "", rounds=2)


def probed(broken: str = "", **throughputs: float) -> Answer:
    """Probes that come to these operations a second; those of the contenders in `broken` are far too slow."""

    def answer(run: RunRequest) -> RunResult:
        good = completed(run)
        if run.mode != PROBE:
            return good
        part = measured(throughputs[run.contender.key], latency_ms=6000.0 if run.contender.key in broken else 1.0)
        return replace(good, phases=[phase(1, 64, part)], total=part)

    return answer


def test_an_equal_load_is_found_by_a_probe_of_each_and_then_the_same_for_all(lab: Lab) -> None:
    lab.answer = probed(a=1000, b=5000)
    made = lab.run(EQUAL)
    assert made[:4] == ["A", "B", "a?", "b?"]
    assert [sorted(made[number : number + 2]) for number in (4, 6)] == [["a1", "b1"], ["a2", "b2"]]
    runs = [run for run in lab.measured if run.mode == "equal"]
    assert {tuple(phase.rate_per_s for phase in run.phases) for run in runs} == {(350, 700, None)}
    # It is part of the request from then on, for who resumes it.
    assert lab.store.request["class_rates"] == {"tuned": 700}
    assert any("70% of what a, the slowest" in line for line in lab.progress.said)
    assert [run.mode for run in lab.comparison.runs] == ["equal"] * 4


def test_in_every_round_the_maximum_comes_last_and_the_rates_change_places(lab: Lab) -> None:
    lab.run(replace(EQUAL, rates=(500,), rounds=4), "a")
    orders = [tuple(run.level_order) for run in lab.measured if run.mode == "equal"]
    assert sorted(orders) == [(0, 1, 2), (0, 1, 2), (1, 0, 2), (1, 0, 2)]


def test_a_rate_that_is_given_is_not_looked_for(lab: Lab) -> None:
    assert "a?" not in lab.run(replace(EQUAL, rates=(500,)), "a")
    done = Unfinished(5, datetime.now(UTC), {}, frozenset({("a", 1)}))
    assert lab.run(replace(EQUAL, rates=(500,)), "a", done)[-1] == "a2"


def test_who_does_not_come_through_its_probe_does_not_lower_the_rate(lab: Lab) -> None:
    lab.answer = probed(broken="a", a=1000, b=5000)
    assert [name for name in lab.run(EQUAL) if name.startswith("a")] == ["a?"]
    assert "no rate can be found for it: its probe did not keep p95<2s" in lab.comparison.not_measured["a"]
    assert lab.store.request["class_rates"] == {"tuned": 3500}


def test_interrupted_while_it_looks_for_the_rate_it_stores_none(lab: Lab) -> None:
    def answer(run: RunRequest) -> RunResult:
        good = probed(a=1000, b=5000)(run)
        return replace(good, status=Status.INTERRUPTED) if run.mode == PROBE else good

    lab.answer = answer
    assert lab.run(EQUAL) == ["A", "B", "a?"]
    assert lab.store.request == {} and lab.store.ended == ("interrupted", {})


def test_a_rate_that_cannot_be_stored_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lab = Lab(monkeypatch, tmp_path, Store(away=True))
    lab.answer = probed(a=1000)
    assert lab.run(EQUAL, "a") == ["A", "a?", "a1", "a2"]
    assert any("--resume looks for it again" in line for line in lab.progress.said)


class Clock:
    """A clock of its own, in place of the module `time`: every run takes four seconds of it."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def monotonic(self) -> float:
        return 4.0 * len(self._lab.measured)


@pytest.mark.parametrize(
    ("spend_s", "rounds", "said"),
    [
        (60, 6, "a round takes 8 s: 6 rounds in 60 s"),  # two smoke tests before them
        (32, 3, "a round takes 8 s: 3 rounds in 32 s"),
        (17, 3, "a round takes 8 s: 1 round in 17 s; 3 are measured, the fewest that a test can decide"),
        (1, 3, "a round takes 8 s: 1 round in 1 s; 3 are measured, the fewest that a test can decide"),
    ],
)
def test_a_time_is_spent_on_as_many_rounds_as_fit(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, spend_s: float, rounds: int, said: str
) -> None:
    monkeypatch.setattr("bakeoff.comparing.rounds.time", Clock(lab))
    request = ComparisonRequest("quick", "", phase_duration_s=4, spend_s=spend_s, seed=7)
    made = lab.run(request)
    assert sorted(made[2:]) == sorted(f"{name}{number}" for name in "ab" for number in range(1, rounds + 1))
    assert said in lab.progress.said
    # A resumed comparison has as many rounds, and no time of its own.
    assert (lab.store.request["rounds"], lab.store.request["spend_s"]) == (rounds, None)
    orders = {tuple(run.level_order) for run in lab.measured if run.mode == "quick"}
    assert orders == {tuple(level_order(3, number, rounds, 7)) for number in range(1, rounds + 1)}
