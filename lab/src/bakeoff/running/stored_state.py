"""What a run finds stored, and whether what it acknowledged is stored after it."""

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


class StoredState:
    """Of one run. `verdict` is the audit's, None where there was none."""

    def __init__(self, testbed: Testbed, contender: Contender) -> None:
        self._testbed = testbed
        self._contender = contender
        self.verdict: Audit | None = None
        self._preloaded_before: Preloaded | None = None
        self._preloaded_after: Preloaded | None = None
        self._created_before: CreatedBefore | None = None
        self._created_verdict: Audit | None = None

    @property
    def keeps_ledger(self) -> bool:
        """A ledger is of use only where an audit can follow."""
        engine = self._contender.engine
        can_audit = self._testbed.server is not None or (self._reads_back and engine.can_read_back)
        return engine.can("ledger") and engine.manifest.audit is not None and can_audit

    def preload(self, plan: Plan, files: RunFiles) -> None:
        """Stores what no operation touches, and writes it out: as rows, or through a target that assigns the keys."""
        count, workload, server = self._contender.variant.preload, self._contender.workload, self._testbed.server
        if not count:
            return
        self._testbed.progress.step(f"{self._contender.key}: storing {count:,} entities first")
        if server is not None and can_insert(workload, plan):
            for statement in preload_statements(workload, plan, count):
                server.execute_script(statement)
        else:
            self._created_before = create_before(self._testbed, self._contender, plan, count, files)
        if server is not None:
            server.execute_script("VACUUM (ANALYZE)")
            self._preloaded_before = None if self._created_before else preloaded_in(workload, server)
            server.checkpoint()

    def audit(self, files: RunFiles) -> None:
        """Looks at what is stored now; the target still runs. Raises BakeoffError where the audit fails."""
        if self._preloaded_before is not None and self._testbed.server is not None:
            self._preloaded_after = preloaded_in(self._contender.workload, self._testbed.server)
        if self.keeps_ledger:
            self._testbed.progress.step(f"{self._contender.key}: audit")
            self.verdict = self._audited(files)
            if self._created_before is not None and self._created_before.files is not None:
                self._created_verdict = self._audited(self._created_before.files)

    def findings(self) -> list[Finding]:
        """Nothing of a contender that stores nothing, in a workload that says nothing of reading back."""
        contender, preloaded = self._contender, self._contender.variant.preload
        found = preload_findings(self._preloaded_before, self._preloaded_after)
        if self.verdict is not None:
            found += created_before_findings(self._created_before, self._created_verdict)
            return [*found, *audit_findings(self.verdict, preloaded)]
        if contender.place == "none" and not self._reads_back:
            return found
        in_database = contender.place == POSTGRESQL
        has_query = self._reads_back or (in_database and contender.workload.declared.audit is not None)
        engine, has_ledger = contender.engine.name, self.keeps_ledger
        why = not_audited(engine, has_query=has_query, has_ledger=has_ledger, in_database=in_database)
        return [why, *found]

    @property
    def _reads_back(self) -> bool:
        return bool(self._contender.workload.declared.reads_back)

    def _audited(self, files: RunFiles) -> Audit | None:
        """By the database where the lab knows it and the query, else by the target's own reads."""
        engine, workload, server = self._contender.engine, self._contender.workload, self._testbed.server
        launcher = self._testbed.launcher
        if server is not None and workload.declared.audit is not None:
            return audit_run(engine, workload, server, files.plan, files.ledger, launcher)
        return read_back(engine, workload, files.plan, files.ledger, launcher)
