"""The role of targets owns what targets make, also what the server's superuser has left."""

from pathlib import Path

import pytest
from throwaway_server import throwaway_server

from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.server import Server
from bakeoff.postgres.target_role import make_target_role
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (id bigserial PRIMARY KEY);
CREATE OR REPLACE FUNCTION "Counted"(text, int[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE OR REPLACE FUNCTION "Counted"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE OR REPLACE TRIGGER counted AFTER INSERT ON notes FOR EACH STATEMENT EXECUTE FUNCTION "Counted"();
"""


def user_of(server: Server) -> str:
    with server.connect() as connection:
        row = connection.execute("SELECT current_user").fetchone()
    assert row is not None
    return str(row[0])


def test_a_target_applies_a_schema_again_that_the_superuser_has_applied(project: Project, tmp_path: Path) -> None:
    with throwaway_server(project, tmp_path) as start:
        with start() as first:
            first.execute_script(SCHEMA)
        with start() as second:
            second.as_targets.execute_script(SCHEMA)


def test_a_target_behind_a_relay_has_its_own_role(project: Project, tmp_path: Path) -> None:
    with throwaway_server(project, tmp_path) as start, start() as server, DatabaseRelay(server) as relay:
        assert (user_of(relay.server), user_of(relay.server.as_targets)) == ("postgres", "bakeoff_target")
        relay.server.as_targets.execute_script(SCHEMA)
        server.as_targets.execute_script(SCHEMA)


def test_a_target_that_writes_already_is_not_waited_for(project: Project, tmp_path: Path) -> None:
    """After a restart of the server the target is back before the lab: a lock on its tables could deadlock with it."""
    with throwaway_server(project, tmp_path) as start, start() as server:
        server.as_targets.execute_script(SCHEMA)
        with server.as_targets.connect() as target, target.transaction(), server.connect() as lab:
            target.execute("LOCK TABLE notes IN ROW EXCLUSIVE MODE")
            lab.execute("SET lock_timeout = '2s'")
            make_target_role(lab, "secret")
