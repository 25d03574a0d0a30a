"""Entities created through the target before a run, and audited after it: no operation of the run touches them."""

import secrets
from dataclasses import dataclass

from bakeoff.engines.agents import alone
from bakeoff.engines.stream import PhaseEnd, Record
from bakeoff.errors import BakeoffError
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.audit import Audit
from bakeoff.results.findings import Finding
from bakeoff.running.contender import Contender
from bakeoff.running.findings import violations
from bakeoff.running.run_files import RunFiles
from bakeoff.running.testbed import Testbed
from bakeoff.workload.creating import creating
from bakeoff.workload.plan_records import Plan


@dataclass(frozen=True)
class CreatedBefore:
    """How many there are, and the plan and the ledger of their creation. None: the engine keeps no ledger."""

    count: int
    files: RunFiles | None


def create_before(testbed: Testbed, contender: Contender, plan: Plan, count: int, files: RunFiles) -> CreatedBefore:
    """Creates `count` entities as the plan's target is reached. Raises BakeoffError where one is refused."""
    own = RunFiles(files.plan.with_name("preload-plan.json"), files.plan.with_name("preload-ledger"))
    has_ledger = plan.ledger is not None
    first = creating(plan, count, secrets.token_hex(4), str(own.ledger) if has_ledger else None)
    stream, log = own.plan.with_name("preload.stream.jsonl"), own.plan.with_name("preload.log")
    schema = testbed.project.contract / "schemas" / "stream.schema.json"
    ended: list[PhaseEnd] = []

    def on_record(record: Record) -> None:
        if isinstance(record, PhaseEnd):
            ended.append(record)

    with alone(contender.engine, first, own.plan, stream, log, schema, testbed.here) as engine:
        engine.records(on_record)
    failed = sum(record.failed for record in ended)
    if failed:
        kinds = ", ".join(f"{number:,} × {kind}" for record in ended for kind, number in record.errors.items())
        raise BakeoffError(
            f"{contender.key}: of {count:,} requests that create what --preload asks for {failed:,} failed ({kinds}). "
            "Read the target's log, or leave out --preload."
        )
    return CreatedBefore(count, own if has_ledger else None)


def created_before_findings(created: CreatedBefore | None, verdict: Audit | None) -> list[Finding]:
    """An error where some are not as they were created; nothing where they were not audited."""
    if created is None or verdict is None or verdict.clean:
        return []
    return [kinds.PRELOADED_ENTITIES_CHANGED(count=created.count, broken=violations(verdict))]
