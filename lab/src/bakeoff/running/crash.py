"""Kills a database and its target at a random instant under load, as a failure of power would; starts the database.

SIGKILL leaves what the kernel has taken over, so that this proves that commits reach the log file before they are
acknowledged and that tables are logged. That the file reaches the disk is what settings and flush counts show.
"""

import random
import threading
from collections.abc import Callable, Sequence

from bakeoff.postgres.crashable import Crashable
from bakeoff.running.contender import Contender
from bakeoff.running.isolation import pinned_to
from bakeoff.running.stored_state import keeps_ledger
from bakeoff.running.testbed import Testbed

# After the begin of the load that it ends.
_EARLIEST_S, _LATEST_S = 0.5, 4.5


def can_be_crashed(testbed: Testbed, contender: Contender) -> bool:
    """Whether the lab may crash the database: its own, under a target that it starts, with writes that it can audit."""
    own_database = testbed.server is not None and testbed.database is not None
    return own_database and keeps_ledger(testbed, contender) and contender.target.name not in testbed.attached


class Crash:
    """A crash that comes some time after `begin`, or not at all; on exit the database runs.

    `others` are called right after the database was killed: they kill the target, so that nothing is left in its
    memory, and end the load. No seed determines the instant, so that no target can know it.
    """

    def __init__(
        self, database: Crashable | None, others: Sequence[Callable[[], None]], cpus: tuple[int, ...] | None
    ) -> None:
        self._database = database
        self._others = others
        self._cpus = cpus
        self._timer: threading.Timer | None = None
        self._error: BaseException | None = None
        self.has_come = False

    def __enter__(self) -> "Crash":
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer.join()
        self._timer = None
        if self.has_come and self._database is not None:
            with pinned_to(self._cpus):
                self._database.start()
        if self._error is not None:
            raise self._error

    def begin(self) -> None:
        """Draws the instant; called once the load has begun."""
        if self._timer is None and self._database is not None:
            delay_s = random.SystemRandom().uniform(_EARLIEST_S, _LATEST_S)
            self._timer = threading.Timer(delay_s, self._kill)
            self._timer.start()

    def _kill(self) -> None:
        assert self._database is not None
        try:
            self.has_come = True
            self._database.crash()
            for other in self._others:
                other()
        except BaseException as error:  # noqa: BLE001 — raised where the load is waited for
            self._error = error
