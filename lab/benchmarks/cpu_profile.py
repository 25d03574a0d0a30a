"""CPU profiles of two targets: `python lab/benchmarks/cpu_profile.py ONE OTHER [ROUNDS USERS SECONDS WARM_UP]`.

Two built targets take turns in rounds, at one level in their default settings. `perf` samples each target's processes
while the level is measured, and each sample counts for the package that its function belongs to: a namespace, a
library, the kernel. Printed are microseconds of CPU per operation for each package, medians of the rounds, so that
what one target spends and the other does not has a name. Needs Linux's `perf` and the right to sample; a JVM is asked
for the names of what it has compiled (`jcmd`, JDK 17 and later). Inlined functions count for the function that they
were put into. The machine must be quiet:

    .bakeoff/venv/bin/python lab/benchmarks/cpu_profile.py producer-api-rust-rest producer-api-rust-rest-tuned 5 256
"""

import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TypeAlias

from clone import project_here
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.request import new_seed
from bakeoff.comparing.schedule import turns_of
from bakeoff.engines.manifest import find_engine
from bakeoff.engines.stream import PhaseStart, Record
from bakeoff.errors import BakeoffError
from bakeoff.judging.estimates import ratio_of
from bakeoff.judging.pairings import log_ratios
from bakeoff.judging.verdict import times
from bakeoff.postgres.databases import application_database
from bakeoff.results.cost import cpu_us_each
from bakeoff.results.run import Status
from bakeoff.running.contender import Contender
from bakeoff.running.lock import measuring_lab
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.workload.loader import load_workload

_LEVEL = "profiled level"
_SAMPLES_PER_S = 997
# The end of a level, in which a JVM is asked for names, is not sampled.
_UNSAMPLED_S = 2.0
# A line for each package that takes this much of either target's CPU; the others are added up.
_SHOWN = 0.005
# A line of `perf script`, such as `tokio-rt-worker  55d0c0ffee <hyper::Conn as Future>::poll (/opt/bin/api)`.
_SAMPLE = re.compile(r"^\s*(?P<thread>.*?)\s+[0-9a-f]+ (?P<symbol>.*) \((?P<file>[^()]*(?:\([^()]*\))?)\)$")
# Symbols as compilers write them: org.example.api.Type.function, <crate::Type as core::Trait>::function and
# example.org/owner/api/package.(*Type).function.
_DOTS = re.compile(r"(?P<package>[a-z_]\w*(?:\.[a-z_]\w*)+)\.[A-Z]")
_COLONS = re.compile(r"(?P<package>[A-Za-z_]\w*)(?:\[[0-9a-f]+\])?::")
_SLASHES = re.compile(r"^(?P<package>(?:[\w.~-]+/)*[\w~-]+(?:%2e\w+)?)\.")
_STANDARD_LIBRARY = {"core", "alloc", "std"}
# Fewer have no interval.
_LEAST_ROUNDS = 3

_Costs: TypeAlias = Mapping[str, float]


class _Perf(PlainProgress):
    """Samples the processes of a target during the level, and counts samples by package."""

    def __init__(self, target: Target, seconds: float, folder: Path) -> None:
        super().__init__(Console(stderr=True))
        self._target, self._level_s, self._file = target, seconds, folder / "perf.data"
        self._thread: threading.Thread | None = None
        self._failure: str | None = None

    def record(self, record: Record) -> None:
        super().record(record)
        if isinstance(record, PhaseStart) and record.name == _LEVEL:
            self._thread = threading.Thread(target=self._sample)
            self._thread.start()

    def packages(self) -> Counter[str]:
        """Samples of each package."""
        if self._thread is None:
            raise BakeoffError(f"{self._target.name} never came to the level that is sampled.")
        self._thread.join()
        if self._failure is not None:
            raise BakeoffError(f"perf could not sample {self._target.name}: {self._failure}")
        fields = ["--fields", "comm,ip,sym,dso"]
        read = subprocess.run(["perf", "script", "-i", self._file, *fields], check=True, capture_output=True, text=True)
        return packages_in(read.stdout)

    def _sample(self) -> None:
        pids = list(_pids_of(self._target))
        if not pids:
            self._failure = "its process was not found."
            return
        chosen = ["-e", "cpu-clock", "-F", str(_SAMPLES_PER_S), "-p", ",".join(map(str, pids)), "-o", str(self._file)]
        sleep = ["--", "sleep", str(self._level_s - _UNSAMPLED_S)]
        done = subprocess.run(["perf", "record", "-q", *chosen, *sleep], capture_output=True, text=True)
        if done.returncode != 0:
            self._failure = done.stderr.strip()
        for pid in pids:
            program = Path(f"/proc/{pid}/exe").resolve()
            if program.name == "java":
                names = [str(program.with_name("jcmd")), str(pid), "Compiler.perfmap"]
                asked = subprocess.run(names, capture_output=True, text=True)
                if asked.returncode != 0:
                    self._failure = f"jcmd: {asked.stdout.strip()} {asked.stderr.strip()}"


def packages_in(samples: str) -> Counter[str]:
    """Samples of each package, from the lines of `perf script`."""
    packages: Counter[str] = Counter()
    for line in filter(str.strip, samples.splitlines()):
        sample = _SAMPLE.match(line)
        if sample is None:
            raise BakeoffError(f"This line of perf is no sample: {line.strip()}")
        packages[package_of(sample["thread"], sample["symbol"], sample["file"])] += 1
    return packages


