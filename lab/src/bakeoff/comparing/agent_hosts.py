"""Agents elsewhere, on other hosts or in pods: refusals before building, and set-up before measuring."""

import errno
import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.engines.manifest import Engine
from bakeoff.engines.ssh import Ssh
from bakeoff.engines.transport import FEATURE, Transport
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.ssh_host import ssh_host
from bakeoff.options.table import KUBERNETES
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.progress import Progress
from bakeoff.targets.access import Access, access_of, is_loopback

if TYPE_CHECKING:
    from bakeoff.containers.kubernetes_api import KubernetesCluster

# Failures of a request that never reached anything.
_NO_CONNECTION = ("refused", "connect_timeout", "unreachable")


def hosts_of(request: ComparisonRequest) -> list[Ssh]:
    return [Ssh(ssh_host(url)) for url in request.agent_hosts]


def check_hosts(request: ComparisonRequest, contenders: Sequence[Contender]) -> None:
    """Raises BakeoffError where agents on other hosts could not do their part, before anything is built."""
    hosts = hosts_of(request)
    if not hosts:
        return
    for engine in _engines(contenders):
        if not engine.can(FEATURE):
            raise UsageError(f"The engine {engine.name} runs on this machine only: leave out --agents, or use native.")
        if not engine.is_one_program:
            raise UsageError(
                f"The engine {engine.name} is more than one program, and one is what ssh:// hosts are given: use "
                "--agents N here, --agents N --in kubernetes, or another --engine."
            )
    for contender in contenders:
        if reason := _why_unreachable(request, contender):
            raise UsageError(reason)
    if request.agents_reach is not None:
        _check_own_address(request.agents_reach)
    for host in hosts:
        host.check()


def _why_unreachable(request: ComparisonRequest, contender: Contender) -> str | None:
    """Why hosts cannot reach a target, by its address alone; None where they may."""
    name = contender.target.name
    if name in request.attached:
        access = access_of(request.attached[name])
        words = (
            f"{name} is attached at {access.address}, which is loopback: the hosts of --agents cannot reach it. Attach "
            f"it by an address that they reach, such as --attach {name}=http://10.0.0.5:{access.port}."
        )
        return words if is_loopback(access.host) else None
    if request.agents_reach is None:
        return (
            f"{name} would listen on loopback, which the hosts of --agents cannot reach: name the IP address of this "
            "machine that they reach, such as --agents-reach 10.0.0.1. The targets listen on it while they run. Or "
            "--attach ones that run elsewhere."
        )
    return None


def _check_own_address(address: str) -> None:
    try:
        with _listening(address):
            pass
    except OSError as error:
        reason = "is not an address of this machine" if error.errno == errno.EADDRNOTAVAIL else error.strerror
        raise UsageError(f"--agents-reach {address}: {reason}. `ip address` lists them.") from error


def set_up_hosts(request: ComparisonRequest, contenders: Sequence[Contender], progress: Progress) -> list[Ssh]:
    """The hosts with the engines on them, each of which reaches the targets. Raises BakeoffError, which names one."""
    hosts = hosts_of(request)
    for host in hosts:
        for engine in _engines(contenders):
            progress.step(f"installing the engine {engine.name} on {host.name}")
            host.install(engine)
            if request.agents_reach is not None:
                with _listening(request.agents_reach) as listener:
                    _check_connects(host, engine, Access(request.agents_reach, listener.getsockname()[1]))
            for url in request.attached.values():
                _check_connects(host, engine, access_of(url))
    return hosts


def _check_connects(host: Ssh, engine: Engine, access: Access) -> None:
    address = f"[{access.host}]:{access.port}" if ":" in access.host else access.address
    run = host.call(engine, ["hit", f"http://{address}/", "-n", "1", "--expect", "200", "--timeout", "5s", "--json"])
    try:
        errors = json.loads(run.stdout)["errors"]
    except (ValueError, KeyError) as error:
        raise BakeoffError(f"{host.name}: the engine failed there: {run.stderr.decode(errors='replace')}") from error
    failed = [kind for kind in _NO_CONNECTION if kind in errors]
    if failed:
        raise BakeoffError(
            f"{host.name} cannot connect to {access.address} ({failed[0]}): is there a firewall between, or is it an "
            "address of another network? Use an address of this machine or of the target that the host reaches."
        )


@contextmanager
def _listening(address: str) -> Iterator[socket.socket]:
    """A listener that the kernel accepts connections for; nothing answers them."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((address, 0))
        listener.listen()
        yield listener


def _engines(contenders: Sequence[Contender]) -> list[Engine]:
    return list({contender.engine.name: contender.engine for contender in contenders}.values())


def check_pods(request: ComparisonRequest, contenders: Sequence[Contender]) -> None:
    """Raises UsageError for what cannot be measured in a cluster, BakeoffError where none answers. Builds nothing."""
    places = {variant.runs_in for variant in request.variants()}
    if KUBERNETES not in places:
        return
    if places != {KUBERNETES}:
        raise UsageError("--in kubernetes holds for all contenders of a comparison: their targets run there already.")
    for contender in contenders:
        engine = contender.engine
        if not engine.can(FEATURE) or engine.image is None:
            lacking = "no [image]" if engine.can(FEATURE) else f"not the feature {FEATURE}"
            raise UsageError(
                f"The engine {engine.name} has {lacking} in its engine.toml, which pods need: use another --engine."
            )
    _cluster().check()


def places_in_pods(project: Project, request: ComparisonRequest) -> list[Transport]:
    """A place for each agent; none where they run elsewhere."""
    if all(variant.runs_in != KUBERNETES for variant in request.variants()):
        return []
    # Imported where it is needed, as the cluster is: few comparisons run in one.
    from bakeoff.containers.pods import EngineJobs, read_template

    return list(EngineJobs(_cluster(), project, read_template()).places(request.most_agents))


def _cluster() -> "KubernetesCluster":
    from bakeoff.containers.kubernetes_api import KubernetesCluster

    return KubernetesCluster()
