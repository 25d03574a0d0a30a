"""`./bakeoff sql` on databases that are there, and `up --database-only`, which blocks nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bakeoff_process import bakeoff, bakeoff_started, interrupt

from bakeoff.cli.sql import run_statements
from bakeoff.errors import BakeoffError
from bakeoff.postgres.databases import development_database
from bakeoff.postgres.server import Server
from bakeoff.project import Project, prepare_state

pytestmark = pytest.mark.end_to_end


@pytest.fixture
def checkout(measuring_checkout: Project) -> Project:
    """A project with the folder of its databases."""
    prepare_state(measuring_checkout)
    return measuring_checkout


@pytest.fixture
def server(checkout: Project) -> Iterator[Server]:
    with development_database(checkout) as server:
        yield server


def test_without_psql_rows_are_printed(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    run_statements(server, "SELECT 1 AS one, NULL AS nothing; SELECT 'two' AS text")
    assert capsys.readouterr().out.splitlines() == ["one  nothing", "───  ───────", "1    –", "text", "────", "two"]


def test_without_psql_an_error_is_reported(server: Server) -> None:
    with pytest.raises(BakeoffError, match='relation "nowhere" does not exist'):
        run_statements(server, "SELECT * FROM nowhere")


def test_databases_alone_are_kept_while_other_commands_work(checkout: Project, tmp_path: Path) -> None:
    results = tmp_path / "results"
    process = bakeoff_started(checkout, "up", "--database-only", results=results)
    try:
        assert process.stdout is not None
        assert any(line.startswith("database: postgresql://") for line in process.stdout)
        answered = bakeoff(checkout, "sql", "SELECT 40 + 2 AS answer", results=results)
        assert (answered.returncode, "42" in answered.stdout) == (0, True), answered.stderr
        assert "./bakeoff up" in answered.stderr
        assert bakeoff(checkout, "sql", "SELECT nothing", results=results).returncode == 1
        counted = bakeoff(checkout, "sql", "--metrics", "SELECT count(*) FROM test_runs", results=results)
        assert counted.returncode == 0, counted.stderr
    finally:
        interrupt(process)
        process.wait(300)
    assert process.returncode == 0
