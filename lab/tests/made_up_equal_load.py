"""Runs of contenders at an equal load, as no machine made them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bakeoff.results.run import Measured, PhaseResult, RunResult
from bakeoff.storage.stored_runs import StoredComparison
from made_up import comparison_of, cost, measured, phase, run_of

RATE = 1000.0
NOISE = (1.0, 1.01, 0.99, 1.005, 0.995)


@dataclass(frozen=True)
class Made:
    """A contender as it is made up: by round its p99 (ms) and CPU (%), and changes to what it did at the rate."""

    target: str
    latency_ms: Sequence[float] = NOISE
    cpu_percent: Sequence[float] = tuple(30 * each for each in NOISE)
    maximum: float = 5000.0
    changes: dict[str, Any] = field(default_factory=dict)

    def runs(self) -> list[RunResult]:
        return [
            run_of(self.target, number=number, phases=self._phases(latency_ms, cpu))
            for number, (latency_ms, cpu) in enumerate(zip(self.latency_ms, self.cpu_percent, strict=True), start=1)
        ]

    def _phases(self, latency_ms: float, cpu: float) -> list[PhaseResult]:
        def at(rate: float, changes: dict[str, Any]) -> Measured:
            values = {"throughput_per_s": rate, "latency_ms": latency_ms, "costs": {"target": cost(cpu * rate / RATE)}}
            return measured(**{**values, **changes})

        return [
            phase(1, 64, at(RATE / 2, {}), rate=RATE / 2),
            phase(2, 64, at(RATE, self.changes), rate=RATE),
            phase(3, 64, measured(self.maximum * latency_ms)),
        ]


def equal_comparison(*contenders: Made) -> StoredComparison:
    """The stored comparison of `run equal`."""
    return comparison_of(*(run for each in contenders for run in each.runs()), mode="equal")
