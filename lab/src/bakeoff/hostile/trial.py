"""One target under each kind of hostile connections: alive, in bounded memory, and answering a client that behaves."""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import psutil

from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.errors import BakeoffError
from bakeoff.hostile.attack import Attack, AttackReport
from bakeoff.hostile.kinds import Holds, Kind, Protocol, kinds_of
from bakeoff.hostile.witness import SampleRequest, SampleRequests, Witness
from bakeoff.options.variant import Variant
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.service import Service, at_work
from bakeoff.running.testbed import Testbed
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.targets.manifest import Target
from bakeoff.targets.security import TLS_SETTING
from bakeoff.workload.loader import Workload

LONGEST_STALL_S = 120.0
"""A stalled request that a target would end later counts as one that it does not end."""
STALL_MARGIN_S = 5.0
"""Beyond the time that is stated: timers of servers look every few seconds."""

_MB = 1_000_000
_BEFORE_S = 0.5
_LOOK_EVERY_S = 0.05
_ATTACK_ENDS_WITHIN_S = 30.0
# What a target has open beside the hostile connections: files, the database's connections, the client that behaves.
_OTHER_DESCRIPTORS = 200


@dataclass(frozen=True)
class Stall:
    """How long a target may take to end a stalled request, and after how long it did; None: not by then."""

    within_s: float
    ended_s: float | None

    @property
    def is_ended(self) -> bool:
        return self.ended_s is not None


@dataclass(frozen=True)
class Trial:
    """The outcome of one kind. Memory is above that of the idle target; `lost` are acknowledged writes not stored.

    `returned_s` is how long memory took to return, None where it did not; `keeps_memory` is the target's reason for it.
    """

    kind: str
    must_hold: Holds
    connections: int
    sent_bytes: int
    ended: bool
    most_bytes: int
    kept_bytes: int
    returned_s: float | None
    slowest_s: float
    unanswered: int
    lost: int
    stall: Stall | None = None
    keeps_memory: str = ""

    @property
    def faults(self) -> list[str]:
        """Why it does not hold; none where it does."""
        holds, stall = self.must_hold, self.stall
        rules = (
            (self.ended, "the target ended"),
            (self.most_bytes > holds.memory_mb * _MB, f"more than {holds.memory_mb:g} MB"),
            (self.slowest_s * 1000 > holds.answered_ms, f"another client waited over {holds.answered_ms:g} ms"),
            (self.unanswered > 0, "another client was not answered"),
            (self.lost > 0, "acknowledged writes were lost"),
            (
                self.returned_s is None and not self.keeps_memory,
                f"keeps more than {holds.kept_mb:g} MB after {holds.kept_s:g} s",
            ),
            (
                stall is not None and not stall.is_ended,
                f"a stalled request is not ended within {0.0 if stall is None else stall.within_s:g} s",
            ),
        )
        return [words for is_broken, words in rules if is_broken]


