"""The effect of one factor on the latency of each operation, while all others are equal. Pure functions.

Throughput does not show it: the mix gives each operation its fraction of it, whatever the operation costs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bakeoff.judging.effects import Match, matches_of
from bakeoff.judging.levels import Slot, level_of
from bakeoff.judging.measured_contender import MeasuredContender
from bakeoff.judging.noise import prior_between_rounds
from bakeoff.judging.pairings import ContenderRates
from bakeoff.results.run import Measured


def operation_matches(contenders: Sequence[MeasuredContender]) -> list[Match]:
    """Of every operation of a workload that has several, at one load that all contenders held.

    Contenders of different workloads, or payloads, have no operation in common, whatever its name.
    """
    groups: dict[tuple[str, str], list[MeasuredContender]] = {}
    for each in contenders:
        groups.setdefault((each.runs.division.workload, each.runs.division.payload), []).append(each)
    return [match for group in groups.values() for match in _of_group(group)]


def _of_group(contenders: Sequence[MeasuredContender]) -> list[Match]:
    slot = _common_slot(contenders)
    if slot is None or len(contenders) < 2:
        return []
    held = [(each.compared, each.phases[slot]) for each in contenders]
    names = sorted({name for _, by_round in held for part in by_round.values() for name in part.by_operation})
    load = level_of(slot, held[0][1]).load
    if len(names) < 2:
        return []
    return [
        replace(match, operation=name, load=load)
        for name in names
        for match in _of_operation([(compared, _speeds(by_round, name)) for compared, by_round in held])
    ]


def _of_operation(speeds: Sequence[tuple[ContenderRates, Mapping[int, float]]]) -> list[Match]:
    compared = [replace(each, by_round=by_round) for each, by_round in speeds if by_round]
    return matches_of(compared, prior_between_rounds([each.by_round for each in compared]))


def _speeds(by_round: Mapping[int, Measured], operation: str) -> dict[int, float]:
    """By round, replies a second of a user that sends nothing else: the inverse of the mean latency."""
    means = {
        number: part.by_operation[operation].latency.mean_ms
        for number, part in by_round.items()
        if operation in part.by_operation
    }
    return {number: 1000 / mean_ms for number, mean_ms in means.items() if mean_ms > 0}


def _common_slot(contenders: Sequence[MeasuredContender]) -> Slot | None:
    """Of the phases that all contenders have, the one in which they did most together."""
    common = set.intersection(*(set(each.phases) for each in contenders))

    def done(slot: Slot) -> float:
        rates = [part.throughput_per_s for each in contenders for part in each.phases[slot].values()]
        return sum(math.log(rate) if rate > 0 else -math.inf for rate in rates) / max(1, len(rates))

    return max(sorted(common), key=done, default=None)
