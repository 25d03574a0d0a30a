"""Why one side is slower: what its requests cost, from a pass after the measurement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bakeoff.reporting import numbers
from bakeoff.text.table import Table

Figure = Literal["statements", "allocated", "CPU"]
TITLE = "What a request costs"

_WRITTEN: Mapping[Figure, tuple[str, Callable[[float], str]]] = {
    "statements": ("statements to PostgreSQL", lambda count: f"{count:,.1f}".removesuffix(".0")),
    "allocated": ("allocated, kB", lambda size: numbers.three_digits(size / 1000)),
    "CPU": ("share of the target's CPU", numbers.percent),
}


@dataclass(frozen=True)
class RequestCost:
    """A figure of both sides: of an operation, a target or a function."""

    of: str
    figure: Figure
    before: float
    after: float


@dataclass(frozen=True)
class Reason:
    """One reason in words, with its figures. `picture` is the file of a flame graph beside the report."""

    words: str
    costs: Sequence[RequestCost] = ()
    picture: str = ""


@dataclass(frozen=True)
class Reasons:
    """All reasons of a comparison, and the names of both sides."""

    all: Sequence[Reason] = ()
    before: str = "base"
    after: str = "head"

    @property
    def pictures(self) -> list[str]:
        """The files of flame graphs, in order."""
        return [reason.picture for reason in self.all if reason.picture]


NO_REASONS = Reasons()


def reasons_table(reasons: Reasons) -> Table:
    """All figures of all reasons, those of both sides next to each other."""
    rows = [
        (each.of, name, write(each.before), write(each.after), _change(each))
        for reason in reasons.all
        for each in reason.costs
        for name, write in [_WRITTEN[each.figure]]
    ]
    note = "Measured by themselves after the comparison, under load: allocations and CPU; one by one: statements."
    return Table(TITLE, ("of", "figure", reasons.before, reasons.after, "change"), rows, left=2, note=note)


def _change(cost: RequestCost) -> str:
    return numbers.ratio(cost.after / cost.before) if cost.before else "new"
