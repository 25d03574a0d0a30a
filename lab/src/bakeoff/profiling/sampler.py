"""Samples the CPU of running processes: Python by py-spy, everything else by Linux's perf."""

import contextlib
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from bakeoff.errors import BakeoffError
from bakeoff.profiling.processes import is_go, program_of, tree_of
from bakeoff.profiling.stacks import Stacks, stacks_of_lines, stacks_of_perf

# A number that no clock of a program shares, so that samples do not follow its ticks.
_SAMPLES_PER_S = 199
_ENDS_WITHIN_S = 30.0

RUNTIME_VARIABLES: Mapping[str, str] = {
    # Names and frames of compiled code, which perf would show as addresses.
    "JAVA_TOOL_OPTIONS": "-XX:+PreserveFramePointer",
    # Names of functions alone: with all names V8 writes a log into the folder of the service.
    "NODE_OPTIONS": "--perf-basic-prof-only-functions --interpreted-frames-native-stack",
}
"""Variables of programs that are going to be sampled."""


class NoProfilerError(BakeoffError):
    """Nothing here can sample these processes; the message names what to install."""


@dataclass(frozen=True)
class _Kind:
    """Processes that one sampler takes together: those of Python, those with frame pointers, or others."""

    pids: Sequence[int]
    by_frame_pointers: bool = False
    is_python: bool = False


class Sampler:
    """Samples processes and what they started, from `start` until `stop`, into files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[tuple[_Kind, Path, subprocess.Popen[bytes]]] = []
        self._java: list[int] = []

    def start(self, pid: int) -> None:
        """Raises NoProfilerError where the process cannot be sampled."""
        processes = tree_of(pid)
        self._java = [each.pid for each in processes if program_of(each) == "java"]
        for number, kind in enumerate(_kinds(processes)):
            file = self._folder / f"samples-{number}"
            log = (self._folder / f"sampler-{number}.log").open("wb")
            with log:
                self._running.append((kind, file, subprocess.Popen(_command(kind, file), stdout=log, stderr=log)))

    def stop(self) -> Stacks:
        """The stacks that were sampled, of all processes together. Raises BakeoffError where a sampler failed."""
        self._name_compiled_code()
        stacks: Stacks = Counter()
        for kind, file, process in self._running:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            stacks += _read(kind, file)
        self._running = []
        if not stacks:
            raise BakeoffError("No sample of its CPU was taken.")
        return stacks

    def close(self) -> None:
        """Ends samplers that still run."""
        for _, _, process in self._running:
            process.kill()
            process.wait()
        self._running = []

    def _name_compiled_code(self) -> None:
        for pid in self._java:
            # Without names its frames stay addresses, which is no failure.
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                program = Path(f"/proc/{pid}/exe").readlink().with_name("jcmd")
                subprocess.run([program, str(pid), "Compiler.perfmap"], capture_output=True, timeout=_ENDS_WITHIN_S)


def _kinds(processes: Sequence[psutil.Process]) -> list[_Kind]:
    """The processes by what can sample them."""
    python = [each.pid for each in processes if program_of(each).startswith("python")]
    others = [each for each in processes if each.pid not in python]
    framed = [each.pid for each in others if _keeps_frame_pointers(each)]
    rest = [each.pid for each in others if each.pid not in framed]
    # py-spy follows what a process starts: the first one stands for all.
    kinds = [_Kind(python[:1], is_python=True), _Kind(framed, by_frame_pointers=True), _Kind(rest)]
    # A shell that waits for the service has nothing to sample beside it.
    return [kind for kind in kinds if kind.pids and (kind.is_python or not python)]


def _keeps_frame_pointers(process: psutil.Process) -> bool:
    """Whether its frames can be followed without unwinding tables: Go keeps them, others by the variables above."""
    return program_of(process) in ("java", "node", "bun") or is_go(process)


def _command(kind: _Kind, file: Path) -> list[str]:
    pids = [str(pid) for pid in kind.pids]
    if kind.is_python:
        tool = _py_spy()
        return [tool, "record", "--pid", pids[0], "--subprocesses", "--rate", str(_SAMPLES_PER_S), "--format", "raw",
                "--output", str(file)]  # fmt: skip
    perf = shutil.which("perf")
    if perf is None:
        raise NoProfilerError("Linux's perf is not on PATH. Install it (Debian: apt-get install linux-perf).")
    way = "fp" if kind.by_frame_pointers else "dwarf,16384"
    chosen = ["-e", "cpu-clock", "-F", str(_SAMPLES_PER_S), "--call-graph", way]
    return [perf, "record", "-q", *chosen, "-p", ",".join(pids), "-o", str(file)]


def _py_spy() -> str:
    beside = Path(sys.executable).with_name("py-spy")
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise NoProfilerError("py-spy is not on PATH. Install it: pip install py-spy.")
    return found


def _read(kind: _Kind, file: Path) -> Stacks:
    if not file.exists():
        log = file.with_name(file.name.replace("samples", "sampler") + ".log")
        said = log.read_text("utf-8", "replace").strip().splitlines() if log.exists() else []
        raise BakeoffError(f"The CPU could not be sampled: {said[-1] if said else 'the profiler wrote nothing'}.")
    if kind.is_python:
        return stacks_of_lines(iter(file.read_text("utf-8", "replace").splitlines()))
    fields = ["--no-inline", "--fields", "comm,ip,sym,dso"]
    with subprocess.Popen(
        ["perf", "script", "-i", file, *fields], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        return stacks_of_perf(process.stdout)
