# ruff: noqa: ARG001 — the options are declared for the help and checked here; the engine reads them.
"""`bakeoff hit`: builds the engine, which measures the URL."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NoReturn

import typer

from bakeoff.cli.shared_options import Json
from bakeoff.errors import BakeoffError, UsageError

_ENGINE = "native"
# As which the engine reports errors.
_COMMAND = ("bakeoff", "hit")


def hit(
    url: Annotated[
        str | None,
        typer.Argument(help="URL, such as http://127.0.0.1:3000/path or grpc://127.0.0.1:9090/pkg.Service/Method."),
    ] = None,
    from_curl: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="curl command to take the request from, in quotes.")
    ] = None,
    users: Annotated[int, typer.Option("--users", "-u", "-c", min=1, max=100_000, help="Virtual users.")] = 64,
    short: Annotated[
        list[str] | None, typer.Option("-d", help="A duration such as 10s sets --duration; anything else sets --data.")
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--duration", "-z", help="Duration of the measurement, such as 10s or 2m. [10s]")
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option("--requests", "-n", min=1, max=10**12, help="Number of requests, instead of a duration."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", "-q", min=0.1, max=1e6, help="Open model: requests per second.")
    ] = None,
    arrivals: Annotated[
        str | None, typer.Option(help="With --rate: distribution of arrivals, constant or poisson. [constant]")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", "-m", "-X", help="HTTP method. [GET, or POST with a body]")
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option("--header", "-H", help="HTTP header or gRPC metadata, as 'Name: value'; may be repeated."),
    ] = None,
    data: Annotated[str | None, typer.Option("--data", help="Body, @FILE, or @- for standard input.")] = None,
    form: Annotated[
        list[str] | None,
        typer.Option("--form", "-F", help="Part of a multipart form, as curl's: NAME=VALUE or NAME=@FILE; repeatable."),
    ] = None,
    content_type: Annotated[
        str | None, typer.Option("--type", "-T", help="Content type of the body. [application/json]")
    ] = None,
    basic: Annotated[
        str | None, typer.Option(metavar="USER:PASSWORD", help="Basic authentication, or its file after an @.")
    ] = None,
    bearer: Annotated[str | None, typer.Option(metavar="TOKEN", help="Bearer token, or its file after an @.")] = None,
    disable_keepalive: Annotated[
        bool, typer.Option("--disable-keepalive", help="Open a connection for each request.")
    ] = False,
    http2: Annotated[
        bool, typer.Option("--http2", help="HTTP/2: by ALPN with https, with prior knowledge with http.")
    ] = False,
    resolve: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST:PORT:ADDRESS", help="Connect to this address for the URL's host and port."),
    ] = None,
    unix_socket: Annotated[Path | None, typer.Option(metavar="PATH", help="Connect to this Unix socket.")] = None,
    connections: Annotated[
        int | None, typer.Option(min=1, help="Connections that the virtual users share. [one each]")
    ] = None,
    timeout: Annotated[str, typer.Option(help="Timeout of a request.")] = "30s",
    warm_up: Annotated[
        str | None, typer.Option(help="Duration of the warm-up, which is not counted. [1s; none with --requests]")
    ] = None,
    ramp: Annotated[
        str | None, typer.Option(metavar="TIME", help="Raise the load in ten steps during this time before.")
    ] = None,
    think: Annotated[
        str | None, typer.Option(metavar="TIME", help="Pause of a user between a reply and its next request.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads that send requests.")] = 1,
    expect: Annotated[
        int | None, typer.Option(min=100, max=599, help="Expected status. [that of a first request]")
    ] = None,
    json: Json = False,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print the text format of Prometheus.")] = False,
    output: Annotated[
        list[Path] | None, typer.Option("--output", "-o", metavar="FILE", help="Write the JSON to this file too.")
    ] = None,
    otlp: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="After the measurement, send the figures to this OpenTelemetry collector by OTLP over HTTP, such as "
            "http://127.0.0.1:4318; needs bakeoff[otlp].",
        ),
    ] = None,
    no_capacity: Annotated[
        bool, typer.Option("--no-capacity", help="Do not measure the generator's own limit.")
    ] = False,
    ca_file: Annotated[
        Path | None,
        typer.Option("--ca-file", "--cacert", help="CA certificates to trust, or the server's own."),
    ] = None,
    insecure: Annotated[bool, typer.Option("--insecure", "-k", help="Accept any certificate.")] = False,
    cert: Annotated[Path | None, typer.Option(help="The client's own certificate, with its chain.")] = None,
    key: Annotated[Path | None, typer.Option(help="The private key of --cert.")] = None,
    server_name: Annotated[str | None, typer.Option(help="Name that the certificate must match. [the host]")] = None,
    slots: Annotated[bool, typer.Option("--slots", help="Fill slots such as ${uuid} in path and body.")] = False,
    payload: Annotated[str | None, typer.Option(help="Send JSON of about this size, such as 4k.")] = None,
    bodies: Annotated[Path | None, typer.Option(help="Send a random line of this file as the body.")] = None,
    urls: Annotated[
        Path | None,
        typer.Option(help="Send to a random line of this file: URLs or paths of one server."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="Fill ${column} in path, headers and body from a random row."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of random values.")] = 1,
    proto: Annotated[Path | None, typer.Option(help="The service's .proto file. [reflection]")] = None,
    import_path: Annotated[Path | None, typer.Option(help="Folder in which imports are found.")] = None,
    descriptor_set: Annotated[Path | None, typer.Option(help="FileDescriptorSet of the service.")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Send messages on one stream per connection.")] = False,
    window: Annotated[int, typer.Option(min=1, max=4096, help="With --stream: messages in flight per user.")] = 1,
) -> None:
    """Measure one URL, without a workload or a contract."""
    arguments = _own_arguments(sys.argv)
    if otlp is not None:
        _check_otlp(otlp)
    try:
        own = arguments if from_curl is None else _of_curl(from_curl, arguments)
        if otlp is None:
            measure_with_engine(own)
        raise typer.Exit(_measured_and_sent(own, otlp))
    except KeyboardInterrupt as error:
        raise BakeoffError("interrupted before anything was sent.", exit_code=130) from error


def _own_arguments(arguments: list[str]) -> list[str]:
    """What follows the command's name, which options of all commands may precede."""
    place = 3 if arguments[1] == "--project" else 1
    return arguments[place + 1 :]


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
    from bakeoff.running.lock import keep_locks

    with _built_engine() as program:
        keep_locks()
        os.execv(program, [*_COMMAND, *arguments])  # noqa: S606 — no shell, as intended


