"""Stores what a run begins with, and audits what it acknowledged."""

from dataclasses import dataclass, replace

from bakeoff.results.audit import Audit
from bakeoff.results.findings import Finding
from bakeoff.running.audit_step import audit_run, read_back
from bakeoff.running.contender import Contender
from bakeoff.running.created_before import CreatedBefore, create_before, created_before_findings
from bakeoff.running.findings import audit_findings, not_audited
from bakeoff.running.preloaded import Preloaded, preload_findings, preloaded_in
from bakeoff.running.run_files import RunFiles
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import POSTGRESQL
from bakeoff.workload.plan_records import Plan
from bakeoff.workload.preload import can_insert, preload_statements


@dataclass(frozen=True)
class StoredFacts:
    """Rows and entities from before a run, and verdicts on what is stored after it; None where there was no audit."""

    has_ledger: bool = False
    preloaded_before: Preloaded | None = None
    preloaded_after: Preloaded | None = None
    created: CreatedBefore | None = None
    verdict: Audit | None = None
    created_verdict: Audit | None = None


def keeps_ledger(testbed: Testbed, contender: Contender) -> bool:
    """A ledger is of use only where an audit can follow."""
    engine = contender.engine
    can_audit = testbed.server is not None or (_reads_back(contender) and engine.can_read_back)
    return engine.can("ledger") and engine.manifest.audit is not None and can_audit


def preload(testbed: Testbed, contender: Contender, plan: Plan, files: RunFiles) -> StoredFacts:
    """Stores what no operation touches, and writes it out: as rows, or through a target that assigns the keys."""
    count, workload, server = contender.variant.preload, contender.workload, testbed.server
    facts = StoredFacts(keeps_ledger(testbed, contender))
    if not count:
        return facts
    testbed.progress.step(f"{contender.key}: storing {count:,} entities first")
    if server is not None and can_insert(workload, plan):
        for statement in preload_statements(workload, plan, count):
            server.execute_script(statement)
    else:
        facts = replace(facts, created=create_before(testbed, contender, plan, count, files))
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
        facts = replace(facts, verdict=_audited(testbed, contender, files))
        if facts.created is not None and facts.created.files is not None:
            facts = replace(facts, created_verdict=_audited(testbed, contender, facts.created.files))
    return facts


def stored_findings(contender: Contender, facts: StoredFacts) -> list[Finding]:
    """Nothing of a contender that stores nothing, in a workload that declares no reading back."""
    found = preload_findings(facts.preloaded_before, facts.preloaded_after)
    if facts.verdict is not None:
        found += created_before_findings(facts.created, facts.created_verdict)
        return [*found, *audit_findings(facts.verdict, contender.variant.preload)]
    reads_back, in_database = _reads_back(contender), contender.place == POSTGRESQL
    if contender.place == "none" and not reads_back:
        return found
    has_query = reads_back or (in_database and contender.workload.declared.audit is not None)
    name, has_ledger = contender.engine.name, facts.has_ledger
    return [not_audited(name, has_query=has_query, has_ledger=has_ledger, in_database=in_database), *found]


def _reads_back(contender: Contender) -> bool:
    return bool(contender.workload.declared.reads_back)


def _audited(testbed: Testbed, contender: Contender, files: RunFiles) -> Audit | None:
    """By the database where the lab knows it and the query, else by the target's own reads."""
    engine, workload, launcher = contender.engine, contender.workload, testbed.launcher
    if testbed.server is not None and workload.declared.audit is not None:
        return audit_run(engine, workload, testbed.server, files.plan, files.ledger, launcher)
    return read_back(engine, workload, files.plan, files.ledger, launcher)
