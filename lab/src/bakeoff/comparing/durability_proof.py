"""Proof that what a contender acknowledges survives a crash: PostgreSQL is killed under load, started again, audited.

SIGKILL leaves what the kernel has taken over, so that this proves that commits reach the log file before they are
acknowledged and that tables are logged. That the file reaches the disk is what settings and flush counts show.
"""

from dataclasses import replace

from bakeoff.engines.stream import EngineSecond, Record
from bakeoff.errors import BakeoffError
from bakeoff.postgres import embedded
from bakeoff.postgres.crashable import Crashable
from bakeoff.postgres.server import Server
from bakeoff.running.audit_step import audit_run
from bakeoff.running.contender import Contender, DurabilityProof
from bakeoff.running.modes import Phase
from bakeoff.running.run_files import RunFiles, run_files
from bakeoff.running.run_request import RunRequest
from bakeoff.running.service import at_work, reached_by
from bakeoff.running.testbed import Testbed

# A separate server: the one that runs are measured on is not crashed.
CRASHED = embedded.InstanceKind("durability", "application", ("shared_buffers=64MB", "max_wal_size=512MB"))

_USERS = 32
# The crash comes in the first second that acknowledged anything; this only bounds how long that may take.
_PHASE_S = 30.0


def can_be_proven(testbed: Testbed, contender: Contender) -> bool:
    """Whether the lab may crash the database: its own, under a target that it starts, with an engine that audits."""
    server, workload, engine = testbed.server, contender.workload, contender.engine
    own_database = server is not None and (server.embedded or server.container is not None)
    audited = engine.can("ledger") and engine.manifest.audit is not None and workload.declared.audit is not None
    return own_database and audited and workload.uses_database and contender.target.name not in testbed.attached


def prove_durability(testbed: Testbed, contender: Contender) -> DurabilityProof:
    """Crashes a PostgreSQL under the contender's load. Raises BakeoffError where nothing was acknowledged before.

    Rows from before the run (--preload) are left out: the audit would miss them, and no crash can lose what the server
    has written long before.
    """
    contender = replace(contender, variant=replace(contender.variant, preload=0))
    database = testbed.crashable(CRASHED)
    own = replace(testbed, server=database.start(), places=())
    try:
        with run_files(testbed.project.state / "runs", f"{contender.target.name}-durability") as files:
            server = _load_over_a_crash(own, contender, files, database)
            verdict = audit_run(
                contender.engine, contender.workload, server, files.plan, files.ledger, testbed.launcher
            )
    finally:
        database.stop()
    if verdict is None or not verdict.acknowledged_operations:
        raise BakeoffError(
            f"{contender.key}: durability could not be proven, since no operation was acknowledged before the crash."
        )
    wrong = verdict.wrong.count + verdict.stale.count
    return DurabilityProof(verdict.acknowledged_operations, verdict.lost.count, wrong)


def _load_over_a_crash(testbed: Testbed, contender: Contender, files: RunFiles, database: Crashable) -> Server:
    """Sends load until the database has crashed. Returns the server that came back, or the first one."""
    log = testbed.project.logs / f"{contender.target.name}-durability.log"
    assert testbed.server is not None
    servers = [testbed.server]
    with at_work(testbed, contender.target, contender.workload, contender.variant, log) as service:
        request = RunRequest(contender, "durability", [Phase("Over a crash", _USERS, _PHASE_S)])
        plan = request.plan(reached_by(testbed.launcher, service.access), files.ledger)
        engine = testbed.agents(request, plan, files, files.plan.with_name("stream.jsonl"))

        def on_record(record: Record) -> None:
            if len(servers) > 1:
                return
            if service.has_ended:
                raise service.ended_error()
            if isinstance(record, EngineSecond) and record.operations > 0:
                database.crash()
                servers.append(database.start())
                # In good order: what is in flight may still be answered, and then counts as acknowledged.
                engine.interrupt()

        with engine:
            engine.records(on_record)
    return servers[-1]
