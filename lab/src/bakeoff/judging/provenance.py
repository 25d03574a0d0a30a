"""The facts of the runs that are needed to repeat a comparison."""

from collections.abc import Mapping, Sequence

from bakeoff.storage.stored_runs import StoredRun

# Belong to one target, and stand with its contender: its name, toolchain and libraries, its settings, and what it runs
# in where the lab did not start it.
_OF_A_TARGET = ("title", "toolchain", "stack", "target_")


def provenance_of(runs: Sequence[StoredRun]) -> Mapping[str, str]:
    """Facts by name; where runs differ, each value that there was. Facts of single targets are left out."""
    facts: dict[str, dict[str, None]] = {}
    for run in (stored.result for stored in runs):
        seed = {name: value for name, value in run.settings.items() if name == "seed"}
        for name, value in {**run.environment, "engine": f"{run.engine} {run.engine_version}", **seed}.items():
            if not name.startswith(_OF_A_TARGET):
                facts.setdefault(name, {})[value] = None
    return {name: ", ".join(values) for name, values in facts.items()}
