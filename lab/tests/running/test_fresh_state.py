"""Each run starts from the same state, whatever the runs before it have done, and leaves nothing behind."""

import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import Variant
from bakeoff.postgres.made_databases import MadeDatabases
from bakeoff.postgres.server import Server
from bakeoff.processes.launching import Launcher, Program
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_state
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.service import at_work
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import Target
from bakeoff.workload.loader import load_workload
from shelf import MIGRATE, SEEDS, add_shelf, files, postgresql

COUNT = "SELECT count(*) FROM books"
WRITE = "INSERT INTO books (title) VALUES ('Walden')"


@pytest.fixture
def testbed(empty_checkout: Project, server: Server) -> Iterator[Testbed]:
    with PreparedStates() as prepared:
        yield Testbed(empty_checkout, server, PlainProgress(Console(quiet=True)), prepared=prepared)


@contextmanager
def run_of(testbed: Testbed, target: Target, variant: Variant = Variant()) -> Iterator[Testbed]:  # noqa: B008
    """The state of one run."""
    with fresh_state(testbed, target, load_workload(testbed.project, "shelf"), variant) as own:
        yield own


def in_database(testbed: Testbed, statement: str) -> int:
    assert testbed.server is not None
    with testbed.server.connect() as connection:
        cursor = connection.execute(statement.encode())
        row = None if cursor.description is None else cursor.fetchone()
    return 0 if row is None else int(row[0])


def in_file(testbed: Testbed, statement: str) -> int:
    assert testbed.state is not None
    connection = sqlite3.connect(testbed.state / "books.db", isolation_level=None)
    try:
        row = connection.execute(statement).fetchone()
    finally:
        connection.close()
    return 0 if row is None else int(row[0])


def made_databases(server: Server) -> list[str]:
    with server.connect() as connection:
        found = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'bakeoff_made_%'").fetchall()
    return [name for (name,) in found]


def folders(checkout: Project) -> list[Path]:
    within = checkout.state / "files"
    return list(within.iterdir()) if within.exists() else []


Asks = Callable[[Testbed, str], int]


@pytest.mark.parametrize(("make", "ask"), [(postgresql, in_database), (files, in_file)])
def test_a_run_that_writes_does_not_change_the_state_of_the_next(
    testbed: Testbed, server: Server, make: Callable[[], str], ask: Asks
) -> None:
    target = add_shelf(testbed.project, make())
    with testbed.prepared:
        for _ in range(2):
            with run_of(testbed, target) as own:
                assert ask(own, COUNT) == SEEDS
                ask(own, WRITE)
                assert ask(own, COUNT) == SEEDS + 1
    assert made_databases(server) == []
    assert folders(testbed.project) == []


def test_prepare_runs_once_for_all_runs_of_a_side(testbed: Testbed, tmp_path: Path) -> None:
    log = tmp_path / "prepared"
    target = add_shelf(testbed.project, postgresql(f'pwd >> "{log}"; {MIGRATE} "$DATABASE_URL"'))
    other = replace(target, directory=Path(shutil.copytree(target.directory, tmp_path / "commit")))
    for each in (target, other, target, other):
        with run_of(testbed, each) as own:
            assert in_database(own, COUNT) == SEEDS
    assert log.read_text().splitlines() == [str(target.directory), str(other.directory)]


# Makes a table where only the search path of the database finds it.
MIGRATION = """
import os, psycopg
connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
connection.execute('CREATE SCHEMA "the shop"')
connection.execute('CREATE TABLE "the shop".orders (id int)')
name = connection.info.dbname
connection.execute(f'ALTER DATABASE {name} SET search_path = "the shop", public')
"""


def test_a_copy_keeps_the_settings_of_the_prepared_database(testbed: Testbed) -> None:
    prepare = json.dumps([sys.executable, "-c", MIGRATION])
    target = add_shelf(testbed.project, f'kind = "postgresql"\nprepare = {prepare}\n')
    with run_of(testbed, target) as own:
        assert in_database(own, "SELECT count(*) FROM orders") == 0


def test_runs_without_prepare_begin_with_an_empty_database(testbed: Testbed, server: Server) -> None:
    target = add_shelf(testbed.project, 'kind = "postgresql"\n')
    for _ in range(2):
        with run_of(testbed, target) as own:
            # The role of targets owns it: it may make schemas and install extensions.
            in_database(replace(own, server=None if own.server is None else own.server.as_targets), "CREATE SCHEMA s")
    with testbed.prepared:
        pass
    assert made_databases(server) == []


@pytest.mark.parametrize("make", [postgresql, files])
def test_the_service_gets_the_port_and_the_store_of_its_run(testbed: Testbed, make: Callable[[], str]) -> None:
    target, workload = add_shelf(testbed.project, make()), load_workload(testbed.project, "shelf")
    for number in range(2):
        log = testbed.project.logs / f"{number}.log"
        with run_of(testbed, target) as own, at_work(own, target, workload, Variant(), log) as service:
            connection = HTTPConnection(service.access.host, service.access.port, timeout=10)
            with closing(connection):
                connection.request("POST", "/books", b'{"title":"Walden"}')
                assert json.load(connection.getresponse()) == {"id": SEEDS + 1, "title": "Walden"}
        assert log.read_text() == f"starts with {SEEDS} books\n"


