"""Runs that take turns, each in its own thread."""

import threading
from collections.abc import Callable, Sequence

import pytest

from bakeoff.running.alternation import Alternation, Side
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import PlannedStep

LEVEL = Phase("1 user", 1, 3.0)
# A level settles and is measured in three slices.
STEPS = [PlannedStep(LEVEL, 0, False), *(PlannedStep(LEVEL, 0, True, slice=number) for number in range(3))]


class _Runs:
    """Two runs, whose doings are noted in the order in which they happened."""

    def __init__(self, steps: Sequence[int], fails_at: dict[str, int] | None = None) -> None:
        self._alternation = Alternation(2, STEPS)
        self._steps = steps
        self._fails_at = fails_at or {}
        self.noted: list[str] = []
        self.interrupted: set[str] = set()

    def all_noted(self, before_start: Callable[[Alternation], None] = lambda _: None) -> list[str]:
        before_start(self._alternation)
        named = zip("AB", self._alternation.sides, self._steps, strict=True)
        threads = [threading.Thread(target=self._run, args=each) for each in named]
        for thread in reversed(threads):
            thread.start()
        for thread in threads:
            thread.join()
        return self.noted

    def _run(self, name: str, side: Side, steps: int) -> None:
        with side:
            side.interrupted_by(lambda: self.interrupted.add(name))
            self.noted.append(f"{name} prepares")
            for number in range(steps):
                if self._fails_at.get(name) == number:
                    return
                side.await_step()
                self.noted.append(f"{name}{number}")
            side.await_end()
            self.noted.append(f"{name} ends")


def test_two_sides_alternate_and_each_is_first_as_often() -> None:
    assert _Runs((4, 4)).all_noted() == [
        "A prepares", "B prepares", "A0", "B0", "A1", "B1", "B2", "A2", "A3", "B3", "A ends", "B ends",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fails_at", "noted"),
    [
        ({"A": 0}, ["A prepares", "B prepares", "B0", "B1", "B2", "B3", "B ends"]),
        ({"B": 2}, ["A prepares", "B prepares", "A0", "B0", "A1", "B1", "A2", "A3", "A ends"]),
    ],
)
def test_a_side_that_fails_holds_the_other_up_no_longer(fails_at: dict[str, int], noted: list[str]) -> None:
    assert _Runs((4, 4), fails_at).all_noted() == noted


def test_a_side_that_does_fewer_steps_still_ends_in_its_place() -> None:
    assert _Runs((1, 3)).all_noted() == ["A prepares", "B prepares", "A0", "B0", "B1", "B2", "A ends", "B ends"]


def test_an_interruption_reaches_each_side_and_one_that_begins_later() -> None:
    runs = _Runs((4, 4))
    runs.all_noted(Alternation.interrupt)
    assert runs.interrupted == {"A", "B"}


def test_a_run_by_itself_never_waits() -> None:
    with Side() as side:
        interrupted: list[bool] = []
        side.interrupted_by(lambda: interrupted.append(True))()
        side.await_step()
        side.await_end()
    assert interrupted == [True] and side.pauses == [] and side.paused_s == 0


def test_waiting_is_known() -> None:
    alternation = Alternation(1, STEPS[:1])
    with alternation.sides[0] as side:
        side.await_step()
        side.await_end()
    assert len(side.pauses) == 2 and side.paused_s >= 0
