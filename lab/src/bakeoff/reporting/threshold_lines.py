"""Lines about failed requests and about the limits of `--threshold`. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from bakeoff.judging.slo import ERRORS, RANKED_ERROR_SHARE, Objective, Slo, broken, figures_of_phase, parse_slo
from bakeoff.project import COMMAND
from bakeoff.results.run import PhaseResult, RunResult, Status


def limits_of(threshold: str | None) -> Slo | None:
    """The limits that `--threshold` or an experiment sets. Raises UsageError."""
    return None if threshold is None else parse_slo(threshold, "--threshold")


def exceeded_lines(runs: Sequence[RunResult], limits: Slo | None) -> Iterator[str]:
    """A line for each phase that does not keep the limits; interrupted runs show nothing."""
    for run in runs:
        if limits is None or run.status is Status.INTERRUPTED:
            continue
        for phase in run.phases:
            exceeded = broken(limits, figures_of_phase(phase.measured))
            if exceeded:
                words = ", ".join(_exceeded(each, phase) for each in exceeded)
                yield f"{run.name}, round {run.round}, {phase.name}: not kept: {words}"


def failing_lines(runs: Sequence[RunResult]) -> Iterator[str]:
    """A line for each contender of whose requests more than 0.1 % failed."""
    requests: Counter[str] = Counter()
    failed: dict[str, float] = defaultdict(float)
    for run in runs:
        if run.total is not None and run.status is not Status.INTERRUPTED:
            name = run.name
            requests[name] += run.total.requests
            failed[name] += run.total.estimated_failed
    for name, count in requests.items():
        if count and failed[name] / count > RANKED_ERROR_SHARE:
            yield (
                f"{name}: {failed[name] / count:.2%} of its requests failed, more than {RANKED_ERROR_SHARE:.1%}. Its "
                f"figures do not stand for what it does when all succeed; {COMMAND} runs show names the errors."
            )


def _exceeded(objective: Objective, phase: PhaseResult) -> str:
    figures = figures_of_phase(phase.measured)
    if objective.metric == ERRORS:
        return f"{objective.words} ({figures.error_share:.2%})"
    return f"{objective.words} ({figures.latency_ms[objective.metric]:,.4g} ms)"
