"""The record of an audit: formats/verdict.schema.json, and whether it found the database clean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.documents.checked import Json


@dataclass(frozen=True)
class Violations:
    """How often a rule was broken, and some of the rows that break it, as the engine describes them."""

    count: int = 0
    # Rows of the workload's own table, whatever its columns.
    examples: Sequence[Mapping[str, Json]] = field(default_factory=list)


@dataclass(frozen=True)
class Audit:
    """The differences between the database and an engine's ledger of acknowledged operations.

    `lost`, `wrong` and `stale` rows void the run, of which `clean` knows; the other counts show what it covers.
    `through` are the operations that read the entities back, empty where the database was asked; of the `entities`
    so many were `checked_entities`, a random sample where they are fewer; None: all of them.
    """

    clean: bool = True
    version: int = 1
    verdict: str = ""
    ledger_complete: bool = True
    acknowledged_operations: int = 0
    unacknowledged_operations: int = 0
    untraceable_operations: int = 0
    entities: int = 0
    rows: int = 0
    unacknowledged_applied: int = 0
    lost: Violations = field(default_factory=Violations)
    wrong: Violations = field(default_factory=Violations)
    stale: Violations = field(default_factory=Violations)
    unexplained_rows: Violations = field(default_factory=Violations)
    seconds: float = 0.0
    checked_entities: int | None = None
    through: str = ""
