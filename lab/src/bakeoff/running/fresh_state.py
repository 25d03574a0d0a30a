"""The state that a run starts from: the same one each time, made before the target starts and gone after it."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bakeoff.options.variant import Variant
from bakeoff.postgres.extensions import naming_missing_extension
from bakeoff.postgres.relations import drop_views_of_targets
from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.running.contender import storage_of
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import Target
from bakeoff.targets.own_command import run_own_command
from bakeoff.targets.settings import variables_of
from bakeoff.targets.storage import EXTERNAL, FILES, Command
from bakeoff.targets.surroundings import Surroundings
from bakeoff.workload.loader import Workload


@contextlib.contextmanager
def fresh_state(
    testbed: Testbed, target: Target, workload: Workload, variant: Variant, rows: int | None = None
) -> Iterator[Testbed]:
    """The testbed with the state of one run, with so many rows of the workload's seed; None: those for checks.

    A workload with reset.sql has its tables dropped in the common database, unless each run has its own.
    """
    with own_state(testbed, target, workload, variant, rows) as own:
        is_attached = target.name in testbed.attached
        if own is testbed and testbed.server is not None:
            fresh_table(workload, testbed.server, with_schema=is_attached and variant.overlay is None)
            if is_attached:
                store_seed(workload, testbed.server, rows)
        elif storage_of(target, workload, variant) == EXTERNAL:
            _StateMaker(testbed, target, workload, variant).reset()
        yield own


@contextlib.contextmanager
def own_state(
    testbed: Testbed, target: Target, workload: Workload, variant: Variant, rows: int | None = None
) -> Iterator[Testbed]:
    """The testbed with the database or the folder of one start of a target; as it is where the target has neither."""
    maker, is_attached = _StateMaker(testbed, target, workload, variant), target.name in testbed.attached
    if is_attached:
        yield testbed
    elif storage_of(target, workload, variant) == FILES:
        with maker.folder() as folder:
            yield replace(testbed, state=folder)
    elif testbed.server is not None and has_own_database(target, workload):
        with maker.database(testbed.server, rows) as made:
            made.checkpoint()
            # What makes databases may know the server from before a crash.
            server = replace(made, pid=testbed.server.pid, container=testbed.server.container)
            yield replace(testbed, server=server)
    else:
        yield testbed


def has_own_database(target: Target, workload: Workload) -> bool:
    """Whether each run of a target that stores in PostgreSQL gets a database, and not only empty tables."""
    declared = workload.declared
    return target.manifest.storage.prepare is not None or declared.seed is not None or declared.reset is None


def fresh_table(workload: Workload, server: Server, *, with_schema: bool = False) -> None:
    """Drops what earlier runs stored, and writes out what is left in memory.

    A target makes the table when it starts; `with_schema` makes it for one that runs already.
    """
    reset, schema = workload.sql("reset"), workload.sql("schema")
    with naming_missing_extension(server):
        if reset is not None:
            drop_views_of_targets(server)
            server.execute_script(reset)
        if with_schema and schema is not None:
            server.execute_script(schema)
    server.checkpoint()


def store_seed(workload: Workload, server: Server, rows: int | None = None) -> None:
    """Stores so many rows of the workload's seed, or those for checks, in the tables of its schema."""
    declared, statements = workload.declared.seed, workload.sql("seed")
    if declared is not None and statements is not None:
        script = _SEED.format(rows=rows or declared.rows_for_checks, statements=statements)
        server.as_targets.execute_script(script)


# In one transaction, and the number in a setting: the file runs in psql too.
_SEED = "SET bakeoff.seed_rows = {rows};\n{statements}"


class _StateMaker:
    """Makes the states of one target in one variant; those that it prepares are kept for the runs that follow."""

    def __init__(self, testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> None:
        self._testbed = testbed
        self._target = target
        self._workload = workload
        self._storage = target.manifest.storage
        self._secured = testbed.secured(tls=variant.tls, token=variant.token)
        self._settings = variables_of(target, variant.settings)
        # A commit beside the checkout has its own folder, and so its own state.
        self._key = (target.name, target.directory, *sorted(variant.settings.items()))

    def database(self, server: Server, rows: int | None) -> contextlib.AbstractContextManager[Server]:
        # The seed is one for all targets, unless they prepare more.
        key = self._key if self._storage.prepare is not None else ()
        declared = self._workload.declared.seed
        seeded = (self._workload.directory, declared and (rows or declared.rows_for_checks))
        return self._testbed.prepared.database((seeded, *key), server, lambda empty: self._fill(empty, rows))

    def folder(self) -> contextlib.AbstractContextManager[Path]:
        within = self._testbed.project.state / "files"
        return self._testbed.prepared.folder(self._key, within, lambda empty: self._prepare(state=empty))

    def reset(self) -> None:
        if self._storage.reset is not None:
            self._run("reset", self._storage.reset)

    def _fill(self, server: Server, rows: int | None) -> None:
        schema = self._workload.sql("schema")
        if self._workload.declared.seed is not None and schema is not None:
            self._testbed.progress.step(f"{self._workload.name}: storing its seed")
            with naming_missing_extension(server):
                server.as_targets.execute_script(schema)
            store_seed(self._workload, server, rows)
        self._prepare(server=server)

    def _prepare(self, server: Server | None = None, state: Path | None = None) -> None:
        if self._storage.prepare is not None:
            self._testbed.progress.step(f"{self._target.name}: prepare")
            self._run("prepare", self._storage.prepare, server, state)

    def _run(self, name: str, command: Command, server: Server | None = None, state: Path | None = None) -> None:
        variables = {**self._settings, **self._secured.variables_of(self._target)}
        launcher = self._testbed.launcher
        around = Surroundings(ports.free_port(), server, state, variables, launcher.bind, launcher)
        log = self._target.project.logs / f"{self._target.name}-{name}.log"
        with naming_missing_extension(server):
            run_own_command(self._target, name, command, around, log)
