"""Builds in the background: two at once, in an order that gives the first target early."""

import contextlib
import math
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from bakeoff.builds.build import Build
from bakeoff.comparing.new_operations import candidate_of
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import COMMIT
from bakeoff.processes import children
from bakeoff.running.contender import Contender
from bakeoff.running.progress import Progress

# Compilers use several cores themselves; a second build fills them while the first one links.
_AT_ONCE = 2
# A measurement at the same time must not time out for want of a core.
_NICENESS = 5
_SHOWN_EVERY_S = 0.5
_ENDS_WITHIN_S = 10.0


class BuildQueue:
    """Builds what is stale. Its methods are for the thread that made it; builds run in their own threads."""

    def __init__(self, builds: Sequence[Build], progress: Progress, niceness: int = _NICENESS) -> None:
        self._niceness = niceness
        distinct = {build.name: build for build in builds}.values()
        self._pending = [build for build in distinct if build.is_stale()]
        self._progress = progress
        self._unfinished = {build.name for build in self._pending}
        self._failures: dict[str, BaseException] = {}
        self._changed = threading.Condition()
        self._running: dict[str, Build] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ended: list[tuple[Build, float, BaseException | None]] = []
        self._last_line = ""
        self._is_cancelled = False
        self._workers = [threading.Thread(target=self._work, name=f"build {number}") for number in range(_AT_ONCE)]
        for worker in self._workers if self._pending else ():
            worker.start()

    @property
    def is_busy(self) -> bool:
        self._collect_ended()
        return bool(self._unfinished)

    def has_ended(self, build: Build) -> bool:
        self._collect_ended()
        return build.name not in self._unfinished

    def wait_for(self, build: Build) -> None:
        """Returns when the artifact is up to date; raises BakeoffError when it did not build."""
        self.wait_for_any([build])
        if build.name in self._failures:
            raise self._failures[build.name]

    def wait_for_any(self, builds: Sequence[Build]) -> None:
        """Returns when one of the builds has ended, and shows meanwhile what is being built."""
        shown = ""
        while not any(self.has_ended(build) for build in builds):
            if (names := self.names()) != shown:
                shown = names
                self._progress.step(f"building {names}")
            self._progress.detail(self._last_line)
            with self._changed:
                self._changed.wait_for(lambda: self._ended, _SHOWN_EVERY_S)

    def names(self) -> str:
        """The builds that run now, as `a, b`."""
        with self._changed:
            return ", ".join(self._running)

    def cancel(self) -> None:
        """Ends all builds with the compilers they started. They stay stale."""
        with self._changed:
            self._is_cancelled = True
            self._pending = []
            self._changed.notify_all()
            for process in self._processes.values():
                _kill(process)
        for worker in self._workers:
            if worker.ident is not None:
                worker.join()

    def _collect_ended(self) -> None:
        with self._changed:
            ended, self._ended = self._ended, []
        for build, seconds, failure in ended:
            self._unfinished.discard(build.name)
            if failure is None:
                self._progress.say(f"built {build.name} in {seconds:.0f} s")
            else:
                self._failures[build.name] = failure

    def _work(self) -> None:
        while (build := self._next()) is not None:
            began, failure = time.monotonic(), None
            try:
                build.run(partial(self._show, build.name), partial(self._watch, build.name))
            except BaseException as error:  # noqa: BLE001 — raised again by the thread that waits
                failure = error
            with self._changed:
                del self._running[build.name]
                self._processes.pop(build.name, None)
                self._ended.append((build, time.monotonic() - began, failure))
                self._changed.notify_all()

    def _next(self) -> Build | None:
        """The build to start now; None when no more is pending. Builds of one directory share caches: one at a time."""
        with self._changed:
            while self._pending:
                busy = {running.directory for running in self._running.values()}
                free = next((build for build in self._pending if build.directory not in busy), None)
                if free is not None:
                    self._pending.remove(free)
                    self._running[free.name] = free
                    return free
                self._changed.wait()
        return None

    def _show(self, name: str, line: str) -> None:
        self._last_line = f"{name}: {line}"

    def _watch(self, name: str, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError):
            present = os.getpriority(os.PRIO_PROCESS, process.pid)
            os.setpriority(os.PRIO_PROCESS, process.pid, present + self._niceness)
        with self._changed:
            self._processes[name] = process
            if self._is_cancelled:
                _kill(process)


@contextlib.contextmanager
def building(builds: Sequence[Build], progress: Progress, niceness: int = _NICENESS) -> Iterator[BuildQueue]:
    """Builds in the background while the block lasts; what has not ended by then is ended."""
    queued = BuildQueue(builds, progress, niceness)
    try:
        yield queued
    finally:
        queued.cancel()


def first_measured_first(builds: Sequence[Build]) -> list[Build]:
    """Fast builds come first, so that the first figure comes early; those of unknown duration last."""
    return sorted(builds, key=lambda build: math.inf if build.typical_s is None else build.typical_s)


def _kill(process: subprocess.Popen[bytes]) -> None:
    children.kill_session(process)
    children.stop(process, signal.SIGKILL, _ENDS_WITHIN_S)


@dataclass(frozen=True)
class BuiltContenders:
    """The contenders of a comparison whose target has been built; one that does not build is refused."""

    queued: BuildQueue
    contenders: Sequence[Contender]
    attached: Collection[str]
    refuse: Callable[[str, str], None]
    _refused: set[str] = field(default_factory=set)

    def in_order(self) -> list[Contender]:
        """All that can be measured, in their own order, when everything has been built."""
        self._wait_for_engines()
        built = [contender for contender in self.contenders if self._builds(contender)]
        return [each for each in built if candidate_of(each).key not in self._refused]

    def as_built(self) -> Iterator[Contender]:
        """All that can be measured, each as soon as its target has been built."""
        self._wait_for_engines()
        left = list(self.contenders)
        while left:
            ended = (each for each in left if self._is_attached(each) or self.queued.has_ended(each.target.build))
            ready = next(ended, None)
            if ready is None:
                self.queued.wait_for_any([each.target.build for each in left])
                continue
            left.remove(ready)
            if self._builds(ready):
                yield ready

    def building(self) -> str:
        """The builds that run now, as `a, b`; empty when there are none."""
        return self.queued.names()

    def _wait_for_engines(self) -> None:
        for build in {contender.engine.build.name: contender.engine.build for contender in self.contenders}.values():
            self.queued.wait_for(build)

    def _is_attached(self, contender: Contender) -> bool:
        return contender.target.name in self.attached

    def _builds(self, contender: Contender) -> bool:
        if self._is_attached(contender):
            return True
        try:
            self.queued.wait_for(contender.target.build)
        except BakeoffError as error:
            # Only one side of a comparison of two commits may fail to build.
            name = contender.key if COMMIT in contender.factors else contender.target.name
            if name not in self._refused:
                self._refused.add(name)
                self.refuse(name, error.message)
            return False
        return True
