"""The probe of the disk that a database is on."""

from pathlib import Path

from bakeoff.sampling.machine import fsync_ms


def test_a_flush_takes_time_and_leaves_nothing(tmp_path: Path) -> None:
    took_ms = fsync_ms(tmp_path)
    assert took_ms is not None and took_ms > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_unknown(tmp_path: Path) -> None:
    assert fsync_ms(tmp_path / "absent") is None
