"""SQL of files on a real server: errors with file and line or statement, extensions, and tables that must stay."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from throwaway_server import throwaway_server

from bakeoff.errors import BakeoffError
from bakeoff.postgres.extensions import create_extension, is_available, naming_missing_extension
from bakeoff.postgres.relations import Layout, relations_of
from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.scripts import run_script
from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        yield running


def names(server: Server) -> list[str]:
    return sorted(relations_of(server))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "an overlay.sql"


def test_all_statements_of_a_file_are_run_as_the_role_of_targets(server: Server, script: Path) -> None:
    script.write_text("-- ü\nCREATE TABLE one (n int);\nCREATE TABLE two (n int);;\nSELECT 1;\n", "utf-8")
    run_script(server.as_targets, script, "")
    with server.connect() as connection:
        owners = connection.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE tablename IN ('one', 'two')")
        assert owners.fetchall() == [("bakeoff_target",)]
    server.execute_script("DROP TABLE one, two")


def test_a_file_is_run_through_a_relay_of_the_same_process(server: Server, script: Path) -> None:
    script.write_text(f"CREATE TABLE one (n int); -- {'x' * 200_000}\nDROP TABLE one;", "utf-8")
    with DatabaseRelay(server) as relay:
        run_script(relay.server, script, "")


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("SELECT 1;\n-- ü\nCREATE TABEL a (n int);\n", "line 3", 'syntax error at or near "TABEL".'),
        ("CREATE TABLE a (n int);\n\nSELECT n, m\nFROM a;\n", "line 3", 'column "m" does not exist.'),
        ("CREATE TABLE a (n int);\nCREATE TABLE a (n int);\n", "statement 2", 'relation "a" already exists.'),
        ("SELECT 1; SELECT 2;\nSELECT 1 / 0;", "statement 3", "division by zero."),
        ("CREATE TABLE a (n int);\nCOPY a FROM STDIN;\n", "statement 2", "COPY from or to the client is not possible"),
    ],
)
def test_an_error_names_file_and_place_and_leaves_nothing(
    server: Server, script: Path, text: str, place: str, reason: str
) -> None:
    script.write_text(text, "utf-8")
    with pytest.raises(BakeoffError) as failed:
        run_script(server, script, "Correct it.")
    assert failed.value.message.startswith(f"{script}, {place}: {reason}"), failed.value.message
    assert failed.value.message.endswith("Correct it.")
    assert names(server) == []


def test_extensions(server: Server) -> None:
    assert is_available(server, "plpgsql")
    assert not is_available(server, "no_such_extension")
    create_extension(server, "plpgsql")
    with pytest.raises(BakeoffError, match=r"cannot be created in postgresql://.*leave out --overlay"):
        create_extension(server, "no_such_extension")


def test_a_missing_extension_of_a_script_is_named_with_the_ways_to_one(server: Server, script: Path) -> None:
    script.write_text('CREATE EXTENSION "no-such";\n', "utf-8")
    for run in (partial(run_script, server, script, ""), partial(server.execute_script, script.read_text("utf-8"))):
        with pytest.raises(BakeoffError) as failed, naming_missing_extension(server):
            run()
        assert failed.value.message.startswith("PostgreSQL does not have the extension no-such. Use a PostgreSQL that")
        for way in ('postgres = "system"', "BAKEOFF_POSTGRES_IMAGE", "DATABASE_URL"):
            assert way in failed.value.message


def test_a_missing_extension_of_a_target_is_read_from_the_log_of_the_server(server: Server) -> None:
    """A target that hides why it cannot start."""
    named = pytest.raises(BakeoffError, match=r"(?s)does not have the extension no-such\..*exited with")
    with named, naming_missing_extension(server):
        with server.as_targets.connect() as connection, pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute('CREATE EXTENSION "no-such"')
        raise BakeoffError("it exited with status 1.")
    with pytest.raises(BakeoffError, match=r"^it exited"), naming_missing_extension(server):
        raise BakeoffError("it exited with status 1.")


@pytest.mark.parametrize("extension", ["citext", "pg_trgm", "hstore", "btree_gist"])
def test_targets_can_create_the_usual_extensions(server: Server, extension: str) -> None:
    server.as_targets.execute_script(f"CREATE EXTENSION {extension}; DROP EXTENSION {extension}")


def test_tables_that_a_target_made_again_are_not_those_of_the_overlay(server: Server) -> None:
    partitioned = "CREATE TABLE parted (n int PRIMARY KEY) PARTITION BY HASH (n);"
    server.execute_script(
        f"{partitioned} CREATE TABLE part PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0)"
    )
    try:
        layout = Layout(server, "partitioned", relations_of(server))
        assert names(server) == ["public.part", "public.parted"]
        layout.check("an honest target")
        server.execute_script("DROP TABLE parted; CREATE TABLE parted (n int PRIMARY KEY)")
        with pytest.raises(
            BakeoffError, match=r"a target has dropped public\.part, public\.parted, which --overlay par"
        ):
            layout.check("a target")
    finally:
        server.execute_script("DROP TABLE parted")
