"""Waits for a target to become healthy, and reports its answers meanwhile."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bakeoff.targets.access import Access
from bakeoff.targets.health import NO_ANSWER, REFUSED, Answer, HealthCheck

_LASTS_S = 3.0
# A program that starts refuses connections for a while.
_REFUSED_LASTS_S = 15.0


@dataclass
class Waiting:
    """The wait for one target, `most_s` long: each kind of answer that goes on for some seconds is reported once.

    `latest` is the last answer.
    """

    name: str
    check: HealthCheck
    access: Access
    report: Callable[[str], None]
    most_s: float
    began: float = field(default_factory=time.monotonic)
    latest: Answer = NO_ANSWER
    # By kind, when it first came, or infinity once it is reported.
    _since: dict[str, float] = field(default_factory=dict)

    @property
    def waited_s(self) -> float:
        return time.monotonic() - self.began

    def is_over(self) -> bool:
        """Asks the target whether it is healthy."""
        self.latest = self.check.answer(self.access)
        if not self.latest.is_healthy:
            self._report(self.latest)
        return self.latest.is_healthy

    def _report(self, answer: Answer) -> None:
        lasts_s = _REFUSED_LASTS_S if answer.kind == REFUSED else _LASTS_S
        now = time.monotonic()
        if now - self._since.setdefault(answer.kind, now) < lasts_s:
            return
        self._since[answer.kind] = math.inf
        self.report(f"{self.name} is not healthy yet: {answer.words} Waiting until {self.most_s:.0f} s have passed.")
