"""`bakeoff plan`."""

from typing import Any

import msgspec
import typer

from bakeoff.cli.output import say, typed_command
from bakeoff.cli.run import with_run_parameters
from bakeoff.errors import UsageError
from bakeoff.project import COMMAND, find_project


@with_run_parameters
def plan(**parsed: Any) -> None:
    """Print the plan of a run: what an engine sends, as JSON."""
    from bakeoff.cli.run.request import options_from, request_of
    from bakeoff.comparing.preparation import choose
    from bakeoff.running.run_request import RunRequest
    from bakeoff.targets.access import LOOPBACK, Access, access_of

    options = options_from(typed_command(), parsed)
    given = [f"--{flag}" for flag in ("resume", "slo", "threshold", "json", "tls", "token") if flag in options.given]
    if given:
        raise UsageError(f"{given[0]} belongs to {COMMAND} run: a plan holds only what an engine sends.")
    project = find_project()
    request = request_of(project, options)
    contenders = choose(project, request, lambda _name, reason: say(reason))
    if len(contenders) != 1:
        raise UsageError(f"A plan is for one target, and this asks for {len(contenders)}: name one with --target.")
    (contender,) = contenders
    url = request.attached.get(contender.target.name)
    access = Access(LOOPBACK, contender.target.default_port) if url is None else access_of(url)
    run = RunRequest(contender, request.mode, request.phases, options=request)
    # Without a warm-up and without a ledger.
    typer.echo(msgspec.json.format(run.plan(access, None).encoded(), indent=2))
    typer.echo(f"for {contender.key} at {access.address}", err=True)
