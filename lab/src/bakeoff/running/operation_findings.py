"""What the operations of a run say about whether it can be believed. Pure functions."""

import shlex
from collections.abc import Mapping

from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import Finding, Measured
from bakeoff.text.redaction import redacted

WRONG_READ = "wrong_read"

# An operation is slow above so many times the median of the slowest other one, and so many ms; of fewer replies the
# median says little.
_SLOW_RATIO = 5.0
_SLOW_MS = 10.0
_FEWEST = 5

# Of checked replies that are wrong, as of failed requests: more is no slip.
_CHECKS_FAILED = 0.001


def found(total: Measured, checks: Mapping[str, float]) -> list[Finding]:
    """All findings; `checks` is the fraction of replies whose content is checked, by operation."""
    return [*wrong_reads(total), *_checks_failed(total, checks), *_slow_operations(total)]


def wrong_reads(total: Measured) -> list[Finding]:
    """Replies that show a state which the writes exclude: a server that makes them up may be as fast as it likes."""
    counts = {name: each.errors.get(WRONG_READ, 0) for name, each in total.by_operation.items()}
    wrong = {name: count for name, count in counts.items() if count}
    if not wrong and not total.errors.get(WRONG_READ):
        return []
    named = [
        f"{name}: {count:,} of {total.by_operation[name].checked:,} checked replies"
        f"{_first_of(total.by_operation[name])}"
        for name, count in wrong.items()
    ]
    words = "; ".join(named) or f"{total.errors[WRONG_READ]:,} replies"
    return [
        Finding(
            "wrong-reads",
            "error",
            f"Reads showed states that the writes before them exclude. {words}.",
            "This run is void, like one that loses writes. Read one document by hand after writing it: the target may "
            "answer with another one, or from a cache.",
        )
    ]


def always_failing(total: Measured) -> str | None:
    """Why a run counts as failed: an operation of which no reply was right."""
    failing = [f"{name} ({_share(each)})" for name, each in total.by_operation.items() if each.always_fails]
    if not failing:
        return None
    which = "an operation" if len(failing) == 1 else f"{len(failing)} operations"
    return f"{which} failed every time: {', '.join(failing)}."


def _checks_failed(total: Measured, checks: Mapping[str, float]) -> list[Finding]:
    failing = {
        name: each
        for name, each in total.by_operation.items()
        if each.check_failure_rate > _CHECKS_FAILED and WRONG_READ not in each.errors
    }
    if not failing:
        return []
    words = "; ".join(_check_words(name, each, checks.get(name)) for name, each in failing.items())
    return [
        Finding(
            "checks-failed",
            "error",
            f"Replies had wrong content. {words}.",
            "./bakeoff conform checks every reply of its cases. Error rates count the unchecked replies as often "
            "wrong as the checked ones.",
        )
    ]


def _slow_operations(total: Measured) -> list[Finding]:
    """Operations that take so much longer than all others that figures of the whole hide one or the other."""
    medians_ms = {
        name: each.latency.percentiles_ms["p50"]
        for name, each in total.by_operation.items()
        if each.requests >= _FEWEST
    }
    slow = {
        name: median_ms
        for name, median_ms in medians_ms.items()
        if median_ms >= _SLOW_MS
        and any(other != name for other in medians_ms)
        and median_ms >= _SLOW_RATIO * max(value for other, value in medians_ms.items() if other != name)
    }
    return [_slow_operation(total, name, medians_ms) for name in slow]


def _slow_operation(total: Measured, name: str, medians_ms: Mapping[str, float]) -> Finding:
    next_ms = max(value for other, value in medians_ms.items() if other != name)
    share = total.by_operation[name].requests / total.requests
    return Finding(
        "slow-operation",
        "info",
        f"{name} took {medians_ms[name]:,.3g} ms (p50), the slowest of the other operations {next_ms:,.3g} ms. It is "
        f"{share:.0%} of the requests, so percentiles of the whole show one of both only.",
        f"Judge it by its own figures: every table has them by operation, and --operation {shlex.quote(name)} sends "
        "it alone.",
    )


def _check_words(name: str, each: MeasuredOperation, share: float | None) -> str:
    rate = ""
    if share is not None:
        rate = " (all of them are)" if share >= 1 else f" ({100 * share:.3g}% of its replies are)"
    return (
        f"{name}: {each.checks_failed:,} of {each.checked:,} checked replies{rate}, so about "
        f"{each.estimated_failed:,.0f} of {each.requests:,} requests failed{_first_of(each)}"
    )


def _first_of(each: MeasuredOperation) -> str:
    """What was wrong with the first wrong reply, where the engine reports it."""
    return "" if each.failed_check is None else f", the first {redacted(str(each.failed_check))}"


def _share(each: MeasuredOperation) -> str:
    if each.ok == 0:
        kinds = ", ".join(
            f"{count:,} × {kind}" for kind, count in sorted(each.errors.items(), key=lambda kind: -kind[1])
        )
        return f"{each.failed:,} of {each.requests:,} requests: {kinds}{_first_of(each)}"
    return f"{each.checks_failed:,} of {each.checked:,} checked replies had wrong content{_first_of(each)}"
