"""What a gate compared, and where it was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bakeoff.gating.request import request_of
from bakeoff.history.run_references import Referenced
from bakeoff.options.variant import CANDIDATE, COMMIT
from bakeoff.reporting.numbers import plural, seconds
from bakeoff.results.run import RunResult

_SHORT = 12
_ON_ONE_CORE = (
    "This machine has one core for target, database and load generator: latencies include waiting for it. Both sides "
    "meet the same, so their ratio holds."
)


@dataclass(frozen=True)
class Circumstances:
    """The method and the machine as facts by name, with the names of both sides; and a caution about the machine."""

    facts: Mapping[str, str]
    caution: str = ""


def circumstances_of(candidate: Referenced, baseline: Referenced | None) -> Circumstances:
    """Those of a candidate with a baseline, or with both commits in one comparison."""
    request = request_of(candidate.requested)
    runs = [each.result for each in candidate.stored]
    heads = [run for run in runs if run.factors.get(COMMIT, CANDIDATE) == CANDIDATE]
    sides = {}
    if request is not None and request.against is not None:
        sides["Base"] = f"commit {request.against[:_SHORT]}"
    elif baseline is not None:
        sides["Base"] = baseline.name
    if heads:
        sides["Head"] = _head(heads[0])
    return Circumstances({**sides, **_method(runs), **_machine(heads)}, caution_of(candidate))


def caution_of(candidate: Referenced) -> str:
    """A sentence about a machine that is too small to show more than ratios; empty for any other."""
    cores = {each.result.environment.get("cores") for each in candidate.stored}
    return _ON_ONE_CORE if cores == {"1"} else ""


def _head(run: RunResult) -> str:
    commit = run.environment.get("commit")
    changed = " with uncommitted changes" if run.environment.get("uncommitted_changes") == "true" else ""
    return "the working tree" if commit is None else f"commit {commit[:_SHORT]}{changed}"


def _method(runs: Sequence[RunResult]) -> Mapping[str, str]:
    if not runs:
        return {}
    first, rounds = runs[0], len({run.round for run in runs})
    loads = list(dict.fromkeys(phase.load for run in runs for phase in run.phases))
    windows = [phase.measured.planned_s for run in runs for phase in run.phases]
    facts = {"Mode": f"{first.mode}, {plural(rounds, 'round')}", "Load": ", ".join(loads)}
    if windows:
        facts["Window"] = f"{seconds(median(windows))} a level and round"
    facts["Order"] = "in turns of a second" if _took_turns(runs) else "one after the other, in the same rounds"
    storages = dict.fromkeys(storage for run in runs if (storage := run.environment.get("storage")))
    return {name: fact for name, fact in {**facts, "Storage": ", ".join(storages)}.items() if fact}


def _took_turns(runs: Sequence[RunResult]) -> bool:
    """Whether both sides of a target ran at the same time: they then took turns."""
    in_order = sorted(runs, key=lambda run: run.started_at)
    return any(
        one.target == other.target and one.round == other.round and other.started_at < one.finished_at
        for one, other in pairwise(in_order)
    )


def _machine(runs: Sequence[RunResult]) -> Mapping[str, str]:
    if not runs:
        return {}
    environment = runs[0].environment
    named = (
        ("Processor", "cpu"),
        ("Cores", "cores"),
        ("Memory, MiB", "memory_mib"),
        ("Kernel", "kernel"),
        ("Database", "database"),
        ("Toolchain", "toolchain"),
        ("bakeoff", "bakeoff"),
    )
    return {title: fact for title, name in named if (fact := environment.get(name))}
