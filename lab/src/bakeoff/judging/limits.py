"""A throughput against what this machine can do: the load generator's ceiling and the database's reference lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.running.result import RunResult

# In a run's ceilings; every other name there is a reference line.
_ENGINE = "engine"
# Reference lines are drawn with messages of this size.
_LINES_PAYLOAD = "default"


@dataclass(frozen=True)
class Limits:
    """Shares of a throughput: of the engine's ceiling, None without a calibration, and of each reference line.

    Messages of a size that no line was drawn with have no shares of lines.
    """

    ceiling_share: float | None
    reference_shares: Mapping[str, float]


def limits_of(run: RunResult, throughput_per_s: float) -> Limits:
    """The shares, by the calibrations that the run was held against."""
    shares = {name: throughput_per_s / rate for name, rate in run.ceilings.items() if rate > 0}
    ceiling_share = shares.pop(_ENGINE, None)
    return Limits(ceiling_share, shares if run.payload == _LINES_PAYLOAD else {})


def reference_lines(runs: Sequence[RunResult]) -> dict[str, float]:
    """Operations a second of each reference line, as the newest run that knows it was held against."""
    return {name: rate for run in runs for name, rate in run.ceilings.items() if name != _ENGINE}


def limits_in_words(limits: Limits) -> str:
    """For people; empty where nothing was calibrated."""
    words = [f"{share:.2f}× of {name}" for name, share in limits.reference_shares.items()]
    if limits.ceiling_share:
        words.append(f"the engine can send {1 / limits.ceiling_share:.1f} times as much")
    return " · ".join(words)
