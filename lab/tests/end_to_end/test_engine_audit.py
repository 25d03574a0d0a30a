"""Findings of the native engine's audit in a real database, where users share keys and rows existed before."""

import subprocess
from pathlib import Path

import pytest

from bakeoff.engines.agents import alone
from bakeoff.engines.manifest import Engine, find_engine
from bakeoff.engines.stream import PhaseEnd
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.audit import Audit
from bakeoff.running.audit_step import audit_run
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import PlannedPhase
from bakeoff.workload.preload import preload_statements
from bakeoff.workload.reuse import Reuse
from build_once import build_once, built_client

pytestmark = pytest.mark.end_to_end

PRELOADED = 12_345
SHARED_KEYS = 8
SHARED_ROWS = "id LIKE '%-9999999-%'"


class Run:
    """A run of sixteen users against a table that was filled before."""

    def __init__(self, project: Project, server: Server, folder: Path) -> None:
        (self._target,) = choose_targets(find_targets(project), ["producer-api-rust-rest"])
        self.engine: Engine = find_engine("native")
        for build in (self._target.build, self.engine.build):
            build_once(build)
        self.workload: Workload = load_workload(project, "events")
        self.plan, self.ledger = folder / "plan.json", folder / "ledger"
        self._server, self._folder = server, folder
        fresh_table(self.workload, server, with_schema=True)
        self._drive()

    def _drive(self) -> None:
        check = health_check(self.workload, "rest", built_client())
        with TargetProcess(self._target, self._server, check, self._folder / "target.log") as target:
            plan = compile_plan(
                self.workload,
                Load(
                    target=self._target.name,
                    protocol="http",
                    host="127.0.0.1",
                    port=target.port,
                    mode="test",
                    phases=[PlannedPhase(name="Shared", virtual_users=16, iterations=3_000)],
                    ledger=self.ledger,
                    reuse=Reuse(share=0.6, pick="zipf:0.99", shared=SHARED_KEYS),
                    preload=PRELOADED,
                ),
            )
            for statement in preload_statements(self.workload, plan, PRELOADED):
                self._server.execute_script(statement)
            logs = self._folder / "engine.log"
            stream = self._folder / "stream.jsonl"
            engine = alone(self.engine, plan, self.plan, stream, logs)
            with engine:
                records = engine.records(lambda _: None)
        (phase,) = [record for record in records if isinstance(record, PhaseEnd)]
        assert (phase.ok, phase.errors) == (3_000, {})

    def audit(self) -> Audit:
        verdict = audit_run(self.engine, self.workload, self._server, self.plan, self.ledger)
        assert verdict is not None
        return verdict


def rows(server: Server, condition: str) -> int:
    with server.connect() as connection:
        row = connection.execute(f"SELECT count(*) FROM car_entities WHERE {condition}".encode()).fetchone()
    assert row is not None
    return int(row[0])


def test_shared_keys_and_preloaded_rows_are_audited(project: Project, server: Server, tmp_path: Path) -> None:
    run = Run(project, server, tmp_path)
    assert rows(server, "id LIKE '%-preloaded-%'") == PRELOADED
    assert rows(server, SHARED_ROWS) == SHARED_KEYS * len(run.workload.declared.keys)
    verdict = run.audit()
    assert verdict.clean, verdict
    assert verdict.unexplained_rows.count == PRELOADED

    server.execute_script("DELETE FROM car_entities WHERE ctid IN (SELECT ctid FROM car_entities"
                          " WHERE id LIKE '%-preloaded-%' LIMIT 3)")  # fmt: skip
    assert run.audit().lost.count == 3
    server.execute_script(f"UPDATE car_entities SET data = data || '{{\"vin\": 1}}' WHERE {SHARED_ROWS}"
                          " AND entity_type = 'Car'")  # fmt: skip
    assert run.audit().wrong.count == SHARED_KEYS


@pytest.mark.parametrize(
    ("url", "sql", "words"),
    [
        ("postgresql://unknown@127.0.0.1:1/none", "SELECT 1", "the database refused"),
        (None, "SELECT nothing FROM nowhere", "the database refused"),
        (None, "SELECT ARRAY[['a'],['b']] AS key, '{}'::jsonb AS document", "key is not an array of text"),
        (None, "SELECT NULL::text[] AS key, '{}'::jsonb AS document", "must not be null"),
    ],
)
def test_a_database_that_cannot_be_audited_is_no_verdict(
    project: Project, server: Server, tmp_path: Path, url: str | None, sql: str, words: str
) -> None:
    run = Run(project, server, tmp_path)
    query = tmp_path / "audit.sql"
    query.write_text(sql, "utf-8")
    command = run.engine.audit_command(run.plan, run.ledger, query)
    done = subprocess.run(
        command, env={"DATABASE_URL": url or server.url}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert words in done.stderr
