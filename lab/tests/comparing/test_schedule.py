"""The order of turns: repeatable, and fair to every contender."""

from collections import Counter
from itertools import pairwise
from unittest.mock import Mock

import pytest

from bakeoff.comparing.schedule import level_order, turns_of
from bakeoff.running.contender import Contender

COUNTS = [1, 2, 3, 4, 5, 6, 7, 12]


def contenders(count: int) -> list[Contender]:
    return [Mock(spec=Contender, key=f"contender-{number}") for number in range(count)]


def rounds_of(count: int, rounds: int, seed: int = 1) -> list[list[str]]:
    turns = turns_of(contenders(count), rounds, seed)
    return [[turn.contender.key for turn in turns if turn.round == number] for number in range(1, rounds + 1)]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("rounds", [1, 3, 10])
def test_each_contender_takes_one_turn_in_each_round(count: int, rounds: int) -> None:
    for order in rounds_of(count, rounds):
        assert sorted(order) == sorted(contender.key for contender in contenders(count))


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    assert rounds_of(6, 5, seed=3) == rounds_of(6, 5, seed=3)
    assert len({str(rounds_of(6, 5, seed=seed)) for seed in range(20)}) > 15


@pytest.mark.parametrize("count", COUNTS)
def test_after_every_two_rounds_all_contenders_have_the_same_mean_place(count: int) -> None:
    orders = rounds_of(count, 8)
    for rounds in (2, 4, 6, 8):
        places: Counter[str] = Counter()
        for order in orders[:rounds]:
            places.update({key: place for place, key in enumerate(order)})
        assert len({places[key] for key in orders[0]}) == 1


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7])
def test_in_the_whole_design_each_stands_everywhere_and_follows_each_other_equally_often(count: int) -> None:
    orders = rounds_of(count, count if count % 2 == 0 else 2 * count)
    places = Counter((key, place) for order in orders for place, key in enumerate(order))
    follows = Counter(pair for order in orders for pair in pairwise(order))
    assert len(places) == count * count
    assert len(set(places.values())) == 1
    assert len(follows) == count * (count - 1)
    assert len(set(follows.values())) == 1


def test_done_turns_are_left_out_and_the_others_keep_their_order() -> None:
    all_turns = [(turn.contender.key, turn.round) for turn in turns_of(contenders(4), 3, 1)]
    done = set(all_turns[::2])
    left = [(turn.contender.key, turn.round) for turn in turns_of(contenders(4), 3, 1, done)]
    assert left == [turn for turn in all_turns if turn not in done]


def test_without_contenders_there_is_no_turn() -> None:
    assert turns_of([], 5, 1) == []


def test_levels_are_measured_as_declared_in_one_round_and_in_every_place_over_rounds() -> None:
    assert level_order(3, 1, 1, seed=7) == [0, 1, 2]
    for levels in (2, 3, 4, 7):
        rounds = levels if levels % 2 == 0 else 2 * levels
        orders = [level_order(levels, number, rounds, seed=7) for number in range(1, rounds + 1)]
        places = Counter((level, place) for order in orders for place, level in enumerate(order))
        assert len(places) == levels * levels and len(set(places.values())) == 1, orders
        assert orders == [level_order(levels, number, rounds, seed=7) for number in range(1, rounds + 1)]
