"""Where the time goes that a run takes besides its phases."""

import time
from collections.abc import Callable, Mapping, Sequence


class StageTimes:
    """A stopwatch: each `mark` gives the time since the one before to a name."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last_s = clock()
        self.seconds: dict[str, float] = {}

    def mark(self, name: str, without_s: float = 0.0) -> None:
        """The time since the last mark, less `without_s`, was spent on `name`."""
        now_s = self._clock()
        self.seconds[name] = self.seconds.get(name, 0.0) + max(0.0, now_s - self._last_s - without_s)
        self._last_s = now_s


def mean_in_words(runs: Sequence[Mapping[str, float]]) -> str | None:
    """A line for people on the mean of some runs, or None without any."""
    if not runs:
        return None
    names = list(dict.fromkeys(name for run in runs for name in run))
    means = {name: sum(run.get(name, 0.0) for run in runs) / len(runs) for name in names}
    parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in means.items())
    return f"time outside the phases: {sum(means.values()):.1f} s per run ({parts})"
