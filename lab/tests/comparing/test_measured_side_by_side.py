"""Both sides of a commit, measured in turns: an end of one before its first turn holds the other up no longer."""

import threading
from typing import Any

import pytest

from bakeoff.comparing import measurer
from bakeoff.comparing.measurer import measured_side_by_side
from bakeoff.running.alternation import Side


class Request:
    """A request without steps."""

    steps = ()


def test_an_interruption_before_the_first_turn_ends_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def measure(_testbed: object, request: Request, side: Side) -> None:
        if request is runs[0][1]:
            raise KeyboardInterrupt
        with side:
            ended.set()

    runs: Any = [(None, Request()), (None, Request())]
    monkeypatch.setattr(measurer, "measure", measure)
    raised: list[BaseException] = []

    def work() -> None:
        try:
            measured_side_by_side(runs)
        except KeyboardInterrupt as error:
            raised.append(error)

    working = threading.Thread(target=work, daemon=True)
    working.start()
    working.join(60)
    assert not working.is_alive()
    assert raised and ended.is_set()
