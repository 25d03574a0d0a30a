"""The decision of a gate in one sentence of 25 words at most, and in one word. Pure functions."""

from bakeoff.gating.check import Change, Check, Gate, Outcome
from bakeoff.reporting.numbers import plural
from bakeoff.text.prose import listed

PASSED, FAILED, UNDECIDED, UNCLEAR, NEW = "passed", "failed", "undecided", "unclear", "new"

_MOST_NAMES = 2
# A gate that sees less is no gate.
_SEEN = 0.5
_MOST_WORDS = 15
_IS = ("is", "are")
_VERBS = {
    "throughput": ("{name} serves {by} fewer requests per second", "{name} serves {by} more requests per second"),
    "mean": ("{name} takes {by} longer on average", "{name} takes {by} less time on average"),
    "p99": ("p99 of {name} is {by} higher", "p99 of {name} is {by} lower"),
}


def verdict_of(gate: Gate) -> str:
    """`passed`, `failed`, `undecided` or `unclear`, as the exit status means it; `new` without anything before."""
    if gate.exit_status == 0 and not gate.compared:
        return NEW
    return (PASSED, FAILED, UNDECIDED, UNCLEAR)[gate.exit_status]


def sentence_of(gate: Gate) -> str:
    """The worst of what failed, and how much more did; else what is unclear, or that nothing came out worse."""
    if gate.failed:
        worst, *others = sorted(gate.failed, key=lambda check: -severity(check))
        more = f", and {plural(len(others), 'other check')} failed" if others else ""
        return f"{_about(worst)}{more}."
    if not gate.compared:
        return f"Nothing could be compared{': the base could not be measured' if gate.nothing_before else ''}."
    if gate.stale_baseline:
        return "The machine was slower than for the baseline, so this gate is undecided."
    unclear = [check for check in gate.checks if check.outcome is Outcome.UNCLEAR]
    if unclear:
        names = list(dict.fromkeys(name_of(check) for check in unclear))
        are = {"operation" if check.series.operation else "target" for check in unclear}
        of = (
            listed(names)
            if len(names) <= _MOST_NAMES
            else f"{len(names)} {' and '.join(f'{each}s' for each in sorted(are))}"
        )
        checks = f"{plural(len(unclear), 'check')} of {of} {_IS[len(unclear) > 1]} unclear"
        return f"Nothing is shown to be worse than allowed; {checks}."
    compared = sum(each.change is not None for each in gate.checks)
    return f"Nothing was measured as worse than allowed: {plural(compared, 'figure')} compared."


def would_find(gate: Gate) -> str:
    """The loss of throughput that such a gate finds in four of five cases; of several contenders the largest."""
    found = [
        check.would_find
        for check in gate.checks
        if check.metric == "throughput" and check.series.is_whole and check.would_find is not None
    ]
    if not found:
        return ""
    if max(found) > _SEEN:
        return "These rounds scatter too much to find even a loss of half the throughput: take more or longer rounds."
    return f"A loss of {max(found):.0%} would be found in four of five such gates."


def severity(check: Check) -> float:
    """By how much a figure is worse, as a logarithm; what is no figure, such as lost writes, is worse than any."""
    if check.change is None:
        return float("inf")
    return worse_by(check.change)


def worse_by(change: Change) -> float:
    """The relative change in the direction that is worse: 0.1 for a tenth less throughput or more latency."""
    return 1 - change.ratio if change.more_is_better else change.ratio - 1


def name_of(check: Check) -> str:
    """The operation, or the contender where all operations are meant."""
    return check.series.operation or check.series.contender


def _about(check: Check) -> str:
    name = name_of(check)
    if check.change is None or check.metric not in _VERBS:
        # Without what explains it in brackets, and without a log: the list of checks has both.
        words = check.words.partition(" (")[0].partition(" Last lines of ")[0].rstrip(".").split()
        return f"{name}: {' '.join(words[:_MOST_WORDS])}{' …' if len(words) > _MOST_WORDS else ''}"
    if check.change.has_interval and not check.change.is_beyond_limit:
        return f"{name}: {check.metric} is unclear, which is not allowed"
    worse, better = _VERBS[check.metric]
    relative = abs(check.change.ratio - 1)
    by = f"{relative:.1%}" if relative < 1 else f"{relative:,.0%}"
    about = (worse if worse_by(check.change) > 0 else better).format(name=name, by=by)
    return about + ("" if not check.series.phase else f" in {check.series.phase}")


def change_of(gate: Gate) -> float | None:
    """The relative change of throughput, of the contender that lost the most; None where none was compared."""
    whole = [
        check.change.ratio - 1
        for check in gate.checks
        if check.change is not None and check.metric == "throughput" and check.series.is_whole
    ]
    return min(whole, default=None)
