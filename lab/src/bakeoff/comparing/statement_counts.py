"""How many SQL statements a request of each side causes: the commonest reason why one of them is slower."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.comparing.new_operations import is_other_commit, without_commit
from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.short_pass import short_pass
from bakeoff.postgres.embedded import COUNTING
from bakeoff.postgres.statement_counter import StatementCounter
from bakeoff.project import Project
from bakeoff.results.mode_names import SMOKE_MODE
from bakeoff.running.alternation import Side
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.progress import Progress
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.storage import POSTGRESQL

# The first requests make connections, prepare statements and fill caches of the target.
_FIRST = Phase("First", 1, iterations=5)
_COUNTED = Phase("Counted", 1, iterations=20)
# Less is a request now and then that does something else, such as one that refreshes a cache.
_LEAST_CHANGE = 0.5


@dataclass(frozen=True)
class StatementChange:
    """Statements that one request of an operation causes, at the other commit and in the checkout."""

    operation: str
    before: float
    after: float

    @property
    def words(self) -> str:
        return f"{self.operation} sends {_count(self.after)} to PostgreSQL instead of {_amount(self.before)}."


def more_statements(
    project: Project, request: ComparisonRequest, slower: Mapping[str, Sequence[str]], progress: Progress
) -> list[StatementChange]:
    """The operations whose requests cause more statements than at the other commit, the largest increase first.

    `slower` are operations by target. They are sent one by one, after the measurement, on a server that counts.
    Raises BakeoffError where there is none.
    """
    request = replace(request, targets=tuple(slower))
    contenders = [each for each in choose(project, request, lambda _name, _reason: None) if each.storage == POSTGRESQL]
    pairs = pairs_of(contenders)
    if not pairs:
        return []
    progress.step("counting statements")
    with short_pass(project, request, contenders, COUNTING, progress) as testbed:
        server = testbed.of(contenders[0]).server
        assert server is not None, "it stores in PostgreSQL"
        counter = StatementCounter(server)

        def count() -> int:
            return counter.count().statements

        changes = [
            change
            for before, after in pairs
            for operation in slower[after.target.name]
            if (change := _change(testbed, request, operation, before, after, count)) is not None
        ]
    return sorted(changes, key=lambda change: change.before - change.after)


def pairs_of(contenders: Sequence[Contender]) -> list[tuple[Contender, Contender]]:
    """Both sides of each contender, the other commit first."""
    others = {without_commit(each).key: each for each in contenders if is_other_commit(each)}
    return [
        (others[key], each)
        for each in contenders
        if not is_other_commit(each) and (key := without_commit(each).key) in others
    ]


def _change(
    testbed: Testbed,
    request: ComparisonRequest,
    operation: str,
    before: Contender,
    after: Contender,
    count: Callable[[], int],
) -> StatementChange | None:
    each = [_statements_each(testbed, request, operation, side, count) for side in (before, after)]
    if each[0] is None or each[1] is None or each[1] - each[0] < _LEAST_CHANGE:
        return None
    return StatementChange(operation, each[0], each[1])


def _statements_each(
    testbed: Testbed, request: ComparisonRequest, operation: str, contender: Contender, count: Callable[[], int]
) -> float | None:
    """None where the operation failed by itself."""
    side = _CountingSide(count)
    alone = replace(request, operations=(operation,), mix=None)
    run = RunRequest(contender, SMOKE_MODE, (_FIRST, _COUNTED), options=alone)
    result = measure(testbed.of(contender), run, side)
    if result.failure is not None or len(result.phases) < 2 or len(side.counts) < 2:
        return None
    sent = result.phases[-1].measured.by_operation.get(operation)
    if sent is None or sent.failed or not sent.ok:
        return None
    return (side.counts[-1] - side.counts[-2]) / sent.ok


class _CountingSide(Side):
    """A run by itself that counts before each of its steps and after the last."""

    def __init__(self, count: Callable[[], int]) -> None:
        super().__init__()
        self._count = count
        self.counts: list[int] = []

    def await_step(self) -> None:
        self.counts.append(self._count())

    def await_end(self) -> None:
        self.counts.append(self._count())


def _count(statements: float) -> str:
    return f"{_amount(statements)} statement{'' if statements == 1 else 's'}"


def _amount(statements: float) -> str:
    return f"{statements:.1f}".removesuffix(".0")
