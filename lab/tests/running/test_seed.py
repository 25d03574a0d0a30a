"""A workload's seed: stored once for all targets of a command, and a copy of the database for each run."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import psycopg
import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.required_tables import required_tables
from bakeoff.running.testbed import Testbed
from bakeoff.workload.loader import Workload, load_workload
from shelf import MIGRATE, add_shelf, postgresql

SCHEMA = "CREATE TABLE IF NOT EXISTS seeded_books (id bigint PRIMARY KEY, loaded_at timestamptz DEFAULT now())"
SEED = "INSERT INTO seeded_books SELECT n FROM generate_series(1, current_setting('bakeoff.seed_rows')::int) AS n"
DECLARED = 'schema = "schema.sql"\nseed = { sql = "seed.sql", rows = 50, rows_for_checks = 5 }\n'


@pytest.fixture
def testbed(empty_checkout: Project, server: Server) -> Iterator[Testbed]:
    with PreparedStates() as prepared:
        yield Testbed(empty_checkout, server, PlainProgress(Console(quiet=True)), prepared=prepared)


def seeded_shelf(project: Project) -> Workload:
    folder = project.root / "contract" / "shelf"
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "seed.sql").write_text(SEED)
    declared = folder / "workload.toml"
    lines = declared.read_text().replace('database = "none"', f'database = "postgresql"\n{DECLARED}')
    declared.write_text("\n".join(each for each in lines.splitlines() if not each.startswith("reset")))
    return load_workload(project, "shelf")


def loaded(server: Server | None, table: str = "seeded_books") -> tuple[int, object]:
    assert server is not None
    # As the target does: the tables belong to its role.
    with server.as_targets.connect() as connection:
        row = connection.execute(f"SELECT count(*), min(loaded_at) FROM {table}".encode()).fetchone()
        connection.execute(f"DELETE FROM {table}".encode())
    assert row is not None
    return row[0], row[1]


def test_each_run_gets_a_copy_of_what_was_stored_once(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, 'kind = "postgresql"\n')
    workload = seeded_shelf(testbed.project)
    found = []
    for name in ("one", "other"):
        named = replace(target, manifest=msgspec.structs.replace(target.manifest, name=name))
        with fresh_state(testbed, named, workload, Variant(), rows=50) as own:
            found.append(loaded(own.server))
    assert found[0] == found[1]
    assert found[0][0] == 50


def test_checks_have_fewer_rows(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, 'kind = "postgresql"\n')
    workload = seeded_shelf(testbed.project)
    with fresh_state(testbed, target, workload, Variant()) as own:
        assert loaded(own.server)[0] == 5


def test_a_target_prepares_what_the_seed_has_stored(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, postgresql(f'{MIGRATE} "$DATABASE_URL"'))
    workload = seeded_shelf(testbed.project)
    with fresh_state(testbed, target, workload, Variant()) as own:
        assert own.server is not None
        with own.server.connect() as connection:
            row = connection.execute(
                "SELECT (SELECT count(*) FROM books), (SELECT count(*) FROM seeded_books)"
            ).fetchone()
    assert row == (3, 5)


def test_a_target_must_keep_the_tables_of_the_seed(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, 'kind = "postgresql"\n')
    workload = seeded_shelf(testbed.project)
    with fresh_state(testbed, target, workload, Variant()) as own:
        required = required_tables(own, target, workload, Variant())
    assert required is not None
    assert [*required.problems({})]


def test_a_seed_that_fails_leaves_nothing(testbed: Testbed, server: Server) -> None:
    target = add_shelf(testbed.project, 'kind = "postgresql"\n')
    workload = seeded_shelf(testbed.project)
    (workload.directory / "seed.sql").write_text("INSERT INTO no_such_table VALUES (1)")
    with pytest.raises(psycopg.Error, match="no_such_table"), fresh_state(testbed, target, workload, Variant()):
        pass
    with server.connect() as connection:
        assert connection.execute("SELECT 1 FROM pg_database WHERE datname LIKE 'bakeoff_made_%'").fetchall() == []
