"""Groups the two sides of a comparison of commits, and measures them in turns."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from bakeoff.comparing.other_commit import COMMIT
from bakeoff.comparing.schedule import Turn
from bakeoff.options.table import IN_PROCESSES
from bakeoff.results.run import RunResult
from bakeoff.running.alternation import Alternation
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

    def work(number: int) -> RunResult:
        try:
            return measure(*runs[number], alternation.sides[number])
        except BaseException:
            alternation.interrupt()
            raise

    with ThreadPoolExecutor(len(runs) - 1, thread_name_prefix="side") as pool:
        others = [pool.submit(work, number) for number in range(1, len(runs))]
        first = work(0)
    return [first, *(each.result() for each in others)]
