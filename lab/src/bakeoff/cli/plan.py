"""`bakeoff plan`."""

import msgspec
import typer

from bakeoff.cli.run.request import RunOptions, request_of
from bakeoff.cli.runs_output import say
from bakeoff.comparing.preparation import choose
from bakeoff.errors import UsageError
from bakeoff.project import find_project
from bakeoff.running.run_request import RunRequest
from bakeoff.targets.access import LOOPBACK, Access, access_of


def print_plan(options: RunOptions) -> None:
    """Prints the plan that an engine would get for one target, without a warm-up and without a ledger."""
    given = [f"--{flag}" for flag in ("resume", "slo", "threshold", "json", "tls", "token") if flag in options.given]
    if given:
        raise UsageError(f"{given[0]} belongs to ./bakeoff run: a plan holds only what an engine sends.")
    project = find_project()
    request = request_of(project, options)
    contenders = choose(project, request, lambda _name, reason: say(reason))
    if len(contenders) != 1:
        raise UsageError(f"A plan is for one target, and this asks for {len(contenders)}: name one with --target.")
    (contender,) = contenders
    url = request.attached.get(contender.target.name)
    access = Access(LOOPBACK, contender.target.default_port) if url is None else access_of(url)
    plan = RunRequest(contender, request.mode, request.phases, options=request).plan(access, None)
    typer.echo(msgspec.json.format(plan.encoded(), indent=2))
    typer.echo(f"for {contender.key} at {access.address}", err=True)
