"""One level of each factor, and the names that contenders get from what differs."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.options.option import options_of, with_values
from bakeoff.options.table import FactorTable
from bakeoff.workload.reuse import Reuse
from bakeoff.workload.transport_mode import TransportMode, transport_mode_named

Level = str | int | float | bool | None

# The factor of --against, and its level that stands for the checkout; the other level is the commit's short name.
COMMIT = "commit"
CANDIDATE = "candidate"


def short(commit: str) -> str:
    return commit[:12]


@dataclass(frozen=True, kw_only=True)
class Variant(FactorTable):
    """One level of each factor. `repetition` distinguishes the two contenders of an A/A pair."""

    repetition: int = 1

    def __post_init__(self) -> None:
        _ = self.reuse, self.transport  # levels that cannot be are refused here

    @property
    def reuse(self) -> Reuse:
        """Which keys are updated, as the plan wants it."""
        return Reuse(self.update_share, self.key_pick, self.shared_keys)

    @property
    def transport(self) -> TransportMode:
        """How messages travel."""
        return transport_mode_named(self.transport_mode)

    def levels(self) -> dict[str, str]:
        """Each factor's level as text, settings of the target first."""
        factors = [each for each in options_of(FactorTable).values() if each.field != "settings"]
        levels = {each.name: each.words(getattr(self, each.field)) for each in factors}
        return {**self.settings, **levels, "aa": str(self.repetition)}

    def differences_from_default(self) -> dict[str, str]:
        """The levels that are not those of a plain run, for its record."""
        usual = Variant().levels()
        return {name: level for name, level in replace(self, repetition=1).levels().items() if usual.get(name) != level}


def variants_of(
    factors: Mapping[str, Sequence[Level]], settings: Mapping[str, Sequence[str]], repetitions: int = 1
) -> list[Variant]:
    """Every combination of the levels, by the factors' names; a factor that is not named keeps its default."""
    known = options_of(FactorTable)
    named = {name: [known[name].read(level) for level in factors[name]] for name in known if name in factors}
    assignments = [dict(zip(settings, values, strict=True)) for values in itertools.product(*settings.values())]
    return [
        with_values(Variant(settings=assignment, repetition=repetition), dict(zip(named, levels, strict=True)))
        for levels in itertools.product(*named.values())
        for repetition in range(1, repetitions + 1)
        for assignment in assignments
    ]


def factors_of(variants: Sequence[Variant]) -> list[dict[str, str]]:
    """The levels of each variant, of the factors only in which the variants differ."""
    levels = [variant.levels() for variant in variants]
    names = {name for each in levels for name in each}
    differing = {name for name in names if len({each.get(name) for each in levels}) > 1}
    return [{name: level for name, level in each.items() if name in differing} for each in levels]


def key_of(target: str, factors: Mapping[str, str]) -> str:
    """The name of a contender: unique in its comparison."""
    return " ".join([target, *(f"{name}={level}" for name, level in factors.items())])
