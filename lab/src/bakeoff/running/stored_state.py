"""Stores what no operation of a run touches before it, and audits afterwards what is stored."""

import json
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.engines.agents import alone
from bakeoff.engines.stream import PhaseEnd
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.audit import Audit
from bakeoff.results.findings import Finding
from bakeoff.running.audit_step import audit_run, read_back
from bakeoff.running.contender import Contender
from bakeoff.running.findings import audit_findings, not_audited, violations
from bakeoff.running.run_files import RunFiles
from bakeoff.running.testbed import Testbed
from bakeoff.targets.storage import POSTGRESQL
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan_records import Plan
from bakeoff.workload.preload import PRELOADED_KEYS, can_insert, creating, preload_statements

# A sum does not ask for an order, and the key in each hash distinguishes rows that exchanged their documents.
_STATE = """
SELECT count(*), coalesce(sum(hashtextextended(key::text || document::text, 0)), 0)
FROM ({audit}) AS state
WHERE key[cardinality(key)] LIKE '{keys}'
"""


_ROWS = "SELECT count(*) FROM ({audit}) AS state"


@dataclass(frozen=True)
class Preloaded:
    """How many of the preloaded rows the table holds, and a checksum of their keys and documents."""

    rows: int
    checksum: int


@dataclass(frozen=True)
class CreatedBefore:
    """How many entities were created, and the plan and the ledger of it. None: the engine keeps no ledger."""

    count: int
    files: RunFiles | None


@dataclass(frozen=True)
class StoredFacts:
    """Rows and entities from before a run, and verdicts on what is stored after it; None where there was no audit.

    `prepared_rows` are those that the target's own `prepare` has stored.
    """

    has_ledger: bool = False
    prepared_rows: int = 0
    preloaded_before: Preloaded | None = None
    preloaded_after: Preloaded | None = None
    created: CreatedBefore | None = None
    verdict: Audit | None = None
    created_verdict: Audit | None = None


def keeps_ledger(testbed: Testbed, contender: Contender) -> bool:
    """A ledger is of use only where an audit can follow."""
    engine = contender.engine
    can_audit = has_query(testbed, contender) or (_reads_back(contender) and engine.can_read_back)
    return engine.can("ledger") and engine.manifest.audit is not None and can_audit


def has_query(testbed: Testbed, contender: Contender) -> bool:
    """Whether an audit asks the database; without one the target itself reads back."""
    return testbed.server is not None and contender.workload.declared.audit is not None


def preload(testbed: Testbed, contender: Contender, plan: Plan, files: RunFiles) -> StoredFacts:
    """Stores what no operation touches, and writes it out: as rows, or through a target that assigns the keys."""
    count, workload, server = contender.variant.preload, contender.workload, testbed.server
    facts = StoredFacts(keeps_ledger(testbed, contender), _prepared_rows(testbed, contender))
    if not count or workload.declared.seed is not None:
        return facts
    testbed.progress.step(f"{contender.key}: storing {count:,} entities first")
    if server is not None and can_insert(workload, plan):
        for statement in preload_statements(workload, plan, count):
            server.execute_script(statement)
    else:
        facts = replace(facts, created=_create(testbed, contender, plan, files))
    if server is not None:
        server.execute_script("VACUUM (ANALYZE)")
        facts = replace(facts, preloaded_before=None if facts.created else preloaded_in(workload, server))
        server.checkpoint()
    return facts


def audit(testbed: Testbed, contender: Contender, files: RunFiles, facts: StoredFacts) -> StoredFacts:
    """Looks at what is stored now; the target still runs. Raises BakeoffError where the audit fails."""
    if facts.preloaded_before is not None and testbed.server is not None:
        facts = replace(facts, preloaded_after=preloaded_in(contender.workload, testbed.server))
    if facts.has_ledger:
        testbed.progress.step(f"{contender.key}: audit")
        facts = replace(facts, verdict=audited(testbed, contender, files))
        if facts.created is not None and facts.created.files is not None:
            facts = replace(facts, created_verdict=audited(testbed, contender, facts.created.files))
    return facts


