"""`bakeoff hit`."""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from rich.console import Console

from bakeoff.cli.progress_display import shown_on
from bakeoff.cli.runs_output import print_json
from bakeoff.comparing.preparation import build
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import UsageError
from bakeoff.oneoff.first_request import status_of
from bakeoff.oneoff.measure import measure
from bakeoff.oneoff.text import described, lines_of
from bakeoff.oneoff.url_request import METHODS, OneOff, checked_headers, checked_url
from bakeoff.project import find_project
from bakeoff.running.lock import measuring_lab
from bakeoff.text.durations import seconds_of

_ENGINE = "native"
_LARGEST_BODY = 16 << 20
_DURATION = re.compile(r"[0-9.]+(ms|s|m|h)?")


@dataclass(frozen=True)
class HitOptions:
    """The command line as it was typed."""

    url: str
    users: int
    short: list[str]
    duration: str
    requests: int | None
    rate: float | None
    arrivals: str
    method: str | None
    header: list[str]
    data: str | None
    content_type: str | None
    connections: int | None
    timeout: str
    warm_up: str
    ca_file: Path | None
    expect: int | None
    as_json: bool


def hit_url(options: HitOptions) -> None:
    """Measures one URL and prints the result. Exit status 1 where no request had a good reply."""
    request = request_of(options)
    project = find_project()
    engine = find_engine(project, _ENGINE)
    expect = options.expect or status_of(request)
    with shown_on(Console(stderr=True)) as progress, measuring_lab(project):
        engine.check_toolchain()
        build(engine.build, progress)
        planned_s = None if request.requests is not None else request.warm_up_s + request.duration_s
        progress.step(f"{request.method} {request.url}", planned_s)
        hit = measure(project, engine, request, expect, progress.record)
    if options.as_json:
        print_json(described(request, hit))
    else:
        for line in lines_of(request, hit):
            typer.echo(line)
    if hit.ok == 0:
        raise typer.Exit(1)


def request_of(options: HitOptions) -> OneOff:
    """The request that the options ask for. Raises UsageError for what cannot be sent."""
    options = _written_out(options)
    body = _body(options.data)
    method = (options.method or ("GET" if body is None else "POST")).upper()
    if method not in METHODS:
        raise UsageError(f'There is no method "{options.method}". Methods: {", ".join(METHODS)}.')
    if options.arrivals not in ("constant", "poisson"):
        raise UsageError(f'--arrivals is "{options.arrivals}": write constant or poisson.')
    if options.requests is not None and options.rate is not None:
        raise UsageError("-n counts requests and --rate sends for a duration: leave one of them out.")
    if options.connections is not None and options.connections > options.users:
        raise UsageError(f"--connections is {options.connections}, and only {options.users} --users share them.")
    usual_type = None if body is None else "application/json"
    return OneOff(
        url=checked_url(options.url),
        method=method,
        headers=checked_headers(options.header, options.content_type or usual_type),
        body=body,
        users=options.users if options.requests is None else min(options.users, options.requests),
        duration_s=seconds_of(options.duration),
        requests=options.requests,
        rate_per_s=options.rate,
        arrivals=options.arrivals,
        connections=options.connections,
        timeout_s=seconds_of(options.timeout),
        warm_up_s=seconds_of(options.warm_up, shortest_s=0),
        ca_file=None if options.ca_file is None else options.ca_file.absolute(),
    )


def _written_out(options: HitOptions) -> HitOptions:
    """wrk's -d is a duration and oha's is a body: each -d is what it looks like."""
    for value in options.short:
        is_duration = _DURATION.fullmatch(value) is not None
        options = replace(options, duration=value) if is_duration else replace(options, data=value)
    return options


def _body(data: str | None) -> str | None:
    """The body itself, or what the file after an @ holds, or standard input for @-."""
    if data is None or not data.startswith("@"):
        return data
    name = data[1:]
    try:
        content = sys.stdin.buffer.read(_LARGEST_BODY + 1) if name == "-" else Path(name).read_bytes()
        text = content.decode()
    except OSError as error:
        raise UsageError(f"-d {data}: {name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"-d {data}: {name} is not UTF-8 text, and other bodies cannot be sent.") from error
    if len(content) > _LARGEST_BODY:
        raise UsageError(f"-d {data}: a body may have at most {_LARGEST_BODY >> 20} MiB.")
    return text
