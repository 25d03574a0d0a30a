"""The order of runs: every contender once in each round, balanced so that no contender profits from its place."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bakeoff.running.contender import Contender


@dataclass(frozen=True)
class Turn:
    """One contender's run in one round; rounds count from 1."""

    round: int
    contender: Contender


def turns_of(
    contenders: Sequence[Contender], rounds: int, seed: int, done: Collection[tuple[str, int]] = ()
) -> list[Turn]:
    """All turns in order, without those that are `done` already (contender's key, round).

    Which contender takes which row and column of the design is drawn from the seed; the same seed repeats the order.
    """
    orders = _orders(len(contenders), rounds, random.Random(f"{seed}"))  # noqa: S311 — repeatable, not a secret
    return [
        Turn(number, contenders[place])
        for number, order in enumerate(orders, start=1)
        for place in order
        if (contenders[place].key, number) not in done
    ]


def level_order(levels: int, round_number: int, rounds: int, seed: int) -> list[int]:
    """The order in which a round measures its levels, as indices: the same for all contenders of the round.

    A level that always came last would always meet the largest table. A comparison of one round keeps the declared
    order; with more of them the orders are balanced like those of contenders.
    """
    if rounds == 1:
        return list(range(levels))
    orders = _orders(levels, rounds, random.Random(f"levels {seed}"))  # noqa: S311 — repeatable, not a secret
    return orders[round_number - 1]


def _orders(count: int, rounds: int, numbers: random.Random) -> list[list[int]]:
    """An order of `count` contenders for each round."""
    orders: list[list[int]] = []
    while count and len(orders) < rounds:
        labels = list(range(count))
        numbers.shuffle(labels)
        pairs = _williams_pairs(count)
        numbers.shuffle(pairs)
        orders += [[labels[place] for place in row] for pair in pairs for row in pair]
    return orders[:rounds]


def _williams_pairs(count: int) -> list[tuple[list[int], list[int]]]:
    """Williams' design, each of its rows beside its mirror image.

    In the whole design each contender stands in each place equally often, and after each other contender equally often
    (E. J. Williams, Aust. J. Sci. Res. A 2, 1949). After every two rows all contenders have the same mean place, so
    that fewer rounds than the design has rows are balanced too.
    """
    zigzag = [(place + 1) // 2 if place % 2 else (count - place // 2) % count for place in range(count)]
    # With an even count the mirror image of a row is another row of the same square.
    shifts = count // 2 if count % 2 == 0 else count
    rows = [[(place + shift) % count for place in zigzag] for shift in range(shifts)]
    return [(row, row[::-1]) for row in rows]
