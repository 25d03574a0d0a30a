"""The bottleneck of a contender at its peak, derived from the usage of each role. Pure functions."""

from collections.abc import Callable, Mapping, Sequence
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
class Usage:
    """A contender at its peak. CPU per cent is of one core, by role; `cores` are those that all share.

    `target_cores` are the cores that the target may use. `ceiling_share` is of what one of the `agents` that shared the
    load can do. `sessions` of the database were open at most, `active` of them working at once, and `waits` are the
    shares of these by what they waited for; None and empty without samples. `limiting_lines` are shares of the
    reference lines that work as the contender does, and that it is near to. `more_load_helps`: the peak is the highest
    load that there was.
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
    more_load_helps: bool = False


def bottleneck_of(usage: Usage) -> Bottleneck:
    """The first explanation that fits, the surest first."""
    for explain in _EXPLANATIONS:
        found = explain(usage)
        if found is not None:
            return found
    if not usage.cpu_percent:
        return Bottleneck(
            "unknown",
            "The bottleneck is unknown: no CPU use was measured. The lab cannot observe processes elsewhere, nor "
            "phases of less than a sample.",
        )
    return Bottleneck(
        "unknown",
        f"The bottleneck is unknown: CPU was available ({_used(usage)}), and no other resource was saturated.",
    )


def _generator(usage: Usage) -> Bottleneck | None:
    if usage.ceiling_share is None or usage.ceiling_share < GENERATOR_BOUND.limits[0]:
        return None
    who = "it" if usage.agents == 1 else f"one of its {usage.agents} engines"
    return Bottleneck(
        "generator",
        f"The bottleneck may have been the load generator: throughput was {usage.ceiling_share:.0%} of what {who} can "
        "do here.",
    )


def _target_s_own_cores(usage: Usage) -> Bottleneck | None:
    own = usage.cpu_percent.get("target")
    if own is None or usage.target_cores is None or own < 100 * usage.target_cores * _FULL:
        return None
    return Bottleneck(
        "target-cpu",
        f"The bottleneck was the target's CPU: {own:.0f}% of the {usage.target_cores * 100:.0f}% it may use.",
    )


def _all_cores(usage: Usage) -> Bottleneck | None:
    total = sum(usage.cpu_percent.values())
    if usage.cores is None or total < 100 * usage.cores * _FULL:
        return None
    role, most = _largest(usage.cpu_percent)
    cores = f"{usage.cores} core{'s' if usage.cores > 1 else ''}"
    if most < total * _MOST:
        return Bottleneck("machine", f"The bottleneck was the CPU of the machine, {cores} (shared): {_used(usage)}.")
    return Bottleneck(
        _KINDS[role], f"The bottleneck was the CPU of {_NAMES[role]}, on {cores} (shared): {_used(usage)}."
    )


def _pool(usage: Usage) -> Bottleneck | None:
    """All sessions active all the time. A few that are written to in batches are meant to be: they are no pool."""
    if usage.active is None or usage.sessions is None or usage.sessions < _FEWEST_OF_A_POOL:
        return None
    if usage.active < usage.sessions * _FULL:
        return None
    return Bottleneck(
        "pool",
        f"The bottleneck was the connection pool: {usage.active:.1f} of its {usage.sessions} sessions were active at "
        "once.",
    )


def _database_waits(usage: Usage) -> Bottleneck | None:
    """Sessions that wait for each other or for the disk; one that works or waits for its client is not held up."""
    waits = {event: share for event, share in usage.waits.items() if not event.startswith(_NO_WAITS)}
    if not waits or usage.active is None or usage.active < 1 or sum(waits.values()) < _WAITING:
        return None
    event, share = _largest(waits)
    return Bottleneck(
        "database",
        f"The bottleneck was PostgreSQL: its active sessions waited for {sum(waits.values()):.0%} of their time, "
        f"mostly for {event} ({share:.0%}).",
    )


def _database_line(usage: Usage) -> Bottleneck | None:
    if not usage.limiting_lines:
        return None
    name, share = _largest(usage.limiting_lines)
    return Bottleneck(
        "database",
        f"The bottleneck was PostgreSQL: throughput was {share:.0%} of what it does without any API ({name}).",
    )


def _load(usage: Usage) -> Bottleneck | None:
    if not usage.more_load_helps or not usage.cpu_percent or usage.cores is None:
        return None
    return Bottleneck(
        "load", f"The bottleneck was the load: the highest level was the best, and CPU was available ({_used(usage)})."
    )


_EXPLANATIONS: Sequence[Callable[[Usage], Bottleneck | None]] = (
    _generator,
    _target_s_own_cores,
    _all_cores,
    _pool,
    _database_waits,
    _database_line,
    _load,
)


def _used(usage: Usage) -> str:
    return ", ".join(f"{_NAMES[role]} {percent:.0f}%" for role, percent in usage.cpu_percent.items())


def _largest(shares: Mapping[str, float]) -> tuple[str, float]:
    """Of those that tie the first by name: a run that was stored has its shares in another order."""
    return max(sorted(shares.items()), key=lambda item: item[1])
