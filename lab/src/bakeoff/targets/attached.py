"""A target that the lab did not start, here or on another machine."""

import time
from collections.abc import Mapping

from bakeoff.errors import BakeoffError
from bakeoff.sampling.gauges import GaugeEndpoint
from bakeoff.targets.access import Access
from bakeoff.targets.health import HealthCheck, answer_to
from bakeoff.targets.manifest import Target

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

    def __init__(self, target: Target, access: Access, health: HealthCheck) -> None:
        self._target = target
        self._health = health
        self.access = access

    def __enter__(self) -> "AttachedTarget":
        deadline = time.monotonic() + _HEALTHY_WITHIN_S
        while not self._health.is_healthy(self.access):
            if time.monotonic() > deadline:
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
            f"{self._target.name} at {self.access.address} is not healthy: {answer_to(self._health, self.access)} "
            "Is it running, and does it use the database that DATABASE_URL names? Correct ready or [health] otherwise."
        )
