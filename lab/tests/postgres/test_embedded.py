"""The embedded PostgreSQL, really started. One data folder serves the whole file: making one takes a second."""

import contextlib
import os
import signal
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest

from bakeoff.calibration import pgbench_lines
from bakeoff.calibration.pgbench_lines import ReferenceBench
from bakeoff.errors import BakeoffError
from bakeoff.postgres import binaries, embedded
from bakeoff.postgres.binaries import Installation, find_installation
from bakeoff.postgres.durability import problems_of
from bakeoff.postgres.server import Server, permit_reset, user_server
from bakeoff.processes import children, ports
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

KIND = embedded.InstanceKind("trial", "trial_data", ("shared_buffers=16MB", "max_wal_size=64MB", "min_wal_size=32MB"))


@pytest.fixture(scope="module")
def installation(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The packaged programs with a data folder of the tests' own, which PostgreSQL's account can enter."""
    packaged = find_installation(project)
    data = packaged.data / f"test-{os.getpid()}"
    data.mkdir(mode=0o755)
    if packaged.user is not None and packaged.group is not None:
        os.chown(data, packaged.user, packaged.group)
    return Installation(packaged.programs, data, packaged.user, packaged.group)


@pytest.fixture(scope="module", autouse=True)
def removed_afterwards(installation: Installation) -> Iterator[None]:
    import shutil

    yield
    shutil.rmtree(installation.data)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def instance(installation: Installation, logs: Path) -> "contextlib.AbstractContextManager[Server]":
    return embedded.Instance(installation, KIND, logs)


def test_data_survives_a_restart_and_nothing_keeps_running(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        assert server.version().startswith("18.")
        server.execute_script("CREATE TABLE kept (n int); INSERT INTO kept VALUES (42);")
        assert server.pid is not None
        process = psutil.Process(server.pid)
    assert not process.is_running()
    with instance(installation, logs) as server, server.connect() as connection:
        assert connection.execute("SELECT n FROM kept").fetchall() == [(42,)]


def test_durability_is_on_and_only_loopback_is_listened_on(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server, server.connect() as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert connection.execute(f"SHOW {name}").fetchone() == ("on",)
        assert server.pid is not None
        listeners = [c.laddr.ip for c in psutil.Process(server.pid).net_connections() if c.status == "LISTEN"]
        assert listeners == ["127.0.0.1"]


def test_a_password_is_needed_and_the_shown_url_has_none(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        assert "@127.0.0.1:" in server.shown_url
        assert server.url != server.shown_url
        with pytest.raises(BakeoffError, match="cannot be reached"):
            Server(server.shown_url, None, embedded=False).version()


def test_a_killed_instance_recovers_what_was_committed(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        server.execute_script(
            "CREATE TABLE IF NOT EXISTS survived (n int); TRUNCATE survived; INSERT INTO survived VALUES (1);"
        )
        assert server.pid is not None
        for process in [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    assert (installation.data / KIND.name / "postmaster.pid").exists()
    with instance(installation, logs) as server, server.connect() as connection:
        assert connection.execute("SELECT n FROM survived").fetchall() == [(1,)]


def test_a_server_that_a_killed_lab_left_behind_is_ended(installation: Installation, logs: Path) -> None:
    with instance(installation, logs):
        pass
    folder = installation.data / KIND.name
    port = ports.free_port()
    left = children.start(
        [str(installation.programs / "postgres"), "-D", str(folder), f"-cport={port}"],
        log=logs / "left.log",
        user=installation.user,
        group=installation.group,
    )
    assert embedded.becomes_ready(left, folder)
    with instance(installation, logs) as server:
        assert server.pid != left.pid
        assert left.wait(30) == 0


def test_a_port_that_is_taken_in_between_is_given_up(installation: Installation, logs: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        chosen = iter([taken.getsockname()[1], ports.free_port()])
        with embedded.Instance(installation, KIND, logs, lambda: next(chosen)) as server:
            assert server.version()


def test_a_start_that_fails_shows_the_log(installation: Installation, logs: Path) -> None:
    broken = embedded.InstanceKind("trial", "trial_data", ("shared_buffers=nonsense",))
    with (
        pytest.raises(BakeoffError, match=r"(?s)did not start.*shared_buffers"),
        embedded.Instance(installation, broken, logs),
    ):
        pass


def test_data_of_another_version_is_named(installation: Installation, logs: Path) -> None:
    kind = embedded.InstanceKind("older", "trial_data", KIND.overrides)
    with embedded.Instance(installation, kind, logs):
        pass
    folder = installation.data / kind.name
    (folder / "PG_VERSION").write_text("17\n", "utf-8")
    with (
        pytest.raises(
            BakeoffError,
            match=rf"(?s)Another version of PostgreSQL made its data: use that, or remove {folder} .*version 17",
        ),
        embedded.Instance(installation, kind, logs),
    ):
        pass


def test_statements_are_counted_where_a_kind_loads_what_counts_them(installation: Installation, logs: Path) -> None:
    counting = (*KIND.overrides, "shared_preload_libraries=pg_stat_statements")
    with embedded.Instance(installation, embedded.InstanceKind("trial", "trial_data", counting), logs) as server:
        server.execute_script("CREATE EXTENSION pg_stat_statements")
        server.execute_script("SELECT 4711 AS counted")
        with server.connect() as connection:
            rows = connection.execute("SELECT calls FROM pg_stat_statements WHERE query = 'SELECT $1 AS counted'")
            assert rows.fetchall() == [(1,)]
        server.execute_script("DROP EXTENSION pg_stat_statements")


def test_an_interrupted_initdb_is_made_anew(installation: Installation, logs: Path) -> None:
    (installation.data / "fresh.partial").mkdir()
    (installation.data / "fresh").mkdir()
    fresh = embedded.InstanceKind("fresh", "fresh", KIND.overrides)
    with embedded.Instance(installation, fresh, logs) as server:
        assert server.version()
    folder = installation.data / "fresh"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "bakeoff.password").stat().st_mode) == 0o600


def test_only_an_empty_or_marked_database_may_be_reset(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        server.execute_script("CREATE DATABASE precious")
        precious = server.in_database("precious")
        permit_reset(precious)
        permit_reset(precious)
        server.execute_script("CREATE DATABASE theirs")
        theirs = server.in_database("theirs")
        theirs.execute_script("CREATE TABLE car_entities (n int)")
        with pytest.raises(BakeoffError, match=r"contains tables that bakeoff did not create \(public.car_entities\)"):
            permit_reset(theirs)


def test_a_server_that_is_away_or_too_old_is_named(
    installation: Installation, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = f"postgresql://postgres:secret@127.0.0.1:{ports.free_port()}/x"
    with pytest.raises(BakeoffError, match="cannot be reached") as caught:
        user_server(nowhere, "DATABASE_URL")
    assert "secret" not in caught.value.message
    monkeypatch.setattr(Server, "version", lambda _self: "14.9")
    with pytest.raises(BakeoffError, match="15 or newer is needed"):
        user_server(nowhere, "DATABASE_URL")


def test_a_database_of_another_encoding_is_refused(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        server.execute_script("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
        with pytest.raises(BakeoffError, match=r"METRICS_DATABASE_URL has the encoding SQL_ASCII; UTF8 is needed"):
            user_server(server.in_database("bytes").url, "METRICS_DATABASE_URL")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must run PostgreSQL as another user")
def test_a_checkout_below_a_private_folder_keeps_its_data_outside(
    empty_checkout: Project, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    monkeypatch.setattr(binaries, "_reachable_by_others", lambda _path: False)
    moved = find_installation(empty_checkout)
    try:
        assert moved.data.is_relative_to("/var/tmp")  # noqa: S108
        with embedded.Instance(moved, KIND, logs) as server:
            assert server.version()
    finally:
        shutil.rmtree(moved.data.parent)


def test_a_script_is_one_transaction(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        with pytest.raises(psycopg.errors.UndefinedTable):
            server.execute_script("CREATE TABLE half (n int); INSERT INTO nowhere VALUES (1);")
        with server.connect() as connection:
            assert connection.execute("SELECT to_regclass('half')").fetchone() == (None,)


def test_a_stop_signal_of_the_lab_is_a_fast_shutdown(installation: Installation, logs: Path) -> None:
    """The guardian's signal, when the lab is killed, must end the server although sessions are open."""
    with instance(installation, logs) as server:
        assert server.pid is not None
        with server.connect():
            process = psutil.Process(server.pid)
            process.send_signal(signal.SIGINT)
            process.wait(30)


def test_no_other_user_can_read_a_password_at_any_moment(
    installation: Installation, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the file that initdb reads nor that of pgbench, and no command line holds it."""
    modes: list[int] = []
    commands: list[str] = []
    started = children.start

    def watched(command: list[str], **options: Any) -> Any:
        commands.extend(command)
        files = [Path(part.removeprefix("--pwfile=")) for part in command if part.startswith("--pwfile=")]
        files += [Path(value) for name, value in (options.get("environment") or {}).items() if name == "PGPASSFILE"]
        modes.extend(stat.S_IMODE(file.stat().st_mode) for file in files)
        return started(command, **options)

    monkeypatch.setattr(children, "start", watched)
    kind = embedded.InstanceKind("secret", "trial_data", KIND.overrides)
    with embedded.Instance(installation, kind, logs) as server:
        bench = ReferenceBench(None, server, installation.programs / "pgbench", logs / "reference")  # type: ignore[arg-type]
        line = pgbench_lines._line(bench, 1, ["SELECT 1;\n"], 1, 1)
        password = urlsplit(server.url).password
    assert line > 0
    assert modes == [0o600, 0o600]
    assert password
    assert not [part for part in commands if password in part]
    assert not list(logs.rglob("pgpass"))
    assert not (installation.data / "password").exists()


def test_targets_have_a_role_that_changes_no_setting_of_the_server(installation: Installation, logs: Path) -> None:
    with instance(installation, logs) as server:
        assert server.targets_url is not None
        with psycopg.connect(server.targets_url, autocommit=True) as target:
            for statement in ("ALTER SYSTEM SET fsync = off", "SET full_page_writes = off",
                              "ALTER DATABASE trial_data SET synchronous_commit = off"):  # fmt: skip
                with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.CantChangeRuntimeParam)):
                    target.execute(statement)
            target.execute("CREATE TABLE IF NOT EXISTS stored (n int)")
            target.execute("INSERT INTO stored VALUES (1)")
            # What a role may set for itself shows among the settings that every run checks.
            target.execute("ALTER ROLE bakeoff_target SET synchronous_commit = off")
        assert "role bakeoff_target" in problems_of(server)[0]
        server.execute_script("CREATE TABLE made_by_the_lab (n int)")
        with psycopg.connect(server.targets_url, autocommit=True) as target:
            target.execute("INSERT INTO made_by_the_lab VALUES (1)")
        server.execute_script("DROP TABLE made_by_the_lab")
        server.execute_script("DROP TABLE stored")
    with instance(installation, logs) as server:
        assert problems_of(server) == [], "it is forgotten at the next start"
