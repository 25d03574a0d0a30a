"""Contenders at one rate that all of them hold, ranked by latency and by CPU. Pure functions."""

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.judging.contender_runs import ContenderRuns, labels_of
from bakeoff.judging.estimates import RatioTest, estimate, estimate_of_known, estimate_of_latency, ratio_of
from bakeoff.judging.family import Decision, Key
from bakeoff.judging.judgement import EqualLoad, EqualLoadEntry, Pairing
from bakeoff.judging.levels import Slot, latencies_ms
from bakeoff.judging.measured_contender import MeasuredContender
from bakeoff.judging.noise import prior_between_rounds
from bakeoff.judging.pairings import Place, log_ratios, pairing, places
from bakeoff.judging.ranking_level import Rounds
from bakeoff.judging.slo import Figures, broken, figures_over, ranking_slo
from bakeoff.judging.windows import windows_of
from bakeoff.results.cost import cpu_us_each
from bakeoff.results.histograms import is_known
from bakeoff.results.run import Measured
from bakeoff.text.prose import rounds_in_words

LATENCIES = ("p50", "p99", "p99.9")
# Replies that are in flight at the end of a window are late, and a Poisson rate is never exactly what was asked for.
_KEPT_SHARE = 0.99
_CHANCE = 3.0


def _p99_ms(part: Measured) -> float | None:
    return part.latency.percentiles_ms["p99"]


def _cpu_us(part: Measured) -> float | None:
    return cpu_us_each(part.costs.get("target"), part.operations)


# The ranked figures, each the lower the better.
FIGURES: Mapping[str, Callable[[Measured], float | None]] = {"p99": _p99_ms, "cpu": _cpu_us}


@dataclass(frozen=True)
class _Entrant:
    """A contender's rounds at one rate. `unranked` says why it has no rank there; empty where it may have one."""

    runs: ContenderRuns
    rounds: Rounds
    holds: bool
    unranked: str
    biased: Collection[int]

    def values(self, figure: str) -> dict[int, float]:
        """A figure by round, where it is known and says something."""
        if figure == "p99" and not is_known(figure, sum(part.latency.count for part in self.rounds.values())):
            return {}
        read = FIGURES[figure]
        known = {number: read(part) for number, part in self.rounds.items()}
        return {number: value for number, value in known.items() if value}

    def compared(self, figure: str) -> dict[int, float]:
        """The same of rounds without a trend."""
        return {number: value for number, value in self.values(figure).items() if number not in self.biased}


@dataclass(frozen=True)
class EqualField:
    """The contenders of a division at one rate, and the tests of every two of them, by figure."""

    division: str
    rate_per_s: float
    entrants: Sequence["_Entrant"]

    @property
    def tests(self) -> dict[Key, RatioTest]:
        """All tests of this field, by their keys in the family."""
        return {key: test for figure in FIGURES for key, test in self._of(figure).items()}

    def load(self, decisions: Mapping[Key, Decision]) -> EqualLoad:
        """The field as the family decides on it."""
        pairings = {
            figure: [_pairing(key[-2], key[-1], test, decisions[key]) for key, test in self._of(figure).items()]
            for figure in FIGURES
        }
        return _equal_load(self.division, self.rate_per_s, self.entrants, pairings)

    def _of(self, figure: str) -> dict[Key, RatioTest]:
        """Every two contenders that may have a rank, by the logarithms of their ratios round by round."""
        values = {each.runs.key: each.compared(figure) for each in self.entrants if not each.unranked}
        prior = prior_between_rounds([each for each in values.values() if each])
        return {
            ("equal load", f"{self.rate_per_s:g}", figure, one, other): ratio_of(list(logs.values()), prior)
            for one, other in itertools.combinations(values, 2)
            # The lower is the better, as a time is of a speed.
            if (logs := log_ratios(values[other], values[one]))
        }


def equal_fields(contenders: Sequence[MeasuredContender]) -> list[EqualField]:
    """The contenders at each rate that they were offered beside closed levels, the highest first."""
    divisions = sorted({each.runs.division for each in contenders})
    return [
        EqualField(division.name(divisions), rate, entrants)
        for division in divisions
        for rate, entrants in _by_rate([each for each in contenders if each.runs.division == division]).items()
    ]


