"""What a gate decides on: one metric of one series, held against a limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bakeoff.history.figures import Series


class Outcome(StrEnum):
    """`passed`, `failed`, or `unclear`: worse than allowed, but chance alone may do as much."""

    PASSED = "passed"
    FAILED = "failed"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Check:
    """One decision. `words` say what was compared with what; `confirmed` that a failure came up again in a rerun."""

    series: Series
    metric: str
    outcome: Outcome
    words: str
    confirmed: bool = False


@dataclass(frozen=True)
class Gate:
    """All decisions, and the series that had nothing to be held against, each with the reason."""

    checks: Sequence[Check]
    left_out: Sequence[str]

    @property
    def failed(self) -> Sequence[Check]:
        return [check for check in self.checks if check.outcome is Outcome.FAILED]

    @property
    def exit_status(self) -> int:
        """0: all is well; 1: something is worse than allowed; 2: there was nothing to compare."""
        return 1 if self.failed else 0 if self.checks else 2
