"""Which test of two contenders to use: `python lab/benchmarks/pair_tests.py [TIMES]`.

Simulates the throughputs of six contenders over rounds, with a known truth, and judges all pairs with each of four
tests, after Holm's correction. Prints how many comparisons of equals report any difference, and how many pairs with a
contender that is truly 10 % faster report it. For docs/METHOD_APPENDIX.md.
"""

import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bakeoff.judging.estimates import holm, ratio_of, student_p_value
from bakeoff.judging.noise import prior_between_rounds, round_effects, spread_between_rounds
from simulated_machines import CASES, PEAKED, Machine

_ROUNDS, _CONTENDERS, _FASTER = (3, 5), 6, 1.1

_PAIRS = list(itertools.combinations(range(_CONTENDERS), 2))

Rates = Sequence[Mapping[int, float]]
# The p of each pair, in the order of _PAIRS.
Test = Callable[[Rates], list[float]]


def _logs(rates: Rates, one: int, other: int) -> list[float]:
    return [float(np.log(rates[one][number] / rates[other][number])) for number in rates[one]]


def _paired(rates: Rates) -> list[float]:
    return [ratio_of(_logs(rates, one, other)).p_value or 0.0 for one, other in _PAIRS]


def _moderated(rates: Rates) -> list[float]:
    prior = prior_between_rounds(rates)
    return [ratio_of(_logs(rates, one, other), prior).p_value or 0.0 for one, other in _PAIRS]


def _welch(rates: Rates) -> list[float]:
    """On what is left after each round's effect, with Satterthwaite's degrees of freedom."""
    effects = round_effects(rates)
    rests = [[np.log(rate) - effects[number] for number, rate in each.items()] for each in rates]
    means = [float(np.mean(rest)) for rest in rests]
    # The effects of rounds are estimated from the contenders themselves.
    share = len(rates) / (len(rates) - 1)
    variances = [float(np.var(rest, ddof=1)) * share / len(rest) for rest in rests]
    return [
        _welch_p(means[one] - means[other], (variances[one], variances[other]), len(rests[one]) - 1)
        for one, other in _PAIRS
    ]


def _welch_p(difference: float, variances: tuple[float, float], free: int) -> float:
    degrees = sum(variances) ** 2 / sum(variance**2 / free for variance in variances)
    return student_p_value(difference, sum(variances) ** 0.5, degrees)


def _larger(rates: Rates) -> list[float]:
    """The larger of own and pooled deviation, with the pooled degrees of freedom."""
    spread = spread_between_rounds(rates)
    assert spread is not None
    found = []
    for logs in (_logs(rates, one, other) for one, other in _PAIRS):
        deviation = max(float(np.std(logs, ddof=1)), spread.deviation) / len(logs) ** 0.5
        found.append(student_p_value(float(np.mean(logs)), deviation, spread.degrees))
    return found


_TESTS: Mapping[str, Test] = {
    "moderated": _moderated,
    "paired": _paired,
    "Welch, Satterthwaite": _welch,
    "larger of own and pooled": _larger,
}


def main() -> None:
    """Prints a table for each number of rounds."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for rounds in _ROUNDS:
        print(f"\n{rounds} rounds, {times} comparisons each: wrong among equals / a true 10 % found")
        print(f"| case | {' | '.join(_TESTS)} |")
        print(f"|---|{'---:|' * len(_TESTS)}")
        # Levels are not chosen here, so that their shape makes no difference.
        for name, machine in ((name, each) for name, each in CASES.items() if each.levels == PEAKED):
            cells = (f"{wrong:.1%} / {found:.0%}" for wrong, found in _shares(machine, rounds, times))
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _shares(machine: Machine, rounds: int, times: int) -> list[tuple[float, float]]:
    random = np.random.default_rng([2, rounds])
    wrong, found = dict.fromkeys(_TESTS, 0), dict.fromkeys(_TESTS, 0)
    for _ in range(times):
        equals, unequal = _simulated(machine, rounds, random), _simulated(machine, rounds, random)
        unequal[0] = {number: rate * _FASTER for number, rate in unequal[0].items()}
        for name, test in _TESTS.items():
            wrong[name] += any(_told_apart(equals, test).values())
            found[name] += sum(is_told for pair, is_told in _told_apart(unequal, test).items() if 0 in pair)
    return [(wrong[name] / times, found[name] / times / (_CONTENDERS - 1)) for name in _TESTS]


def _told_apart(rates: Rates, test: Test) -> dict[tuple[int, int], bool]:
    adjusted = holm(list(test(rates)))
    return {pair: p_value is not None and p_value <= 0.05 for pair, p_value in zip(_PAIRS, adjusted, strict=True)}


def _simulated(machine: Machine, rounds: int, random: np.random.Generator) -> list[dict[int, float]]:
    weather = machine.weather * random.standard_normal(rounds) - machine.drift * np.linspace(0, 1, rounds)
    rates = []
    for place in range(_CONTENDERS):
        is_noisy = machine.noisy is not None and place == _CONTENDERS - 1
        noise = (machine.noisy or 0.0) if is_noisy else machine.noise
        logs = weather + noise * random.standard_normal(rounds) - 0.2 * (random.random(rounds) < machine.outliers)
        rates.append({number: 1000 * float(np.exp(log)) for number, log in enumerate(logs, start=1)})
    return rates


if __name__ == "__main__":
    main()
