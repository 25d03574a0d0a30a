"""Several replicas of a target behind HAProxy: the same target, started otherwise."""

import shutil
from dataclasses import replace
from pathlib import Path

import msgspec

from bakeoff.errors import BakeoffError
from bakeoff.targets.access import LOOPBACK
from bakeoff.targets.manifest import CompanionTable, Target

_PROXY = "haproxy"
CONFIGURATION = Path(__file__).with_name("replicas.cfg")
_REPLICA = "replica-{instance}"


def behind_proxy(target: Target, replicas: int) -> Target:
    """The target as so many processes, each on its own port, and HAProxy on the target's port.

    CPU and memory are of all of them together, and recorded for each. Raises BakeoffError without HAProxy.
    """
    if shutil.which(_PROXY) is None:
        raise BakeoffError(
            "--replicas needs HAProxy 2.4 or newer on PATH. Install it (Debian: apt-get install haproxy)."
        )
    run = target.manifest.run
    # Only the proxy listens where others reach the target.
    own = {"BIND": LOOPBACK, run.port_variable: f"{{port.{_REPLICA}}}"}
    # A replica shows on its own port what the target shows on its own.
    gauges = None if run.gauges is None else msgspec.structs.replace(run.gauges, port=run.gauges.port or _REPLICA)
    environment = {name: _on_own_port(text) for name, text in run.environment.items()}
    command = [_on_own_port(part) for part in run.command]
    replica = CompanionTable("replica", command, {**environment, **own}, replicas, ready_port=_REPLICA, gauges=gauges)
    # The shell gives HAProxy the port under one name, whatever the target calls it.
    start = f'LISTEN="${run.port_variable}" exec {_PROXY} -db -f "$0"'
    ports = {f"REPLICA_{number}": f"{{port.replica-{number}}}" for number in range(replicas)}
    proxied = msgspec.structs.replace(
        run,
        command=["/bin/sh", "-c", start, str(CONFIGURATION)],
        environment={**run.environment, **ports},
        companions=[*run.companions, replica],
        gauges=None,
    )
    return replace(target, manifest=msgspec.structs.replace(target.manifest, run=proxied))


def _on_own_port(text: str) -> str:
    return text.replace("{port}", f"{{port.{_REPLICA}}}")
