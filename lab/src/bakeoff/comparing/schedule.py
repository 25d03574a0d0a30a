"""Who runs when: every contender once in each round, in an order that no contender can profit from."""

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

    Each round is shuffled anew from the seed: drift of the machine then strikes all alike, and the same seed gives
    the same order.
    """
    turns = []
    for number in range(1, rounds + 1):
        order = list(contenders)
        random.Random(f"{seed}/{number}").shuffle(order)  # noqa: S311 — an order that can be repeated, not a secret
        turns += [Turn(number, contender) for contender in order if (contender.key, number) not in done]
    return turns
