"""A crash of the measured PostgreSQL, and the checks of each run, show whether what was acknowledged lasts."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from test_cheats import MANIFEST, notes_checkout

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.engines.manifest import find_engine
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import find_installation
from bakeoff.project import Project
from bakeoff.results.run import Durability, RunResult, Status
from bakeoff.running.contender import Contender
from bakeoff.running.crash import can_be_crashed
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload
from build_once import build_once

pytestmark = pytest.mark.end_to_end

SMALL = ("shared_buffers=64MB", "max_wal_size=512MB")
CHEATS = ["early-under-load", "every-hundredth-durable", "many-idle-sessions", "named-like-the-lab", "view-over-a-log"]
USERS = 64
# A crash just after a flush loses nothing, and few commits show no lack of flushes: on a busy machine one run may miss
# a cheat that is seldom durable.
RUNS = 3


@pytest.fixture
def checkout(tmp_path: Path) -> Project:
    return notes_checkout(tmp_path)


def contender_of(checkout: Project, cheat: str = "") -> Contender:
    manifest = MANIFEST.format(python=sys.executable, cheat=cheat)
    (checkout.root / "targets" / "notes" / "target.toml").write_text(manifest)
    (target,) = find_targets(checkout)
    engine = find_engine("native")
    build_once(engine.build)
    return Contender(target, load_workload(checkout, target.workload), engine)


@pytest.fixture
def testbed(instances: Project, checkout: Project, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Testbed]:
    """A PostgreSQL of the test's own, with the settings of the parameter."""
    kind = embedded.InstanceKind("durability", "application", (*SMALL, *getattr(request, "param", ())))
    instance = embedded.Instance(find_installation(instances), kind, tmp_path / "logs")
    with instance as server:
        yield Testbed(checkout, server, PlainProgress(Console(quiet=True)), database=instance)


def crashed(testbed: Testbed, contender: Contender, **changes: Any) -> RunResult:
    phases = [Phase("Few", 8, 1.0), Phase("Many", USERS, 2.0)]
    result = measure(testbed.of(contender), RunRequest(contender, "quick", phases, crashes=True, **changes))
    assert result.failure is None, result.failure
    return result


def problems(result: RunResult) -> str:
    return " ".join(finding.message for finding in result.findings if finding.kind == "not-durable")


@pytest.mark.parametrize(
    "testbed", [(), ("wal_sync_method=open_datasync",)], indirect=True, ids=["fdatasync", "open_datasync"]
)
def test_what_an_honest_target_acknowledged_is_there_after_the_crash(testbed: Testbed, checkout: Project) -> None:
    contender = contender_of(checkout)
    contender = replace(contender, variant=replace(contender.variant, preload=1_000))
    result = crashed(testbed, contender)
    assert (result.status, result.durability) == (Status.COMPLETED, Durability.PROVEN), problems(result)
    # The figures are those of before the crash, and the next run meets the server that came back.
    assert [phase.virtual_users for phase in result.phases] == [8, USERS]
    assert result.total is not None and result.total.failed == 0
    assert result.database_activity is not None and result.database_activity.commits
    assert "counts-disagree" not in {finding.kind for finding in result.findings}
    again = crashed(testbed, contender, round=2)
    assert again.durability is Durability.PROVEN, problems(again)


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_is_not_durable(testbed: Testbed, checkout: Project, cheat: str) -> None:
    contender = contender_of(checkout, cheat)
    for number in range(1, RUNS + 1):
        result = crashed(testbed, contender, round=number)
        if result.durability is Durability.NOT_DURABLE:
            break
    assert result.durability is Durability.NOT_DURABLE, (result.status, result.audit, result.findings)
    assert ("public.notes is a view" in problems(result)) is (cheat == "view-over-a-log")


def test_a_view_that_goes_before_the_end_is_seen_without_a_crash(testbed: Testbed, checkout: Project) -> None:
    contender = contender_of(checkout, "view-over-a-log")
    result = measure(testbed.of(contender), RunRequest(contender, "quick", [Phase("Few", 8, 1.0)]))
    assert result.audit is not None and result.audit.clean, result.failure
    assert "public.notes is a view, and the contract makes a table." in problems(result)


def test_a_database_that_is_not_the_labs_own_is_not_crashed(testbed: Testbed, checkout: Project) -> None:
    contender = contender_of(checkout)
    assert can_be_crashed(testbed, contender)
    assert not can_be_crashed(replace(testbed, database=None), contender)
    assert not can_be_crashed(replace(testbed, attached={contender.target.name: Access("127.0.0.1", 1)}), contender)