def trials(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> Iterator[Trial]:
    """A trial of every kind over the target's protocol, each with a new process and a fresh table.

    Connections go to the process that the lab has started, and nowhere else: an attached target is a BakeoffError.
    """
    if target.name in testbed.attached:
        raise BakeoffError(f"{target.name} is attached: --hostile is for targets that the lab starts.")
    kinds = kinds_for(target, workload)
    stalls = _stalls(testbed, target, workload, variant, kinds)
    for kind in kinds:
        testbed.progress.step(f"{target.name}: {kind.name}", kind.seconds)
        with _started(testbed, target, workload, variant, tls=kind.tls) as (own, service):
            trial = _trial(own, workload, target.protocol, service, kind)
        yield replace(trial, stall=stalls.get(kind.name), keeps_memory=target.manifest.hostile.keeps_memory)


def kinds_for(target: Target, workload: Workload) -> list[Kind]:
    """The kinds over the target's protocol, with large bodies where it takes any, with TLS where it has the setting."""
    has_large = workload.declared.batch.largest_bytes is not None
    has_tls = any(setting.name == TLS_SETTING for setting in target.settings)
    kinds = kinds_of(_wire(target.protocol), workload)
    return [kind for kind in kinds if (has_large or not kind.is_large) and (has_tls or not kind.tls)]


@contextlib.contextmanager
def _started(
    testbed: Testbed, target: Target, workload: Workload, variant: Variant, *, tls: bool
) -> Iterator[tuple[Testbed, Service]]:
    over = replace(variant, tls=tls)
    log = testbed.project.logs / f"{target.name}-hostile.log"
    with (
        fresh_state(testbed, target, workload, over) as own,
        at_work(own, target, workload, over, log) as service,
    ):
        yield own, service


def _stalls(
    testbed: Testbed, target: Target, workload: Workload, variant: Variant, kinds: Sequence[Kind]
) -> dict[str, Stall]:
    """How a request of each kind that stalls ended, by the kind's name. All stall at once, so one wait is enough."""
    found: dict[str, Stall] = {}
    for tls in (False, True):
        limits = {kind.name: _limit_s(target, kind) for kind in kinds if kind.stalls and kind.tls is tls}
        if limits:
            testbed.progress.step(f"{target.name}: requests that stall", max(limits.values()))
            with _started(testbed, target, workload, variant, tls=tls) as (_, service):
                stalling = [kind for kind in kinds if kind.name in limits]
                found |= _ends(workload, target.protocol, service, stalling, limits)
    return found


def _limit_s(target: Target, kind: Kind) -> float:
    """The time in which the target must end a request of this kind: what it states, or else the contract."""
    assert kind.stalls is not None
    return min(target.stalled_ends_s(kind.stalls) or kind.must_hold().ended_s, LONGEST_STALL_S)


def _ends(
    workload: Workload, protocol: str, service: Service, kinds: Sequence[Kind], limits: Mapping[str, float]
) -> dict[str, Stall]:
    """One connection of each kind, all at once, until the target has ended each or its time is over."""
    sample = SampleRequests(workload, protocol, service.access).make(0)
    with contextlib.ExitStack() as stack:
        attackers = {}
        for kind in kinds:
            single = msgspec.structs.replace(kind, connections=1, seconds=limits[kind.name] + STALL_MARGIN_S)
            attack = _attack(workload, protocol, service, single, sample)
            attackers[kind.name] = stack.enter_context(_attacker(msgspec.structs.replace(attack, until_ended=True)))
        reports = {
            name: _report(name, attacker, within_s=limits[name] + STALL_MARGIN_S + _ATTACK_ENDS_WITHIN_S)
            for name, attacker in attackers.items()
        }
    return {name: Stall(limits[name], report.ended_s if report.ended else None) for name, report in reports.items()}


def _trial(testbed: Testbed, workload: Workload, protocol: str, service: Service, kind: Kind) -> Trial:
    holds = kind.must_hold()
    requests = SampleRequests(workload, protocol, service.access)
    trees = [ProcessTree(pid) for pid in service.pids.values()]
    kind = within_descriptors(kind, min(map(_descriptors, service.pids.values())))
    attack = _attack(workload, protocol, service, kind, requests.make(0))
    with Witness(requests, protocol, service.access) as witness:
        time.sleep(_BEFORE_S)
        idle = most = _memory_bytes(trees)
        with _attacker(attack) as attacker:
            deadline = time.monotonic() + kind.seconds + _ATTACK_ENDS_WITHIN_S
            while attacker.poll() is None and time.monotonic() < deadline:
                most = max(most, _memory_bytes(trees))
                time.sleep(_LOOK_EVERY_S)
            report = _report(kind.name, attacker, within_s=0.0)
    kept, returned_s = _given_back(trees, idle, holds)
    return Trial(
        kind=kind.name,
        must_hold=holds,
        connections=report.connected,
        sent_bytes=report.sent_bytes,
        ended=service.has_ended,
        most_bytes=max(most - idle, kept),
        kept_bytes=kept,
        returned_s=returned_s,
        slowest_s=witness.slowest_s,
        unanswered=witness.unanswered,
        lost=_lost(testbed, workload, witness.acknowledged),
    )


@contextlib.contextmanager
def _attacker(attack: Attack) -> Iterator[subprocess.Popen[bytes]]:
    """The process that opens the connections; it is ended with the block."""
    command = [sys.executable, "-m", "bakeoff.hostile.attack"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            # Where it has ended already, it has written nothing, and that is reported.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(msgspec.json.encode(attack))
                process.stdin.close()
            yield process
        finally:
            process.kill()


def _report(kind: str, attacker: subprocess.Popen[bytes], *, within_s: float) -> AttackReport:
    """The report of a process that ends by itself within this time; a busy machine may keep it from that."""
    assert attacker.stdout is not None
    with contextlib.suppress(subprocess.TimeoutExpired):
        attacker.wait(within_s)
    with contextlib.suppress(subprocess.TimeoutExpired):
        attacker.send_signal(signal.SIGINT)
        attacker.wait(_ATTACK_ENDS_WITHIN_S)
    attacker.kill()
    written = attacker.stdout.read()
    if not written:
        raise BakeoffError(f"{kind}: the process that opens the connections failed; its error is printed above.")
    return msgspec.json.decode(written, type=AttackReport)


def _attack(workload: Workload, protocol: str, service: Service, kind: Kind, sample: SampleRequest) -> Attack:
    method, path, batch = sample.method, sample.path, workload.declared.batch
    if kind.is_large and protocol == "grpc" and batch.grpc is not None:
        path = f"/{batch.grpc.method}"
    elif kind.is_large and batch.http is not None:
        method, path = batch.http.method, batch.http.path
    host, port = service.access.host, service.access.port
    largest = (batch.largest_bytes or 0) * 15 // 16
    return Attack(kind, _wire(protocol), host, port, method, kind.path or path, sample.fields, sample.body, largest)


def _wire(protocol: str) -> Protocol:
    return "http2" if protocol == "grpc" else "http1"


def within_descriptors(kind: Kind, limit: int) -> Kind:
    """The kind with no more connections than a target with this limit of descriptors can hold."""
    return msgspec.structs.replace(kind, connections=min(kind.connections, max(limit - _OTHER_DESCRIPTORS, 1)))


def _descriptors(pid: int) -> int:
    limit, _ = psutil.Process(pid).rlimit(psutil.RLIMIT_NOFILE)
    return limit


def _memory_bytes(trees: Sequence[ProcessTree]) -> int:
    return sum(usage.memory_bytes for tree in trees if (usage := tree.usage()) is not None)


def _given_back(trees: Sequence[ProcessTree], idle: int, holds: Holds) -> tuple[int, float | None]:
    """The memory left above `idle` once enough is back, or when the time for that is over; and after how long it was.

    None where it was not.
    """
    began = time.monotonic()
    while (kept := _memory_bytes(trees) - idle) > holds.kept_mb * _MB:
        if time.monotonic() - began > holds.kept_s:
            return kept, None
        time.sleep(_LOOK_EVERY_S)
    return max(kept, 0), time.monotonic() - began


def _lost(testbed: Testbed, workload: Workload, acknowledged: Sequence[str]) -> int:
    audit = workload.sql("audit")
    if audit is None or testbed.server is None:
        return 0
    with testbed.server.connect() as connection:
        rows = [*PostgresRows(connection, audit).all()]
    if any(operation.creates is not None for operation in workload.declared.operations):
        # Keys that the target assigns are not those of the requests: fewer rows than replies are lost for certain.
        return max(len(acknowledged) - len(rows), 0)
    stored = {part for key in rows for part in key}
    return sum(key not in stored for key in acknowledged)
