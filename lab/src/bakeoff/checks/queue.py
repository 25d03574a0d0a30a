"""Runs checks at the same time where they do not disturb one another."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace

from bakeoff.checks.checks import CheckOutcome, ProjectCheck

_AT_ONCE = 2


def outcomes_of(
    checks: Sequence[ProjectCheck], run: Callable[[ProjectCheck], CheckOutcome], at_once: int = _AT_ONCE
) -> Iterator[CheckOutcome]:
    """The outcome of every check as it ends, with what it waited for.

    Checks of one directory share caches there, so they follow each other; `after` names those that must have ended.
    """
    began = time.monotonic()
    pending = list(checks)
    reasons = {check.name: "" for check in checks}
    running: dict[Future[CheckOutcome], ProjectCheck] = {}
    with ThreadPoolExecutor(at_once) as pool:
        while pending or running:
            for check in list(pending):
                unfinished = {other.name for other in (*pending, *running.values())}
                reason = _obstacle(check, list(running.values()), unfinished, at_once)
                reasons[check.name] = reason or reasons[check.name]
                if reason is None:
                    pending.remove(check)
                    running[pool.submit(_timed, run, check, time.monotonic() - began, reasons[check.name])] = check
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                running.pop(future)
                yield future.result()


def _timed(
    run: Callable[[ProjectCheck], CheckOutcome], check: ProjectCheck, waited_s: float, waited_for: str
) -> CheckOutcome:
    return replace(run(check), waited_s=waited_s, waited_for=waited_for)


def _obstacle(check: ProjectCheck, running: Sequence[ProjectCheck], unfinished: set[str], at_once: int) -> str | None:
    """Why a check cannot start now; None when it can."""
    before = next((name for name in check.after if name in unfinished), None)
    if before is not None:
        return before
    same = next((other.name for other in running if other.directory == check.directory), None)
    if same is not None:
        return same
    return "a core" if len(running) >= at_once else None
