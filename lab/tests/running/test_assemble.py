"""Results from made-up facts: status, figures, findings and labels of a run."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from bakeoff.engines.stream import Record
from bakeoff.results.audit import Audit, Violations
from bakeoff.results.cost import Sample
from bakeoff.results.machine_state import MachineState
from bakeoff.results.run import Durability, RunResult, Status
from bakeoff.running.assemble import RunFacts, assemble
from bakeoff.running.contender import Contender, Proof
from bakeoff.running.durability_label import DurabilityFacts, DurabilityProof
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.running.stored_state import StoredFacts
from bakeoff.running.watch import Watched
from bakeoff.sampling.database_activity import DatabaseCounts
from made_up_manifests import engine, target, workload
from made_up_records import outcomes, phase_end, phase_start, record_of

NOW = datetime(2026, 1, 6, 10, tzinfo=UTC)
SECOND = 1_000_000_000
CONTENDER = Contender(
    target("t"), workload(database="none", operations=[]), engine("native"), proof=Proof("now", 3, "core")
)
PHASES = [Phase("P0", 10, 2.0), Phase("P1", 20, 2.0)]
SAMPLES = [Sample(second * SECOND, "target", second * 0.5, 1000) for second in range(10)]
NO_COUNTS = DatabaseCounts(None, [], [], [], 0.5)


def request(mode: str = "quick", **changes: Any) -> RunRequest:
    return RunRequest(CONTENDER, mode, PHASES, **changes)


def phase(number: int, ok: int = 100, failed: int = 0, **changes: Any) -> list[Record]:
    begin_ns = number * 2 * SECOND
    end: dict[str, Any] = {"sent": ok + failed, "ok": ok, "failed": failed, "operations": ok, "duration_ns": 2 * SECOND}
    if failed:
        end["errors"] = {"timeout": failed}
    return [
        phase_start(f"P{number}", phase=number, time_unix_ns=begin_ns),
        phase_end(phase=number, time_unix_ns=begin_ns + 2 * SECOND, **{**end, **changes}),
    ]


def end(reason: str) -> Record:
    return record_of({"type": "end", "time_unix_ns": 4 * SECOND, "reason": reason, "message": ""})


def assembled(*records: Record, run: RunRequest | None = None, **facts: Any) -> RunResult:
    return assemble(RunFacts(run or request(), NOW, NOW, records, **facts))


def kinds(result: RunResult) -> list[str]:
    return [finding.kind for finding in result.findings]


def test_a_run_that_came_to_its_end_has_the_figures_of_its_phases() -> None:
    result = assembled(*phase(0), *phase(1, 300), end("completed"), watched=Watched(SAMPLES), start_s=0.2)
    assert (result.status, result.failure, result.start_to_healthy_s) == (Status.COMPLETED, None, 0.2)
    assert [each.measured.throughput_per_s for each in result.phases] == [50, 150]
    assert result.total is not None and result.total.costs["target"].cpu_s == pytest.approx(2.0)
    assert (result.contender, result.contract_profile, result.durability) == ("t", "core", Durability.NONE_PROMISED)


def test_levels_that_settled_and_came_in_another_order_are_in_their_places() -> None:
    run = request(settling=Settling(2, 2), level_order=[1, 0])
    records = [record for number, ok in enumerate([1, 300, 1, 100]) for record in phase(number, ok)]
    result = assembled(*records, run=run)
    assert [each.measured.requests for each in result.phases] == [100, 300]
    assert result.warm_up is not None


def test_a_failure_keeps_the_phases_before_it() -> None:
    result = assembled(*phase(0), phase_start("P1", phase=1), failure="it died.")
    assert (result.status, result.failure) == (Status.FAILED, "it died.")
    assert [each.name for each in result.phases] == ["P0"]


def test_a_run_that_never_began_has_no_figures() -> None:
    result = assembled(failure="port in use.")
    assert (result.status, result.total, result.findings, result.engine_version) == (Status.FAILED, None, [], "unknown")


def test_phases_that_were_cut_short_show_only_what_was_lost() -> None:
    cut = [*phase(0, failed=50), end("interrupted")]
    assert (assembled(*cut).status, kinds(assembled(*cut))) == (Status.INTERRUPTED, [])
    lost = StoredFacts(True, verdict=Audit(clean=False, acknowledged_operations=100, lost=Violations(count=2)))
    result = assembled(*cut, stored=lost)
    assert (result.status, kinds(result)) == (Status.VOID, ["audit-failed"])


def test_a_lost_write_voids_a_run_and_its_verdict_is_kept() -> None:
    verdict = Audit(clean=False, acknowledged_operations=200, lost=Violations(count=1))
    result = assembled(*phase(0), *phase(1), end("completed"), stored=StoredFacts(True, verdict=verdict))
    assert (result.status, result.audit) == (Status.VOID, verdict)


def test_an_operation_that_always_fails_fails_the_run() -> None:
    save = outcomes(sent=100, failed=100, errors={"status_500": 100}, statuses={"500": 100})
    result = assembled(*phase(0, 0, 100, by_operation={"Save": save}), *phase(1), end("completed"))
    assert result.status is Status.FAILED
    assert result.failure is not None and "Save" in result.failure


def test_a_run_that_was_stopped_is_complete_without_the_phase_that_had_begun() -> None:
    first, later = phase(0, 50, 50), phase(1)
    result = assembled(*first, *later, end("interrupted"), run=request("saturation"), stopped_at=first[1])
    assert (result.status, [each.number for each in result.phases]) == (Status.COMPLETED, [1])
    assert "stopped-early" in kinds(result)


def test_a_clock_that_jumped_tells_nothing_about_costs() -> None:
    still, jumped = MachineState(clock_jump_s=0.0), MachineState(clock_jump_s=9.0)
    assert assembled(*phase(0), watched=Watched(SAMPLES), machine=still).total.costs  # type: ignore[union-attr]
    result = assembled(*phase(0), watched=Watched(SAMPLES), machine=jumped)
    assert result.total is not None and (result.total.costs, list(result.samples)) == ({}, [])
    assert any("clock" in kind for kind in kinds(result))


@pytest.mark.parametrize(
    ("problems", "proof", "label"),
    [
        (None, None, Durability.UNKNOWN),
        ([], None, Durability.DECLARED),
        ([], DurabilityProof(9, 0, 0), Durability.PROVEN),
        ([], DurabilityProof(9, 1, 0), Durability.NOT_DURABLE),
        (["fsync is off."], DurabilityProof(9, 0, 0), Durability.NOT_DURABLE),
    ],
)
def test_a_label_takes_the_worst_of_server_and_crash(
    problems: list[str] | None, proof: DurabilityProof | None, label: Durability
) -> None:
    crashed: dict[str, Any] = {}
    if proof is not None:
        verdict = Audit(clean=proof.holds, acknowledged_operations=9, lost=Violations(count=proof.lost))
        crashed = {"crashed": True, "stored": StoredFacts(True, verdict=verdict)}
    facts = DurabilityFacts(problems=problems)
    result = assembled(*phase(0), end("interrupted"), durability=facts, database=NO_COUNTS, **crashed)
    # What a crash loses sets the label; the figures from before it stay.
    assert result.status is (Status.COMPLETED if crashed else Status.INTERRUPTED)
    assert (result.durability, result.database_activity) == (label, None)
    assert "audit-failed" not in kinds(result)
    assert ("not-durable" in kinds(result)) is (label is Durability.NOT_DURABLE)


def test_facts_of_others_are_in_the_record_and_the_same_facts_make_the_same_result() -> None:
    settings, facts = {"limit_cpus": "2"}, {"storage": "none", "target_log": "a.log"}
    first, second = (assembled(*phase(0), settings=settings, environment=facts) for _ in range(2))
    assert first.settings["limit_cpus"] == "2" and first.environment == facts
    assert msgspec.to_builtins(first) == msgspec.to_builtins(second)
