"""The PostgreSQL of a command: that of the targets that store in one, whatever the others name."""

from collections.abc import Callable
from typing import NoReturn

import pytest
from rich.console import Console

from bakeoff.calibration import calibrated_workloads
from bakeoff.calibration.machine_calibration import CalibrationRequest
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.cli.up import up
from bakeoff.errors import UsageError
from bakeoff.options.variant import Variant
from bakeoff.postgres import databases
from bakeoff.postgres.server import Server
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.running.contender import chosen_postgres
from bakeoff.targets.storage import StorageKind, StorageTable
from bakeoff.workload.loader import load_workload
from made_up_manifests import engine, target, workload

FILE = """
[workloads.events]
database = "postgresql"
upsert = "upsert.sql"
operations = [{ name = "Read", http = { method = "GET", path = "/", expect = 200 } }]

[targets.stores]
run = "true"
storage = { kind = "postgresql", postgres = "system" }

[targets.writes-files]
run = "true {state}"
storage = "files"
"""


class StartedError(Exception):
    """A database would be started, with this choice."""


def start(_project: Project, postgres: str) -> NoReturn:
    raise StartedError(postgres)


@pytest.fixture
def two_targets(empty_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of one that stores in an installed PostgreSQL, and one that stores in files."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv(PROJECT_VARIABLE, str(empty_checkout.root))
    empty_checkout.file.write_text(FILE, "utf-8")
    (empty_checkout.root / "upsert.sql").write_text("SELECT 1", "utf-8")
    return empty_checkout


def of_up(_project: Project) -> None:
    up(["stores", "writes-files"])


def of_calibration(project: Project) -> None:
    events = load_workload(project, "events")
    request = CalibrationRequest(events, engine("native"), engine("native"), [], [], 1.0)
    metrics = Server("", None, embedded=False)
    calibrated_workloads.calibrate_workloads(project, [request], metrics, PlainProgress(Console(quiet=True)))


@pytest.mark.parametrize("command", [of_up, of_calibration])
def test_a_target_that_stores_elsewhere_has_no_say(
    two_targets: Project, command: Callable[[Project], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "development_database", start)
    monkeypatch.setattr(calibrated_workloads, "application_database", start)
    with pytest.raises(StartedError, match=r"^system$"):
        command(two_targets)


@pytest.mark.parametrize(("kind", "is_refused"), [(None, True), ("postgresql", True), ("files", False)])
def test_targets_that_store_in_one_choose_the_same(
    kind: StorageKind | None, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    targets = [target("a", storage=StorageTable(postgres="system")), target("b", storage=StorageTable(kind))]
    if is_refused:
        with pytest.raises(UsageError, match="One command uses one server"):
            chosen_postgres(targets, {"events": workload()}, Variant())
    else:
        assert chosen_postgres(targets, {"events": workload()}, Variant()) == "system"
