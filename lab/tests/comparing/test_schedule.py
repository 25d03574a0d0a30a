from collections import Counter

from bakeoff.comparing.schedule import turns_of
from bakeoff.running.contender import Contender
from made_up_manifests import engine, target, workload

CONTENDERS = [Contender(target(f"t{number}"), workload(), engine("native")) for number in range(6)]


def order(rounds: int, seed: int, done: frozenset[tuple[str, int]] = frozenset()) -> list[tuple[int, str]]:
    return [(turn.round, turn.contender.key) for turn in turns_of(CONTENDERS, rounds, seed, done)]


def test_every_contender_runs_once_in_each_round_and_rounds_do_not_mix() -> None:
    turns = order(5, seed=1)
    assert set(Counter(turns).values()) == {1}
    assert [number for number, _ in turns] == [number for number in range(1, 6) for _ in CONTENDERS]


def test_the_order_is_shuffled_anew_in_each_round_and_the_seed_repeats_it() -> None:
    turns = order(8, seed=1)
    rounds = {tuple(key for number, key in turns if number == each) for each in range(1, 9)}
    assert len(rounds) > 4
    assert turns == order(8, seed=1)
    assert turns != order(8, seed=2)


def test_everybody_comes_first_at_some_time() -> None:
    first = {key for _, key in order(60, seed=1)[:: len(CONTENDERS)]}
    assert first == {contender.key for contender in CONTENDERS}


def test_what_is_done_is_left_out_and_changes_no_order() -> None:
    every = order(3, seed=7)
    done = frozenset((key, number) for number, key in every[:8])
    assert order(3, 7, done) == every[8:]
