"""The modes: named lists of phases, as documented."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.results.mode_names import COUNT, SATURATION, SUSTAINED
from bakeoff.workload.plan_records import PlannedPhase

_RATE_PHASE_S = 30.0
_RATE_USERS_MIN, _RATE_USERS_MAX = 64, 2000
# An arrival finds an idle user unless replies take longer than this.
_RATE_LONGEST_REPLY_S = 0.25


@dataclass(frozen=True)
class Phase:
    """One load level: virtual users held for a duration, a number of iterations, or an arrival rate.

    With `rate_per_s` the model is open, and `virtual_users` are the most in flight at once.
    """

    name: str
    virtual_users: int
    duration_s: float | None = None
    iterations: int | None = None
    rate_per_s: float | None = None
    arrivals: str = "constant"

    def planned(self) -> PlannedPhase:
        if self.iterations is not None:
            return PlannedPhase(name=self.name, virtual_users=self.virtual_users, iterations=self.iterations)
        assert self.duration_s is not None
        duration_ms = max(1, round(self.duration_s * 1000))
        if self.rate_per_s is None:
            return PlannedPhase(name=self.name, virtual_users=self.virtual_users, duration_ms=duration_ms)
        return PlannedPhase(
            name=self.name,
            rate=self.rate_per_s,
            arrival=self.arrivals,
            max_virtual_users=self.virtual_users,
            duration_ms=duration_ms,
        )


_RAMP_STEPS = 10

_EQUAL_USERS = 64
_EQUAL_PHASE_S = 10.0
_PROBE_S = 3.0
# As long as the rate is not known; it changes neither the number of phases nor how long they take.
_RATE_TO_COME = 1000.0

# Some hundred MB: several times what PostgreSQL keeps in its buffers by default.
SUSTAINED_ROWS = 1_000_000

SMOKE = (Phase("Smoke", 1, iterations=5),)
RATE = "rate"
EQUAL = "equal"
# The probe for the rate of an equal-load comparison: part of it, and in none of its figures.
PROBE = "equal-probe"


def _levels(duration_s: float, **users: int) -> tuple[Phase, ...]:
    return tuple(Phase(name.replace("_", " "), count, duration_s) for name, count in users.items())


_UP_TO_100 = {"Baseline": 10, "Mid-load": 50, "High-load": 100}
MODES: Mapping[str, Sequence[Phase]] = {
    "smoke": SMOKE,
    "quick": _levels(10, **{**_UP_TO_100, "High-load": 200}),
    "full": (*_levels(120, **_UP_TO_100), Phase("Higher-load", 200, 300)),
    SATURATION: _levels(120, **_UP_TO_100, Very_high=200, Extreme=500, Maximum=1000, Saturation=2000),
    # A checkpoint every five minutes is PostgreSQL's default: two whole ones fit, wherever the first begins.
    SUSTAINED: _levels(900, Sustained=64),
}


def shortest_s(phases: Sequence[Phase]) -> float | None:
    """The duration of the shortest phase; None where all count iterations."""
    return min((phase.duration_s for phase in phases if phase.duration_s is not None), default=None)


def phases_of(mode: str, phase_duration_s: float | None = None) -> list[Phase]:
    """The phases of a mode. A duration given replaces that of the shortest phases and scales the others alike."""
    if mode not in MODES:
        raise UsageError(
            f'There is no mode "{mode}". Modes: {", ".join([*MODES, RATE, EQUAL, COUNT])}, or an experiment file.'
        )
    phases = MODES[mode]
    shortest = shortest_s(phases)
    if phase_duration_s is None or shortest is None:
        return list(phases)
    return [replace(phase, duration_s=(phase.duration_s or 0) * phase_duration_s / shortest) for phase in phases]


def phases_with(users: Sequence[int], like: Sequence[Phase]) -> list[Phase]:
    """Phases of these numbers of virtual users, each as long as the shortest of `like`."""
    duration_s = shortest_s(like)
    if duration_s is None:
        raise UsageError("--users needs a mode whose phases have a duration: quick, full, saturation or sustained.")
    return [Phase(f"{count:,} users", count, duration_s) for count in users]


def count_phases(requests: int | None, users: Sequence[int], connections: Sequence[int]) -> list[Phase]:
    """Phases that end after a number of requests, one for each number of users; by default one for each connection."""
    if requests is None:
        raise UsageError("The mode count needs a number of requests: --requests 25000 --connections 100.")
    return [
        Phase(f"{requests:,} requests, {count:,} users", count, iterations=requests)
        for count in users or [max(connections, default=1)]
    ]


def rate_phases(
    rates: Sequence[float], arrivals: str, users: Sequence[int], phase_duration_s: float | None
) -> list[Phase]:
    """Phases of the open model. `users` may hold one number: the most in flight at once."""
    if not rates:
        raise UsageError("The mode rate needs arrival rates: --rate 1000,5000.")
    if len(users) > 1:
        raise UsageError("In the mode rate --users is one number: the most in flight at once.")
    seconds = phase_duration_s or _RATE_PHASE_S
    enough = [min(_RATE_USERS_MAX, max(_RATE_USERS_MIN, round(rate * _RATE_LONGEST_REPLY_S))) for rate in rates]
    return [
        Phase(f"{rate:,g}/s", next(iter(users), most), seconds, rate_per_s=rate, arrivals=arrivals)
        for rate, most in zip(rates, enough, strict=True)
    ]


def equal_phases(
    rates: Sequence[float], arrivals: str, users: Sequence[int], phase_duration_s: float | None
) -> list[Phase]:
    """Half of a rate, the whole of it, and last the closed model's maximum, all over the same connections.

    The maximum is last in every round: before it all contenders have done the same work, on tables of the same size.
    """
    if len(rates) > 1:
        raise UsageError(
            "Mode equal applies one rate to all contenders, and half of it: give one, such as --rate 5000."
        )
    rate = next(iter(rates), _RATE_TO_COME)
    connections, seconds = _equal_users(users), phase_duration_s or _EQUAL_PHASE_S
    most = Phase("Maximum", connections, seconds)
    loads = (rate / 2, rate)
    return [*(replace(most, name=f"{each:,.10g}/s", rate_per_s=each, arrivals=arrivals) for each in loads), most]


def equal_level(rates: Sequence[float], loads: Sequence[Phase]) -> list[Phase]:
    """One rate before loads of the closed model, over the connections of the heaviest and as long as the shortest."""
    rate, seconds = next(iter(rates), _RATE_TO_COME), shortest_s(loads)
    most = max(phase.virtual_users for phase in loads)
    return [Phase(f"{rate:,.10g}/s", most, seconds, rate_per_s=rate)]


def probe_phases(phases: Sequence[Phase]) -> list[Phase]:
    """A short look at each contender's maximum, over the connections of the equal load."""
    return [Phase("Probe", next(each.virtual_users for each in phases if each.rate_per_s is not None), _PROBE_S)]


