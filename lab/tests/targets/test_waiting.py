"""What is reported of a target that is not healthy yet."""

from collections.abc import Iterator

import pytest

from bakeoff.targets import waiting
from bakeoff.targets.access import Access
from bakeoff.targets.health import HEALTHY, REFUSED, Answer
from bakeoff.targets.waiting import Waiting

FAILING = Answer(is_healthy=False, kind="500", words="GET / got 500: no database at 12:00.")
FAILING_LATER = Answer(is_healthy=False, kind="500", words="GET / got 500: no database at 12:01.")
SILENT = Answer(is_healthy=False, kind=REFUSED, words="GET / got no answer: nothing listens on this port.")


class Clock:
    """Goes on by one second with each check."""

    def __init__(self, answers: Iterator[Answer]) -> None:
        self._answers = answers
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def answer(self, _access: Access) -> Answer:
        self.now_s += 1
        return next(self._answers)


def reported(monkeypatch: pytest.MonkeyPatch, *answers: Answer) -> list[str]:
    """The lines about a target that gives these answers, one a second, and the second of each."""
    clock, lines = Clock(iter(answers)), list[str]()
    monkeypatch.setattr(waiting, "time", clock)
    wait = Waiting("shop", clock, Access("host", 9), lambda line: lines.append(f"{clock.now_s:g}: {line}"), 180.0, 0.0)
    assert [wait.is_over() for _ in answers] == [each.is_healthy for each in answers]
    assert wait.latest == answers[-1]
    return lines


def test_each_answer_that_goes_on_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = reported(monkeypatch, *[FAILING] * 3, *[FAILING_LATER] * 9, *[SILENT] * 20, HEALTHY)
    assert lines == [
        f"4: shop is not healthy yet: {FAILING_LATER.words} Waiting until 180 s have passed.",
        f"28: shop is not healthy yet: {SILENT.words} Waiting until 180 s have passed.",
    ]


def test_a_target_that_starts_in_a_few_seconds_is_not_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reported(monkeypatch, *[SILENT] * 12, *[FAILING] * 3, HEALTHY) == []
