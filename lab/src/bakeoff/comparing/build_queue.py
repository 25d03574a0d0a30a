"""Builds in the background: two at once, in an order that gives the first target early."""

import contextlib
import math
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from bakeoff.builds.build import Build
from bakeoff.errors import BakeoffError
from bakeoff.processes import children
from bakeoff.running.progress import Progress

# Compilers use several cores themselves; a second build fills them while the first one links.
_AT_ONCE = 2
# What is being measured meanwhile must not time out for want of a core.
_NICENESS = 5
_SHOWN_EVERY_S = 0.5
_ENDS_WITHIN_S = 10.0

_Ended = tuple[Build, "Future[float]"]


class BuildQueue:
    """Builds what is stale. Its methods are for the thread that made it; builds run in threads of their own."""

    def __init__(self, builds: Sequence[Build], progress: Progress, at_once: int = _AT_ONCE) -> None:
        stale = [build for build in _distinct(builds) if build.is_stale()]
        self._progress = progress
        self._at_once = at_once
        self._pending = stale
        self._unfinished = {build.name for build in stale}
        self._failures: dict[str, BaseException] = {}
        self._ended: queue.SimpleQueue[_Ended] = queue.SimpleQueue()
        self._running: dict[str, Build] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.RLock()
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="build")
        self._last_line = ""
        self._cancelled = False
        self._start_next()

    @property
    def is_busy(self) -> bool:
        """Whether a build has not ended yet."""
        self._collect_ended()
        return bool(self._unfinished)

    def has_ended(self, build: Build) -> bool:
        """Whether the build is done, or has failed."""
        self._collect_ended()
        return build.name not in self._unfinished

    def wait_for(self, build: Build) -> None:
        """Returns when the artifact is up to date; raises BakeoffError when it did not build."""
        self.wait_for_any([build])
        failure = self._failures.get(build.name)
        if failure is not None:
            raise failure

    def wait_for_any(self, builds: Sequence[Build]) -> None:
        """Returns when one of the builds has ended, and shows meanwhile what is being built."""
        shown = ""
        while not any(self.has_ended(build) for build in builds):
            if self.names() != shown:
                shown = self.names()
                self._progress.step(f"building {shown}")
            self._progress.detail(self._last_line)
            with contextlib.suppress(queue.Empty):
                self._note(self._ended.get(timeout=_SHOWN_EVERY_S))

    def names(self) -> str:
        """The builds that run now, as `a, b`."""
        with self._lock:
            return ", ".join(self._running)

    def cancel(self) -> None:
        """Ends all builds with the compilers they started. They stay stale."""
        with self._lock:
            self._cancelled = True
            self._pending = []
            for process in self._processes.values():
                _kill(process)
        self._pool.shutdown(wait=True)

    def _collect_ended(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._note(self._ended.get_nowait())

    def _note(self, ended: _Ended) -> None:
        build, future = ended
        self._unfinished.discard(build.name)
        failure = future.exception()
        if failure is None:
            self._progress.say(f"built {build.name} in {future.result():.0f} s")
        else:
            self._failures[build.name] = failure

    def _start_next(self) -> None:
        """Starts as many as may run. Builds of one directory share caches there, so they never run at the same time."""
        with self._lock:
            for build in list(self._pending):
                busy = {running.directory for running in self._running.values()}
                if len(self._running) < self._at_once and build.directory not in busy:
                    self._pending.remove(build)
                    self._running[build.name] = build
                    future = self._pool.submit(self._build, build)
                    future.add_done_callback(lambda future, build=build: self._end(build, future))  # type: ignore[misc]

    def _build(self, build: Build) -> float:
        began = time.monotonic()
        build.run(lambda line: self._show(build, line), lambda process: self._watch(build, process))
        return time.monotonic() - began

    def _show(self, build: Build, line: str) -> None:
        self._last_line = f"{build.name}: {line}"

    def _watch(self, build: Build, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        with self._lock:
            self._processes[build.name] = process
            if self._cancelled:
                _kill(process)

    def _end(self, build: Build, future: "Future[float]") -> None:
        with self._lock:
            self._running.pop(build.name)
            self._processes.pop(build.name, None)
        self._ended.put((build, future))
        self._start_next()


@contextlib.contextmanager
def building(builds: Sequence[Build], progress: Progress) -> Iterator[BuildQueue]:
    """Builds in the background while the block lasts; what has not ended by then is ended."""
    queued = BuildQueue(builds, progress)
    try:
        yield queued
    finally:
        queued.cancel()


def first_measured_first(builds: Sequence[Build]) -> list[Build]:
    """What builds fast comes first, so that the first figure comes early; what does not say how long it takes, last."""
    return sorted(builds, key=lambda build: math.inf if build.typical_s is None else build.typical_s)


def _kill(process: subprocess.Popen[bytes]) -> None:
    children.kill_session(process)
    children.stop(process, signal.SIGKILL, _ENDS_WITHIN_S)


def _distinct(builds: Sequence[Build]) -> list[Build]:
    return list({build.name: build for build in builds}.values())


def failure_of(queued: BuildQueue, build: Build) -> str | None:
    """Waits for a build; the reason when it failed."""
    try:
        queued.wait_for(build)
    except BakeoffError as error:
        return error.message
    return None
