import stat
from pathlib import Path

import pytest

from bakeoff.running.run_files import run_files


def test_files_go_with_their_run_however_it_ends(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), run_files(tmp_path / "runs", "one") as files:
        files.plan.write_text("a token")
        files.ledger.write_text("acknowledged")
        assert stat.S_IMODE(files.plan.parent.stat().st_mode) == 0o700
        raise ZeroDivisionError
    assert list((tmp_path / "runs").iterdir()) == []


def test_runs_of_one_target_that_overlap_never_meet(tmp_path: Path) -> None:
    with run_files(tmp_path, "one") as first:
        first.plan.write_text("the first's")
        with run_files(tmp_path, "one") as second:
            second.plan.write_text("the second's")
            assert first.ledger != second.ledger
        assert first.plan.read_text() == "the first's"


def test_what_a_killed_lab_left_goes(tmp_path: Path) -> None:
    left_behind = tmp_path / "one-abc"
    left_behind.mkdir()
    (left_behind / "plan.json").write_text("a token")
    with run_files(tmp_path, "two") as files:
        assert list(tmp_path.iterdir()) == [files.plan.parent]
