"""Findings about the operations of a run. Pure functions."""

import shlex
from collections.abc import Mapping

from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import Finding
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import Measured
from bakeoff.text.redaction import redacted

WRONG_READ = "wrong_read"


def found(total: Measured, checks: Mapping[str, float]) -> list[Finding]:
    """All findings; `checks` is the fraction of replies whose content is checked, by operation."""
    return [*wrong_reads(total), *_checks_failed(total, checks), *_slow_operations(total)]


def wrong_reads(total: Measured) -> list[Finding]:
    """Replies that show a state which the writes exclude."""
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
    return [kinds.WRONG_READS(replies=words)]


def always_failing(total: Measured) -> str | None:
    """The reason why a run counts as failed: no reply of an operation was right."""
    failing = [f"{name} ({_share(each)})" for name, each in total.by_operation.items() if each.always_fails]
    if not failing:
        return None
    which = "an operation" if len(failing) == 1 else f"{len(failing)} operations"
    return f"{which} failed every time: {', '.join(failing)}."


def _checks_failed(total: Measured, checks: Mapping[str, float]) -> list[Finding]:
    failing = {
        name: each
        for name, each in total.by_operation.items()
        if each.check_failure_rate > kinds.CHECKS_FAILED.limits[0] and WRONG_READ not in each.errors
    }
    words = "; ".join(_check_words(name, each, checks.get(name)) for name, each in failing.items())
    return [kinds.CHECKS_FAILED(replies=words)] if failing else []


def _slow_operations(total: Measured) -> list[Finding]:
    """The operation, if any, that takes so much longer than all others that percentiles of the whole hide one."""
    ratio, least_ms, fewest = kinds.SLOW_OPERATION.limits
    medians_ms = sorted(
        (each.latency.percentiles_ms["p50"], name)
        for name, each in total.by_operation.items()
        if each.requests >= fewest
    )
    if len(medians_ms) < 2:
        return []
    (next_ms, _), (median_ms, name) = medians_ms[-2:]
    if median_ms < least_ms or median_ms < ratio * next_ms:
        return []
    share = total.by_operation[name].requests / total.requests
    quoted = shlex.quote(name)
    return [kinds.SLOW_OPERATION(operation=name, median_ms=median_ms, next_ms=next_ms, share=share, quoted=quoted)]


def _check_words(name: str, each: MeasuredOperation, share: float | None) -> str:
    rate = ""
    if share is not None:
        rate = " (all of them are)" if share >= 1 else f" ({100 * share:.3g}% of its replies are)"
    return (
        f"{name}: {each.checks_failed:,} of {each.checked:,} checked replies{rate}, so about "
        f"{each.estimated_failed:,.0f} of {each.requests:,} requests failed{_first_of(each)}"
    )


def _first_of(each: MeasuredOperation) -> str:
    """The error of the first wrong reply, where the engine reports it."""
    return "" if each.failed_check is None else f", the first {redacted(str(each.failed_check))}"


def _share(each: MeasuredOperation) -> str:
    if each.ok == 0:
        kinds = ", ".join(
            f"{count:,} × {kind}" for kind, count in sorted(each.errors.items(), key=lambda kind: -kind[1])
        )
        return f"{each.failed:,} of {each.requests:,} requests: {kinds}{_first_of(each)}"
    return f"{each.checks_failed:,} of {each.checked:,} checked replies had wrong content{_first_of(each)}"
