"""The order of runs: every contender once in each round, balanced so that no contender profits from its place."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.results.mode_names import SATURATION
from bakeoff.running.contender import Contender
from bakeoff.running.modes import EQUAL
from bakeoff.running.run_request import RunRequest
from bakeoff.text.durations import words_for

# Start, audit and stop of a run, until a run of this comparison has shown it.
_OVERHEAD_S = 3.0
_PROVING_S = 4.0


@dataclass(frozen=True)
class Turn:
    """One contender's run in one round; rounds count from 1."""

    round: int
    contender: Contender


@dataclass(frozen=True)
class Schedule:
    """The turns of a request and their runs, without the turns that are `done` (contender's key, round)."""

    request: ComparisonRequest
    done: Collection[tuple[str, int]] = frozenset()

    def turns(self, contenders: Sequence[Contender], rounds: int | None = None) -> list[Turn]:
        """All turns that are left, in order; of the first `rounds` alone where that is given."""
        return turns_of(contenders, rounds or self.request.rounds, self.request.seed, self.done)

    def remaining(self, contenders: Sequence[Contender]) -> list[Contender]:
        keys = {turn.contender.key for turn in self.turns(contenders)}
        return [contender for contender in contenders if contender.key in keys]

    def run_of(self, turn: Turn, *, in_slices: bool = False) -> RunRequest:
        """The run of a turn. A run to saturation ends after a level, not within one, so it is never sliced."""
        request = self.request.of_class(turn.contender.target.target_class)
        last = len(request.phases) - 1
        if request.equal_load:
            # First in every run: all contenders have done the same work until then, on tables of the same size.
            order = [0, *(1 + each for each in level_order(last, turn.round, request.rounds, request.seed))]
        elif request.mode == EQUAL:
            # The maximum is last: how much each contender does there must not change what its other loads meet.
            order = [*level_order(last, turn.round, request.rounds, request.seed), last]
        else:
            # A run to saturation ends where too many requests fail: it climbs in every round.
            rounds = 1 if request.mode == SATURATION else request.rounds
            order = level_order(last + 1, turn.round, rounds, request.seed)
        return RunRequest(
            turn.contender,
            request.mode,
            request.phases,
            round=turn.round,
            settling=request.settling,
            level_order=order,
            options=request,
            in_slices=in_slices and request.mode != SATURATION,
        )

    def planned_s(self, contender: Contender) -> float:
        return self.run_of(Turn(1, contender)).planned_s or 0.0


class TimeLeft:
    """How long the runs that are left take, from those before. `phases_s`: how long a run's phases are planned."""

    def __init__(self, phases_s: float) -> None:
        self._phases_s = phases_s
        self._taken_s: list[float] = []

    def learn(self, each_s: float, runs: int) -> None:
        self._taken_s += [each_s] * runs

    def seconds(self, runs: int) -> float:
        each_s = sum(self._taken_s) / len(self._taken_s) if self._taken_s else self._phases_s + _OVERHEAD_S
        return runs * each_s

    def announced(self, contenders: int, rounds: int, runs: int) -> str:
        seconds = self.seconds(runs) + contenders * _PROVING_S
        several = f" in {rounds} rounds" if rounds > 1 else ""
        return (
            f"{runs} run{'' if runs == 1 else 's'} of {contenders} contender{'' if contenders == 1 else 's'}{several}: "
            f"about {words_for(seconds)}"
        )


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
