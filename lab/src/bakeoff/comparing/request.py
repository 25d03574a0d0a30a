"""What a person asked to compare, from the command line or from an experiment's file."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.factors.variant import Variant, sending_named
from bakeoff.running.isolation import Isolation
from bakeoff.running.modes import RATE, Phase, phases_of, phases_with, rate_phases
from bakeoff.workload.reuse import Reuse


@dataclass(frozen=True)
class Matrix:
    """The levels of each factor that are compared; `settings` are the targets' own, by the lab's names.

    None stands for what the workload declares: of `update_share`, `key_pick` and `shared_keys`. Two `twins` enter
    everything twice, which shows how far the same thing is from itself.
    """

    payload: Sequence[str] = ("default",)
    engine: Sequence[str] = ("native",)
    sending: Sequence[str] = ("unary",)
    connections: Sequence[int | None] = (None,)
    update_share: Sequence[float | None] = (None,)
    key_pick: Sequence[str | None] = (None,)
    shared_keys: Sequence[int | None] = (None,)
    preload: Sequence[int] = (0,)
    tls: Sequence[bool] = (False,)
    token: Sequence[bool] = (False,)
    twins: Sequence[int] = (1,)
    settings: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def variants(self) -> list[Variant]:
        """Every combination."""
        ways = [sending_named(name) for name in self.sending]
        reuses = [Reuse(*each) for each in itertools.product(self.update_share, self.key_pick, self.shared_keys)]
        assignments = [
            dict(zip(self.settings, values, strict=True)) for values in itertools.product(*self.settings.values())
        ]
        combinations = itertools.product(
            self.payload,
            self.engine,
            ways,
            self.connections,
            reuses,
            self.preload,
            self.tls,
            self.token,
            self.twins,
            assignments,
        )
        return [Variant(*combination) for combination in combinations]


# Everything twice: A against A.
TWINS = (1, 2)


@dataclass(frozen=True)
class ComparisonRequest:
    """What is to be compared. No targets: all of the workload that this machine can build.

    `warm_up_s` None leaves it to the lab; `name` is an experiment's, or empty. `attached` maps targets to the URLs
    where they run already, started by somebody else; `containers` maps them, or `database`, to the containers they run
    in. `agents` engines divide the users of each phase among them. `prove` runs conformance although it passed before.
    """

    mode: str
    command: str
    name: str = ""
    targets: Sequence[str] = ()
    matrix: Matrix = Matrix()
    rounds: int = 1
    seed: int = 1
    phase_duration_s: float | None = None
    users: Sequence[int] = ()
    rates: Sequence[float] = ()
    arrivals: str = "constant"
    think_time_s: float = 0.0
    warm_up_s: float | None = None
    attached: Mapping[str, str] = field(default_factory=dict)
    containers: Mapping[str, str] = field(default_factory=dict)
    agents: int = 1
    isolation: Isolation = field(default_factory=Isolation)
    prove: bool = False

    @property
    def phases(self) -> list[Phase]:
        """The phases of each run, without the warm-up."""
        if self.mode == RATE:
            return rate_phases(self.rates, self.arrivals, self.users, self.phase_duration_s)
        if self.rates:
            raise UsageError("--rate belongs to the mode rate: ./bakeoff run rate --rate 1000,5000.")
        phases = phases_of(self.mode, self.phase_duration_s)
        return phases_with(self.users, phases) if self.users else phases

    def as_document(self) -> dict[str, Any]:
        """The request as JSON can hold it."""
        return asdict(self)


def request_from(document: Mapping[str, Any]) -> ComparisonRequest:
    """The request that `as_document` wrote."""
    stored = document.get("isolation", {})
    pin = {role: tuple(cpus) for role, cpus in stored.get("pin", {}).items()}
    isolation = Isolation(**{**stored, "pin": pin})
    return replace(ComparisonRequest(**document), matrix=Matrix(**document["matrix"]), isolation=isolation)
