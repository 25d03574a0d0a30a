"""Comparisons on simulated machines with a known truth, judged as stored ones are: the whole of `judge`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from unittest.mock import patch

import numpy as np

from bakeoff.judging import levels
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Judgement
from bakeoff.results.run import Measured, RunResult
from made_up import comparison_of, measured, phase, run_result

USERS = (10, 50, 200)
# Throughput at each level, as a fraction of the best.
PEAKED, PLATEAU = (0.5, 0.8, 1.0), (1.0, 1.0, 1.0)
NAMES = ("go-rest", "go-grpc", "java-rest", "java-grpc", "rust-rest", "rust-grpc")


@dataclass(frozen=True)
class Machine:
    """How the runs of contenders come out that are alike in truth.

    `noise` is the standard deviation of a level's logarithm in one run, and `noisy` that of the last contender, where
    it differs; half of the variance is the run's own, the rest each level's. `weather` affects all runs of a round;
    `drift` makes the last round slower than the first for all. `outliers` is how often a run loses a fifth.
    """

    noise: float = 0.03
    noisy: float | None = None
    weather: float = 0.15
    drift: float = 0.0
    outliers: float = 0.0
    levels: Sequence[float] = PEAKED


CASES: Mapping[str, Machine] = {
    "equal contenders": Machine(),
    "one six times as noisy": Machine(noisy=0.18),
    "drift of 30 % over the rounds": Machine(drift=0.3),
    "one run in twenty an outlier": Machine(outliers=0.05),
    "a plateau of levels": Machine(levels=PLATEAU),
    "a plateau, one six times as noisy": Machine(levels=PLATEAU, noisy=0.18),
}


def compared(
    machine: Machine, rounds: int, contenders: int, random: np.random.Generator, faster: float = 1.0
) -> Judgement:
    """A comparison of contenders that are alike, but for the first, which is `faster` times as fast."""
    weather = machine.weather * random.standard_normal(rounds) - machine.drift * np.linspace(0, 1, rounds)
    runs = []
    for place, name in enumerate(NAMES[:contenders]):
        noise = machine.noisy if machine.noisy is not None and place == contenders - 1 else machine.noise
        own = noise * np.sqrt(0.5)
        for number in range(1, rounds + 1):
            whole = weather[number - 1] + own * random.standard_normal()
            whole -= 0.2 * (random.random() < machine.outliers)
            rates = 1000 * np.exp(whole + own * random.standard_normal(len(USERS))) * np.array(machine.levels)
            runs.append(_run(name, number, [float(rate) * (faster if place == 0 else 1.0) for rate in rates]))
    # Most of the time of `judge` goes into merging histograms of latency, which no verdict reads.
    with patch.object(levels, "_merged", lambda encoded: encoded[0]):
        return judge(comparison_of(*runs))


def seconds_of_a_window(
    random: np.random.Generator, scatter: float, memory_s: float, *, rise: float = 0.0, seconds: int = 10
) -> list[int]:
    """Operations in each second of a window, around a thousand; `rise` is the change from its begin to its end.

    The correlation of the scatter falls by e in `memory_s`.
    """
    kept = np.exp(-1 / memory_s) if memory_s else 0.0
    noise = [random.standard_normal()]
    for fresh in random.standard_normal(seconds - 1):
        noise.append(kept * noise[-1] + (1 - kept**2) ** 0.5 * fresh)
    line = rise * (np.arange(seconds) / (seconds - 1) - 0.5)
    return [round(1000 * value) for value in np.exp(scatter * np.array(noise)) * (1 + line)]


@cache
def error_rates(
    machine: Machine, rounds: int, contenders: int, times: int, faster: float = 1.1, seed: int = 1
) -> tuple[float, float]:
    """Two shares: comparisons of equals that report any difference, and pairs with the faster one that report it."""
    random = np.random.default_rng([seed, rounds, contenders])
    wrong = found = 0
    for _ in range(times):
        equals = compared(machine, rounds, contenders, random)
        wrong += any(pairing.verdict not in ("tie", "unknown") for pairing in equals.pairings)
        unequal = compared(machine, rounds, contenders, random, faster)
        found += sum(_is_found(pairing.one, pairing.other, pairing.verdict) for pairing in unequal.pairings)
    return wrong / times, found / times / (contenders - 1)


def _is_found(one: str, other: str, verdict: str) -> bool:
    return (one == NAMES[0] and verdict == "faster") or (other == NAMES[0] and verdict == "slower")


@cache
def _template() -> tuple[RunResult, Measured]:
    return run_result(findings=[], samples=[], environment={"cores": "2", "commit": "abc"}), measured(1000.0, costs={})


def _run(name: str, number: int, rates: Sequence[float]) -> RunResult:
    """One phase for each rate. All share one histogram: nothing here is about latency."""
    run, part = _template()
    phases = [
        phase(index + 1, users, replace(part, operations=round(rate * part.duration_s)))
        for index, (users, rate) in enumerate(zip(USERS, rates, strict=True))
    ]
    language, _, protocol = name.partition("-")
    return replace(
        run,
        target=name,
        contender=name,
        language=language,
        protocol=protocol,
        phases=phases,
        total=replace(part, operations=sum(each.measured.operations for each in phases)),
        round=number,
    )
