"""Runs checks side by side where they do not disturb each other."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from bakeoff.cli.checks import Check, Outcome

_AT_ONCE = 2


def outcomes_of(checks: Sequence[Check], run: Callable[[Check], Outcome], at_once: int = _AT_ONCE) -> Iterator[Outcome]:
    """The outcome of every check as it ends.

    Checks of one directory share caches there, so they follow each other; one that is `alone` has no other beside it.
    """
    pending = list(checks)
    running: dict[Future[Outcome], Check] = {}
    with ThreadPoolExecutor(at_once) as pool:
        while pending or running:
            while (check := _startable(pending, list(running.values()), at_once)) is not None:
                pending.remove(check)
                running[pool.submit(run, check)] = check
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                running.pop(future)
                yield future.result()


def _startable(pending: Sequence[Check], running: Sequence[Check], at_once: int) -> Check | None:
    """The first check that may start now. Nothing overtakes one that waits to be alone."""
    if len(running) >= at_once or any(check.alone for check in running):
        return None
    busy = {check.directory for check in running}
    for check in pending:
        if check.alone:
            return None if running else check
        if check.directory not in busy:
            return check
    return None
