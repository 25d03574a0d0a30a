"""The generator of formats/README.md: sfc32, the same numbers in every engine."""

from collections.abc import Sequence
from typing import Protocol

MASK = 0xFFFFFFFF


class RandomNumbers:
    """Draws of one event: a function of (seed, user, sequence) and nothing else."""

    def __init__(self, seed: int, user: int, sequence: int) -> None:
        self._a = seed & MASK
        self._b = user & MASK
        self._c = sequence & MASK
        self._d = (seed >> 32 & MASK) ^ 0x9E3779B9
        for _ in range(12):
            self.draw()

    def draw(self) -> int:
        """The next number, 0 to 2³² - 1."""
        result = (self._a + self._b + self._d) & MASK
        self._d = (self._d + 1) & MASK
        self._a = self._b ^ (self._b >> 9)
        self._b = (self._c + (self._c << 3)) & MASK
        self._c = (((self._c << 21) | (self._c >> 11)) + result) & MASK
        return result

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1."""
        return int(self.draw() / 4294967296 * count)


class Weighted(Protocol):
    @property
    def weight(self) -> int: ...


def drawn_by_weight(entries: Sequence[Weighted], numbers: RandomNumbers) -> int:
    """The index of an entry, drawn by the weights."""
    drawn = numbers.below(sum(entry.weight for entry in entries))
    for index, entry in enumerate(entries):
        drawn -= entry.weight
        if drawn < 0:
            return index
    return 0