def _by_rate(contenders: Sequence[MeasuredContender]) -> dict[float, list[_Entrant]]:
    """The contenders of a division at each rate. Runs without closed levels are the open model's own: no entrants."""
    rates: dict[float, list[_Entrant]] = {}
    for each in contenders:
        if any(slot[3] is None for slot in each.phases):
            for slot, rounds in each.phases.items():
                if slot[3] is not None:
                    rates.setdefault(slot[3], []).append(_entrant(each.runs, slot, slot[3], rounds))
    return dict(sorted(rates.items(), reverse=True))


def _entrant(runs: ContenderRuns, slot: Slot, rate_per_s: float, rounds: Rounds) -> _Entrant:
    missed = _why_not_held(rate_per_s, rounds)
    found = windows_of(runs.counted, dict.fromkeys(rounds, slot[0]))
    reasons = found.unranked
    if runs.lost_in:
        reasons = [f"had lost or wrong data in {rounds_in_words(runs.lost_in)}"]
    return _Entrant(runs, rounds, not missed, missed or "; ".join(reasons), found.biased.keys())


def _why_not_held(rate_per_s: float, rounds: Rounds) -> str:
    """The reason why it did not hold the rate; empty where it held it in the rounds together."""
    figures = figures_over([*rounds.values()])
    planned = sum(rate_per_s * part.planned_s for part in rounds.values())
    done = sum(part.throughput_per_s * part.planned_s for part in rounds.values())
    reasons = [_missed(objective.metric, objective.words, figures) for objective in broken(ranking_slo(), figures)]
    if done < _KEPT_SHARE * planned - _CHANCE * math.sqrt(planned):
        reasons.append(f"{done / planned:.1%} of it was acknowledged in time")
    return f"does not hold {rate_per_s:,.10g}/s: {', '.join(reasons)}" if reasons else ""


def _missed(metric: str, words: str, figures: Figures) -> str:
    if metric in figures.latency_ms:
        return f"{metric} {figures.latency_ms[metric]:,.0f} ms, not {words}"
    return f"{figures.error_share:.2%} of its requests failed or could not be sent"


def _pairing(one: str, other: str, test: RatioTest, decision: Decision) -> Pairing:
    """`faster` is the lower; the ratio is of the figures as they are."""
    found = pairing(one, other, test, decision)
    return replace(found, ratio=found.ratio.inverted())


def _equal_load(
    division: str, rate: float, entrants: Sequence[_Entrant], pairings: Mapping[str, Sequence[Pairing]]
) -> EqualLoad:
    labels = labels_of([each.runs for each in entrants])
    standings = {figure: _places(entrants, figure, pairs) for figure, pairs in pairings.items()}
    entries = [_entry(each, labels[each.runs.key], standings) for each in entrants]
    entries.sort(key=lambda entry: (entry.ranks.get("p99", math.inf), *_by_latency(entry), entry.key))
    return EqualLoad(division, rate, entries, pairings)


def _by_latency(entry: EqualLoadEntry) -> list[float]:
    return [entry.latency_ms[name].median if name in entry.latency_ms else math.inf for name in ("p99", "p50")]


def _places(entrants: Sequence[_Entrant], figure: str, pairings: Sequence[Pairing]) -> dict[str, Place]:
    """By contender, of those that may have a rank; the lower the better, as a time is of a speed."""
    held = {each.runs.key: each.values(figure) for each in entrants if each.holds and not each.runs.lost_in}
    ranked = {each.runs.key for each in entrants if not each.unranked}
    # Of the medians that the table shows.
    shown = estimate_of_latency if figure == "p99" else estimate
    return places({key: 1 / shown(each.values()).median for key, each in held.items() if each}, pairings, ranked)


def _entry(entrant: _Entrant, label: str, standings: Mapping[str, Mapping[str, Place]]) -> EqualLoadEntry:
    parts, key = list(entrant.rounds.values()), entrant.runs.key
    standing = {figure: each[key] for figure, each in standings.items() if key in each}
    return EqualLoadEntry(
        key=key,
        label=label,
        throughput_per_s=estimate(part.throughput_per_s for part in parts),
        latency_ms=latencies_ms([part.latency for part in parts], LATENCIES),
        cpu_us_each=estimate_of_known(_cpu_us(part) for part in parts),
        holds=entrant.holds,
        unranked=entrant.unranked,
        ranks={figure: place.rank for figure, place in standing.items()},
        tied_with={figure: place.tied_with for figure, place in standing.items()},
    )
