import math
from collections.abc import Sequence

import pytest

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import RatioTest, ratio_of
from bakeoff.judging.family import Key, decisions_of
from bakeoff.judging.judgement import Pairing, Verdict
from bakeoff.judging.moderation import NONE
from bakeoff.judging.pairings import ContenderRates, key_of, log_ratios, pairing, pairing_of, pairs_of, ratio_test

HERE = Division("events", "standard", "declared", 0, "default")
ELSEWHERE = Division("events", "standard", "declared", 64, "64k")


def rates(key: str, division: Division, by_round: dict[int, float]) -> ContenderRates:
    return ContenderRates(key, division, {}, by_round)


def pairings_of(contenders: Sequence[ContenderRates]) -> list[Pairing]:
    """Decided by themselves."""
    pairs = pairs_of(contenders)
    tests = {key_of(pair): ratio_test(pair, NONE) for pair in pairs}
    decisions = decisions_of(tests)
    return [
        pairing(one.key, other.key, tests[key_of((one, other))], decisions[key_of((one, other))])
        for one, other in pairs
    ]


@pytest.mark.parametrize(
    ("mean", "others", "least", "verdict"),
    [
        (0.02, 0, None, "faster"),
        (-0.02, 0, None, "slower"),
        (0.001, 0, None, "tie"),
        # Many pairs: one of them is off by chance.
        (0.008, 0, None, "faster"),
        (0.008, 9, None, "tie"),
        # Sure, but no more than the lab makes of equals.
        (0.02, 0, 0.03, "tie"),
        (-0.02, 0, 0.03, "tie"),
    ],
)
def test_a_verdict(mean: float, others: int, least: float | None, verdict: Verdict) -> None:
    test = ratio_of([mean + off for off in (-0.006, -0.003, 0, 0.003, 0.006)])
    tests: dict[Key, RatioTest] = {("pair", str(number)): ratio_of([-0.01, 0.0, 0.01]) for number in range(others)}
    tests |= {("this",): test}
    decision = decisions_of(tests, least)[("this",)]
    assert decision.verdict_on(test.ratio) == verdict


def test_too_few_rounds_decide_nothing() -> None:
    test = ratio_of([0.5, 0.5])
    assert decisions_of({("this",): test})[("this",)].verdict_on(test.ratio) == "unknown"


def test_rounds_are_paired() -> None:
    assert log_ratios({1: 20.0, 2: 30.0, 4: 5.0}, {2: 10.0, 1: 10.0, 3: 1.0}) == {1: math.log(2), 2: math.log(3)}
    assert log_ratios({1: 0.0, 2: 4.0}, {1: 3.0, 2: 0.0}) == {}


def test_a_machine_that_drifts_hides_no_difference() -> None:
    slow = rates("slow", HERE, {1: 100.0, 2: 60.0, 3: 140.0})
    fast = rates("fast", HERE, {1: 110.2, 2: 65.9, 3: 154.1})
    (pairing,) = pairings_of([slow, fast])
    assert (pairing.one, pairing.other, pairing.verdict) == ("slow", "fast", "slower")
    assert pairing.ratio.median == pytest.approx(1 / 1.1, rel=0.01)


def test_payloads_are_not_compared_with_each_other_nor_those_without_a_common_round() -> None:
    here = rates("a", HERE, {1: 1.0})
    assert pairings_of([here, rates("b", ELSEWHERE, {1: 2.0}), rates("c", HERE, {2: 2.0})]) == []


def test_holm_counts_all_pairs() -> None:
    contenders = [rates(name, HERE, {1: speed, 2: speed * 1.01, 3: speed * jitter}) for name, speed, jitter in _THREE]
    pairings = pairings_of(contenders)
    assert len(pairings) == 3
    assert min(p.p_adjusted or 0 for p in pairings) == pytest.approx(3 * min(p.p_value or 0 for p in pairings))


_THREE = [("a", 100.0, 1.00), ("b", 120.0, 1.02), ("c", 150.0, 1.03)]


def test_a_pairing_told_of_the_other() -> None:
    contenders = [rates("a", HERE, {1: 10.0, 2: 10.1, 3: 9.9}), rates("b", HERE, {1: 5.0, 2: 5.0, 3: 5.0})]
    (pairing,) = pairings_of(contenders)
    find_pairing = pairing_of([pairing])
    assert find_pairing("a", "b") == pairing
    other = find_pairing("b", "a")
    assert other is not None
    assert (other.one, other.other, other.verdict) == ("b", "a", "slower")
    assert other.ratio.median == pytest.approx(0.5)
    assert other.ratio.low == pytest.approx(1 / (pairing.ratio.high or 0))
    assert other.inverted().verdict == "faster"
    assert find_pairing("a", "c") is None