def preloaded_in(workload: Workload, server: Server) -> Preloaded | None:
    """The preloaded rows that the workload's audit query returns; None for a workload without one."""
    query = workload.sql("audit")
    if query is None:
        return None
    statement = _STATE.format(audit=query.strip().rstrip(";"), keys=PRELOADED_KEYS)
    with server.connect() as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return Preloaded(row[0], int(row[1]))


def _prepared_rows(testbed: Testbed, contender: Contender) -> int:
    query = contender.workload.sql("audit")
    if testbed.server is None or query is None or contender.target.manifest.storage.prepare is None:
        return 0
    with testbed.server.connect() as connection:
        row = connection.execute(_ROWS.format(audit=query.strip().rstrip(";")).encode()).fetchone()
    return 0 if row is None else int(row[0])


def _create(testbed: Testbed, contender: Contender, plan: Plan, files: RunFiles) -> CreatedBefore:
    """Creates entities as the plan's target is reached. Raises BakeoffError where one is refused."""
    count, has_ledger = contender.variant.preload, plan.ledger is not None
    own = RunFiles(files.plan.with_name("preload-plan.json"), files.plan.with_name("preload-ledger"))
    first = creating(plan, count, secrets.token_hex(4), str(own.ledger) if has_ledger else None)
    stream, log = own.plan.with_name("preload.stream.jsonl"), own.plan.with_name("preload.log")
    with alone(contender.engine, first, own.plan, stream, log, testbed.here) as engine:
        ended = [record for record in engine.records(lambda _: None) if isinstance(record, PhaseEnd)]
    failed = sum(record.failed for record in ended)
    if failed:
        errors = ", ".join(f"{number:,} × {kind}" for record in ended for kind, number in record.errors.items())
        raise BakeoffError(
            f"{contender.key}: of {count:,} requests that create what --preload asks for {failed:,} failed ({errors}). "
            "Read the target's log, or leave out --preload."
        )
    return CreatedBefore(count, own if has_ledger else None)


def stored_findings(contender: Contender, facts: StoredFacts) -> list[Finding]:
    """Nothing of a contender that stores nothing, in a workload that declares no reading back."""
    found = preload_findings(facts.preloaded_before, facts.preloaded_after)
    if facts.verdict is not None:
        found += created_before_findings(facts.created, facts.created_verdict)
        return [*found, *audit_findings(facts.verdict, contender.variant.preload + facts.prepared_rows)]
    reads_back, in_database = _reads_back(contender), contender.storage == POSTGRESQL
    if contender.storage == "none" and not reads_back:
        return found
    can_ask = reads_back or (in_database and contender.workload.declared.audit is not None)
    name, has_ledger = contender.engine.name, facts.has_ledger
    return [not_audited(name, has_query=can_ask, has_ledger=has_ledger, in_database=in_database), *found]


def _reads_back(contender: Contender) -> bool:
    return bool(contender.workload.declared.reads_back)


def audited(testbed: Testbed, contender: Contender, files: RunFiles) -> Audit | None:
    """By the database where the lab knows it and the query, else by the target's own reads."""
    engine, workload, launcher = contender.engine, contender.workload, testbed.launcher
    if testbed.server is not None and has_query(testbed, contender):
        return audit_run(engine, workload, testbed.server, files.plan, files.ledger, launcher)
    return read_back(engine, workload, files.plan, files.ledger, launcher)


def redirect(plan: Path, host: str, port: int) -> None:
    """Points a plan's file at another process of the target, which reads back what the first one stored."""
    document = json.loads(plan.read_bytes())
    document["transport"] |= {"host": host, "port": port}
    plan.write_text(json.dumps(document), "utf-8")


def preload_findings(before: Preloaded | None, after: Preloaded | None) -> list[Finding]:
    """Rows that changed during the run; nothing where they were not checked."""
    if before is None or after is None or before == after:
        return []
    rows = f"{before.rows - after.rows:,} are missing" if after.rows < before.rows else "some contain another document"
    return [kinds.PRELOADED_ROWS_CHANGED(rows=before.rows, changed=rows)]


def created_before_findings(created: CreatedBefore | None, verdict: Audit | None) -> list[Finding]:
    """An error where some are not as they were created; nothing where they were not audited."""
    if created is None or verdict is None or verdict.clean:
        return []
    return [kinds.PRELOADED_ENTITIES_CHANGED(count=created.count, broken=violations(verdict))]
