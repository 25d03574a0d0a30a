"""How conformance is shown: a table of counts, then what differed."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from rich import box
from rich.table import Table

from bakeoff.conformance.runner import ConformanceResult

_SHOWN_FAILURES = 40


def conformance_table(results: Mapping[str, ConformanceResult]) -> Table:
    """One row for each target."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("target", no_wrap=True)
    for heading in ("cases", "passed", "failed", "left out"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for target, result in results.items():
        failed = len(result.failures)
        counts = (len(result.results), len(result.results) - failed, failed, result.not_applicable)
        table.add_row(
            target, *(f"{count:,}" for count in counts), "conforms" if result.conforms else "does not conform"
        )
    return table


def differences(results: Mapping[str, ConformanceResult]) -> Iterator[str]:
    """A line for each failed case and one for each of its differences, as many as anybody reads."""
    for target, result in results.items():
        for failure in result.failures[:_SHOWN_FAILURES]:
            yield f"{target}: {failure.subject}/{failure.case} (rule {failure.rule})"
            yield from (f"    {difference}" for difference in failure.differences)
        left = len(result.failures) - _SHOWN_FAILURES
        if left > 0:
            yield f"{target}: and {left} more"


def described(target: str, result: ConformanceResult) -> dict[str, object]:
    """The same for programs, with every failure."""
    return {
        "target": target,
        "conforms": result.conforms,
        "cases": len(result.results),
        "not_applicable": result.not_applicable,
        "failures": [asdict(failure) for failure in result.failures],
    }


def summary(result: ConformanceResult) -> str:
    """The verdict in one sentence."""
    failed = len(result.failures)
    if not failed:
        return f"all {len(result.results)} conformance cases passed."
    names = ", ".join(failure.case for failure in result.failures[:3])
    return f"{failed} of {len(result.results)} conformance cases failed ({names}{', …' if failed > 3 else ''})."
