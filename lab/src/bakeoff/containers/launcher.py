"""The programs of a run in containers: one network, one container for each program, nothing left of them in the end."""

import contextlib
import itertools
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from bakeoff.builds.digests import text_digest
from bakeoff.containers.docker import DockerEngine, docker_command, need_image, run_docker
from bakeoff.containers.removal import removal_command, remove_labelled
from bakeoff.errors import BakeoffError, NotFoundError
from bakeoff.options.table import EveryRunTable
from bakeoff.processes import children
from bakeoff.processes.launching import Launcher, Program
from bakeoff.targets.access import LOOPBACK, is_loopback

_STARTS_WITHIN_S = 30.0


def limits_of(options: EveryRunTable, role: str) -> Iterator[str]:
    """Options of `docker run` for a role's limits. Swapped memory would be measured at the speed of the disk."""
    if role in options.limit_cpus:
        yield f"--cpus={options.limit_cpus[role]:g}"
    if role in options.limit_memory_bytes:
        yield from (f"--{name}={options.limit_memory_bytes[role]}" for name in ("memory", "memory-swap"))
    if role in options.pin:
        yield f"--cpuset-cpus={','.join(map(str, options.pin[role]))}"


class DockerLauncher(Launcher):
    """Starts programs in containers while the `with` block lasts; after it none is left, even if the lab is killed.

    A container is started by Docker's client, a child of the lab that passes on signals, output and exit status. All
    that is made bears `label`.
    """

    in_containers = True

    # Within a container: the engine publishes the port on the loopback address alone.
    bind = "0.0.0.0"  # noqa: S104

    def __init__(self, docker: DockerEngine, checkout: Path, limits: EveryRunTable) -> None:
        self._docker = docker
        self._limits = limits
        self._checkout = f"bakeoff.checkout={text_digest(str(checkout))[:16]}"
        self._name = f"bakeoff-{secrets.token_hex(4)}"
        self.label = f"bakeoff.lab={self._name}"
        self._numbers = itertools.count(1)
        self._containers: dict[int, str] = {}
        self._published: dict[tuple[str, int], str] = {}
        self._stack = contextlib.ExitStack()

    @property
    def cores(self) -> int:
        """The machine's: what binds the lab does not bind containers."""
        return os.cpu_count() or 1

    def __enter__(self) -> "DockerLauncher":
        address = self._docker.address
        # One lab at a time works in a checkout: what bears its label was left by one that was killed.
        remove_labelled(address, self._checkout)
        with contextlib.ExitStack() as stack:
            stack.enter_context(children.when_killed(removal_command(address, self.label)))
            stack.callback(remove_labelled, address, self.label)
            run_docker(address, ["network", "create", *self._labels(), self._name])
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, program: Program) -> subprocess.Popen[bytes]:
        """Starts a container, and waits until it runs or has ended."""
        name = f"{self._name}-{program.role}-{next(self._numbers)}"
        if isinstance(program.image, str):
            need_image(self._docker, program.image)
        if program.volume:
            run_docker(self._docker.address, ["volume", "create", *self._labels(), program.volume])
        # Values are in the client's environment, not in its command line, which every user of the machine can read.
        process = children.start(
            self._command(name, program),
            log=program.log,
            stdin=program.stdin,
            stdout=program.stdout,
            environment={**program.passed_on, **program.environment},
            # SIGTERM is passed on to the container, SIGKILL cannot be.
            death_signal=signal.SIGTERM,
        )
        self._containers[process.pid] = name
        try:
            self._wait_until_running(process, name, program.log)
        except BaseException:
            self.end(process, signal.SIGKILL, 0)
            raise
        if program.port is not None:
            self._published[LOOPBACK, program.port] = name
        return process

    def end(self, process: subprocess.Popen[bytes], how: signal.Signals, timeout_s: float) -> int:
        """Ends the container too where its client was killed."""
        if how is not signal.SIGKILL and process.poll() is None:
            process.send_signal(how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout_s)
        name = self._containers.pop(process.pid, None)
        if name is not None:
            # In place: another side's thread may publish meanwhile.
            for at in [at for at, published in list(self._published.items()) if published == name]:
                del self._published[at]
            with contextlib.suppress(BakeoffError):
                # A container that ended by itself is already removed.
                run_docker(self._docker.address, ["rm", "--force", "--volumes", name])
        return children.stop(process, signal.SIGKILL, timeout_s)

    def address(self, host: str, port: int) -> tuple[str, int]:
        """The container's own address in the network for what is published here."""
        name = self._published.get((host, port))
        if name is None:
            if is_loopback(host):
                raise BakeoffError(
                    f"Containers cannot reach {host}:{port}, which is this machine's own loopback address: name the "
                    "machine by another address, or run without --in docker."
                )
            return host, port
        networks = self._docker.get(f"/containers/{name}/json")["NetworkSettings"]["Networks"]
        # A name would be looked up for each connection.
        return str(networks[self._name]["IPAddress"]), port

    def container_of(self, process: subprocess.Popen[bytes]) -> str | None:
        return self._containers.get(process.pid)

    def _labels(self) -> list[str]:
        return [f"--label={self.label}", f"--label={self._checkout}"]

    def _command(self, name: str, program: Program) -> list[str]:
        image = program.image.read_text("utf-8").strip() if isinstance(program.image, Path) else program.image
        if image is None:
            raise BakeoffError(f"{program.role} cannot run in a container: it has no image.")
        options = [
            f"--name={name}",
            *self._labels(),
            f"--network={self._name}",
            *("--rm", "--init", "--no-healthcheck", "--log-driver=none"),
            *("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"),
            # Java loads native libraries from there.
            *(f"--tmpfs={folder}:exec,mode=1777" for folder in program.scratch),
            *limits_of(self._limits, program.role),
            *(f"--env={variable}" for variable in {**program.passed_on, **program.environment}),
            *(f"--mount=type=bind,source={folder},target={folder}" for folder in program.folders),
            *(f"--mount=type=bind,source={folder},target={folder},readonly" for folder in program.reads),
        ]
        if program.stdin is subprocess.PIPE:
            options.append("--interactive")
        if program.port is not None:
            options.append(f"--publish={LOOPBACK}:{program.port}:{program.port}")
        if program.data:
            options.append(f"--mount=type=volume,source={program.volume},target={program.data}")
        if program.user:
            options.append(f"--user={program.user}")
        if program.command:
            options.append(f"--entrypoint={program.command[0]}")
        return docker_command(self._docker.address, "run", *options, image, *program.command[1:])

    def _wait_until_running(self, process: subprocess.Popen[bytes], name: str, log: Path) -> None:
        deadline = time.monotonic() + _STARTS_WITHIN_S
        while process.poll() is None:
            with contextlib.suppress(NotFoundError):
                if self._docker.get(f"/containers/{name}/json")["State"]["Running"]:
                    return
            if time.monotonic() > deadline:
                raise BakeoffError(
                    f"The container {name} did not start. Last lines of {log}:\n{children.last_lines(log)}"
                )
            time.sleep(0.02)
