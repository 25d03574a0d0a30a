import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.judgement import Estimate, Pairing, Verdict
from bakeoff.judging.pairings import Place, places


def pairing(one: str, other: str, verdict: Verdict) -> Pairing:
    return Pairing(one, other, Estimate(1.0, None, None, (1.0,)), None, None, verdict)


@pytest.mark.parametrize(
    ("medians", "pairings", "expected"),
    [
        ({}, [], {}),
        ({"a": 1.0}, [], {"a": Place(1, ())}),
        # No pairing, or too few rounds: the medians decide, and no tie is claimed.
        ({"a": 1.0, "b": 2.0}, [], {"b": Place(1, ()), "a": Place(2, ())}),
        ({"a": 1.0, "b": 2.0}, [pairing("a", "b", "unknown")], {"b": Place(1, ()), "a": Place(2, ())}),
        ({"a": 1.0, "b": 2.0}, [pairing("a", "b", "slower")], {"b": Place(1, ()), "a": Place(2, ())}),
        ({"a": 1.0, "b": 2.0}, [pairing("a", "b", "tie")], {"b": Place(1, ("a",)), "a": Place(1, ("b",))}),
        # A chain of ties is no tie of its ends.
        (
            {"a": 3.0, "b": 2.0, "c": 1.0},
            [pairing("a", "b", "tie"), pairing("b", "c", "tie"), pairing("a", "c", "faster")],
            {"a": Place(1, ("b",)), "b": Place(1, ("a", "c")), "c": Place(2, ("b",))},
        ),
        # Behind two that tie comes the third place.
        (
            {"a": 3.0, "b": 3.0, "c": 1.0},
            [pairing("a", "b", "tie"), pairing("c", "b", "slower"), pairing("a", "c", "faster")],
            {"a": Place(1, ("b",)), "b": Place(1, ("a",)), "c": Place(3, ())},
        ),
    ],
)
def test_places(medians: dict[str, float], pairings: list[Pairing], expected: dict[str, Place]) -> None:
    assert places(medians, pairings) == expected


@given(st.lists(st.floats(1, 1000), min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_there_is_a_first_and_what_is_surely_faster_stands_ahead(speeds: list[float], random: Random) -> None:
    medians = {str(number): speed for number, speed in enumerate(speeds)}
    pairings = [
        pairing(one, other, random.choice(["tie", "faster"]))
        for one, other in itertools.permutations(medians, 2)
        if (medians[one], one) > (medians[other], other)
    ]
    placed = places(medians, pairings)
    assert min(place.rank for place in placed.values()) == 1
    for each in pairings:
        if each.verdict == "tie":
            assert each.one in placed[each.other].tied_with
            assert each.other in placed[each.one].tied_with
        else:
            assert placed[each.other].rank > 1


@pytest.mark.parametrize(
    ("unranked", "verdict", "rank"),
    [
        (2.0, "tie", 2),
        (2.0, "unknown", 2),
        (2.0, "faster", 2),
        # Less was done, or the pair shows that it is slower.
        (0.5, "tie", 1),
        (0.5, "unknown", 1),
        (2.0, "slower", 1),
    ],
)
def test_no_contender_is_first_where_one_without_a_rank_did_more(unranked: float, verdict: Verdict, rank: int) -> None:
    placed = places({"a": unranked, "b": 1.0}, [pairing("a", "b", verdict)], ranked={"b"})
    assert placed == {"b": Place(rank, ())}
