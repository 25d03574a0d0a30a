"""A service that makes its own table is measured over every kind of storage, and what it acknowledged is audited."""

import contextlib
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from bakeoff_process import bakeoff_started, interrupt
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.run import Durability, RunResult, Status
from shelf import MIGRATE, SEEDS, add_shelf, files, postgresql

pytestmark = pytest.mark.end_to_end


def measured(checkout: Project, mode: str = "quick", **options: Any) -> Comparison:
    """Two users for a second, in two rounds."""
    short = {} if mode == "smoke" else {"users": [2], "phase_duration_s": 1.0, "warm_up_s": 0, "rounds": 2}
    request = ComparisonRequest(mode, "a test", **{**short, **options})
    return compare(checkout, request, PlainProgress(Console(quiet=True)))


def runs_of(comparison: Comparison) -> list[RunResult]:
    """The runs of both rounds, each of which started from the same state."""
    assert comparison.not_measured == {}
    first, second = comparison.runs
    for run in (first, second):
        assert run.status is Status.COMPLETED, run.failure
        assert run.audit is not None and run.audit.clean and run.audit.acknowledged_operations > 0
    return [first, second]


def states_at_start(checkout: Project) -> set[str]:
    return {
        log.read_text().splitlines(keepends=True)[0]
        for log in (checkout.results / "shelf-rest").glob("*.log")
        if ".engine" not in log.name
    }


def change(file: Path, text: str, new: str) -> None:
    before = file.read_text("utf-8")
    assert text in before
    file.write_text(before.replace(text, new), "utf-8")


STARTS = {f"starts with {SEEDS} books\n"}


def test_writes_to_a_prepared_postgresql_are_proven_through_reads(measuring_checkout: Project) -> None:
    add_shelf(measuring_checkout, postgresql())
    runs = runs_of(measured(measuring_checkout))
    # One of both rounds, which nothing foretells.
    assert sorted(run.durability for run in runs) == [Durability.DECLARED, Durability.PROVEN]
    assert all("audited-by-reads" in {finding.kind for finding in run.findings} for run in runs)
    assert all(run.database_activity is not None and run.database_activity.rows_inserted for run in runs)
    assert states_at_start(measuring_checkout) == STARTS


def test_files_are_copied_for_each_run_and_their_durability_is_declared(measuring_checkout: Project) -> None:
    add_shelf(measuring_checkout, files())
    runs = runs_of(measured(measuring_checkout))
    assert {run.durability for run in runs} == {Durability.DECLARED}
    assert states_at_start(measuring_checkout) == STARTS
    assert not list((measuring_checkout.state / "files").iterdir())


def test_an_external_store_is_reset_for_each_run(measuring_checkout: Project, tmp_path: Path) -> None:
    store = quote(str(tmp_path / "books.db"))
    reset = f"kind = \"external\"\nreset = '''rm -f {store}; {MIGRATE} {store}'''\n"
    add_shelf(measuring_checkout, reset, str(tmp_path / "books.db"))
    runs = runs_of(measured(measuring_checkout))
    assert {run.durability for run in runs} == {Durability.DECLARED}
    assert states_at_start(measuring_checkout) == STARTS


def test_writes_that_the_process_alone_remembers_are_lost_in_a_crash(measuring_checkout: Project) -> None:
    add_shelf(measuring_checkout, postgresql(), fault="remembered-writes")
    runs = measured(measuring_checkout).runs
    assert [run.status for run in runs] == [Status.COMPLETED] * 2
    (run,) = [run for run in runs if run.durability is Durability.NOT_DURABLE]
    (found,) = [finding for finding in run.findings if finding.kind == "not-durable"]
    assert re.search(
        r"After a crash of PostgreSQL and the target under load [\d,]+ of [\d,]+ acknowledged", found.message
    )


AUDIT = "SELECT ARRAY[id::text] AS key, jsonb_build_object('title', title) AS document FROM books"


