"""Bytes that running processes allocate, as their runtimes count them: the JVM, Node.js and Go."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

from bakeoff.errors import BakeoffError
from bakeoff.profiling.processes import is_go, program_of, tree_of

NODE_HOOK = Path(__file__).with_name("node_allocations.cjs")
_FOLDER_VARIABLE = "BAKEOFF_ALLOCATIONS"
_COMMAND_TIMEOUT_S = 30.0
_NODE_STARTS_WITHIN_S = 5.0
_NODE_ENDS_WITHIN_S = 20.0
_HTTP_TIMEOUT_S = 5.0

_THREAD_EVENT = "jdk.ThreadAllocationStatistics"
_JFR_SETTINGS = f"""<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="{_THREAD_EVENT}">
    <setting name="enabled">true</setting>
    <setting name="period">everyChunk</setting>
  </event>
</configuration>
"""
_GO_PROFILE = "/debug/pprof/allocs?debug=1"
_GO_TOTAL = re.compile(r"^# TotalAlloc = (\d+)$", re.MULTILINE)


class UncountedError(BakeoffError):
    """Allocations that cannot be counted; the message names what to install or to switch on."""


def variables_for(folder: Path) -> Mapping[str, str]:
    """Variables of a program of which allocations are going to be counted; they add to what it has."""
    return {"NODE_OPTIONS": f'--require "{NODE_HOOK}"', _FOLDER_VARIABLE: str(folder)}


class Counter(ABC):
    """Counts what processes allocate from `start` until `stop`."""

    @abstractmethod
    def start(self) -> None:
        """Raises UncountedError where they cannot be counted."""

    @abstractmethod
    def stop(self) -> int:
        """The bytes since `start`. Raises UncountedError."""


def counters_of(pid: int, ports: Sequence[int], folder: Path, *, in_container: bool = False) -> list[Counter]:
    """The counters of a process and what it started; none where no runtime among them counts.

    `ports` are those on which the lab reaches it, and `folder` is the one of its variables. Raises UncountedError.
    """
    processes = tree_of(pid)
    java = [each for each in processes if program_of(each) == "java"]
    node = [each for each in processes if program_of(each) == "node"]
    go = [each for each in processes if is_go(each)]
    if in_container and (java or node):
        raise UncountedError("The allocations of a JVM or of Node.js are counted in processes, not in containers.")
    counters: list[Counter] = [_JavaCounter(each.pid, folder) for each in java]
    if node:
        counters.append(_NodeCounter([each.pid for each in node], folder))
    if go:
        counters.append(_GoCounter([*ports, *_ports_of(go)]))
    elif in_container and any(_total_of_go(port) is not None for port in ports):
        # Programs of another user's container are out of sight, and its port is not.
        counters.append(_GoCounter(ports))
    return counters


class _JavaCounter(Counter):
    """Threads of a JVM by its Flight Recorder, which reports the bytes of each when a recording begins and ends."""

    def __init__(self, pid: int, folder: Path) -> None:
        self._pid, self._folder = pid, folder
        self._name = f"bakeoff-{pid}"

    def start(self) -> None:
        settings = self._folder / "allocations.jfc"
        settings.write_text(_JFR_SETTINGS, "utf-8")
        self._call("jcmd", str(self._pid), "JFR.start", f"name={self._name}", f"settings={settings}")

    def stop(self) -> int:
        recording = self._folder / f"{self._pid}.jfr"
        self._call("jcmd", str(self._pid), "JFR.stop", f"name={self._name}", f"filename={recording}")
        return allocated_in(self._call("jfr", "print", "--json", "--events", _THREAD_EVENT, str(recording)))

    def _call(self, tool: str, *arguments: str) -> str:
        program = _java(self._pid).with_name(tool)
        try:
            done = subprocess.run(
                [program, *arguments], capture_output=True, text=True, timeout=_COMMAND_TIMEOUT_S, check=False
            )
        except FileNotFoundError as error:
            raise UncountedError(f"{program} is not there: run the service by a JDK, which has it.") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UncountedError(f"{program} failed: {error}.") from error
        # It has exit status 0 where the JVM refuses.
        if done.returncode != 0 or "Could not" in done.stdout or "Unknown diagnostic command" in done.stdout:
            said = (done.stderr.strip() or done.stdout.strip() or "it says nothing").splitlines()[-1]
            raise UncountedError(f"The JVM's Flight Recorder could not be used: {said.rstrip('.')}.")
        return done.stdout


def _java(pid: int) -> Path:
    try:
        return Path(f"/proc/{pid}/exe").readlink()
    except OSError as error:
        raise UncountedError(f"The process {pid} has ended.") from error


def allocated_in(recording: str) -> int:
    """The bytes of all threads of a recording that `jfr print --json` has printed.

    A thread is reported when the recording begins and when it ends, and one that started meanwhile in the end alone.
    """
    events = [each["values"] for each in json.loads(recording)["recording"]["events"]]
    reported: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for each in events:
        reported[each["thread"]["javaThreadId"]].append((each["startTime"], each["allocated"]))
    began = min((each["startTime"] for each in events), default="")
    bytes_of_threads = 0
    for of_thread in reported.values():
        (first_at, first), (_, last) = min(of_thread), max(of_thread)
        was_there = len(of_thread) > 1 or first_at[:_TO_A_SECOND] == began[:_TO_A_SECOND]
        bytes_of_threads += last - first if was_there else last
    return bytes_of_threads


# Of an instant such as 2026-11-26T15:20:31.123456789Z.
_TO_A_SECOND = 19


class _NodeCounter(Counter):
    """What V8 allocates on the heap of main threads, by its sampling heap profiler."""

    def __init__(self, pids: Sequence[int], folder: Path) -> None:
        self._pids, self._folder = pids, folder
        self._counting: list[int] = []

    def start(self) -> None:
        (self._folder / "start").touch()
        self._counting = self._wrote("started", self._pids, _NODE_STARTS_WITHIN_S)
        if not self._counting:
            raise UncountedError("Node.js did not load the counter of allocations: let the service keep NODE_OPTIONS.")

    def stop(self) -> int:
        (self._folder / "stop").touch()
        ended = self._wrote("bytes", self._counting, _NODE_ENDS_WITHIN_S)
        texts = [(self._folder / f"{pid}.bytes").read_text("utf-8") for pid in ended]
        if not all(texts) or not texts:
            raise UncountedError("V8's sampling heap profiler gave no figure.")
        return sum(map(int, texts))

    def _wrote(self, kind: str, pids: Sequence[int], within_s: float) -> list[int]:
        """The processes that wrote a file of a kind, once all have or the time is over."""
        deadline = time.monotonic() + within_s
        while True:
            found = [pid for pid in pids if (self._folder / f"{pid}.{kind}").exists()]
            if len(found) == len(pids) or time.monotonic() > deadline:
                return found
            time.sleep(0.02)


class _GoCounter(Counter):
    """What a Go program allocates, by the profile that net/http/pprof serves."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = ports
        self._before = 0
        self._port = 0

    def start(self) -> None:
        for port in self._ports:
            total = _total_of_go(port)
            if total is not None:
                self._port, self._before = port, total
                return
        raise UncountedError(
            'A Go program reports its allocations where it imports _ "net/http/pprof" and serves http.DefaultServeMux, '
            "also on a port of its own."
        )

    def stop(self) -> int:
        total = _total_of_go(self._port)
        if total is None:
            raise UncountedError(f"Port {self._port} serves {_GO_PROFILE} no more.")
        return total - self._before


