import math

import pytest

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.judgement import Estimate, Verdict
from bakeoff.judging.moderation import NONE
from bakeoff.judging.pairings import ContenderRates, log_ratios, pairing_of, pairings_of, verdict_on

HERE = Division("events", "standard", "declared", 0, "default")
ELSEWHERE = Division("events", "standard", "declared", 64, "64k")


def rates(key: str, division: Division, by_round: dict[int, float]) -> ContenderRates:
    return ContenderRates(key, division, {}, by_round)


@pytest.mark.parametrize(
    ("low", "median", "high", "p_adjusted", "smallest_claim", "verdict"),
    [
        (None, 2.0, None, None, None, "unknown"),
        (1.1, 1.2, 1.3, 0.01, None, "faster"),
        (1.1, 1.2, 1.3, 0.01, 0.05, "faster"),
        (0.7, 0.8, 0.9, 0.01, 0.05, "slower"),
        (0.9, 1.2, 1.5, 0.01, None, "tie"),
        (1.0, 1.2, 1.5, 0.01, None, "tie"),
        # Many pairs: one of them is off by chance.
        (1.1, 1.2, 1.3, 0.06, None, "tie"),
        # Sure, but no more than the same thing differs from itself.
        (1.01, 1.02, 1.03, 0.001, 0.03, "tie"),
        (0.97, 0.98, 0.99, 0.001, 0.03, "tie"),
    ],
)
def test_a_verdict(
    low: float | None,
    median: float,
    high: float | None,
    p_adjusted: float | None,
    smallest_claim: float | None,
    verdict: Verdict,
) -> None:
    assert verdict_on(Estimate(median, low, high, ()), p_adjusted, smallest_claim) == verdict


def test_rounds_are_paired() -> None:
    assert log_ratios({1: 20.0, 2: 30.0, 4: 5.0}, {2: 10.0, 1: 10.0, 3: 1.0}) == {1: math.log(2), 2: math.log(3)}
    assert log_ratios({1: 0.0, 2: 4.0}, {1: 3.0, 2: 0.0}) == {}


def test_a_machine_that_drifts_hides_no_difference() -> None:
    slow = rates("slow", HERE, {1: 100.0, 2: 60.0, 3: 140.0})
    fast = rates("fast", HERE, {1: 110.2, 2: 65.9, 3: 154.1})
    (pairing,) = pairings_of([slow, fast], NONE, 0.02)
    assert (pairing.one, pairing.other, pairing.verdict) == ("slow", "fast", "slower")
    assert pairing.ratio.median == pytest.approx(1 / 1.1, rel=0.01)


def test_payloads_are_not_compared_with_each_other_nor_those_without_a_common_round() -> None:
    here = rates("a", HERE, {1: 1.0})
    assert pairings_of([here, rates("b", ELSEWHERE, {1: 2.0}), rates("c", HERE, {2: 2.0})], NONE, None) == []


def test_holm_counts_all_pairs() -> None:
    contenders = [rates(name, HERE, {1: speed, 2: speed * 1.01, 3: speed * jitter}) for name, speed, jitter in _THREE]
    pairings = pairings_of(contenders, NONE, None)
    assert len(pairings) == 3
    assert min(p.p_adjusted or 0 for p in pairings) == pytest.approx(3 * min(p.p_value or 0 for p in pairings))


_THREE = [("a", 100.0, 1.00), ("b", 120.0, 1.02), ("c", 150.0, 1.03)]


def test_a_pairing_told_of_the_other() -> None:
    contenders = [rates("a", HERE, {1: 10.0, 2: 10.1, 3: 9.9}), rates("b", HERE, {1: 5.0, 2: 5.0, 3: 5.0})]
    (pairing,) = pairings_of(contenders, NONE, None)
    find_pairing = pairing_of([pairing])
    assert find_pairing("a", "b") == pairing
    other = find_pairing("b", "a")
    assert other is not None
    assert (other.one, other.other, other.verdict) == ("b", "a", "slower")
    assert other.ratio.median == pytest.approx(0.5)
    assert other.ratio.low == pytest.approx(1 / (pairing.ratio.high or 0))
    assert other.inverted().verdict == "faster"
    assert find_pairing("a", "c") is None