def package_of(thread: str, symbol: str, file: str) -> str:
    """The package of a function, from its symbol and the file that holds it."""
    if file.startswith("[kernel") or file.endswith(".ko"):
        return "kernel"
    name = Path(file).name
    if name == "libjvm.so":
        return f"{name}: {thread.rstrip('#0123456789 ')}"
    if ".so" in name or name.startswith("["):
        return name
    if dots := _DOTS.search(symbol):
        return ".".join(dots["package"].split(".")[:3])
    if name.startswith("perf-"):
        return "JVM's stubs and interpreter"
    if colons := _COLONS.search(symbol):
        return "std" if colons["package"] in _STANDARD_LIBRARY else colons["package"]
    if slashes := _SLASHES.match(symbol):
        path = slashes["package"].replace("%2e", ".").split("/")
        return "/".join(path[:3] if "." in path[0] else path[:2])
    return "C and unnamed"


def _pids_of(target: Target) -> Iterable[int]:
    """Processes that run a target's artifact, or were given it as an argument."""
    artifact = target.build.artifact.resolve()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                folder = (entry / "cwd").resolve()
            except OSError:
                continue
            if any(word and (folder / word).resolve() == artifact for word in words):
                yield int(entry.name)


def main() -> None:
    """Prints CPU per operation by package of two targets, and the ratio of their throughputs."""
    if len(sys.argv) < 3:
        raise BakeoffError("Name two built targets: python lab/benchmarks/cpu_profile.py ONE OTHER [ROUNDS USERS …].")
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    users = int(sys.argv[4]) if len(sys.argv) > 4 else 256
    seconds = float(sys.argv[5]) if len(sys.argv) > 5 else 12.0
    warm_up_s = float(sys.argv[6]) if len(sys.argv) > 6 else 15.0
    if rounds < _LEAST_ROUNDS or seconds <= 2 * _UNSAMPLED_S:
        raise BakeoffError(f"Give {_LEAST_ROUNDS} rounds or more, each longer than {2 * _UNSAMPLED_S:g} seconds.")
    project = project_here()
    targets = choose_targets(find_targets(project), sys.argv[1:3], "all")
    engine = find_engine("native")
    rates: dict[str, dict[int, float]] = {each.name: {} for each in targets}
    costs: dict[str, list[_Costs]] = {each.name: [] for each in targets}
    with tempfile.TemporaryDirectory() as folder, measuring_lab(project), application_database(project) as server:
        contenders = [Contender(each, load_workload(project, each.workload), engine) for each in targets]
        for turn in turns_of(contenders, rounds, new_seed()):
            name = turn.contender.target.name
            perf = _Perf(turn.contender.target, seconds, Path(folder))
            settling = Settling(warm_up_s, 0.0)
            request = RunRequest(turn.contender, "quick", [Phase(_LEVEL, users, seconds)], turn.round, settling)
            rates[name][turn.round], cost = _profiled(Testbed(project, server, perf), request, perf)
            costs[name].append(cost)
            print(
                f"round {turn.round}, {name}: {rates[name][turn.round]:,.0f}/s, {sum(cost.values()):.1f} µs", flush=True
            )
    one, other = (each.name for each in targets)
    ratio = ratio_of(list(log_ratios(rates[other], rates[one]).values())).ratio
    print(f"{other} as a multiple of {one}: {times(ratio)}")
    print("\n".join(_table(one, costs[one], other, costs[other])))


def _profiled(testbed: Testbed, request: RunRequest, perf: _Perf) -> tuple[float, _Costs]:
    """Operations a second of one run, and microseconds of CPU per operation by package."""
    result = measure(testbed, request)
    if result.status is not Status.COMPLETED:
        raise BakeoffError(result.failure or f"The run of {result.target} is {result.status}.")
    measured, samples = result.phases[0].measured, perf.packages()
    cpu_us = cpu_us_each(measured.costs.get("target"), measured.operations)
    if cpu_us is None:
        raise BakeoffError(f"CPU of {result.target} is unknown.")
    return measured.throughput_per_s, {name: count * cpu_us / samples.total() for name, count in samples.items()}


def _table(one: str, ones: Sequence[_Costs], other: str, others: Sequence[_Costs]) -> Iterable[str]:
    """Packages by what separates the targets most."""
    first, second = _medians(ones), _medians(others)
    whole = max(sum(first.values()), sum(second.values()))
    names = first.keys() | second.keys()
    shown = [name for name in names if max(first.get(name, 0.0), second.get(name, 0.0)) >= _SHOWN * whole]
    shown.sort(key=lambda name: second.get(name, 0.0) - first.get(name, 0.0))
    yield f"| CPU, µs per operation | {one} | {other} | difference |"
    yield "|---|---:|---:|---:|"
    for name in shown:
        yield _line(name, first.get(name, 0.0), second.get(name, 0.0))
    rest = [sum(cost for name, cost in side.items() if name not in shown) for side in (first, second)]
    yield _line("all others", *rest)
    yield _line("**together**", sum(first.values()), sum(second.values()))


def _medians(rounds: Sequence[_Costs]) -> _Costs:
    """Of each package, over rounds; one that a round has no sample of took nothing there."""
    return {name: median(each.get(name, 0.0) for each in rounds) for name in set().union(*rounds)}


def _line(name: str, first: float, second: float) -> str:
    return f"| {name} | {first:.2f} | {second:.2f} | {second - first:+.2f} |"


if __name__ == "__main__":
    main()
