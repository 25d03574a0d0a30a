"""What numbered merges cost: `python lab/benchmarks/merge_audit.py [ROUNDS] [TARGET] [SECONDS]`.

Messages that number their merges (`${merge}`) let the audit see each acknowledged one. The numbers make messages and
documents longer. One target is measured with the workload as it is and with the numbers left out, in interleaved
rounds at 64 users, and the ratio of the throughputs is printed with its interval. The target must be built, and the
machine quiet. For docs/RESULTS.md, four minutes:

    .bakeoff/venv/bin/python lab/benchmarks/merge_audit.py 10 producer-api-rust-rest 10
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from bakeoff.cli.progress_display import PlainProgress
from bakeoff.comparing.request import new_seed
from bakeoff.comparing.schedule import turns_of
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import BakeoffError
from bakeoff.judging.estimates import ratio_of
from bakeoff.judging.pairings import log_ratios
from bakeoff.postgres.databases import application_database
from bakeoff.project import Project, find_project
from bakeoff.results.run import ROLES, RunResult, Status
from bakeoff.running.bench import Bench
from bakeoff.running.contender import Contender
from bakeoff.running.lock import measuring_lab
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.sampling.cost import cpu_us_each
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import Workload, load_workload

# A member whose name is numbered, with the comma that separates it from its neighbour.
_MEMBER = r'"[^"]*\$\{merge\}[^"]*":(?:\$\{[^}]*\}|[^,}\n])*'
_NUMBERED = re.compile(f"{_MEMBER},|,{_MEMBER}")
_AS_IT_IS, _WITHOUT = "numbered", "without"
_USERS, _WARM_UP_S = 64, 10.0


def main() -> None:
    """Prints the ratio of the throughputs, and CPU per operation of each side."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    name = sys.argv[2] if len(sys.argv) > 2 else "producer-api-rust-rest"
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
    project = find_project()
    (target,) = choose_targets(find_targets(project), [name], "all")
    engine = find_engine(project, "native")
    with tempfile.TemporaryDirectory() as folder, measuring_lab(project), application_database(project) as server:
        workload = load_workload(project, target.workload)
        sides = {_AS_IT_IS: workload, _WITHOUT: _without_numbers(workload, Path(folder))}
        contenders = [Contender(target, each, engine, factors={"merges": side}) for side, each in sides.items()]
        bench = Bench(project, server, PlainProgress(Console(stderr=True)))
        rates: dict[str, dict[int, float]] = {side: {} for side in sides}
        costs: dict[str, dict[int, float]] = {side: {} for side in sides}
        for turn in turns_of(contenders, rounds, new_seed()):
            side = turn.contender.factors["merges"]
            result = _measured(bench, turn.contender, turn.round, seconds)
            rates[side][turn.round] = result.phases[0].measured.throughput_per_s
            costs[side][turn.round] = sum(_costs(result).values())
            print(f"round {turn.round}, {side}: {_figures(result)}", flush=True)
    print(f"{name}, numbered merges against messages without numbers:")
    print(f"throughput {_ratio(rates)}")
    print(f"CPU per operation, all roles together {_ratio(costs)}")


def _ratio(figures: Mapping[str, Mapping[int, float]]) -> str:
    """Round by round, with its interval."""
    ratio = ratio_of(list(log_ratios(figures[_AS_IT_IS], figures[_WITHOUT]).values())).ratio
    if ratio.low is None or ratio.high is None:
        return f"{ratio.median:.3f}×"
    return f"{ratio.median:.3f}× ({ratio.interval_name} {ratio.low:.3f} to {ratio.high:.3f})"


def _without_numbers(workload: Workload, folder: Path) -> Workload:
    """The workload from a copy of its folder, in which no member has a numbered name."""
    contract = folder / "contract"
    copy = contract / workload.name
    shutil.copytree(workload.directory.parent / "schemas", contract / "schemas")
    shutil.copytree(workload.directory, copy)
    file = copy / "workload.toml"
    text, count = _NUMBERED.subn("", file.read_text("utf-8"))
    if count == 0:
        raise BakeoffError(f"{workload.name} numbers no merges, so there is nothing to compare.")
    file.write_text(text, "utf-8")
    return load_workload(Project(folder), workload.name)


def _measured(bench: Bench, contender: Contender, number: int, seconds: float) -> RunResult:
    request = RunRequest(
        contender, "quick", [Phase(f"{_USERS} users", _USERS, seconds)], number, Settling(_WARM_UP_S, 0.0)
    )
    result = measure(bench, request)
    if result.status is not Status.COMPLETED:
        raise BakeoffError(result.failure or f"The run of {contender.key} is {result.status}.")
    return result


def _figures(result: RunResult) -> str:
    words = [f"{role} {cost:.1f}" for role, cost in _costs(result).items()]
    return f"{result.phases[0].measured.throughput_per_s:,.0f}/s · CPU µs per operation: {', '.join(words)}"


def _costs(result: RunResult) -> dict[str, float]:
    measured = result.phases[0].measured
    costs = {role: cpu_us_each(measured.costs.get(role), measured.operations) for role in ROLES}
    return {role: cost for role, cost in costs.items() if cost is not None}


if __name__ == "__main__":
    main()
