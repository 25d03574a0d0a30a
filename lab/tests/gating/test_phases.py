"""A phase that has become worse is found though the others hide it, and noise in many phases fails nothing."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy
import pytest

from bakeoff.gating.annotations import annotations_of
from bakeoff.gating.check import Outcome
from bakeoff.gating.junit import junit_of
from bakeoff.gating.regressions import Limits, check_regressions
from bakeoff.history.phases import Measurement, measurement_of, phases_of
from bakeoff.history.run_figures import RunFigures, figures_of
from bakeoff.results.machine_state import MachineState
from bakeoff.results.run import RunResult
from made_up import measured, phase, run_of

USERS = (10, 50, 200, 500)
SLOWER = (1.0, 1.0, 0.6, 1.0)
UNCHANGED = (1.0, 1.0, 1.0, 1.0)
CONTENDERS = ("rust-rest", "go-rest", "java-rest")


@cache
def as_measured(name: str) -> tuple[RunFigures, Sequence[RunFigures]]:
    """A run of four phases of 1,000 operations/s."""
    run = run_of(name, [1000.0] * len(USERS))
    return figures_of(run), phases_of(run)


class Machine:
    """Measures contenders of four phases with a known truth, and with noise: a tenth in p99, less in throughput.

    Each measurement has its own hour, in which all of it is faster or slower; `hours` is how much, a standard
    deviation of logarithms. The probe before each run sees it, and `probed` says whether that is recorded.
    """

    def __init__(self, seed: int, noise: float = 0.03, hours: float = 0.0, probed: bool = True) -> None:
        self._random = numpy.random.default_rng(seed)
        self._noise = noise
        self._hours = hours
        self._probed = probed

    def measurement(self, rounds: int, factors: Sequence[float], contenders: Sequence[str] = CONTENDERS) -> Measurement:
        runs, phases, conditions = [], [], []
        hour = self._random.lognormal(0, self._hours) if self._hours else 1.0
        for name in contenders:
            whole, template = as_measured(name)
            for number in range(1, rounds + 1):
                own = [
                    self._noisy(replace(each, round=number), by * hour)
                    for each, by in zip(template, factors, strict=True)
                ]
                if self._hours and self._probed:
                    conditions.append(MachineState(1700 * hour * self._random.lognormal(0, 0.04)))
                phases += own
                throughput = sum(each.throughput_per_s or 0 for each in own) / len(own)
                p99 = max(each.p99_ms or 0 for each in own)
                runs.append(replace(whole, round=number, throughput_per_s=throughput, p99_ms=p99))
        return Measurement(runs, phases, conditions)

    def _noisy(self, figures: RunFigures, factor: float) -> RunFigures:
        throughput = 1000 * factor * self._random.lognormal(0, self._noise)
        return replace(figures, throughput_per_s=throughput, p99_ms=20 * self._random.lognormal(0, 0.1))


def test_one_phase_that_is_slower_fails_though_the_run_as_a_whole_is_not() -> None:
    found = 0
    for seed in range(20):
        before, after = Machine(seed).measurement(3, UNCHANGED), Machine(seed + 1000).measurement(3, SLOWER)
        gate = check_regressions(before, after, Limits())
        assert {(check.series.phase, check.metric) for check in gate.failed} == {("phase 3 at 200 users", "throughput")}
        found += len(gate.failed)
    assert found >= 0.95 * 20 * len(CONTENDERS)


def test_one_contender_alone_says_enough() -> None:
    before = Machine(1).measurement(3, UNCHANGED, ["go-rest"])
    gate = check_regressions(before, Machine(2).measurement(3, SLOWER, ["go-rest"]), Limits())
    assert [check.series.phase for check in gate.failed] == ["phase 3 at 200 users"]


@pytest.mark.parametrize(("rounds", "noise"), [(2, 0.03), (3, 0.03), (3, 0.15), (5, 0.15)])
def test_noise_alone_hardly_ever_fails(rounds: int, noise: float) -> None:
    failed = 0
    for seed in range(200):
        machine = Machine(seed, noise)
        gate = check_regressions(
            machine.measurement(rounds, UNCHANGED), machine.measurement(rounds, UNCHANGED), Limits()
        )
        failed += bool(gate.failed)
    assert failed <= 4


@pytest.mark.parametrize(("probed", "least", "most"), [(True, 0, 5), (False, 10, 100)])
def test_a_slow_hour_alone_hardly_ever_fails(probed: bool, least: int, most: int) -> None:
    """Hours a fifth apart fail many a gate that does not know of them."""
    failed, unclear = 0, 0
    for seed in range(100):
        machine = Machine(seed, hours=0.2, probed=probed)
        gate = check_regressions(machine.measurement(3, UNCHANGED), machine.measurement(3, UNCHANGED), Limits())
        failed += bool(gate.failed)
        unclear += gate.exit_status == 2
    assert least <= failed <= most
    assert bool(unclear) == probed


def test_with_one_round_each_a_phase_is_unclear() -> None:
    before, after = run_of("go-rest", [1000, 1000, 1000]), run_of("go-rest", [1000, 1000, 700])
    gate = check_regressions(measurement_of([before]), measurement_of([after]), Limits())
    assert not gate.failed
    assert [(check.series.phase, check.outcome) for check in gate.checks if check.outcome is not Outcome.PASSED] == [
        ("phase 3 at 200 users", Outcome.UNCLEAR)
    ]


@pytest.mark.parametrize(
    ("before", "after", "fails"),
    [(0, 0, False), (0, 90, False), (0, 110, True), (300, 390, False), (300, 410, True), (300, 0, False)],
)
def test_errors_of_a_phase_are_compared_with_the_baseline(before: int, after: int, fails: bool) -> None:
    gate = check_regressions(
        measurement_of([breaking(before)]), measurement_of([breaking(after)]), Limits(error_rate=0.01)
    )
    phases = {check.series.phase for check in gate.failed if check.metric == "errors"} - {""}
    assert phases == ({"phase 2 at 50 users"} if fails else set())


def test_reports_name_the_phase() -> None:
    before, after = Machine(1).measurement(3, UNCHANGED), Machine(2).measurement(3, SLOWER)
    gate = check_regressions(before, after, Limits())
    name = "rust-rest · quick · default · 10,50,200,500 users · phase 3 at 200 users"
    assert f'classname="{name}" name="throughput"' in junit_of(gate)
    assert any(f"title=throughput of {name.replace(',', '%2C')}::" in line for line in annotations_of(gate))


def test_a_run_of_one_phase_is_looked_at_once() -> None:
    run = measurement_of([run_of("go-rest", [1000])])
    gate = check_regressions(run, run, Limits())
    assert [check.metric for check in gate.checks] == ["throughput", "p99", "errors"]


def breaking(failed: int) -> RunResult:
    """A run of two phases of 10,000 requests, of which some fail in the second."""
    return run_of(
        "go-rest", phases=[phase(1, 10, measured(1000)), phase(2, 50, measured(1000 - failed / 10, failed=failed))]
    )
