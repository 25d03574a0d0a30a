"""The highest arrival rate at which targets keep their objectives: one trial after another, each stored."""

import random
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
    bracket,
    confirmation,
    contrary_findings,
    is_confirmed,
    limit_of,
    next_rate,
    ratio_of,
    with_verdict,
)
from bakeoff.judging.slo import Slo, broken, figures_of_phase
from bakeoff.project import Project
from bakeoff.results.run import RunResult, Status
from bakeoff.running.progress import Progress

START_PER_S = 1000.0
Compare = Callable[[Project, ComparisonRequest, Progress], Comparison]


@dataclass(frozen=True)
class Capacity:
    """The result of one target's search."""

    target: str
    trials: Sequence[TriedRate] = field(default_factory=tuple)

    @property
    def findings(self) -> Sequence[TrialFinding]:
        """Why the limit may be the generator's, or the machine's, and not the target's."""
        return contrary_findings(self.trials)

    @property
    def interval(self) -> Interval:
        return limit_of(self.trials)

    @property
    def rate_per_s(self) -> float | None:
        """The rate that holds in half of the trials; None where not even the lowest rate held."""
        return self.interval.mean

    def ratio_to(self, other: "Capacity", pairs: int = 1) -> Interval:
        """One of so many ratios."""
        return ratio_of(self.trials, other.trials, pairs)


def find_capacities(
    project: Project, request: ComparisonRequest, slo: Slo, progress: Progress, compare_with: Compare = compare
) -> list[Capacity]:
    """Searches for all targets in turn, trial by trial, from the request's first rate on.

    Raises when a trial measures nothing.
    """
    start_per_s = request.rates[0] if request.rates else START_PER_S
    request = replace(request, rates=(start_per_s,), rounds=1)
    contenders = choose(project, request, lambda _name, reason: progress.say(reason))
    if len(contenders) > len({contender.target.name for contender in contenders}):
        raise BakeoffError("--slo searches one rate for each target: give each factor a single level.")
    tries = _Tries(project, request, slo, progress, compare_with)
    trials: dict[str, list[TriedRate]] = {contender.target.name: [] for contender in contenders}
    # In another order each time: no target always meets the machine right after the same other one.
    chance = random.SystemRandom()
    while left := {name: rate for name, own in trials.items() if (rate := next_rate(own, start_per_s)) is not None}:
        for name in chance.sample(sorted(left), len(left)):
            trials[name].append(tries.tried(name, TriedRate(left[name], holds=False), is_first=not trials[name]))
    while not all(is_confirmed(own) for own in trials.values()):
        # All that have a limit, until the last is confirmed: ratios are those of common rounds.
        for name in chance.sample(sorted(trials), len(trials)):
            if bracket(trials[name])[0] is not None:
                trials[name].append(tries.tried(name, confirmation(trials[name], chance)))
    return [Capacity(name, tuple(own)) for name, own in trials.items()]


@dataclass(frozen=True)
class _Tries:
    """Makes trials, each a comparison of one run."""

    project: Project
    request: ComparisonRequest
    slo: Slo
    progress: Progress
    compare_with: Compare

    def tried(self, target: str, trial: TriedRate, *, is_first: bool = False) -> TriedRate:
        """The trial with its verdict. The first of each target is crashed: further crashes would show the same."""
        rate = trial.rate_per_s
        request = replace(self.request, targets=(target,), rates=(rate,), crashes=is_first)
        comparison = self.compare_with(self.project, request, self.progress)
        if comparison.interrupted:
            raise KeyboardInterrupt
        run = _measured(comparison, target)
        missed = ", ".join(each.words for each in broken(self.slo, figures_of_phase(run.phases[-1].measured)))
        self.progress.say(f"{target}: {rate:,.0f}/s {'holds' if not missed else f'breaks {missed}'}")
        return with_verdict(trial, holds=not missed, findings=run.findings)


def _measured(comparison: Comparison, target: str) -> RunResult:
    for run in comparison.runs:
        if run.status is Status.COMPLETED and run.phases:
            return run
    reason = next(iter(comparison.not_measured.values()), f"{target}: its run measured nothing.")
    raise BakeoffError(f"The search ends here. {reason}")
