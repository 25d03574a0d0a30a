"""A contender: a target in one variant, named by what makes it differ from the others of its comparison."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.engines.manifest import Engine
from bakeoff.options.table import DOCKER, IN_PROCESSES
from bakeoff.options.variant import Variant, key_of
from bakeoff.postgres.databases import one_choice
from bakeoff.running.warm_up import FEATURE as UNTIL_STEADY
from bakeoff.targets.manifest import Target
from bakeoff.targets.settings import stores_in
from bakeoff.targets.storage import EXTERNAL, NONE, POSTGRESQL, StorageKind
from bakeoff.workload.loader import Workload
from bakeoff.workload.overlays import Overlay


@dataclass(frozen=True)
class Proof:
    """When the cases passed and which profile that proved, or the problem: why the target must not be measured."""

    proved_at: str = ""
    cases: int = 0
    profile: str = ""
    problem: str | None = None


@dataclass(frozen=True)
class Contender:
    """A target with its settings. `factors` are the levels that differ within the comparison; `proof` comes last."""

    target: Target
    workload: Workload
    engine: Engine
    variant: Variant = field(default_factory=Variant)
    factors: Mapping[str, str] = field(default_factory=dict)
    proof: Proof = field(default_factory=Proof)

    @property
    def key(self) -> str:
        """Stable and unique in the comparison, like `producer-api-rust-rest write_mode=per-request payload=8k`."""
        return key_of(self.target.name, self.factors)

    @property
    def protocol(self) -> str:
        """The engines' name of the target's protocol."""
        return protocol_of(self.target)

    @property
    def overlay(self) -> Overlay | None:
        """Another layout of its workload's tables."""
        name = self.variant.overlay
        return None if name is None else self.workload.overlays[name]

    @property
    def storage(self) -> StorageKind:
        """The kind of store that keeps what it acknowledges."""
        return storage_of(self.target, self.workload, self.variant)


def can_alternate(contender: Contender, *, has_own_server: bool = False) -> bool:
    """Whether both sides of a comparison of commits can work at once, and the engine can wait between slices.

    Two sides that share a PostgreSQL would be a load of each other, so that each needs one; an external store is one
    for both. A replica follows the one server.
    """
    variant = contender.variant
    stores_apart = contender.storage not in (POSTGRESQL, EXTERNAL)
    return (
        (stores_apart or (has_own_server and contender.storage == POSTGRESQL and not variant.read_replica))
        and variant.runs_in in (IN_PROCESSES, DOCKER)
        and not isinstance(variant.agents, str)
        and contender.engine.can(UNTIL_STEADY)
    )


def storage_of(target: Target, workload: Workload, variant: Variant) -> StorageKind:
    """The storage of a target in a variant: its workload's database, unless its manifest says otherwise."""
    return stores_in(target, variant.settings, os.environ, POSTGRESQL if workload.uses_database else NONE)


def chosen_postgres(targets: Sequence[Target], workloads: Mapping[str, Workload], variant: Variant) -> str:
    """The PostgreSQL that all of the targets that store in one choose; `workloads` by their names.

    Raises UsageError where they differ.
    """
    storing = (each for each in targets if storage_of(each, workloads[each.workload], variant) == POSTGRESQL)
    return one_choice({each.name: each.manifest.storage.postgres for each in storing})


def protocol_of(target: Target) -> str:
    """The engines' name of a target's protocol."""
    return "grpc" if target.protocol == "grpc" else "http"
