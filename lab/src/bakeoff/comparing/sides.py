"""Which contenders are measured in turns, and how many servers they need for that."""

from collections.abc import Callable, Mapping, Sequence

import psutil

from bakeoff.comparing.new_operations import is_other_commit, without_commit
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.schedule import Turn
from bakeoff.errors import UsageError
from bakeoff.options.variant import COMMIT
from bakeoff.running.contender import Contender, can_alternate
from bakeoff.targets.storage import POSTGRESQL

# A server's shared buffers, its sessions, and the target that uses it.
_SERVER_BYTES = 3 * 2**29


def numbered_sides(request: ComparisonRequest, contenders: Sequence[Contender]) -> Mapping[str, int]:
    """The number of the side of each contender that stores in PostgreSQL and can take turns, by its key."""
    able = [each for each in contenders if each.storage == POSTGRESQL and can_alternate(each, has_own_server=True)]
    if request.against is not None:
        return {each.key: int(is_other_commit(each)) for each in able}
    return {each.key: number for number, each in enumerate(able)} if request.turns else {}


def further_servers(request: ComparisonRequest, contenders: Sequence[Contender]) -> range:
    """The numbers of the servers that sides need beside the first one."""
    return range(1, 1 + max(numbered_sides(request, contenders).values(), default=0))


def refuse_too_many_sides(request: ComparisonRequest, contenders: Sequence[Contender]) -> None:
    """Raises UsageError where the servers of all that take turns do not fit into memory."""
    count = len(further_servers(request, contenders)) + 1
    available = psutil.virtual_memory().available
    if request.turns and count * _SERVER_BYTES > available:
        raise UsageError(
            f"--turns starts {count} PostgreSQL servers at once, which need about {count * _SERVER_BYTES / 2**30:.0f} "
            f"GB; {available / 2**30:.0f} GB of memory are available. Name fewer targets, or leave out --turns."
        )


def grouped(
    turns: Sequence[Turn],
    has_own_server: Callable[[Contender], bool] = lambda _contender: False,
    *,
    together: bool = False,
) -> list[list[Turn]]:
    """The turns in groups that are measured side by side, in the order in which each group is first met.

    Of a round the two sides of a contender are a group, or all contenders of a workload that take turns `together`; a
    turn without another side is alone. `has_own_server`: whether a contender's side has its own PostgreSQL.
    """
    groups: dict[tuple[int, str, int], list[Turn]] = {}
    for place, turn in enumerate(turns):
        contender = turn.contender
        has_sides = (together or COMMIT in contender.factors) and can_alternate(
            contender, has_own_server=has_own_server(contender)
        )
        name = contender.workload.name if together else without_commit(contender).key
        groups.setdefault((turn.round, name, 0 if has_sides else 1 + place), []).append(turn)
    return list(groups.values())
