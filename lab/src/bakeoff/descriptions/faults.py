"""What is wrong with a description, and what an import leaves out: each with its place, in few lines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MOST_FAULTS = 10
_EXAMPLES = 3


@dataclass(frozen=True)
class Fault:
    """A fault of a document at a place, which does not hinder the import."""

    pointer: str
    words: str
    line: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}: "
        return f"{line}{self.pointer or '/'}: {self.words}"


def first_faults(faults: Sequence[Fault]) -> Iterator[str]:
    """The first faults, a line each, and how many more there are."""
    yield from map(str, faults[:MOST_FAULTS])
    more = len(faults) - MOST_FAULTS
    if more > 0:
        yield f"and {more} more fault{'' if more == 1 else 's'} like these."


@dataclass
class Notes:
    """Notes of an import. Those of one reason become one line with a count and three of their places."""

    one: Callable[[str, str], str]
    many: Callable[[int, str, str], str]
    _places: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, reason: str, place: str = "", detail: str = "") -> None:
        """A note on a place; `detail` says more of this one."""
        places = self._places.setdefault(reason, {})
        places.setdefault(place, detail)

    @property
    def lines(self) -> list[str]:
        return [self._line(reason, places) for reason, places in self._places.items()]

    def _line(self, reason: str, places: Mapping[str, str]) -> str:
        if len(places) == 1:
            ((place, detail),) = places.items()
            return self.one(f"{reason}: {detail}." if detail else reason, place)
        more = len(places) - _EXAMPLES
        first = list(places.items())[:_EXAMPLES]
        listed = ", ".join(f"{place}: {detail}" if detail else place for place, detail in first)
        return self.many(len(places), reason, listed + (f" and {more} more" if more > 0 else ""))


def left_out_notes() -> Notes:
    """Operations that no workload can hold."""
    return Notes(
        lambda reason, place: f"{place} is left out: {reason}.",
        lambda count, reason, listed: f"{count} operations are left out, each since {reason}: {listed}.",
    )


def advice_notes() -> Notes:
    """What a person decides; a reason without a place is a whole sentence."""
    return Notes(
        lambda reason, place: f"{place}: {reason}" if place else reason,
        lambda count, reason, listed: f"{reason} ({count} times: {listed})",
    )
