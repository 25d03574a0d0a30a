"""Checks that no case can express: that what a target acknowledges is so, and that it treats all clients alike."""

from collections.abc import Sequence

from bakeoff.conformance.case import Differences
from bakeoff.conformance.exchange import NoReplyError
from bakeoff.conformance.integrity_checks import CHECKS, Check
from bakeoff.conformance.probe import Probed, plan_for
from bakeoff.conformance.runner import CaseResult, applicable, load_cases
from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.errors import BakeoffError
from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.server import Server
from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload

SUBJECT = "integrity"


def run_integrity(
    workload: Workload,
    protocol: str,
    access: Access,
    server: Server,
    relay: DatabaseRelay | None,
    problems_before: Sequence[str],
) -> tuple[tuple[CaseResult, ...], int]:
    """The results of the checks that can be made of this target, and how many cannot be."""
    audit, plan = workload.sql("audit"), plan_for(workload, protocol, access)
    if audit is None:
        return (), len(CHECKS)
    cases = applicable(load_cases(workload), access.token)
    with server.connect() as connection:
        stored = PostgresRows(connection, audit)
        probed = Probed(workload, protocol, access, server, stored, relay, problems_before, cases, plan)
        found = [(name, rule, _differences(check, probed)) for name, rule, check in CHECKS]
    results = tuple(
        CaseResult(name, SUBJECT, rule, differences.strict, core_differences=differences.core)
        for name, rule, differences in found
        if differences is not None
    )
    return results, len(CHECKS) - len(results)


def _differences(check: Check, probed: Probed) -> Differences | None:
    try:
        found = check(probed)
    except (NoReplyError, BakeoffError) as error:
        found = [str(error)]
    return Differences().with_both(*found) if isinstance(found, list) else found
