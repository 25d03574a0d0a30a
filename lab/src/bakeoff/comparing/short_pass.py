"""A short pass after the measurement: both sides again, where they run, on a server of the pass's own."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bakeoff.comparing.contained import contained
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.options.table import DOCKER
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.databases import one_choice
from bakeoff.postgres.embedded import Instance, InstanceKind
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.progress import Progress
from bakeoff.running.testbed import Testbed
from bakeoff.targets.storage import POSTGRESQL


@contextlib.contextmanager
def short_pass(
    project: Project,
    request: ComparisonRequest,
    contenders: Sequence[Contender],
    kind: InstanceKind,
    progress: Progress,
) -> Iterator[Testbed]:
    """The testbed of a pass, with a server of a kind where contenders store in PostgreSQL."""
    # One after the other, they share a server.
    alone = replace(request, against=None)
    storing = [each for each in contenders if each.storage == POSTGRESQL]
    postgres = one_choice({each.key: each.target.manifest.storage.postgres for each in storing})
    with contextlib.ExitStack() as stack:
        server = None
        if any(each.variant.runs_in != DOCKER for each in storing):
            server = stack.enter_context(Instance(find_installation(project, postgres), kind, project.logs))
        own = stack.enter_context(contained(project, alone, contenders, kind))
        prepared = stack.enter_context(PreparedStates())
        yield Testbed(project, server, progress, postgres=postgres, in_containers=own, prepared=prepared)
