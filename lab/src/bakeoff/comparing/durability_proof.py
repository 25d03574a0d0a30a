"""Proof that what a contender acknowledges survives a crash: PostgreSQL is killed under load, started again, audited.

SIGKILL leaves what the kernel has taken over, so that this proves that commits reach the log file before they are
acknowledged and that tables are logged. That the file reaches the disk is what settings and flush counts show.
"""

import contextlib
from contextlib import AbstractContextManager
from dataclasses import replace

from msgspec import structs

from bakeoff.engines.stream import EngineSecond, Record
from bakeoff.errors import BakeoffError
from bakeoff.postgres import embedded
from bakeoff.postgres.crashable import Crashable
from bakeoff.running.contender import Contender, DurabilityProof
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.modes import Phase
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.run_files import RunFiles, run_files
from bakeoff.running.run_request import RunRequest
from bakeoff.running.service import Service, at_work, reached_by
from bakeoff.running.stored_state import audited, has_query, keeps_ledger
from bakeoff.running.testbed import Testbed
from bakeoff.workload.plan_records import Plan

# A separate server: the one that runs are measured on is not crashed.
CRASHED = embedded.InstanceKind("durability", "application", ("shared_buffers=64MB", "max_wal_size=512MB"))

_USERS = 32
# The crash comes in the first second that acknowledged anything; this only bounds how long that may take.
_PHASE_S = 30.0


def can_be_proven(testbed: Testbed, contender: Contender) -> bool:
    """Whether the lab may crash the database: its own, under a target that it starts, with writes that it can audit."""
    server = testbed.server
    own_database = server is not None and (server.embedded or server.container is not None)
    return own_database and keeps_ledger(testbed, contender) and contender.target.name not in testbed.attached


def prove_durability(testbed: Testbed, contender: Contender) -> DurabilityProof:
    """Crashes a PostgreSQL under the contender's load. Raises BakeoffError where nothing was acknowledged before.

    Rows from before the run (--preload) are left out: the audit would miss them, and no crash can lose what the server
    has written long before.
    """
    contender = replace(contender, variant=replace(contender.variant, preload=0))
    database = testbed.crashable(CRASHED)
    with contextlib.ExitStack() as stack:
        server = database.start()
        stack.callback(database.stop)
        prepared = stack.enter_context(PreparedStates())
        own = replace(testbed, server=server, places=(), prepared=prepared)
        own = stack.enter_context(fresh_state(own, contender.target, contender.workload, contender.variant))
        folder = testbed.project.state / "runs"
        files = stack.enter_context(run_files(folder, f"{contender.target.name}-durability"))
        plan = _load_over_a_crash(own, contender, files, database)
        if not has_query(own, contender):
            # A new process reads what the database holds, and nothing that it remembers.
            service = stack.enter_context(_at_work(own, contender))
            access = reached_by(own.launcher, service.access)
            transport = structs.replace(plan.transport, host=access.host, port=access.port)
            files.plan.write_bytes(structs.replace(plan, transport=transport).encoded())
        verdict = audited(own, contender, files)
    if verdict is None or not verdict.acknowledged_operations:
        raise BakeoffError(
            f"{contender.key}: durability could not be proven, since no operation was acknowledged before the crash."
        )
    wrong = verdict.wrong.count + verdict.stale.count
    return DurabilityProof(verdict.acknowledged_operations, verdict.lost.count, wrong)


def _load_over_a_crash(testbed: Testbed, contender: Contender, files: RunFiles, database: Crashable) -> Plan:
    """Sends load until the database has crashed and is back. Returns the plan of the load."""
    has_crashed = False
    with _at_work(testbed, contender) as service:
        request = RunRequest(contender, "durability", [Phase("Over a crash", _USERS, _PHASE_S)])
        plan = request.plan(reached_by(testbed.launcher, service.access), files.ledger)
        engine = testbed.agents(request, plan, files, files.plan.with_name("stream.jsonl"))

        def on_record(record: Record) -> None:
            nonlocal has_crashed
            if has_crashed:
                return
            if service.has_ended:
                raise service.ended_error()
            if isinstance(record, EngineSecond) and record.operations > 0:
                has_crashed = True
                database.crash()
                database.start()
                # In good order: what is in flight may still be answered, and then counts as acknowledged.
                engine.interrupt()

        with engine:
            engine.records(on_record)
    return plan


def _at_work(testbed: Testbed, contender: Contender) -> AbstractContextManager[Service]:
    log = testbed.project.logs / f"{contender.target.name}-durability.log"
    return at_work(testbed, contender.target, contender.workload, contender.variant, log)
