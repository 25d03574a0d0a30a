"""A sustained run leaves upkeep to PostgreSQL, and its record shows what a window contained of it."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from test_cheats import MANIFEST, notes_checkout

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.engines.manifest import find_engine
from bakeoff.judging.sustained import sustained_windows
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import find_installation
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload
from build_once import build_once

pytestmark = pytest.mark.end_to_end


@pytest.fixture
def testbed(instances: Project, tmp_path: Path) -> Iterator[Testbed]:
    instance = embedded.Instance(find_installation(instances), embedded.SUSTAINED, tmp_path / "logs")
    with instance as server:
        yield Testbed(notes_checkout(tmp_path), server, PlainProgress(Console(quiet=True)), database=instance)


def test_a_short_window_is_measured_and_named_as_too_short(testbed: Testbed) -> None:
    checkout = testbed.project
    manifest = MANIFEST.format(python=sys.executable, cheat="")
    (checkout.root / "targets" / "notes" / "target.toml").write_text(manifest)
    (target,) = find_targets(checkout)
    engine = find_engine("native")
    build_once(engine.build)
    contender = Contender(target, load_workload(checkout, target.workload), engine)
    contender = replace(contender, variant=replace(contender.variant, preload=2_000))
    request = RunRequest(contender, "sustained", [Phase("Sustained", 8, 2.0)], settling=Settling(4.0))
    result = measure(testbed.of(contender), request)
    assert result.failure is None, result.failure
    (found,) = [each for each in result.findings if each.kind == "not-sustained"]
    assert "of at least 2 checkpoints ended" in found.message and "MiB of buffers" in found.message
    (window,) = sustained_windows([result])
    assert window.checkpoints == 0 and window.wal_bytes_each and window.table_bytes_before
    # The lab's own vacuum would have come while the level settled.
    assert result.database_activity is not None and result.database_activity.phases is not None
    assert result.database_activity.phases["1"].vacuum_s == 0
