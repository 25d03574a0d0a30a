"""The record of a run's warm-up."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class WarmUp:
    """How long it lasted of the `cap_s` that it might have, and whether throughput was `steady` at its end by `rule`.

    `steady` is None where it was too short to tell, `steady_after_s` where throughput never was.
    """

    duration_s: float = 0.0
    cap_s: float = 0.0
    steady: bool | None = None
    steady_after_s: int | None = None
    operations_per_s: Sequence[int] = field(default_factory=list)
    rule: str = ""
