"""Comparisons on simulated machines with a known truth, judged as stored ones are: the whole of `judge`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bakeoff.judging import levels
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import EqualLoad, Estimate, JudgedRun, Judgement, Pairing, Verdict
from bakeoff.judging.verdict import fastest_of
from bakeoff.reporting.highlights import highlights_of
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import Measured, RunResult, Second
from bakeoff.storage.stored_runs import StoredRun
from made_up import comparison_of, measured, operation, phase, run_result

USERS = (10, 50, 200)
# Throughput at each level, as a fraction of the best.
PEAKED, PLATEAU = (0.5, 0.8, 1.0), (1.0, 1.0, 1.0)
# Languages, protocols and write modes: 12 contenders that differ in three factors.
NAMES = [
    (language, protocol, mode)
    for mode in ("group", "single")
    for language in ("go", "java", "rust")
    for protocol in ("rest", "grpc")
]
RATE = 400.0
OPERATIONS = ("read", "save")


@dataclass(frozen=True)
class Machine:
    """How the runs of contenders come out that are alike in truth.

    `noise` is the standard deviation of a level's logarithm in one run, and `noisy` that of the last contender, where
    it differs; half of the variance is the run's own, the rest each level's. `shape` is how it is distributed.
    `memory` is the correlation of a contender's run with its run of the round before. `weather` affects all runs of a
    round; `drift` makes the last round slower than the first for all. `outliers` is how often a run loses a fifth.
    `scatter` and `scatter_memory_s` are those of the seconds of a window, which are in the run's rate as well.
    """

    noise: float = 0.03
    noisy: float | None = None
    shape: Literal["normal", "t3", "skewed"] = "normal"
    memory: float = 0.0
    weather: float = 0.15
    drift: float = 0.0
    outliers: float = 0.0
    levels: Sequence[float] = PEAKED
    scatter: float = 0.0
    scatter_memory_s: float = 3.0


CASES: Mapping[str, Machine] = {
    "normal": Machine(),
    "t3": Machine(shape="t3"),
    "skewed": Machine(shape="skewed"),
    "correlated rounds": Machine(memory=0.3),
    "one six times as noisy": Machine(noisy=0.18),
    "drift of 30 %": Machine(drift=0.3),
    "one run in twenty an outlier": Machine(outliers=0.05),
    "a plateau of levels": Machine(levels=PLATEAU),
    "scatter of 5 % that remembers 3 s": Machine(scatter=0.05),
}


@dataclass(frozen=True)
class Truth:
    """The true throughput of each contender of a comparison, by its key; its latency and CPU are the inverse of it."""

    by_key: Mapping[str, float]

    def ratio(self, one: str, other: str) -> float:
        return self.by_key[one] / self.by_key[other]


def compared(
    machine: Machine, rounds: int, truths: Sequence[float], random: np.random.Generator, *, rise: float = 0.0
) -> tuple[Judgement, Truth]:
    """A comparison of contenders with these true throughputs, 1 for the usual one.

    Each run offers a rate, and has levels of users with two operations. `rise` is the change of the first contender's
    throughput within each window, which ends at its true one.
    """
    weather = machine.weather * random.standard_normal(rounds) - machine.drift * np.linspace(0, 1, rounds)
    runs, by_key = [], {}
    for place, (name, truth) in enumerate(zip(NAMES, truths, strict=False)):
        noise = machine.noisy if machine.noisy is not None and place == len(truths) - 1 else machine.noise
        own = noise * math.sqrt(0.5)
        whole = weather + own * _noise(machine, rounds, random) - 0.2 * (random.random(rounds) < machine.outliers)
        by_key["-".join(name)] = truth
        for number in range(1, rounds + 1):
            rates = truth * np.exp(whole[number - 1] + own * random.standard_normal(len(USERS))) * machine.levels
            costs = np.exp(-noise * random.standard_normal(4)) / truth
            windows = _windows(machine, rise if place == 0 else 0.0, random)
            runs.append(_run(name, number, [1000 * float(rate) for rate in rates], list(costs), windows))
    # Most of the time of `judge` goes into histograms of latency and the limits of single runs, which no verdict reads.
    merged = patch.object(levels, "_merged", lambda encoded: encoded[0])
    with merged, patch("bakeoff.judging.judge.judged_run", _judged_run):
        return judge(comparison_of(*runs)), Truth(by_key)


def _judged_run(run: StoredRun) -> JudgedRun:
    return JudgedRun(run.id, run.result.round, run.result.status, None, None, None, None)


def false_statements(judgement: Judgement, truth: Truth) -> list[str]:
    """Every statement of a report that its truth contradicts: verdicts, bounds, ranks, headline, recommendations."""
    return list(_false(judgement, truth))


def _false(judgement: Judgement, truth: Truth) -> Iterator[str]:
    pairs = {(pair.one, pair.other): pair for effect in judgement.effects for pair in effect.pairs}
    pairs |= {(pair.one, pair.other): pair for pair in judgement.pairings}
    for (one, other), pair in pairs.items():
        yield from _of_pair(pair, truth.ratio(one, other))
    for effect in [*judgement.effects, *judgement.operation_effects]:
        if _contradicts(effect.verdict, _true_effect(truth, effect.factor, effect.one, effect.other)):
            yield f"effect {effect.operation} {effect.one} {effect.verdict} {effect.other}"
    for load in judgement.equal_loads:
        for figure, own in load.pairings.items():
            # The lower is the better: the verdict is that of the throughput.
            yield from (
                f"{figure}: {words}" for pair in own for words in _of_pair(pair, truth.ratio(pair.one, pair.other))
            )
        yield from _of_load(load, truth)
    best = max(truth.by_key.values())
    named = {each.name: truth.by_key[each.key] for each in judgement.contenders}
    for each in judgement.contenders:
        if each.rank is not None and each.rank > _worst_rank(each.key, truth, judgement):
            yield f"{each.key} has rank {each.rank}"
    fastest = fastest_of(judgement)
    if fastest is not None and (truth.by_key[fastest.key] < best or list(truth.by_key.values()).count(best) > 1):
        yield f"{fastest.key} is fastest"
    for highlight in highlights_of(judgement, judgement.contenders):
        if all(named[name] < best for name in highlight.names):
            yield f"recommended {highlight.title}: {highlight.who}"


def contain_the_truth(judgement: Judgement, truth: Truth) -> list[bool]:
    """Whether it does, of each interval of a ratio that a report prints with a verdict."""
    pairs = {(pair.one, pair.other): pair for effect in judgement.effects for pair in effect.pairs}
    pairs |= {(pair.one, pair.other): pair for pair in judgement.pairings}
    known = [(pair.ratio, truth.ratio(*key)) for key, pair in pairs.items()]
    known += [
        (each.ratio, _true_effect(truth, each.factor, each.one, each.other))
        for each in [*judgement.effects, *judgement.operation_effects]
    ]
    known += [
        (pair.ratio, truth.ratio(pair.other, pair.one))
        for load in judgement.equal_loads
        for own in load.pairings.values()
        for pair in own
    ]
    return [_contains(ratio, true) for ratio, true in known if ratio.confidence is not None]


def _contains(ratio: Estimate, true: float) -> bool:
    return (ratio.low or 0.0) <= true * (1 + 1e-9) and (ratio.high is None or true <= ratio.high * (1 + 1e-9))


def _worst_rank(key: str, truth: Truth, judgement: Judgement) -> int:
    """A rank is one more than those found to be faster: no more than are. Those without a rank may be ahead too."""
    faster = sum(rate > truth.by_key[key] for rate in truth.by_key.values())
    return 1 + faster + sum(other.rank is None for other in judgement.contenders)


def _of_load(load: EqualLoad, truth: Truth) -> Iterator[str]:
    for entry in load.entries:
        faster = sum(rate > truth.by_key[entry.key] for rate in truth.by_key.values())
        unranked = sum(bool(other.unranked) for other in load.entries)
        for figure, rank in entry.ranks.items():
            if rank > faster + unranked + 1:
                yield f"{entry.key} has rank {rank} by {figure}"


def _of_pair(pair: Pairing, ratio: float) -> Iterator[str]:
    if _contradicts(pair.verdict, ratio):
        yield f"{pair.one} {pair.verdict} {pair.other}"
    if pair.equivalent_within is not None and max(ratio, 1 / ratio) - 1 > pair.equivalent_within + 1e-9:
        yield f"{pair.one} equivalent to {pair.other} within {pair.equivalent_within:.3f}"


def _contradicts(verdict: Verdict, ratio: float) -> bool:
    return (verdict == "faster" and ratio <= 1) or (verdict == "slower" and ratio >= 1)


def _true_effect(truth: Truth, factor: str, one: str, other: str) -> float:
    """The mean over matched pairs."""
    at = {"language": 0, "protocol": 1, "write_mode": 2}[factor]
    named = {tuple(key.split("-")): rate for key, rate in truth.by_key.items()}
    logs = []
    for name, rate in named.items():
        matching = (*name[:at], other, *name[at + 1 :])
        if name[at] == one and matching in named:
            logs.append(math.log(rate / named[matching]))
    mean = sum(logs) / len(logs)
    return 1.0 if abs(mean) < 1e-9 else math.exp(mean)


class Shares(NamedTuple):
    """Of reports on equals, those with a false statement; of those with a faster contender too; of its pairs, found.

    Of intervals, those that contain the truth; of reports, those in which all intervals do.
    """

    wrong_of_equals: float
    wrong: float
    found: float
    intervals: float
    reports: float


@cache
def shares(machine: Machine, rounds: int, contenders: int, times: int, faster: float = 1.1, seed: int = 1) -> Shares:
    """By simulation of as many reports on equals as on a faster contender."""
    random = np.random.default_rng([seed, rounds, contenders])
    wrong_of_equals = wrong = found = 0
    contained: list[list[bool]] = []
    for _ in range(times):
        of_equals = compared(machine, rounds, [1.0] * contenders, random)
        wrong_of_equals += bool(false_statements(*of_equals))
        judgement, truth = compared(machine, rounds, [faster, *[1.0] * (contenders - 1)], random)
        wrong += bool(false_statements(judgement, truth))
        contained += [contain_the_truth(*of_equals), contain_the_truth(judgement, truth)]
        first = "-".join(NAMES[0])
        found += sum(
            (pair.one, pair.verdict) == (first, "faster") or (pair.other, pair.verdict) == (first, "slower")
            for pair in judgement.pairings
        )
    return Shares(
        wrong_of_equals / times,
        wrong / times,
        found / times / (contenders - 1),
        float(np.mean([each for own in contained for each in own])),
        float(np.mean([all(own) for own in contained])),
    )


def seconds_of_a_window(
    random: np.random.Generator, scatter: float, memory_s: float, *, rise: float = 0.0, seconds: int = 10
) -> list[int]:
    """Operations in each second of a window, around a thousand; `rise` is the change from its begin to its end.

    The correlation of the scatter falls by e in `memory_s`.
    """
    noise = _correlated(random.standard_normal(seconds), math.exp(-1 / memory_s) if memory_s else 0.0)
    line = rise * (np.arange(seconds) / (seconds - 1) - 0.5)
    return [round(1000 * value) for value in np.exp(scatter * noise) * (1 + line)]


def _noise(machine: Machine, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    """With a mean of 0 and a standard deviation of 1, whatever the shape."""
    if machine.shape == "t3":
        fresh = random.standard_t(3, count) / math.sqrt(3)
    elif machine.shape == "skewed":
        fresh = 1 - random.exponential(1.0, count)
    else:
        fresh = random.standard_normal(count)
    return _correlated(fresh, machine.memory)


def _correlated(fresh: NDArray[np.float64], kept: float) -> NDArray[np.float64]:
    noise = fresh.copy()
    for at in range(1, len(noise)):
        noise[at] = kept * noise[at - 1] + math.sqrt(1 - kept**2) * fresh[at]
    return noise


def _windows(machine: Machine, rise: float, random: np.random.Generator) -> list[list[int]]:
    """The seconds of each level; empty where neither scatter nor a rise is looked at."""
    if not machine.scatter and not rise:
        return []
    return [seconds_of_a_window(random, machine.scatter, machine.scatter_memory_s, rise=rise) for _ in USERS]


@cache
def _template() -> tuple[RunResult, Measured]:
    return run_result(findings=[], samples=[], environment={"cores": "2", "commit": "abc"}), measured(1000.0)


def _run(
    name: tuple[str, str, str],
    number: int,
    rates: Sequence[float],
    costs: Sequence[float],
    windows: Sequence[Sequence[int]],
) -> RunResult:
    """A rate that all hold, then a phase for each level. All share one histogram; p99 and CPU at the rate differ."""
    run, part = _template()
    language, protocol, mode = name
    if windows:
        # The first second is the users' start, and in no trend.
        rates = [rate * float(np.mean(seconds)) / 1000 for rate, seconds in zip(rates, windows, strict=True)]
    held = replace(
        part,
        operations=round(RATE * part.duration_s),
        latency=replace(part.latency, percentiles_ms=dict.fromkeys(part.latency.percentiles_ms, 10 * costs[0])),
        costs={role: replace(each, cpu_s=(each.cpu_s or 0.0) * costs[1]) for role, each in part.costs.items()},
    )
    phases = [phase(1, 64, held, rate=RATE)]
    phases += [
        phase(
            index + 2,
            users,
            replace(part, operations=round(rate * part.duration_s), by_operation=_operations(costs)),
        )
        for index, (users, rate) in enumerate(zip(USERS, rates, strict=True))
    ]
    return replace(
        run,
        target=f"{language}-{protocol}",
        contender="-".join(name),
        language=language,
        protocol=protocol,
        factors={"write_mode": mode},
        phases=phases,
        total=replace(part, operations=sum(each.measured.operations for each in phases)),
        timeline=[
            Second(float(at), index + 2, count, 0, 1.0, 2.0)
            for index, seconds in enumerate(windows)
            for at, count in enumerate(seconds)
        ],
        round=number,
    )


def _operations(costs: Sequence[float]) -> dict[str, MeasuredOperation]:
    part = _operation()
    return {
        name: replace(part, latency=replace(part.latency, mean_ms=cost))
        for name, cost in zip(OPERATIONS, costs[2:], strict=True)
    }


@cache
def _operation() -> MeasuredOperation:
    return operation()