def test_an_audit_query_asks_the_copy_and_knows_the_prepared_rows(measuring_checkout: Project) -> None:
    target = add_shelf(measuring_checkout, postgresql())
    workload = measuring_checkout.root / "contract" / target.workload
    (workload / "audit.sql").write_text(AUDIT)
    change(workload / "workload.toml", "vectors =", 'audit = "audit.sql"\nvectors =')
    runs = runs_of(measured(measuring_checkout))
    assert sorted(run.durability for run in runs) == [Durability.DECLARED, Durability.PROVEN]
    kinds = {finding.kind for run in runs for finding in run.findings}
    assert not kinds & {"audited-by-reads", "unexplained-rows"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (postgresql, "the workload has no audit query"),
        (files, "the target stores in no PostgreSQL that the lab could ask"),
    ],
)
def test_writes_that_nothing_can_audit_are_reported(measuring_checkout: Project, make: Any, words: str) -> None:
    target = add_shelf(measuring_checkout, make())
    change(measuring_checkout.root / "contract" / target.workload / "workload.toml", 'read_back = "Read"\n', "")
    comparison = measured(measuring_checkout, rounds=1)
    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert (run.status, run.audit, run.durability) == (Status.COMPLETED, None, Durability.DECLARED)
    (found,) = [finding for finding in run.findings if finding.kind == "not-audited"]
    assert found.message.startswith(f"Acknowledged writes were not audited: {words}")


@pytest.mark.parametrize("make", [postgresql, files])
def test_lost_writes_are_found_through_reads(measuring_checkout: Project, make: Any) -> None:
    add_shelf(measuring_checkout, make(), fault="lost-writes")
    comparison = measured(measuring_checkout, mode="smoke")
    (run,) = comparison.runs
    assert run.status is not Status.COMPLETED


@pytest.mark.parametrize("make", [postgresql, files])
def test_a_prepare_that_fails_is_the_reason_why_nothing_is_measured(measuring_checkout: Project, make: Any) -> None:
    add_shelf(measuring_checkout, make(), fault="failing-migration")
    words = measured(measuring_checkout).not_measured["shelf-rest"]
    assert "prepare failed with status 1" in words and "the migration 0002_authors is broken" in words


def left_behind(database: Server, checkout: Project) -> list[object]:
    """What a run made on the server of a database of the user's own, and below the project."""
    with database.connect() as connection:
        made = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'bakeoff_made_%'").fetchall()
    folder = checkout.state / "files"
    return [*made, *(folder.iterdir() if folder.exists() else ())]


@contextlib.contextmanager
def interrupted(database: Server, checkout: Project, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A command that gets Ctrl-C at the end of the block, and what it printed until then."""
    database_url = {"DATABASE_URL": database.url}
    process = bakeoff_started(checkout, *arguments, results=checkout.root / "results", environment=database_url)
    try:
        yield process
    finally:
        interrupt(process)
        process.communicate(timeout=60)


@pytest.mark.parametrize("make", [postgresql, files])
def test_ctrl_c_in_a_run_leaves_nothing_behind(measuring_checkout: Project, database: Server, make: Any) -> None:
    add_shelf(measuring_checkout, make())
    command = ("run", "quick", "--users", "2", "--phase-duration", "60s", "--reference-lines", "off")
    with interrupted(database, measuring_checkout, *command) as process:
        assert process.stdout is not None
        output = []
        for line in process.stdout:
            output.append(line)
            if line.strip().startswith("2 users"):
                break
        else:
            pytest.fail("".join(output))
        assert len(left_behind(database, measuring_checkout)) == 2
    assert process.returncode == 130
    assert left_behind(database, measuring_checkout) == []


@pytest.mark.parametrize("make", [postgresql, files])
def test_up_gives_a_state_that_goes_with_ctrl_c(measuring_checkout: Project, database: Server, make: Any) -> None:
    add_shelf(measuring_checkout, make())
    with interrupted(database, measuring_checkout, "up", "shelf-rest") as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("curl "))
        answered = subprocess.run([*shlex.split(line), "-s"], capture_output=True, text=True, timeout=30, check=True)
        assert json.loads(answered.stdout)["id"] == SEEDS + 1
        assert any(line.startswith("shelf-rest stores in ") for line in process.stdout)
    assert process.returncode == 0
    assert left_behind(database, measuring_checkout) == []
