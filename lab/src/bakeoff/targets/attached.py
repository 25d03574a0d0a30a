"""A target that the lab did not start, here or on another machine."""

import time
from collections.abc import Callable, Mapping

from bakeoff.errors import BakeoffError
from bakeoff.sampling.gauges import GaugeEndpoint
from bakeoff.targets.access import Access
from bakeoff.targets.health import HealthCheck
from bakeoff.targets.manifest import Target
from bakeoff.targets.waiting import Waiting

_HEALTHY_WITHIN_S = 10.0
_PAUSE_S = 0.1


class AttachedTarget:
    """Waits on entry until the target is healthy; leaves it running on exit.

    It has the interface of a target's process, with unknown `pid` and start.
    """

    pids: Mapping[str, int] = {}
    start_s: float | None = None
    has_ended = False
    container: str | None = None

    def __init__(
        self, target: Target, access: Access, health: HealthCheck, report: Callable[[str], None] = lambda _: None
    ) -> None:
        self._target = target
        self.access = access
        self._waiting = Waiting(target.name, health, access, report, _HEALTHY_WITHIN_S)

    def __enter__(self) -> "AttachedTarget":
        while not self._waiting.is_over():
            if self._waiting.waited_s > self._waiting.most_s:
                raise self.ended_error()
            time.sleep(_PAUSE_S)
        return self

    def __exit__(self, *_: object) -> None:
        return

    @property
    def gauge_endpoints(self) -> list[GaugeEndpoint]:
        """Where its gauges are read: on its own port, because others are unknown."""
        gauges = self._target.manifest.run.gauges
        return [] if gauges is None or gauges.port else [gauges.endpoint(self._target.name, self.access)]

    def ended_error(self) -> BakeoffError:
        """The error for an address where no healthy target answers."""
        return BakeoffError(
            f"{self._target.name} at {self.access.address} is not healthy: {self._waiting.latest.words} "
            "Is it running, and does it use the database that DATABASE_URL names? Correct ready or [health] otherwise."
        )
