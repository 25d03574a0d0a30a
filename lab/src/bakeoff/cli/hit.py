"""`bakeoff hit`: builds the engine, which measures the URL."""

import inspect
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NoReturn

import typer

from bakeoff.cli.parameters import parameter, with_parameters
from bakeoff.cli.shared_options import Json
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import COMMAND

_ENGINE = "native"
# The engine would take what begins with a dash for an option.
_DURATIONS = ("duration", "timeout", "warm_up", "ramp", "think")
# As which the engine reports errors.
_COMMAND = ("bakeoff", "hit")


def _option(flags: str, kind: Any, help: str, default: object = None, **described: Any) -> inspect.Parameter:
    """An option as the library reads it from a function's signature."""
    names, default = flags.split(), False if kind is bool else default
    declared = typer.Option(*names, help=help, **described)
    accepted = kind if default is not None else kind | None
    return parameter(names[0].lstrip("-").replace("-", "_"), Annotated[accepted, declared], default)


# Declared for the help and checked here; the engine reads them.
_PARAMETERS = (
    parameter(
        "url",
        Annotated[
            str | None,
            typer.Argument(help="URL, such as http://127.0.0.1:3000/path or grpc://127.0.0.1:9090/pkg.Service/Method."),
        ],
    ),
    _option("--from-curl", str, "curl command to take the request from, in quotes.", metavar="COMMAND"),
    _option("--users -u -c", int, "Virtual users.", 64, min=1, max=100_000),
    _option("-d", list[str], "A duration such as 10s sets --duration; anything else sets --data."),
    _option("--duration -z", str, "Duration of the measurement, such as 10s or 2m. [10s]"),
    _option("--requests -n", int, "Number of requests, instead of a duration.", min=1, max=10**12),
    _option("--rate -q", float, "Open model: requests per second.", min=0.1, max=1e6),
    _option("--arrivals", str, "With --rate: distribution of arrivals, constant or poisson. [constant]"),
    _option("--method -m -X", str, "HTTP method. [GET, or POST with a body]"),
    _option("--header -H", list[str], "HTTP header or gRPC metadata, as 'Name: value'; may be repeated."),
    _option("--data", str, "Body, @FILE, or @- for standard input."),
    _option("--form -F", list[str], "Part of a multipart form, as curl's: NAME=VALUE or NAME=@FILE; repeatable."),
    _option("--type -T", str, "Content type of the body. [application/json]"),
    _option("--basic", str, "Basic authentication, or its file after an @.", metavar="USER:PASSWORD"),
    _option("--bearer", str, "Bearer token, or its file after an @.", metavar="TOKEN"),
    _option("--disable-keepalive", bool, "Open a connection for each request."),
    _option("--http2", bool, "HTTP/2: by ALPN with https, with prior knowledge with http."),
    _option(
        "--resolve", list[str], "Connect to this address for the URL's host and port.", metavar="HOST:PORT:ADDRESS"
    ),
    _option("--unix-socket", Path, "Connect to this Unix socket.", metavar="PATH"),
    _option("--connections", int, "Connections that the virtual users share. [one each]", min=1),
    _option("--timeout", str, "Timeout of a request.", "30s"),
    _option("--warm-up", str, "Duration of the warm-up, which is not counted. [1s; none with --requests]"),
    _option("--ramp", str, "Raise the load in ten steps during this time before.", metavar="TIME"),
    _option("--think", str, "Pause of a user between a reply and its next request.", metavar="TIME"),
    _option("--threads", int, "Threads that send requests.", 1, min=1, max=256),
    _option("--expect", int, "Expected status. [that of a first request]", min=100, max=599),
    parameter("json", Json, default=False),
    _option("--prometheus", bool, "Print the text format of Prometheus."),
    _option("--output -o", list[Path], "Write the JSON to this file too.", metavar="FILE"),
    _option(
        "--otlp",
        str,
        "After the measurement, send the figures to this OpenTelemetry collector by OTLP over HTTP, such as "
        "http://127.0.0.1:4318; needs bakeoff[otlp].",
        metavar="URL",
    ),
    _option("--no-capacity", bool, "Do not measure the generator's own limit."),
    _option("--ca-file --cacert", Path, "CA certificates to trust, or the server's own."),
    _option("--insecure -k", bool, "Accept any certificate."),
    _option("--cert", Path, "The client's own certificate, with its chain."),
    _option("--key", Path, "The private key of --cert."),
    _option("--server-name", str, "Name that the certificate must match. [the host]"),
    _option("--slots", bool, "Fill slots such as ${uuid} in path and body."),
    _option("--payload", str, "Send JSON of about this size, such as 4k."),
    _option("--bodies", Path, "Send a random line of this file as the body."),
    _option("--urls", Path, "Send to a random line of this file: URLs or paths of one server."),
    _option("--csv", Path, "Fill ${column} in path, headers and body from a random row."),
    _option("--seed", int, "Seed of random values.", 1),
    _option("--proto", Path, "The service's .proto file. [reflection]"),
    _option("--import-path", Path, "Folder in which imports are found."),
    _option("--descriptor-set", Path, "FileDescriptorSet of the service."),
    _option("--stream", bool, "Send messages on one stream per connection."),
    _option("--window", int, "With --stream: messages in flight per user.", 1, min=1, max=4096),
)


@with_parameters(_PARAMETERS)
def hit(url: str | None, otlp: str | None, from_curl: str | None, **of_the_engine: object) -> None:
    """Measure one URL, without a workload or a contract."""
    if url is None and from_curl is None:
        raise UsageError(f"Missing argument: name a URL, such as {COMMAND} hit http://127.0.0.1:3000/path.")
    for name in _DURATIONS:
        if str(value := of_the_engine[name]).startswith("-"):
            raise UsageError(f'--{name.replace("_", "-")}: "{value}" is not a duration: write 500ms, 10s or 2m.')
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