def _equal_users(users: Sequence[int]) -> int:
    if len(users) > 1:
        raise UsageError("In the mode equal --users is one number: the connections at every load, such as --users 64.")
    return next(iter(users), _EQUAL_USERS)


class _ListedPhase(msgspec.Struct):
    """A phase as an experiment lists it: users, a ramp of users from `from_users`, or a rate."""

    duration: float
    name: str | None = None
    users: int = 1
    from_users: int | None = None
    steps: int = _RAMP_STEPS
    rate: float | None = None


def phases_from(entries: Sequence[Mapping[str, Json]], arrivals: str) -> list[Phase]:
    """Phases as an experiment lists them. A ramp is held in steps, so that each load has its own figures."""
    listed = msgspec.convert(entries, list[_ListedPhase])
    if len({each.rate is None for each in listed}) > 1:
        raise UsageError("phases have either users or rates: measure the two in separate comparisons.")
    phases: list[Phase] = []
    for each in listed:
        name, users, first, steps = each.name, each.users, each.from_users, each.steps
        if each.rate is not None:
            (phase,) = rate_phases([each.rate], arrivals, (), each.duration)
            phases.append(replace(phase, name=name or phase.name))
        elif first is None:
            phases.append(Phase(name or f"{users:,} users", users, each.duration))
        else:
            loads = [round(first + (users - first) * step / (steps - 1)) for step in range(steps)]
            phases += [Phase(f"{name or 'Ramp'}, {load:,} users", load, each.duration / steps) for load in loads]
    return phases


def planned_seconds(phases: Sequence[Phase]) -> float:
    return sum(phase.duration_s or 0 for phase in phases)
