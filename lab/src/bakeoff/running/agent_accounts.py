"""Whether agents, merged stream, ledgers and table agree on what was acknowledged."""

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.engines.agents import Agents
from bakeoff.engines.stream import PhaseEnd, Record
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.audit import Audit
from bakeoff.results.findings import Finding
from bakeoff.workload.plan_records import Plan, PlannedOperation


@dataclass(frozen=True)
class AgentAccounts:
    """Operations that were acknowledged: by each agent's own stream, and by the merged one.

    `with_effect` are those of the merged one that a ledger records too, None where the stream does not show them;
    `at_most` where a ledger may hold fewer, because a reply left open whether it was applied. `is_one_here`: a single
    agent, on this machine.
    """

    names: Sequence[str]
    agents: Sequence[int]
    merged: int
    with_effect: int | None
    at_most: bool
    begun_apart_ns: int
    clocks: Sequence[str]
    deletes: bool
    is_one_here: bool

    def facts(self) -> dict[str, str]:
        """For a run's record; nothing of one agent on this machine."""
        if self.is_one_here:
            return {}
        counts = zip(self.names, self.agents, strict=True)
        clocks = zip(self.names, self.clocks, strict=True)
        return {
            "agents_acknowledged": ", ".join(f"{name}: {count:,}" for name, count in counts),
            "agents_clock_offset": ", ".join(f"{name}: {clock}" for name, clock in clocks),
            "agents_start_spread": f"{self.begun_apart_ns / 1e6:.3f} ms",
        }

    def line(self, audit: Audit | None) -> str:
        agents = "1 agent" if len(self.names) == 1 else f"{len(self.names)} agents"
        same = f"acknowledged by {agents} {sum(self.agents):,}, merged {self.merged:,}"
        ledgers = "no ledgers" if audit is None else f"in the ledgers {audit.acknowledged_operations:,}"
        table = ""
        if audit is not None and not audit.through:
            table = f"; distinct keys {audit.entities:,}, rows {audit.rows:,}"
        clocks = f"starts {self.begun_apart_ns / 1e6:.2f} ms apart, clocks {', '.join(self.clocks)}"
        return f"{same}, {ledgers}{table}; {clocks}"

    def findings(self, audit: Audit | None, preloaded: int) -> list[Finding]:
        """An error that makes the run void where two of the counts differ that must be the same."""
        agents, problems = sum(self.agents), []
        if agents != self.merged:
            problems.append(f"the agents acknowledged {agents:,} operations, the merged stream {self.merged:,}")
        if audit is not None and audit.ledger_complete:
            in_ledgers, sent = audit.acknowledged_operations, self.with_effect
            if sent is not None and in_ledgers != sent and not (self.at_most and in_ledgers < sent):
                problems.append(
                    f"{sent:,} acknowledged operations changed something, and the ledgers hold {in_ledgers:,}"
                )
            # Rows that were deleted, stored before or never answered may have no key.
            is_open = audit.unacknowledged_operations or audit.untraceable_operations or audit.unexplained_rows.count
            has_keys = not (self.deletes or preloaded or audit.through or is_open) and audit.clean
            if has_keys and audit.rows != audit.entities:
                problems.append(f"the ledgers hold {audit.entities:,} distinct keys, and the table {audit.rows:,} rows")
        return [kinds.COUNTS_DISAGREE(problem=problem) for problem in problems]


def accounts_of(agents: Agents, plan: Plan, merged: Sequence[Record]) -> AgentAccounts:
    """The counts of a run whose streams have ended."""
    ends = [record for record in merged if isinstance(record, PhaseEnd)]
    changing = [operation for operation in plan.operations if operation.effect is not None]
    calls = [operation.http if plan.transport.protocol == "http" else operation.grpc for operation in changing]
    return AgentAccounts(
        names=agents.names,
        agents=agents.tallies.acknowledged,
        merged=sum(end.operations for end in ends),
        with_effect=_with_effect(plan, changing, ends),
        at_most=any(call is not None and not isinstance(call.expect, int | str) for call in calls),
        begun_apart_ns=agents.begun_apart_ns,
        clocks=[f"{offset.ahead_ns / 1e6:+.2f} ms ± {offset.uncertainty_ns / 1e6:.2f}" for offset in agents.offsets],
        deletes=any(operation.effect is not None and operation.effect.kind == "delete" for operation in changing),
        is_one_here=agents.is_one_here,
    )


def _with_effect(plan: Plan, changing: Sequence[PlannedOperation], ends: Sequence[PhaseEnd]) -> int | None:
    if len(changing) == len(plan.operations):
        return sum(end.operations for end in ends)
    if plan.transport.batch > 1 or not all(end.by_operation or not end.ok for end in ends):
        return None
    names = {operation.name for operation in changing}
    return sum(each.ok for end in ends for name, each in end.by_operation.items() if name in names)
