"""A gate's interval is that of its test: it lies beyond the limit exactly where the gate fails."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.circumstances import Circumstances
from bakeoff.gating.pull_request import Summary, markdown_of
from bakeoff.gating.regressions import Limits, check_regressions
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import RunFigures, figures_of
from made_up import run_result

RUN = figures_of(run_result())
SHIFTS = st.sampled_from([0.5, 0.8, 0.85, 0.86, 0.95, 1.0, 1.0, 1.2, 1.25, 40.0])
SCATTER = st.sampled_from([0.0, 0.001, 0.01, 0.1, 0.6])


@st.composite
def sides(draw: st.DrawFn) -> tuple[Measurement, Measurement]:
    """Both sides of a few contenders, in as many rounds: changed or not, calm or so that few rounds bound nothing."""
    before, after = list[RunFigures](), list[RunFigures]()
    rounds = draw(st.integers(1, 6))
    for target in range(draw(st.integers(1, 3))):
        shift, scatter = draw(SHIFTS), draw(SCATTER)
        for number in range(1, rounds + 1):
            for runs, change in ((before, 1.0), (after, shift)):
                off = 1 + scatter * draw(st.floats(-1, 1))
                own = replace(RUN, contender=f"t{target}", round=number)
                runs.append(replace(own, throughput_per_s=1000 * change * off, p99_ms=20 / change / off))
    return Measurement(before, []), Measurement(after, [])


@given(sides(), st.booleans(), st.sampled_from([0.002, 0.01]))
def test_a_gate_fails_exactly_where_its_interval_lies_beyond_the_limit(
    both: tuple[Measurement, Measurement], paired: bool, false_alarms: float
) -> None:
    gate = check_regressions(*both, Limits(false_alarms=false_alarms), paired=paired)
    for check in gate.checks:
        change = check.change
        if change is None or not change.has_interval:
            continue
        assert (check.outcome is Outcome.FAILED) == change.is_beyond_limit, check.words
        assert change.low is None or change.low <= change.ratio * (1 + 1e-9)
        assert change.high is None or change.high >= change.ratio * (1 - 1e-9)
        for line in _rows(Gate([check], [])):
            assert ("worse**" in line) == change.is_beyond_limit, line
            assert ("no difference" in line) == (check.outcome is Outcome.PASSED and not change.differs), line


def test_the_interval_of_a_figure_among_others_is_wider() -> None:
    def measured(speed: float, targets: int) -> Measurement:
        offs = (1.0, 1.01, 0.99, 1.005, 0.995)
        return Measurement(
            [
                replace(RUN, contender=f"t{target}", round=number, throughput_per_s=1000 * speed * off, p99_ms=20 * off)
                for target in range(targets)
                for number, off in enumerate(offs, start=1)
            ],
            [],
        )

    alone, among = (_first(check_regressions(measured(1, count), measured(0.97, count), Limits())) for count in (1, 6))
    assert alone.change is not None and among.change is not None
    assert alone.change.confidence == pytest.approx(1 - 2 * 0.01 / 2)
    assert among.change.confidence == pytest.approx(1 - 2 * 0.01 / 12)
    assert (among.change.low or 0) < (alone.change.low or 0) < 0.97 < (alone.change.high or 0)


def _first(gate: Gate) -> Check:
    return next(check for check in gate.checks if check.metric == "throughput")


def _rows(gate: Gate) -> list[str]:
    made = markdown_of(Summary(gate, Circumstances({}), "Performance"))
    return [line for line in made.splitlines() if line.startswith("| ") and "figure" not in line]
