"""A decision of the gate: one metric of one series, compared with a limit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from bakeoff.history.run_figures import Series


class Outcome(StrEnum):
    """`passed`, `failed`, or `unclear`: worse than allowed, but chance or the machine alone may do as much."""

    PASSED = "passed"
    FAILED = "failed"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Change:
    """A figure on both sides: the medians of the rounds, and after ÷ before with its interval where it is known.

    The ratio is that of the medians; of rounds that are `paired`, the geometric mean of their ratios. The interval is
    that of the test, with its `confidence`: where the gate fails it lies beyond `limit`, the allowed ratio. A bound is
    None where the rounds set none.
    """

    before: float
    after: float
    unit: str
    ratio: float
    low: float | None = None
    high: float | None = None
    more_is_better: bool = False
    limit: float | None = None
    confidence: float | None = None
    paired: bool = False

    @property
    def has_interval(self) -> bool:
        return self.confidence is not None

    @property
    def differs(self) -> bool:
        """Whether the interval shows any change."""
        return (self.low is not None and self.low > 1) or (self.high is not None and self.high < 1)

    @property
    def is_beyond_limit(self) -> bool:
        """Whether the interval shows that it is worse than allowed."""
        if self.limit is None:
            return False
        bound = self.high if self.more_is_better else self.low
        return bound is not None and (bound < self.limit if self.more_is_better else bound > self.limit)


@dataclass(frozen=True)
class Check:
    """One decision. `words` say what was compared with what; `confirmed` that a failure came up again in a rerun.

    `final`: no rerun could take it back. `stale_baseline`: it is unclear because the machine has become worse since the
    baseline was measured. `unmatched`: the baseline has no such series, so that only its errors could be looked at.
    `change` is what was compared; an error rate, a goal or validity has none. `would_find` is the true relative change
    for the worse that such a gate finds in four of five cases.
    """

    series: Series
    metric: str
    outcome: Outcome
    words: str
    confirmed: bool = False
    final: bool = False
    stale_baseline: bool = False
    unmatched: bool = False
    change: Change | None = None
    would_find: float | None = None


@dataclass(frozen=True)
class Gate:
    """All decisions, and the series that had nothing to be compared with, each with the reason.

    `nothing_before`: the base has nothing that could be measured, or only in part, which is no fault of the candidate.
    """

    checks: Sequence[Check]
    left_out: Sequence[str]
    nothing_before: bool = False
    unclear_status: int = 3

    @property
    def failed(self) -> Sequence[Check]:
        return [check for check in self.checks if check.outcome is Outcome.FAILED]

    @property
    def stale_baseline(self) -> bool:
        """Whether something would have failed, had the machine been what it was for the baseline."""
        return any(check.stale_baseline for check in self.checks)

    @property
    def compared(self) -> bool:
        """Whether anything was compared."""
        return any(not check.unmatched for check in self.checks)

    @property
    def unclear(self) -> bool:
        """Whether something that was compared is worse than allowed, though chance alone may do as much."""
        return any(check.outcome is Outcome.UNCLEAR and not check.unmatched for check in self.checks)

    def with_unclear(self, decided: Literal["pass", "fail"]) -> "Gate":
        """The same where what is unclear does not count, or fails."""
        if decided == "pass":
            return replace(self, unclear_status=0)
        checks = [
            replace(each, outcome=Outcome.FAILED, words=f"unclear, which --unclear fail does not allow: {each.words}")
            if each.outcome is Outcome.UNCLEAR
            else each
            for each in self.checks
        ]
        return replace(self, checks=checks)

    @property
    def exit_status(self) -> int:
        """0: all is well, or the base has nothing to compare with; 1: something is worse than allowed.

        2: nothing was compared, or the machine was slower than for the baseline; 3: unclear.
        """
        if self.failed:
            return 1
        if self.stale_baseline or not (self.compared or self.nothing_before):
            return 2
        return self.unclear_status if self.unclear else 0
