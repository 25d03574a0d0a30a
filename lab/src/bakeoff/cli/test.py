"""`bakeoff test`: runs the checks that .ci/checks.toml declares and shows each runner's closing lines."""

import contextlib
from collections.abc import Iterator, Sequence

import typer
from rich.console import Console

from bakeoff.cli.check_queue import outcomes_of
from bakeoff.cli.checks import Check, Outcome, check_toolchains, chosen, load_checks, run
from bakeoff.errors import UsageError
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import find_installation
from bakeoff.project import Project, find_project
from bakeoff.running.lock import checking_lab, only_lab


def run_checks(*, fast: bool, exhaustive: bool, only: Sequence[str], required: Sequence[str]) -> None:
    """Runs all checks even when one fails. Exit status 0 when none failed."""
    if fast and exhaustive:
        raise UsageError("--fast leaves out what --all adds: give one of them.")
    project, console = find_project(), Console()
    needed = [name for names in required for name in names.split(",") if name]
    check_toolchains(project, needed)
    checks = [check for check in chosen(load_checks(project), only) if not (fast and check.slow)]
    outcomes = []
    with only_lab(project.state / "test-lock"), checking_lab(project), _test_database(project, checks) as url:
        for outcome in outcomes_of(
            checks, lambda check: run(project, check, url, exhaustive=exhaustive, required=needed)
        ):
            _show(outcome, console)
            outcomes.append(outcome)
    _summarise(outcomes, console)
    if any(outcome.status == "failed" for outcome in outcomes):
        raise typer.Exit(1)


def _show(outcome: Outcome, console: Console) -> None:
    reason = f": skipped, {outcome.reason}" if outcome.status == "skipped" else ""
    console.print(f"--- {outcome.check.name}{reason}", highlight=False)
    for line in outcome.lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _summarise(outcomes: Sequence[Outcome], console: Console) -> None:
    console.print()
    for outcome in outcomes:
        reason = f"  {outcome.reason}" if outcome.reason else ""
        console.print(
            f"{outcome.status:8}{outcome.check.name:28}{outcome.seconds:6.1f} s{reason}", markup=False, highlight=False
        )
    counts = [
        f"{sum(outcome.status == status for outcome in outcomes)} {status}"
        for status in ("passed", "failed", "skipped")
    ]
    console.print(f"checks: {', '.join(counts)}", highlight=False)


@contextlib.contextmanager
def _test_database(project: Project, checks: Sequence[Check]) -> Iterator[str | None]:
    """A PostgreSQL of the tests' own, where a check asks for one."""
    if not any(check.database for check in checks):
        yield None
        return
    kind = embedded.InstanceKind("test", "test", ("shared_buffers=128MB", "wal_buffers=4MB", "max_wal_size=1GB"))
    with embedded.running(find_installation(project), kind, project.logs) as server:
        yield server.url
