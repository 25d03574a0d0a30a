"""A machine that has become worse since the baseline was measured: the cause is unknown then, and the gate says so."""

from collections.abc import Sequence

import pytest

from bakeoff.gating.check import Gate, Outcome
from bakeoff.gating.confirmation import confirmed
from bakeoff.gating.regressions import Limits, check_regressions, what_became_worse
from bakeoff.history.phases import Measurement, measurement_of
from bakeoff.results.machine_state import MachineState
from made_up import measured, run_result


def state(speed_mb_s: float | None, steal_percent: float | None, other_cpu_percent: float | None) -> MachineState:
    return MachineState(speed_mb_s, steal_percent=steal_percent, other_cpu_percent=other_cpu_percent)


QUIET = state(1700.0, 0.1, 1.0)
SLOW = state(1300.0, 0.1, 1.0)
UNKNOWN = state(None, None, None)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([QUIET], [QUIET], None),
        ([QUIET], [SLOW], "a core was 24% slower"),
        ([SLOW], [QUIET], None),  # a machine that became better excuses nothing
        ([QUIET], [state(1531.0, 0.1, 1.0)], None),
        ([QUIET], [state(1529.0, 0.1, 1.0)], "a core was 10% slower"),
        ([QUIET], [state(1700.0, 2.0, 10.0)], None),
        ([QUIET], [state(1700.0, 9.1, 1.0)], "the hypervisor used 9% more of a core"),
        ([state(1700.0, 8.0, 1.0)], [state(1700.0, 9.1, 1.0)], None),
        ([QUIET], [state(1700.0, 0.1, 61.0)], "other processes used 60% more of a core"),
        (
            [QUIET],
            [state(850.0, 5.1, 1.0)],
            "a core was 50% slower and the hypervisor used 5% more of a core",
        ),
        ([QUIET, QUIET, SLOW], [QUIET, SLOW, QUIET], None),  # one slow run is no slow hour
        ([QUIET, QUIET, SLOW], [SLOW, SLOW, QUIET], "a core was 24% slower"),
        ([], [SLOW], None),
        ([QUIET], [], None),
        ([QUIET], [UNKNOWN], None),
        ([UNKNOWN], [SLOW], None),
    ],
)
def test_what_became_worse(before: Sequence[MachineState], after: Sequence[MachineState], words: str | None) -> None:
    assert what_became_worse(before, after) == words


def measurement(rate: float, conditions: MachineState | None = None, failed: int = 0) -> Measurement:
    record = None if conditions is None else vars(conditions)
    return measurement_of([run_result(total=measured(rate, failed=failed), machine_state=record)])


def gate_of(candidate: Measurement, baseline: MachineState | None = QUIET) -> Gate:
    return check_regressions(measurement(1000, baseline), candidate, Limits())


@pytest.mark.parametrize(
    ("baseline", "candidate", "status"),
    [(QUIET, QUIET, 1), (QUIET, SLOW, 2), (SLOW, QUIET, 1), (None, SLOW, 1), (QUIET, None, 1)],
)
def test_what_would_fail_is_unclear(baseline: MachineState | None, candidate: MachineState | None, status: int) -> None:
    gate = gate_of(measurement(500, candidate), baseline)
    assert gate.exit_status == status
    assert gate.stale_baseline == (status == 2)
    assert ("but a core was 24% slower than for the baseline" in gate.checks[0].words) == (status == 2)


def test_what_is_well_on_a_worse_machine_is_well() -> None:
    assert gate_of(measurement(990, SLOW)).exit_status == 0


def test_errors_are_no_matter_of_speed() -> None:
    gate = gate_of(measurement(500, SLOW, failed=500))
    assert gate.exit_status == 1
    assert [check.metric for check in gate.failed] == ["errors"]


@pytest.mark.parametrize(
    ("again", "outcome", "status"),
    [
        (measurement(500, QUIET), Outcome.FAILED, 1),
        (measurement(1000, QUIET), Outcome.UNCLEAR, 3),
        (measurement(500, SLOW), Outcome.UNCLEAR, 2),
    ],
)
def test_a_rerun_on_a_worse_machine_confirms_nothing(again: Measurement, outcome: Outcome, status: int) -> None:
    first = measurement(500, QUIET)
    gate = confirmed(gate_of(first), first, lambda _names: again, gate_of)
    assert [check.outcome for check in gate.checks if check.metric == "throughput"] == [outcome]
    assert gate.exit_status == status
    assert any("a rerun was inconclusive" in check.words for check in gate.checks) == (status == 2)


def test_nothing_is_measured_again_that_cannot_be_told() -> None:
    def measure(_names: Sequence[str]) -> Measurement:
        raise AssertionError("the baseline is stale, not the candidate")

    slow = measurement(500, SLOW)
    assert confirmed(gate_of(slow), slow, measure, gate_of).exit_status == 2
