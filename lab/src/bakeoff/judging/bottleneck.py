"""The bottleneck of a contender at its peak, derived from the usage of each role. Pure functions."""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bakeoff.judging.judgement import Bottleneck
from bakeoff.results.finding_kinds import GENERATOR_BOUND

# Interrupts and the kernel's own work belong to no process: a machine is full well before 100%.
_FULL = 0.85
_MOST = 0.5
_WAITING = 0.5
_NO_WAITS = ("CPU", "Client:")
_FEWEST_OF_A_POOL = 4

_NAMES = {"target": "the target", "database": "PostgreSQL", "engine": "the load generator"}
_KINDS = {"target": "target-cpu", "database": "database", "engine": "generator"}


@dataclass(frozen=True)
class PeakUsage:
    """A contender at its peak. CPU per cent is of one core, by role; `cores` are those that all share.

    `target_cores` are the cores that the target may use. `ceiling_share` is of what one of the `agents` that shared the
    load can do. `sessions` of the database were open at most, `active` of them working at once, and `waits` are the
    shares of these by what they waited for; None and empty without samples. `limiting_lines` are shares of the
    reference lines that work as the contender does, and that it is near to. `more_load_helped`: the peak is the
    highest load that there was, and did more than the one before it.
    """

    cpu_percent: Mapping[str, float]
    cores: int | None
    target_cores: float | None = None
    ceiling_share: float | None = None
    agents: int = 1
    limiting_lines: Mapping[str, float] = field(default_factory=dict)
    waits: Mapping[str, float] = field(default_factory=dict)
    active: float | None = None
    sessions: int | None = None
    more_load_helped: bool = False


def bottleneck_of(usage: PeakUsage) -> Bottleneck:
    """The first explanation that fits, the surest first."""
    return next(itertools.chain(_of_cpu(usage), _of_the_database(usage), _of_the_load(usage)))


def _of_cpu(usage: PeakUsage) -> Iterator[Bottleneck]:
    """The generator's capacity, the cores that the target may use, and those that all share."""
    if usage.ceiling_share is not None and usage.ceiling_share >= GENERATOR_BOUND.limits[0]:
        who = "it" if usage.agents == 1 else f"one of its {usage.agents} engines"
        yield Bottleneck(
            "generator",
            f"The bottleneck may have been the load generator: throughput was {usage.ceiling_share:.0%} of what {who} "
            "can do here.",
        )
    own, most_percent = usage.cpu_percent.get("target"), 100 * (usage.target_cores or math.inf)
    if own is not None and own >= most_percent * _FULL:
        yield Bottleneck(
            "target-cpu", f"The bottleneck was the target's CPU: {own:.0f}% of the {most_percent:.0f}% it may use."
        )
    total = sum(usage.cpu_percent.values())
    if usage.cores is not None and total >= 100 * usage.cores * _FULL:
        role, most = _largest(usage.cpu_percent)
        cores = f"{usage.cores} core{'s' if usage.cores > 1 else ''}"
        if most < total * _MOST:
            words = f"The bottleneck was the CPU of the machine, {cores} (shared): {_used(usage)}."
            yield Bottleneck("machine", words)
        words = f"The bottleneck was the CPU of {_NAMES[role]}, on {cores} (shared): {_used(usage)}."
        yield Bottleneck(_KINDS[role], words)


def _of_the_database(usage: PeakUsage) -> Iterator[Bottleneck]:
    """All sessions at work all the time, sessions that wait, and throughput near that of PostgreSQL alone."""
    active, sessions = usage.active or 0.0, usage.sessions or 0
    # A few sessions that are written to in batches are meant to be at work: they are no pool.
    if sessions >= _FEWEST_OF_A_POOL and active >= sessions * _FULL:
        yield Bottleneck(
            "pool",
            f"The bottleneck was the connection pool: {active:.1f} of its {sessions} sessions were active at once.",
        )
    # Sessions wait for each other or for the disk; one that works or waits for its client is not held up.
    waits = {event: share for event, share in usage.waits.items() if not event.startswith(_NO_WAITS)}
    if waits and active >= 1 and sum(waits.values()) >= _WAITING:
        event, share = _largest(waits)
        yield Bottleneck(
            "database",
            f"The bottleneck was PostgreSQL: its active sessions waited for {sum(waits.values()):.0%} of their time, "
            f"mostly for {event} ({share:.0%}).",
        )
    if usage.limiting_lines:
        name, share = _largest(usage.limiting_lines)
        yield Bottleneck(
            "database",
            f"The bottleneck was PostgreSQL: throughput was {share:.0%} of what it does without any API ({name}).",
        )


def _of_the_load(usage: PeakUsage) -> Iterator[Bottleneck]:
    """The load that was offered; and where nothing was full, that the bottleneck is unknown."""
    if not usage.cpu_percent:
        yield Bottleneck(
            "unknown",
            "The bottleneck is unknown: no CPU use was measured. The lab cannot observe processes elsewhere, nor "
            "phases of less than a sample.",
        )
    elif usage.more_load_helped and usage.cores is not None:
        words = f"the highest level was the best, and CPU was available ({_used(usage)})"
        yield Bottleneck("load", f"The bottleneck was the load: {words}.")
    else:
        words = f"CPU was available ({_used(usage)}), and no other resource was saturated"
        yield Bottleneck("unknown", f"The bottleneck is unknown: {words}.")


def _used(usage: PeakUsage) -> str:
    used = [f"{_NAMES[role]} {percent:.0f}%" for role, percent in usage.cpu_percent.items()]
    return ", ".join([f"{each} of a core" for each in used[:1]] + used[1:])


def _largest(shares: Mapping[str, float]) -> tuple[str, float]:
    """Of those that tie the first by name: a run that was stored has its shares in another order."""
    return max(sorted(shares.items()), key=lambda item: item[1])
