"""How many SQL statements a request of each side causes: the commonest reason why one of them is slower."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.comparing.new_operations import is_other_commit, without_commit
from bakeoff.comparing.operation_statements import statements_after_load
from bakeoff.comparing.preparation import choose
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.short_pass import short_pass
from bakeoff.postgres.embedded import COUNTING
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.progress import Progress
from bakeoff.targets.storage import POSTGRESQL


@dataclass(frozen=True)
class StatementChange:
    """Statements that one request of an operation causes, at the other commit and in the checkout."""

    operation: str
    before: int
    after: int

    @property
    def words(self) -> str:
        noun = "statement" if self.after == 1 else "statements"
        return f"{self.operation} sends {self.after} {noun} to PostgreSQL instead of {self.before}."


def more_statements(
    project: Project, request: ComparisonRequest, slower: Mapping[str, Sequence[str]], progress: Progress
) -> list[StatementChange]:
    """The operations whose requests cause more statements than at the other commit, the largest increase first.

    `slower` are operations by target. They are sent one by one, after the measurement, on a server that counts, once
    every operation that creates something has done so. Raises BakeoffError where there is no such server.
    """
    request = replace(request, targets=tuple(slower))
    contenders = [each for each in choose(project, request, lambda _name, _reason: None) if each.storage == POSTGRESQL]
    pairs = pairs_of(contenders)
    if not pairs:
        return []
    progress.step("counting statements")
    changes = []
    with short_pass(project, request, contenders, COUNTING, progress) as testbed:
        for before, after in pairs:
            own = slower[after.target.name]
            fewer, more = (statements_after_load(testbed.of(each), each, own) for each in (before, after))
            changes += [
                StatementChange(name, fewer[name], more[name])
                for name in own
                if name in fewer and name in more and more[name] > fewer[name]
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
