"""The highest arrival rate at which a target keeps its objectives: one trial after another, each stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.comparing.comparison import compare
from bakeoff.comparing.preparation import choose
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError
from bakeoff.judging.capacity_search import (
    Interval,
    TrialFinding,
    TriedRate,
    contrary_findings,
    highest_that_holds,
    interval_of,
    next_rate,
)
from bakeoff.judging.slo import Slo, broken, figures_of_phase
from bakeoff.project import Project
from bakeoff.results.run import RunResult, Status
from bakeoff.running.progress import Progress

START_PER_S = 1000.0
# Doubling or halving between one a second and a million, the middle until a twentieth is left, and the confirmations
# take about forty; a target that changes its mind at every rate ends here.
_MOST_TRIALS = 120

Compare = Callable[[Project, ComparisonRequest, Progress], Comparison]


@dataclass(frozen=True)
class Capacity:
    """The result of one target's search. `rate_per_s` is None where not even the lowest rate held."""

    target: str
    rate_per_s: float | None
    trials: Sequence[TriedRate] = field(default_factory=tuple)

    @property
    def findings(self) -> Sequence[TrialFinding]:
        """Why the limit may be the generator's, or the machine's, and not the target's."""
        return contrary_findings(self.trials)

    @property
    def interval(self) -> Interval:
        return interval_of(self.trials)


def find_capacities(
    project: Project, request: ComparisonRequest, slo: Slo, progress: Progress, compare_with: Compare = compare
) -> list[Capacity]:
    """Searches for each target in turn, from the request's first rate on. Raises when a trial measures nothing."""
    start_per_s = request.rates[0] if request.rates else START_PER_S
    request = replace(request, rates=(start_per_s,), rounds=1)
    contenders = choose(project, request, lambda _name, reason: progress.say(reason))
    if len(contenders) > len({contender.target.name for contender in contenders}):
        raise BakeoffError("--slo searches one rate for each target: give each factor a single level.")
    return [
        _capacity(project, replace(request, targets=(contender.target.name,)), slo, progress, compare_with)
        for contender in contenders
    ]


def _capacity(
    project: Project, request: ComparisonRequest, slo: Slo, progress: Progress, compare_with: Compare
) -> Capacity:
    target, start_per_s = request.targets[0], request.rates[0]
    trials: list[TriedRate] = []
    while (rate := next_rate(trials, start_per_s)) is not None and len(trials) < _MOST_TRIALS:
        comparison = compare_with(project, replace(request, rates=(rate,)), progress)
        if comparison.interrupted:
            raise KeyboardInterrupt
        run = _measured(comparison, target)
        missed = ", ".join(each.words for each in broken(slo, figures_of_phase(run.phases[-1].measured)))
        trials.append(TriedRate(rate, holds=not missed, findings=run.findings))
        progress.say(f"{target}: {rate:,.0f}/s {'holds' if not missed else f'breaks {missed}'}")
    return Capacity(target, highest_that_holds(trials), tuple(trials))


def _measured(comparison: Comparison, target: str) -> RunResult:
    for run in comparison.runs:
        if run.status is Status.COMPLETED and run.phases:
            return run
    reason = next(iter(comparison.not_measured.values()), f"{target}: its run measured nothing.")
    raise BakeoffError(f"The search ends here. {reason}")
