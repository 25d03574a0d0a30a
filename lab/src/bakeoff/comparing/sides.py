"""The two sides of a comparison of commits: which turns take turns with each other, and how they are measured."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from bakeoff.comparing.other_commit import COMMIT
from bakeoff.comparing.schedule import Turn
from bakeoff.options.table import IN_PROCESSES
from bakeoff.results.run import RunResult
from bakeoff.running.alternation import Alternation, Side
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.running.warm_up import FEATURE
from bakeoff.targets.manifest import POSTGRESQL


def grouped(turns: Sequence[Turn]) -> list[list[Turn]]:
    """The turns in groups that are measured side by side, in the order in which each group is first met.

    Of a round the two sides of a contender are a group; a turn without another side is alone.
    """
    groups: dict[tuple[int, str, int], list[Turn]] = {}
    for place, turn in enumerate(turns):
        contender = turn.contender
        has_sides = COMMIT in contender.factors and can_alternate(contender)
        others = {name: level for name, level in contender.factors.items() if name != COMMIT}
        key = (turn.round, replace(contender, factors=others).key, 0 if has_sides else 1 + place)
        groups.setdefault(key, []).append(turn)
    return list(groups.values())


def can_alternate(contender: Contender) -> bool:
    """Whether both sides can be at work at once, and the engine can wait between slices.

    Two sides that store in PostgreSQL would share one server, and what one of them wrote would be a load of the other.
    """
    return (
        contender.place != POSTGRESQL
        and contender.variant.runs_in == IN_PROCESSES
        and not isinstance(contender.variant.agents, str)
        and contender.engine.can(FEATURE)
    )


def measured_side_by_side(runs: Sequence[tuple[Testbed, RunRequest]]) -> list[RunResult]:
    """The results of runs that take turns, in the order given. The first one works in this thread, alone if it is."""
    if len(runs) == 1:
        return [measure(*runs[0])]
    alternation = Alternation(len(runs), runs[0][1].steps)
    results: dict[int, RunResult] = {}
    errors: list[BaseException] = []

    def work(number: int, side: Side) -> None:
        try:
            results[number] = measure(*runs[number], side)
        except BaseException as error:  # noqa: BLE001 — raised again by the thread that waits
            errors.append(error)
            alternation.interrupt()

    first, *others = alternation.sides
    threads = [
        threading.Thread(target=work, args=(number, side), name=f"side {number + 1}")
        for number, side in enumerate(others, start=1)
    ]
    for thread in threads:
        thread.start()
    try:
        results[0] = measure(*runs[0], first)
    except BaseException:
        alternation.interrupt()
        raise
    finally:
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(runs))]
