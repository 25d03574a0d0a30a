"""Runs that take turns: while one of them works, the others wait.

Two sides measured one after the other meet a machine that changes meanwhile; in turns of a second both meet the same.
"""

import threading
from collections.abc import Callable, Sequence

from bakeoff.running.phase_plan import PlannedStep
from bakeoff.sampling.machine import MachineCounters, machine_counters


class Alternation:
    """Whose turn it is. Each of `sides` runs works in its own thread and does all of `steps`, or ends before the last.

    First each side prepares itself, up to its first step. Then the sides alternate, step by step: of two sides A and B
    the steps are done in the order A B, B A, A B and so on. At the end each finishes by itself. A side that leaves is
    waited for no longer.
    """

    def __init__(self, sides: int, steps: Sequence[PlannedStep]) -> None:
        self.sides = [Side(self, number) for number in range(sides)]
        forth = list(range(sides))
        self._order = [*forth, *(side for step in steps for side in (forth[::-1] if step.slice % 2 else forth))]
        self._over: set[int] = set()
        self._left: set[int] = set()
        self._changed = threading.Condition()
        self._is_interrupted = False
        self._on_interrupt: dict[int, Callable[[], None]] = {}

    def interrupt(self) -> None:
        """Interrupts every side, now or as soon as it works."""
        self._is_interrupted = True
        for action in list(self._on_interrupt.values()):
            action()

    def interrupts(self, side: int, action: Callable[[], None]) -> None:
        """Sets the action that interrupts a running side."""
        self._on_interrupt[side] = action
        if self._is_interrupted:
            action()

    def await_first(self, side: int) -> None:
        """Waits until the side may prepare itself."""
        with self._changed:
            self._changed.wait_for(lambda: self._turn() == side)

    def await_next(self, side: int) -> None:
        """Ends the side's turn, and waits for its next one."""
        with self._changed:
            if self._turn() == side:
                self._order.remove(side)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._turn() == side)

    def await_end(self, side: int) -> None:
        """The side has done its steps: waits until all have, and those before it have left."""
        with self._changed:
            self._over.add(side)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._turn() is None and self._left.issuperset(range(side)))

    def leave(self, side: int) -> None:
        """The side is done, or has failed."""
        with self._changed:
            self._over.add(side)
            self._left.add(side)
            self._on_interrupt.pop(side, None)
            self._changed.notify_all()

    def _turn(self) -> int | None:
        return next((side for side in self._order if side not in self._over), None)


class Side:
    """One run's hold of an alternation. Without one, a run is by itself and never waits.

    `is_first`: its records are shown to people, those of several at once would make no sense. `pauses` are the
    machine's counters before and after each wait; `works`: it is not waiting now.
    """

    def __init__(self, alternation: Alternation | None = None, number: int = 0) -> None:
        self._alternation = alternation
        self._number = number
        self.is_first = number == 0
        self.pauses: list[tuple[MachineCounters, MachineCounters]] = []
        self.works = True

    def __enter__(self) -> "Side":
        if self._alternation is not None:
            self._alternation.await_first(self._number)
        return self

    def __exit__(self, *_: object) -> None:
        if self._alternation is not None:
            self._alternation.leave(self._number)

    @property
    def paused_s(self) -> float:
        return sum(after["at_s"] - before["at_s"] for before, after in self.pauses)

    def interrupted_by(self, action: Callable[[], None]) -> Callable[[], None]:
        """The action for Ctrl-C, where `action` interrupts this run: all sides are interrupted."""
        if self._alternation is None:
            return action
        self._alternation.interrupts(self._number, action)
        return self._alternation.interrupt

    def await_step(self) -> None:
        """Called before each step."""
        if self._alternation is not None:
            self._pause(self._alternation.await_next)

    def await_end(self) -> None:
        """Called after the last step."""
        if self._alternation is not None:
            self._pause(self._alternation.await_end)

    def _pause(self, wait: Callable[[int], None]) -> None:
        before = machine_counters()
        self.works = False
        wait(self._number)
        self.works = True
        self.pauses.append((before, machine_counters()))