def _total_of_go(port: int) -> int | None:
    """The bytes that a Go program has allocated since it started; None where the port does not say."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{_GO_PROFILE}", timeout=_HTTP_TIMEOUT_S) as reply:
            found = _GO_TOTAL.search(reply.read().decode("utf-8", "replace"))
    except (OSError, ValueError, urllib.error.URLError):
        return None
    return int(found[1]) if found else None


class Allocations:
    """Bytes that a process and what it started allocate, from `start` until `stop`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._counters: list[Counter] = []

    def start(self, pid: int, ports: Sequence[int] = (), *, in_container: bool = False) -> None:
        """Raises UncountedError where a runtime that counts cannot be asked."""
        for counter in counters_of(pid, ports, self._folder, in_container=in_container):
            counter.start()
            self._counters.append(counter)

    def stop(self) -> int | None:
        """The bytes of all of them; None where no runtime among them counts. Raises UncountedError."""
        counters, self._counters = self._counters, []
        return sum(each.stop() for each in counters) if counters else None


def _ports_of(processes: Sequence[psutil.Process]) -> Iterator[int]:
    """The TCP ports on which processes listen, as far as this user may see them."""
    for process in processes:
        try:
            connections = process.net_connections("tcp")
        except (psutil.Error, OSError):
            continue
        yield from (each.laddr[1] for each in connections if each.status == psutil.CONN_LISTEN)