@pytest.mark.parametrize("make", [postgresql, files])
def test_a_prepare_that_fails_is_reported_and_nothing_half_made_is_used(
    testbed: Testbed, server: Server, make: Callable[[], str]
) -> None:
    target = add_shelf(testbed.project, make(), fault="failing-migration")
    for _ in range(2):
        # The second one would find the table of the first.
        words = r"shelf-rest: prepare failed with status 1\..*Last lines of .*shelf-rest-prepare\.log:\n.*0002_authors"
        with pytest.raises(BakeoffError, match=f"(?s){words}"), run_of(testbed, target):
            pass
        assert made_databases(server) == []
        assert folders(testbed.project) == []
    with run_of(testbed, add_shelf(testbed.project, make())):
        pass


def test_a_prepare_that_cannot_be_started_is_named(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, 'kind = "postgresql"\nprepare = ["no-such-program"]\n')
    words = r"shelf-rest: prepare cannot be started: No such file or directory: no-such-program\."
    with pytest.raises(BakeoffError, match=words), run_of(testbed, target):
        pass


def test_a_placeholder_without_a_value_is_named(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, files(), "{database_url}" + "{state}")
    workload, log = load_workload(testbed.project, "shelf"), testbed.project.logs / "a.log"
    testbed = replace(testbed, server=None)
    with (
        pytest.raises(BakeoffError, match=r"names \{database_url\}, and what it stores in has none"),
        run_of(testbed, target) as own,
        at_work(own, target, workload, Variant(), log),
    ):
        pass


def test_an_external_store_is_reset_before_each_run(testbed: Testbed, tmp_path: Path) -> None:
    store = tmp_path / "books.db"
    reset = f"rm -f {shlex.quote(str(store))}; {MIGRATE} {shlex.quote(str(store))}"
    target = add_shelf(testbed.project, f"kind = \"external\"\nreset = '''{reset}'''\n", str(store))
    testbed = replace(testbed, server=None)
    for _ in range(2):
        with run_of(testbed, target) as own:
            theirs = replace(own, state=tmp_path)
            assert in_file(theirs, COUNT) == SEEDS
            in_file(theirs, WRITE)


def test_a_reset_that_fails_is_reported(testbed: Testbed) -> None:
    target = add_shelf(testbed.project, 'kind = "external"\nreset = "echo no such host; exit 4"\n', "elsewhere")
    words = r"(?s)shelf-rest: reset failed with status 4\. Correct reset in its storage\..*no such host"
    with pytest.raises(BakeoffError, match=words), run_of(replace(testbed, server=None), target):
        pass


def test_comparisons_on_one_server_do_not_meet(testbed: Testbed, server: Server) -> None:
    target = add_shelf(testbed.project, postgresql())
    both = threading.Barrier(2, timeout=60)

    def compare() -> int:
        with PreparedStates() as prepared, run_of(replace(testbed, prepared=prepared), target) as own:
            in_database(own, WRITE)
            both.wait()
            return in_database(own, COUNT)

    with ThreadPoolExecutor(2) as pool:
        assert [each.result() for each in [pool.submit(compare), pool.submit(compare)]] == [SEEDS + 1] * 2
    assert made_databases(server) == []


def test_what_a_killed_lab_left_on_the_server_is_dropped_and_what_another_uses_is_not(server: Server) -> None:
    with ExitStack() as stack:
        killed, working = MadeDatabases(server), MadeDatabases(server)
        for lab in (killed, working):
            stack.enter_context(lab.made())
        killed.close()
        assert len(made_databases(server)) == 2
        MadeDatabases(server).close()
        assert len(made_databases(server)) == 1
        working.close()
    assert made_databases(server) == []


def test_a_role_that_may_not_create_databases_is_told_how(server: Server) -> None:
    assert server.targets_url is not None
    theirs = Server(server.targets_url, None, embedded=False)
    with closing(MadeDatabases(replace(server, targets_url=None))) as of_another, of_another.made():
        of_another.close()
        # The database that another role left behind is not theirs to drop.
        with closing(MadeDatabases(theirs)) as own:
            with pytest.raises(BakeoffError, match="ALTER ROLE bakeoff_target CREATEDB"), own.made():
                pass
            assert len(made_databases(server)) == 1


class Interrupting(Launcher):
    """Ctrl-C comes while the lab waits for a program that has written its process id into a pipe."""

    def __init__(self, pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pipe = pipe
        self._monkeypatch = monkeypatch
        self.pids: list[int] = []

    def start(self, program: Program) -> subprocess.Popen[bytes]:
        process = super().start(program)

        def wait(_timeout: float) -> None:
            self._monkeypatch.undo()
            self.pids.append(int(self._pipe.read_text()))
            raise KeyboardInterrupt

        self._monkeypatch.setattr(process, "wait", wait)
        return process


@pytest.mark.parametrize("make", [postgresql, files])
def test_ctrl_c_while_a_state_is_prepared_leaves_nothing(
    testbed: Testbed,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[str], str],
) -> None:
    pipe = tmp_path / "running"
    os.mkfifo(pipe)
    target = add_shelf(testbed.project, make(f'echo $$ > "{pipe}"; exec sleep 600'))
    launcher = Interrupting(pipe, monkeypatch)
    with pytest.raises(KeyboardInterrupt), run_of(replace(testbed, launcher=launcher), target):
        pytest.fail("the state was prepared")
    assert not psutil.pid_exists(launcher.pids[0])
    assert made_databases(server) == []
    assert folders(testbed.project) == []


def test_ctrl_c_in_a_run_leaves_nothing(testbed: Testbed, server: Server) -> None:
    target = add_shelf(testbed.project, postgresql())
    with pytest.raises(KeyboardInterrupt), testbed.prepared, run_of(testbed, target):
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(60)
    assert made_databases(server) == []
