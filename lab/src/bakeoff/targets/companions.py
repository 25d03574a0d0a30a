"""The companion processes of a target: started before it, stopped after it."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.processes import children
from bakeoff.sampling.gauges import GaugeEndpoint
from bakeoff.targets.access import LOOPBACK, Access
from bakeoff.targets.gauges import on_port
from bakeoff.targets.manifest import CompanionTable, Target
from bakeoff.targets.placeholders import Placeholders
from bakeoff.targets.short_form import filled_command
from bakeoff.targets.surroundings import inherited_by

_STOPS_WITHIN_S = 12.0
_LARGEST_COUNT = 64


class Companions:
    """The companions of one start of a target. Each writes a log next to the target's."""

    def __init__(
        self,
        target: Target,
        environment: Mapping[str, str],
        placeholders: Placeholders,
        log: Path,
        before: Sequence[str] = (),
    ) -> None:
        """`before` goes before each command, as before the target's own."""
        self._target = target
        self._before = before
        self._environment = environment
        self._placeholders = placeholders
        self._log = log
        self._running: list[tuple[str, subprocess.Popen[bytes], Path]] = []

    def start(self) -> None:
        """Starts all; where one cannot be started those before it run until `stop`."""
        for companion in self._target.manifest.run.companions:
            for instance in range(self._count(companion)):
                self._start(companion, instance)
                self._wait_for_port(companion.ready_port.replace("{instance}", str(instance)))

    @property
    def pids(self) -> dict[str, int]:
        """Those of all that were started, by name and number."""
        return {name: process.pid for name, process, _ in self._running}

    def gauge_endpoints(self, access: Access) -> list[GaugeEndpoint]:
        """Where those are read that show gauges, on this machine; `access` is how the target is reached."""
        here = replace(access, host=LOOPBACK)
        return [
            companion.gauges.endpoint(process, on_port(here, self._placeholders.port(port)), f"{process}: ")
            for companion in self._target.manifest.run.companions
            if companion.gauges is not None
            for instance in range(self._count(companion))
            for process, port in [
                (_name(companion, instance), companion.gauges.port.replace("{instance}", str(instance)))
            ]
        ]

    @property
    def failure(self) -> BakeoffError | None:
        """The error of one that has ended by itself; None while all run."""
        for name, process, log in self._running:
            failure = children.failure_of(f"{name} of {self._target.name}", process, log)
            if failure is not None:
                return failure
        return None

    def stop(self) -> None:
        """Ends them, the last started first."""
        while self._running:
            _, process, _ = self._running.pop()
            children.stop(process, signal.SIGTERM, _STOPS_WITHIN_S)
            children.kill_session(process)
            children.kill_strays(process)

    def _wait_for_port(self, port: str) -> None:
        """Until the last started accepts connections on the port of this name; at once where the name is empty."""
        if port:
            name, process, log = self._running[-1]
            try:
                children.wait_until_listening(process, self._placeholders.port(port), log)
            except BakeoffError as error:
                raise BakeoffError(f"{name} of {self._target.name} did not start. {error.message}") from error

    def _count(self, companion: CompanionTable) -> int:
        text = self._environment.get(companion.count_variable, str(companion.count))
        if not text.isdecimal() or not 1 <= int(text) <= _LARGEST_COUNT:
            raise BakeoffError(
                f'{self._target.name}: {companion.count_variable} is "{text}": the number of {companion.name} processes'
                f" is from 1 to {_LARGEST_COUNT}."
            )
        return int(text)

    def _start(self, companion: CompanionTable, instance: int) -> None:
        name = _name(companion, instance)
        log = self._log.with_suffix(f".{companion.name}-{instance}.log")
        # The number first: a port's name may contain it.
        parts = [part.replace("{instance}", str(instance)) for part in companion.command]
        command = [*self._before, *filled_command(parts, self._placeholders.fill)]
        own = {key: text.replace("{instance}", str(instance)) for key, text in companion.environment.items()}
        try:
            process = children.start(
                command,
                log=log,
                inherited=inherited_by(self._target, os.environ),
                environment={**self._environment, **self._placeholders.fill_all(own)},
                directory=self._target.directory,
            )
        except OSError as error:
            raise BakeoffError(
                f"{name} of {self._target.name} cannot be started: {error.strerror}: {command[0]}."
            ) from error
        self._running.append((name, process, log))


def _name(companion: CompanionTable, instance: int) -> str:
    return f"{companion.name} {instance}"
