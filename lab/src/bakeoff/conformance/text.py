"""Results of conformance as text: a table of counts, then the differences."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from bakeoff.conformance.case import Profile
from bakeoff.conformance.runner import ConformanceResult
from bakeoff.documents.checked import Json
from bakeoff.text.table import Table

_SHOWN_FAILURES = 40
# A wrong status and the body that gives the reason.
_SUMMARISED_DIFFERENCES = 2


def conformance_table(results: Mapping[str, ConformanceResult], required: Mapping[str, Profile]) -> Table:
    """One row for each target; failed cases by profile, and whether the target keeps the profile that it must."""
    rows = []
    for target, result in results.items():
        core = len(result.failures_in(Profile.CORE))
        counts = (len(result.results), core, len(result.failures) - core, result.not_applicable)
        rows.append((target, *(f"{count:,}" for count in counts), _verdict(result, required[target])))
    headings = ("target", "cases", "core failed", "strict failed", "skipped", "verdict")
    return Table("", headings, rows, words_last=True, least=("skipped", "cases", "strict failed", "core failed"))


def _verdict(result: ConformanceResult, required: Profile) -> str:
    if not result.conforms(required):
        return "does not conform"
    return "conforms, core and strict" if result.proved is Profile.STRICT else "conforms, core"


def differences(results: Mapping[str, ConformanceResult], required: Mapping[str, Profile]) -> Iterator[str]:
    """A line for each case that a target had to pass and failed, and one for each difference; at most 40 cases each."""
    for target, result in results.items():
        profile = required[target]
        failures = result.failures_in(profile)
        for failure in failures[:_SHOWN_FAILURES]:
            yield f"{target}: {failure.subject}/{failure.case} (rule {failure.rule})"
            yield from (f"    {difference}" for difference in failure.breaks(profile))
        left = len(failures) - _SHOWN_FAILURES
        if left > 0:
            yield f"{target}: and {left} more"


def described(target: str, result: ConformanceResult, required: Profile) -> dict[str, Json]:
    """The same for programs, with every failure of either profile."""
    return {
        "target": target,
        "conforms": result.conforms(required),
        "profile": required.value,
        "proved": None if result.proved is None else result.proved.value,
        "cases": len(result.results),
        "not_applicable": result.not_applicable,
        "failures": [asdict(failure) for failure in result.failures],
    }


def summary(result: ConformanceResult, required: Profile) -> str:
    """How many cases failed, their names, and how the first did."""
    failures = result.failures_in(required)
    if not failures:
        return f"all {len(result.results)} conformance cases passed."
    names = ", ".join(failure.case for failure in failures[:3])
    more = ", …" if len(failures) > 3 else ""
    first = "; ".join(failures[0].breaks(required)[:_SUMMARISED_DIFFERENCES])
    return f"{len(failures)} of {len(result.results)} conformance cases failed ({names}{more}). The first: {first}."
