"""One target under each kind of hostile connections: alive, in bounded memory, and answering a client that behaves."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import psutil

from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.errors import BakeoffError
from bakeoff.hostile.attack import Attack, AttackReport
from bakeoff.hostile.kinds import Kind, kinds_of
from bakeoff.hostile.witness import SampleRequest, SampleRequests, Witness
from bakeoff.options.variant import Variant
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.service import Service, at_work
from bakeoff.running.testbed import Testbed
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.targets.manifest import Target
from bakeoff.targets.security import TLS_SETTING
from bakeoff.workload.loader import Workload

BUDGET_BYTES = 256 << 20
"""Memory that a target may take beside what it takes when idle."""
ANSWERED_WITHIN_S = 0.25
"""A client that behaves must not wait longer."""
RETURNED_WITHIN_S = 30.0
KEPT_BYTES = 100 << 20
"""Memory above that before which a target may keep after that time; what a runtime keeps longer is shown."""

_BEFORE_S = 0.5
_LOOK_EVERY_S = 0.05
_ATTACK_ENDS_WITHIN_S = 30.0
# What a target has open beside the hostile connections: files, the database's connections, the client that behaves.
_OTHER_DESCRIPTORS = 200


@dataclass(frozen=True)
class Trial:
    """The outcome of one kind. Memory is above that of the idle target; `lost` are acknowledged writes not stored."""

    kind: str
    connections: int
    sent_bytes: int
    ended: bool
    most_bytes: int
    kept_bytes: int
    slowest_s: float
    unanswered: int
    lost: int

    @property
    def faults(self) -> list[str]:
        """Why it does not hold; none where it does."""
        rules = (
            (self.ended, "the target ended"),
            (self.most_bytes > BUDGET_BYTES, f"more than {BUDGET_BYTES >> 20} MB"),
            (
                self.slowest_s > ANSWERED_WITHIN_S,
                f"another client waited over {ANSWERED_WITHIN_S * 1000:.0f} ms",
            ),
            (self.unanswered > 0, "another client was not answered"),
            (self.lost > 0, "acknowledged writes were lost"),
        )
        return [words for is_broken, words in rules if is_broken]


def trials(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> Iterator[Trial]:
    """A trial of every kind over the target's protocol, each with a new process and a fresh table.

    Connections go to the process that the lab has started, and nowhere else: an attached target is a BakeoffError.
    """
    if target.name in testbed.attached:
        raise BakeoffError(f"{target.name} is attached: --hostile is for targets that the lab starts.")
    for kind in kinds_for(target, workload):
        over = replace(variant, tls=kind.tls)
        testbed.progress.step(f"{target.name}: {kind.name}", kind.seconds)
        log = testbed.project.logs / f"{target.name}-hostile.log"
        with (
            fresh_state(testbed, target, workload, over) as own,
            at_work(own, target, workload, over, log) as service,
        ):
            yield _trial(own, workload, target.protocol, service, kind)


def kinds_for(target: Target, workload: Workload) -> list[Kind]:
    """The kinds over the target's protocol, with large bodies where it takes any, with TLS where it has the setting."""
    has_large = workload.declared.batch.largest_bytes is not None
    has_tls = any(setting.name == TLS_SETTING for setting in target.settings)
    kinds = kinds_of("http2" if target.protocol == "grpc" else "http1")
    return [kind for kind in kinds if (has_large or not kind.large) and (has_tls or not kind.tls)]


def _trial(
    testbed: Testbed,
    workload: Workload,
    protocol: str,
    service: Service,
    kind: Kind,
    returned_within_s: float = RETURNED_WITHIN_S,
) -> Trial:
    requests = SampleRequests(workload, protocol, service.access)
    trees = [ProcessTree(pid) for pid in service.pids.values()]
    kind = within_descriptors(kind, min(map(_descriptors, service.pids.values())))
    attack = _attack(workload, protocol, service, kind, requests.make(0))
    with Witness(requests, protocol, service.access) as witness:
        time.sleep(_BEFORE_S)
        idle = most = _memory_bytes(trees)
        command = [sys.executable, "-m", "bakeoff.hostile.attack"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stdout is not None
            # Where it has ended already, it has written nothing, and that is reported.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(msgspec.json.encode(attack))
                process.stdin.close()
            deadline = time.monotonic() + kind.seconds + _ATTACK_ENDS_WITHIN_S
            while process.poll() is None and time.monotonic() < deadline:
                most = max(most, _memory_bytes(trees))
                time.sleep(_LOOK_EVERY_S)
            process.kill()
            written = process.stdout.read()
    if not written:
        raise BakeoffError(f"{kind.name}: the process that opens the connections failed; its error is printed above.")
    report = msgspec.json.decode(written, type=AttackReport)
    kept = _kept_bytes(trees, idle, returned_within_s)
    return Trial(
        kind=kind.name,
        connections=report.connected,
        sent_bytes=report.sent_bytes,
        ended=service.has_ended,
        most_bytes=most - idle,
        kept_bytes=kept,
        slowest_s=witness.slowest_s,
        unanswered=witness.unanswered,
        lost=_lost(testbed, workload, witness.acknowledged),
    )


def _attack(workload: Workload, protocol: str, service: Service, kind: Kind, sample: SampleRequest) -> Attack:
    method, path, batch = sample.method, sample.path, workload.declared.batch
    if kind.large and protocol == "grpc" and batch.grpc is not None:
        path = f"/{batch.grpc.method}"
    elif kind.large and batch.http is not None:
        method, path = batch.http.method, batch.http.path
    wire: Literal["http1", "http2"] = "http2" if protocol == "grpc" else "http1"
    host, port = service.access.host, service.access.port
    largest = (batch.largest_bytes or 0) * 15 // 16
    return Attack(kind, wire, host, port, method, path, sample.fields, sample.body, largest)


def within_descriptors(kind: Kind, limit: int) -> Kind:
    """The kind with no more connections than a target with this limit of descriptors can hold."""
    return msgspec.structs.replace(kind, connections=min(kind.connections, max(limit - _OTHER_DESCRIPTORS, 1)))


def _descriptors(pid: int) -> int:
    limit, _ = psutil.Process(pid).rlimit(psutil.RLIMIT_NOFILE)
    return limit


def _memory_bytes(trees: Sequence[ProcessTree]) -> int:
    return sum(usage.memory_bytes for tree in trees if (usage := tree.usage()) is not None)


def _kept_bytes(trees: Sequence[ProcessTree], idle: int, within_s: float) -> int:
    """The memory left above `idle` once it is back, or when the time for that is over."""
    deadline = time.monotonic() + within_s
    while (kept := _memory_bytes(trees) - idle) > KEPT_BYTES and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY_S)
    return max(kept, 0)


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
