"""The level that ranks: it keeps the thresholds, and no round chooses its own."""

from collections.abc import Mapping

import numpy as np
import pytest

from bakeoff.judging.levels import phases_by_slot
from bakeoff.judging.ranking_level import RankingLevel, ranking_level
from bakeoff.judging.slo import ranking_slo
from bakeoff.results.run import Measured
from made_up import measured, phase, run_of


def ranked(*rounds: Mapping[int, Measured]) -> RankingLevel | None:
    """Of rounds of measurements by virtual users."""
    runs = {
        number: run_of("go-rest", phases=[phase(at, users, part) for at, (users, part) in enumerate(each.items(), 1)])
        for number, each in enumerate(rounds, start=1)
    }
    return ranking_level(phases_by_slot(runs), ranking_slo())


def rates(*by_level: float) -> dict[int, Measured]:
    return {users: measured(rate) for users, rate in zip((10, 50, 200), by_level, strict=False)}


def test_one_round_is_judged_at_its_own_best() -> None:
    found = ranked(rates(100, 300, 200))
    assert found is not None
    assert (found.slot[2], found.by_round) == (50, {1: 300})


def test_each_round_is_judged_at_the_level_that_the_others_choose() -> None:
    # The second round was lucky at 200 users. It makes the first and the third choose that level, but not itself.
    found = ranked(rates(100, 300, 290), rates(100, 310, 900), rates(100, 300, 290))
    assert found is not None
    assert (found.slot[2], found.by_round) == (50, {1: 290, 2: 310, 3: 290})


def test_the_choice_of_the_best_of_noisy_levels_is_no_advantage() -> None:
    random = np.random.default_rng(1)
    logs, naive = [], []
    for _ in range(150):
        rounds = [[1000 * float(np.exp(0.1 * value)) for value in random.standard_normal(3)] for _ in range(3)]
        found = ranked(*(rates(*each) for each in rounds))
        assert found is not None
        logs.append(np.mean(np.log([rate / 1000 for rate in found.by_round.values()])))
        naive.append(max(np.mean(np.log([each[level] / 1000 for each in rounds])) for level in range(3)))
    assert abs(np.mean(logs)) < 0.012
    assert np.mean(naive) > 0.03


@pytest.mark.parametrize(
    "fast",
    [
        measured(900, failed=100),
        measured(900, latency_ms=6000.0),
        measured(900, unsent=500),
    ],
)
def test_a_level_that_breaks_the_thresholds_does_not_rank(fast: Measured) -> None:
    found = ranked(*[{10: measured(300), 50: fast}] * 3)
    assert found is not None
    assert (found.slot[2], set(found.by_round.values())) == (10, {300})


def test_a_failure_in_a_thousand_is_allowed() -> None:
    assert ranked({10: measured(999, failed=10)}) is not None
    assert ranked({10: measured(990, failed=100)}) is None


def test_a_round_without_the_level_is_judged_at_another() -> None:
    found = ranked(rates(100, 300), rates(100), rates(100, 300))
    assert found is not None
    assert found.by_round == {1: 300, 2: 100, 3: 300}


def test_the_level_that_ranks_is_shown_and_no_lower_load_that_noise_hides() -> None:
    random, lower = np.random.default_rng(2), 0
    for _ in range(100):
        noise = [np.exp(0.06 * random.standard_normal(3)) for _ in range(5)]
        found = ranked(*(rates(*(1000 * each * (0.5, 0.96, 1.0))) for each in noise))
        assert found is not None
        medians = [np.median([each[at] * (0.5, 0.96, 1.0)[at] for each in noise]) for at in range(3)]
        lower += found.slot[2] != (10, 50, 200)[int(np.argmax(medians))]
    assert lower == 0
