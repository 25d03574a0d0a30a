"""The part of a test that one of several k6 processes runs, as k6 divides tests: by execution segments."""

from dataclasses import dataclass
from fractions import Fraction

_MOST_AGENTS = 1000


@dataclass(frozen=True)
class Segment:
    """Part `number` of `of` equal ones, from 1."""

    number: int
    of: int

    @property
    def agent(self) -> str:
        """For messages."""
        return f"agent {self.number} of {self.of}"

    @property
    def options(self) -> list[str]:
        """Options that make k6 run this part alone; none for the whole."""
        if self.of == 1:
            return []
        ends = [str(Fraction(part, self.of)) for part in range(self.of + 1)]
        own = f"{ends[self.number - 1]}:{ends[self.number]}"
        return [f"--execution-segment={own}", f"--execution-segment-sequence={','.join(ends)}"]

    def share_of(self, total: int) -> int:
        """How much of a number is this part's: k6 deals equal segments one after the other."""
        return len(range(self.number - 1, total, self.of))


WHOLE = Segment(1, 1)


def segment_of(text: str) -> Segment:
    """From `2/3`, the second of three. Raises ValueError."""
    number, slash, of = text.partition("/")
    if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= _MOST_AGENTS:
        return Segment(int(number), int(of))
    raise ValueError(f'"{text}" must be K/N, such as 2/3: the number of this engine and how many there are')
