"""A target at work: a process that is started, waited for and stopped."""

import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.processes import children, ports
from bakeoff.processes.launching import PROCESSES, Launcher
from bakeoff.sampling.gauges import GaugeEndpoint
from bakeoff.targets.access import LOOPBACK
from bakeoff.targets.companions import Companions
from bakeoff.targets.gauges import on_port
from bakeoff.targets.health import Answer, HealthCheck
from bakeoff.targets.manifest import Target
from bakeoff.targets.security import Secured
from bakeoff.targets.short_form import filled_command
from bakeoff.targets.surroundings import Surroundings
from bakeoff.targets.waiting import Waiting

_HEALTHY_WITHIN_S = 60.0
# Longer unless it listens elsewhere: a JVM that starts on a busy machine needs more than a minute.
_LISTENS_WITHIN_S = 180.0
# The contract allows 10 s from SIGTERM to exit.
_STOPS_WITHIN_S = 12.0


class TargetProcess:
    """Starts the target on entry and waits until it is healthy; on exit it has ended.

    `settings` are environment variables of the target's own, and `secured` configures TLS or a token.
    `state` is the folder of one that stores in files. `before` goes before its command and those of its companions, and
    `launcher` starts it. `report` takes lines about a target that is not healthy yet. Attributes: `access`, `log`,
    `port`, `start_s` (start to healthy), `pid`, and `pids` with those of its companions by name; in a container there
    is a `container` instead.
    """

    def __init__(
        self,
        target: Target,
        server: Server | None,
        health: HealthCheck,
        log: Path,
        *,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        secured: Secured | None = None,
        before: Sequence[str] = (),
        bind: str = "",
        launcher: Launcher = PROCESSES,
        state: Path | None = None,
        healthy_within_s: float = _HEALTHY_WITHIN_S,
        listens_within_s: float = _LISTENS_WITHIN_S,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._healthy_within_s = healthy_within_s
        self._listens_within_s = listens_within_s
        self._report = report
        self._target = target
        self._launcher = launcher
        self._health = health
        self.log = log
        self._before = before
        self._process: subprocess.Popen[bytes] | None = None
        self.port = port if port is not None else ports.free_port()
        bind = bind or launcher.bind
        self.access = (secured or Secured()).access(_reached_at(bind), self.port)
        variables = {**(settings or {}), **(secured.variables_of(target) if secured is not None else {})}
        self._surroundings = Surroundings(self.port, server, state, variables, bind, launcher)
        self._placeholders = self._surroundings.placeholders(target)
        self._companions: Companions | None = None
        self.start_s = 0.0

    def __enter__(self) -> "TargetProcess":
        if not ports.port_is_free(self.port):
            raise BakeoffError(
                f"Port {self.port} is in use, so {self._target.name} cannot listen on it. Stop the process that uses it"
                f" (ss -ltnp 'sport = :{self.port}') or choose another with --port."
            )
        began = time.monotonic()
        try:
            environment = self._surroundings.variables(self._target, self._placeholders)
            self._companions = Companions(self._target, environment, self._placeholders, self.log, self._before)
            self._companions.start()
            self._start(environment)
            self._wait_until_healthy(began)
        except BaseException:
            self._end(signal.SIGKILL)
            raise
        self.start_s = time.monotonic() - began
        return self

    def __exit__(self, *_: object) -> None:
        self._end(signal.Signals[self._target.manifest.stop])

    def kill(self) -> None:
        """Ends it and its companions at once, without a chance to write anything."""
        self._end(signal.SIGKILL)

    def _start(self, environment: Mapping[str, str]) -> None:
        command = [*self._before, *filled_command(self._target.manifest.run.command, self._placeholders.fill)]
        program = self._surroundings.program(self._target, "target", command, environment, self.log, self.port)
        try:
            self._process = self._launcher.start(program)
        except OSError as error:
            raise BakeoffError(
                f"{self._target.name} cannot be started: {error.strerror}: {command[0]}. Correct its run."
            ) from error

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._launcher.end(self._process, how, _STOPS_WITHIN_S)
        if self._companions is not None:
            self._companions.stop()
        self._placeholders.clear()

    @property
    def pids(self) -> dict[str, int]:
        """Its own process, by the target's name, and those of its companions by theirs; none of a container."""
        if self.container is not None:
            return {}
        return {self._target.name: self.pid, **(self._companions.pids if self._companions is not None else {})}

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def gauge_endpoints(self) -> list[GaugeEndpoint]:
        """Where its own gauges are read, and those of its companions."""
        gauges = self._target.manifest.run.gauges
        others = [] if self._companions is None else self._companions.gauge_endpoints(self.access)
        if gauges is None:
            return others
        access = on_port(self.access, self._placeholders.port(gauges.port)) if gauges.port else self.access
        return [gauges.endpoint(self._target.name, access), *others]

    @property
    def container(self) -> str | None:
        return None if self._process is None else self._launcher.container_of(self._process)

    @property
    def has_ended(self) -> bool:
        """Whether the process, or a companion, has ended without being stopped."""
        ended = self._process is not None and self._process.poll() is not None
        return ended or self._failed_companion() is not None

    def ended_error(self) -> BakeoffError:
        """The error for a target that ended unexpectedly."""
        failed = self._failed_companion()
        if failed is not None:
            return failed
        assert self._process is not None
        status = self._process.poll()
        advice = "Its run must stay in the foreground. " if status == 0 else ""
        return BakeoffError(
            f"{self._target.name} exited with status {status}. {advice}"
            f"Last lines of {self.log}:\n{children.last_lines(self.log)}"
        )

    def wait(self) -> None:
        assert self._process is not None
        self._process.wait()

    def _failed_companion(self) -> BakeoffError | None:
        return None if self._companions is None else self._companions.failure

    def _wait_until_healthy(self, began: float) -> None:
        pause_s = 0.005
        waiting = Waiting(self._target.name, self._health, self.access, self._report, self._listens_within_s, began)
        while not waiting.is_over():
            if self.has_ended:
                raise self.ended_error()
            waited_s = waiting.waited_s
            if waited_s > self._healthy_within_s and waited_s > (limit_s := self._limit_s()):
                raise BakeoffError(
                    f"{self._target.name} did not become healthy within {limit_s:.0f} s. "
                    f"{self._why_unhealthy(waiting.latest)} Last lines of {self.log}:\n{children.last_lines(self.log)}"
                )
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.1)

    def _limit_s(self) -> float:
        elsewhere = not ports.is_listening(self.access.host, self.port) and ports.ports_of_session(self.pid)
        return self._healthy_within_s if elsewhere else self._listens_within_s

    def _why_unhealthy(self, answer: Answer) -> str:
        """Whether it listens where it should, and what to correct."""
        if ports.is_listening(self.access.host, self.port):
            shown = f": {answer.words}" if answer.words else "."
            return f"It listens on port {self.port}, and its health check fails{shown} Correct ready, or [health]."
        given = f"use {{port}} in its run or env, or the variable {self._target.manifest.run.port_variable}."
        elsewhere = ", ".join(map(str, ports.ports_of_session(self.pid)))
        if elsewhere:
            return f"It listens on port {elsewhere}, and nothing on port {self.port}, which it was given: {given}"
        return f"Nothing listens on port {self.port}, which it was given: {given}"


def _reached_at(bind: str) -> str:
    """The address at which this machine reaches what listens on `bind`."""
    return LOOPBACK if bind in ("0.0.0.0", "::") else bind  # noqa: S104 — compared, not bound
