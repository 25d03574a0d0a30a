"""What is wrong with a description, and what an import leaves out: each with its place, in few lines."""

from collections.abc import Callable, Iterator, Sequence
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
    _places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, place: str = "") -> None:
        places = self._places.setdefault(reason, [])
        if place not in places:
            places.append(place)

    @property
    def lines(self) -> list[str]:
        return [self._line(reason, places) for reason, places in self._places.items()]

    def _line(self, reason: str, places: Sequence[str]) -> str:
        if len(places) == 1:
            return self.one(reason, places[0])
        more = len(places) - _EXAMPLES
        listed = ", ".join(places[:_EXAMPLES]) + (f" and {more} more" if more > 0 else "")
        return self.many(len(places), reason, listed)


def left_out_notes() -> Notes:
    """Operations that no workload can hold."""
    return Notes(
        lambda reason, place: f"{place} is left out: {reason}.",
        lambda count, reason, listed: f"{count} operations are left out: {reason}: {listed}.",
    )


def advice_notes() -> Notes:
    """What a person decides; a reason without a place is a whole sentence."""
    return Notes(
        lambda reason, place: f"{place}: {reason}" if place else reason,
        lambda count, reason, listed: f"{reason} ({count} times: {listed})",
    )
