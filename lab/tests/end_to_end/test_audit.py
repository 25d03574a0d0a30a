"""A run whose database does not hold what was acknowledged is void, and says so."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.engines.manifest import find_engine
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.audit import Audit
from bakeoff.results.run import RunResult, Status
from bakeoff.running import stored_state
from bakeoff.running.audit_step import audit_run
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.run_request import RunRequest
from bakeoff.running.stored_state import Preloaded, preloaded_in
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import Workload, load_workload
from build_once import build_once

pytestmark = pytest.mark.end_to_end

CHANGED = (
    "UPDATE car_entities SET data = data || '{\"x\": 1}'"
    " WHERE id = (SELECT min(id) FROM car_entities WHERE id LIKE '%-preloaded-%')"
)


def measured(project: Project, server: Server, variant: Variant = Variant()) -> RunResult:  # noqa: B008 — immutable
    (target,) = choose_targets(find_targets(project), ["producer-api-rust-rest"])
    engine = find_engine("native")
    for build in (target.build, engine.build):
        build_once(build)
    workload = load_workload(project, target.workload)
    request = RunRequest(Contender(target, workload, engine, variant), "quick", [Phase("Short", 8, 0.5)])
    return measure(Testbed(project, server, PlainProgress(Console(quiet=True))), request)


def test_an_honest_run_is_audited_and_clean(
    project: Project, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    result = measured(project, server)
    assert result.status is Status.COMPLETED, result.failure
    assert result.total is not None and result.audit is not None
    assert result.audit.clean
    assert result.audit.acknowledged_operations == result.total.operations > 0


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        ("DELETE FROM car_entities WHERE ctid IN (SELECT ctid FROM car_entities LIMIT 2)", "lost"),
        ("UPDATE car_entities SET data = data || '{\"model\": 1}' WHERE id = (SELECT id FROM car_entities"
         " WHERE entity_type = 'Car' LIMIT 1)", "wrong"),
    ],
)  # fmt: skip
def test_a_write_that_is_gone_or_changed_voids_the_run(
    project: Project, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, kind: str
) -> None:
    def damaged(*given: Any) -> Audit | None:
        server.execute_script(damage)
        return audit_run(*given)

    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    monkeypatch.setattr(stored_state, "audit_run", damaged)
    result = measured(project, server)
    assert result.status is Status.VOID
    assert result.audit is not None
    assert getattr(result.audit, kind).count == {"lost": 2, "wrong": 1}[kind]
    assert [finding.kind for finding in result.findings if finding.severity == "error"] == ["audit-failed"]


@pytest.mark.parametrize(("damage", "status"), [("SELECT 1", Status.COMPLETED), (CHANGED, Status.VOID)])
def test_a_preloaded_row_that_is_changed_voids_the_run(
    project: Project, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, status: Status
) -> None:
    looks: list[Preloaded | None] = []

    def damaged(workload: Workload, server: Server) -> Preloaded | None:
        if looks:
            server.execute_script(damage)
        looks.append(preloaded_in(workload, server))
        return looks[-1]

    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    monkeypatch.setattr(stored_state, "preloaded_in", damaged)
    result = measured(project, server, Variant(preload=1_000, settings={"pool_size": "5"}))
    assert result.status is status, result.failure
    assert len(looks) == 2
    kinds = [finding.kind for finding in result.findings if "audit" in finding.kind or "unexplained" in finding.kind]
    assert kinds == ([] if status is Status.COMPLETED else ["audit-failed"])
    assert "pool_size 5 (given), flushers 2 (default)" in result.environment["target_settings"]