def _check_otlp(url: str) -> None:
    from bakeoff.cli.metric_outputs import require_otlp
    from bakeoff.options.otlp_endpoint import otlp_endpoint

    try:
        otlp_endpoint(url)
    except UsageError as error:
        raise UsageError(f"--otlp: {error.message}") from error
    require_otlp()


def _measured_and_sent(arguments: Sequence[str], url: str) -> int:
    """The engine's exit status: whatever it was, the figures are sent where there are any."""
    from bakeoff.cli.curl_arguments import without_option
    from bakeoff.cli.metric_outputs import send_otlp
    from bakeoff.processes.children import to_its_end
    from bakeoff.reporting.metrics.of_hit import phase_of_hit, read_hit_result
    from bakeoff.running.environment import machine_name

    with TemporaryDirectory() as folder:
        file = Path(folder) / "hit.json"
        with _built_engine() as program:
            own = ["--output", str(file), *without_option(arguments, "--otlp")]
            status = to_its_end([*_COMMAND, *own], program)
        result = read_hit_result(file)
    if result is not None:
        send_otlp([phase_of_hit(result, machine_name())], url)
    return status


@contextmanager
def _built_engine() -> Iterator[Path]:
    """The engine's program. No other lab measures during the block."""
    from bakeoff.cli.progress_display import shown
    from bakeoff.comparing.preparation import build
    from bakeoff.engines.manifest import find_engine
    from bakeoff.project import tool
    from bakeoff.running.lock import measuring_lab

    engine = find_engine(_ENGINE)
    with measuring_lab(tool()):
        with shown() as progress:
            engine.check_toolchain()
            build([engine.build], progress)
        yield engine.build.program
