# ruff: noqa: ARG001 — the options are declared for the help and checked here; the engine reads them.
"""`bakeoff hit`: builds the engine, which measures the URL."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bakeoff.cli.shared_options import Json

_ENGINE = "native"


def hit(
    url: Annotated[str | None, typer.Argument(help="URL, such as http://127.0.0.1:3000/path.")] = None,
    from_curl: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="curl command whose request to send, in quotes.")
    ] = None,
    users: Annotated[int, typer.Option("--users", "-u", "-c", min=1, max=100_000, help="Virtual users.")] = 64,
    short: Annotated[
        list[str] | None, typer.Option("-d", help="A duration such as 10s sets --duration; anything else sets --data.")
    ] = None,
    duration: Annotated[
        str, typer.Option("--duration", "-z", help="Duration of the measurement, such as 10s or 2m.")
    ] = "10s",
    requests: Annotated[
        int | None, typer.Option("--requests", "-n", min=1, help="Number of requests, instead of a duration.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", "-q", min=0.1, help="Open model: requests per second.")
    ] = None,
    arrivals: Annotated[
        str, typer.Option(help="With --rate: distribution of arrivals, constant or poisson.")
    ] = "constant",
    method: Annotated[
        str | None, typer.Option("--method", "-m", help="HTTP method. [GET, or POST with a body]")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", "-H", help="Header, as 'Name: value'; may be repeated.")
    ] = None,
    data: Annotated[str | None, typer.Option("--data", help="Body, @FILE, or @- for standard input.")] = None,
    content_type: Annotated[
        str | None, typer.Option("--type", "-T", help="Content type of the body. [application/json]")
    ] = None,
    connections: Annotated[
        int | None, typer.Option(min=1, help="Connections that the virtual users share. [one each]")
    ] = None,
    timeout: Annotated[str, typer.Option(help="Timeout of a request.")] = "30s",
    warm_up: Annotated[str, typer.Option(help="Duration of the warm-up, which is not counted.")] = "1s",
    ca_file: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="CA certificate to trust.")] = None,
    expect: Annotated[
        int | None, typer.Option(min=100, max=599, help="Expected status. [that of a first request]")
    ] = None,
    json: Json = False,
) -> None:
    """Measure one URL, without a workload or a contract."""
    measure_with_engine(sys.argv[2:] if from_curl is None else _of_curl(from_curl, sys.argv[2:]))


def _of_curl(line: str, arguments: Sequence[str]) -> list[str]:
    """The engine's arguments: what the curl command sends, and the other options."""
    from bakeoff.cli.curl_arguments import hit_arguments, without_option
    from bakeoff.descriptions.curl_command import curl_command

    command = curl_command(line)
    for each in command.unused:
        typer.echo(f"curl's {each} is not used.", err=True)
    return [*hit_arguments(command), *without_option(arguments, "--from-curl")]


def measure_with_engine(arguments: list[str]) -> NoReturn:
    """Replaces this process by the engine, which keeps the locks: it measures."""
    from bakeoff.cli.progress_display import shown
    from bakeoff.comparing.preparation import build
    from bakeoff.engines.manifest import find_engine
    from bakeoff.project import tool
    from bakeoff.running.lock import keep_locks, measuring_lab

    engine = find_engine(_ENGINE)
    with measuring_lab(tool()):
        with shown() as progress:
            engine.check_toolchain()
            build(engine.build, progress)
        keep_locks()
        os.execv(engine.build.program, ["bakeoff", "hit", *arguments])  # noqa: S606 — no shell, as intended
