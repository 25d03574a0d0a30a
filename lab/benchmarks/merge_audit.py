"""Measures the cost of numbered merges: `python lab/benchmarks/merge_audit.py [ROUNDS] [SECONDS] [TARGET]`.

Messages that number their merges (`${merge}`) let the audit see each acknowledged one. The numbers make messages and
documents longer. A target is sent the workload as it is, and the same messages without the numbers, in turns; each side
has its own process and database, so that documents without numbers stay without. Many short rounds show a
hundredth, because the speed of the machine changes less within a round than between rounds. The machine must be quiet.
For docs/RESULTS.md, nine minutes:

    .bakeoff/venv/bin/python lab/benchmarks/merge_audit.py 60 3
"""

import re
import sys
from collections.abc import Sequence

from clone import project_here
from msgspec.structs import replace as with_members
from side_by_side import lines_of, measure
from side_by_side_file import Before, DeclaredDatabase, DeclaredRatio, DeclaredServer, Side, SideBySide

from bakeoff.errors import BakeoffError
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.declaration import Operation
from bakeoff.workload.loader import load_workload

# A member whose name is numbered, with the comma that separates it from its neighbour.
_MEMBER = r'"[^"]*\$\{merge\}[^"]*":(?:\$\{[^}]*\}|[^,}\n])*'
_NUMBERED = re.compile(f"{_MEMBER},|,{_MEMBER}")
# The most that the numbers may cost.
_GOAL = 0.97


def main() -> None:
    """Prints each turn, then the ratio of the throughputs with its interval."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3.0
    name = sys.argv[3] if len(sys.argv) > 3 else "producer-api-rust-rest"
    project = project_here()
    (target,) = choose_targets(find_targets(project), [name], "all")
    operations = load_workload(project, target.workload).declared.operations
    declared = side_by_side_of(target.name, target.workload, operations)
    for line in lines_of(declared, measure(project, declared, rounds, seconds)):
        print(line)


def side_by_side_of(target: str, workload: str, operations: Sequence[Operation]) -> SideBySide:
    """The target with the operations that number merges, beside itself with the same operations without numbers."""
    plain = {each.name: each_plain for each in operations if (each_plain := _without_numbers(each)) is not None}
    if not plain:
        raise BakeoffError(f"{workload} numbers no merges, so there is nothing to compare.")
    sent = {
        "numbered": dict.fromkeys(plain, 1),
        "without numbers": {each.name: 1 for each in plain.values()},
    }
    return SideBySide(
        question="What do numbered merges cost?",
        workload=workload,
        operations=list(plain.values()),
        databases=[DeclaredDatabase(name=name.replace(" ", "_")) for name in sent],
        servers=[DeclaredServer(name=name, target=target, database=name.replace(" ", "_")) for name in sent],
        sides=[Side(name=name, server=name, send=send, before=Before(seconds=5.0)) for name, send in sent.items()],
        ratios=[DeclaredRatio(of=["numbered"], to=["without numbers"], goal=_GOAL)],
    )


def _without_numbers(operation: Operation) -> Operation | None:
    """The operation under another name, or None where it numbers nothing."""
    message, count = _NUMBERED.subn("", operation.message or "")
    if count == 0:
        return None
    return with_members(operation, name=f"{operation.name}WithoutNumbers", weight=0, message=message)


if __name__ == "__main__":
    main()
