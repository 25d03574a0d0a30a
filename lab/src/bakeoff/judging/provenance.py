"""The facts of the runs that are needed to repeat a comparison."""

from collections.abc import Mapping, Sequence

from bakeoff.storage.stored_runs import StoredRun

# Belong to one target, and stand with its contender: its toolchain and libraries, its settings, and what it runs in
# where the lab did not start it.
_OF_A_TARGET = ("toolchain", "stack", "api_")


def provenance_of(runs: Sequence[StoredRun]) -> Mapping[str, str]:
    """Facts by name; where runs differ, each value that there was. Facts of single targets are left out."""
    facts: dict[str, list[str]] = {}
    for run in runs:
        engine = {"engine": f"{run.result.engine} {run.result.engine_version}"}
        seed = {"seed": run.result.settings["seed"]} if "seed" in run.result.settings else {}
        for name, value in {**run.result.environment, **engine, **seed}.items():
            if not name.startswith(_OF_A_TARGET) and value not in facts.setdefault(name, []):
                facts[name].append(value)
    return {name: ", ".join(values) for name, values in facts.items() if values}


def changed_between(runs: Sequence[StoredRun], names: Sequence[str]) -> list[str]:
    """Those of the named facts that were not the same in all runs."""
    return [name for name in names if len({run.result.environment.get(name) for run in runs}) > 1]
