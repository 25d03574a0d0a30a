"""A throwaway checkout's database lies outside its folder, and must not outlive it: a test run makes dozens."""

from pathlib import Path

from bakeoff.postgres.binaries import folder_outside
from checkouts import throwaway


def test_nothing_of_a_throwaway_checkout_stays(tmp_path: Path) -> None:
    with throwaway(tmp_path / "a checkout") as checkout:
        data = folder_outside(checkout) / "data"
        data.mkdir(parents=True)
        (data / "PG_VERSION").write_text("18")
    assert not folder_outside(checkout).exists()
