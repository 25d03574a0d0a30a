"""`bakeoff test`: runs the checks that .ci/checks.toml declares and shows each runner's closing lines."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated
from urllib.parse import urlsplit

import typer

from bakeoff.checks.checks import (
    CLOSING_LINES,
    CheckOutcome,
    ProjectCheck,
    affected,
    check_toolchains,
    chosen,
    load_checks,
    of_part,
    run,
)
from bakeoff.errors import UsageError
from bakeoff.processes.cores import usable_cores
from bakeoff.project import Project, own_checkout
from bakeoff.running.lock import checking_lab, only_lab
from bakeoff.text.table import Table, show


def test(
    fast: Annotated[bool, typer.Option("--fast", help="Skip tests that start databases, targets or engines.")] = False,
    exhaustive: Annotated[
        bool, typer.Option("--all", help="Also run tests of a target that repeat those of a similar one.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="Run only this check of .ci/checks.toml; may be repeated.")
    ] = None,
    changed: Annotated[
        str | None,
        typer.Option(metavar="REF", help="Run the checks that changes since this commit can affect, such as main."),
    ] = None,
    tool: Annotated[bool, typer.Option("--tool", help="Run the checks of the tool, not those of the gallery.")] = False,
    gallery: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET", help="Run the checks of the gallery, and the tests of this target; all: of every target."
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="LIST", help="Fail instead of skipping when one is missing: rust,go,java,docker."),
    ] = None,
) -> None:
    """Run the checks of the clone. Linters, type checkers, unit tests and end-to-end tests."""
    from bakeoff.checks.queue import outcomes_of

    if tool and gallery is not None:
        raise UsageError("--tool and --gallery exclude each other: without both everything is checked.")
    if fast and exhaustive:
        raise UsageError("--fast leaves out what --all adds: give one of them.")
    project = own_checkout()
    needed = [name for names in require or [] for name in names.split(",") if name]
    check_toolchains(project, needed)
    checks = [check for check in chosen(load_checks(project), only or []) if not (fast and check.slow)]
    if tool or gallery is not None:
        checks = of_part(checks, "tool" if tool else "gallery", "" if gallery in (None, "all") else gallery or "")
    if changed is not None:
        checks = affected(project, checks, changed)
    outcomes, began = [], time.monotonic()
    with only_lab(project.state / "test-lock"), checking_lab(project), _test_database(project, checks) as url:
        for outcome in outcomes_of(
            checks, lambda check: run(project, check, url, exhaustive=exhaustive, required=needed)
        ):
            _show(outcome)
            outcomes.append(outcome)
    _summarise(outcomes, time.monotonic() - began)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    for outcome in failed:
        _show(replace(outcome, lines=outcome.lines[-CLOSING_LINES:]))
    if failed:
        raise typer.Exit(1)


def _show(outcome: CheckOutcome) -> None:
    reason = f": skipped, {outcome.reason}" if outcome.status == "skipped" else ""
    print(f"--- {outcome.check.name}{reason}", *outcome.lines, sep="\n", flush=True)


def _summarise(outcomes: Sequence[CheckOutcome], seconds: float) -> None:
    """One row a check, longest first: its share of all checks' CPU time, and what kept it from starting earlier."""
    total = sum(outcome.cpu_s for outcome in outcomes) or 1.0
    rows = [
        (
            *(outcome.status, outcome.check.name, f"{outcome.seconds:.1f}", f"{outcome.cpu_s / total:.1%}"),
            *(f"{outcome.waited_s:.0f}", outcome.reason or outcome.waited_for),
        )
        for outcome in sorted(outcomes, key=lambda each: -each.seconds)
    ]
    counts = [
        f"{sum(outcome.status == status for outcome in outcomes)} {status}"
        for status in ("passed", "failed", "skipped")
    ]
    headings = ("status", "check", "seconds", "CPU", "waited", "for")
    show(
        Table("", headings, rows, left=2, words_last=True, least=("for", "waited", "CPU"), kept=2),
        f"{seconds / 60:.1f} min on {usable_cores()} cores, {total / 60:.1f} min of CPU; checks: {', '.join(counts)}",
    )


@contextlib.contextmanager
def _test_database(project: Project, checks: Sequence[ProjectCheck]) -> Iterator[str | None]:
    """A PostgreSQL of the tests' own, where a check asks for one."""
    if not any(check.database for check in checks):
        yield None
        return
    from bakeoff.postgres import embedded
    from bakeoff.postgres.binaries import find_installation

    kind = embedded.InstanceKind("test", "test", ("shared_buffers=128MB", "wal_buffers=4MB", "max_wal_size=1GB"))
    with embedded.Instance(find_installation(project), kind, project.logs) as server:
        # Of a test without optimisation each connection would take a tenth of a second for the usual 4,096 iterations.
        # Targets have a role of their own, with those: some drivers refuse fewer.
        password = urlsplit(server.url).password
        server.execute_script(f"SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD '{password}'")
        yield server.url
