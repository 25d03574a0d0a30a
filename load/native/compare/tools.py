"""The tools: the command of each for a load, and the place of its figures in its output."""

import json
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from figures import PERCENTILES, Figures
from load import TEXT, Load

HERE = Path(__file__).resolve().parent
SATURATION, RATE = "saturation", "rate"
_GRPC_PATH = "compare.Echo/Send"
_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True)
class Tool:
    """A load generator. `loads` are the pairs of protocol and model that it supports."""

    name: str
    program: str
    version: Sequence[str]
    loads: frozenset[tuple[str, str]]
    command: Callable[[Load], list[str]]
    read: Callable[[str, Load], Figures]
    # Measures from the instant at which a request was due, so that a stall is seen by all that it kept waiting.
    corrects: bool = False


def _native_command(load: Load) -> list[str]:
    # Nothing but the load: its CPU is compared.
    shared = ["-u", str(load.connections), "-d", f"{load.seconds}s", "--warm-up", "0", "--no-capacity", "--json", "--slots"]
    rate = [] if load.rate is None else ["--rate", str(load.rate)]
    if load.protocol == "grpc":
        body = ["--proto", str(HERE / "echo.proto"), "-d", '{"text":"${uuid}' + TEXT[36:] + '"}']
        return ["hit", f"grpc://127.0.0.1:{load.port}/{_GRPC_PATH}", *shared, *rate, *body]
    body = ["-d", '{"id":"${uuid}","price":${decimal 1.00 99.00},"text":"' + TEXT[70:] + '"}']
    return ["hit", load.origin, "--expect", "200", *shared, *rate, *body]


def _native(output: str, _load: Load) -> Figures:
    report = json.loads(output)
    return Figures(report["ok"], report["duration_s"], {number: report["percentiles_ms"][f"p{number}"] for number in PERCENTILES})


def _wrk_command(load: Load) -> list[str]:
    rate = [] if load.rate is None else [f"-R{load.rate}"]
    shared = ["-t1", f"-c{load.connections}", f"-d{load.seconds}s", "--latency", *rate]
    return [*shared, "-s", str(HERE / "wrk.lua"), load.origin]


def _wrk(output: str, _load: Load) -> Figures:
    counted = re.search(r"(\d+) requests in ([\d.]+)s", output)
    assert counted is not None, output

    def percentile(number: int) -> float:
        found = re.search(rf"^\s*{number}(?:\.000)?%\s+([\d.]+)(us|ms|s)", output, re.MULTILINE)
        assert found is not None, output
        return float(found[1]) * _MS[found[2]]

    return Figures(int(counted[1]), float(counted[2]), {number: percentile(number) for number in PERCENTILES})


def _oha_command(load: Load) -> list[str]:
    rate = [] if load.rate is None else ["-q", str(load.rate), "--latency-correction"]
    shared = ["-c", str(load.connections), "-z", f"{load.seconds}s", "--no-tui", "--output-format", "json"]
    body = ["-m", "POST", "-T", "application/json", "-d", json.dumps({"text": TEXT})]
    return [*shared, *rate, *body, load.origin]


def _oha(output: str, _load: Load) -> Figures:
    report = json.loads(output)
    times_ms = {number: report["latencyPercentiles"][f"p{number}"] * 1000 for number in PERCENTILES}
    return Figures(report["statusCodeDistribution"].get("200", 0), report["summary"]["total"], times_ms)


def _h2load_command(load: Load) -> list[str]:
    shared = ["-t1", "-c", str(load.connections), "-D", str(load.seconds)]
    if load.rate is not None:
        shared += [f"--rps={load.rate / load.connections}", f"--log-file={_h2load_log(load)}"]
    body = load.folder / "h2load.body"
    if load.protocol == "http":
        body.write_text(json.dumps({"text": TEXT}))
        return ["--h1", *shared, "-d", str(body), "-H", "content-type: application/json", load.origin]
    message = b"\x0a" + bytes([len(TEXT) & 0x7F | 0x80, len(TEXT) >> 7]) + TEXT.encode()
    body.write_bytes(b"\0" + len(message).to_bytes(4, "big") + message)
    headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    return [*shared, "-d", str(body), *headers, f"{load.origin}/{_GRPC_PATH}"]


def _h2load(output: str, load: Load) -> Figures:
    counted = re.search(r"(\d+) succeeded", output)
    assert counted is not None, output
    if load.rate is None:
        return Figures(int(counted[1]), load.seconds, {})
    # A line for each request: when, status, microseconds.
    times_ms = [int(line.split()[2]) / 1000 for line in _h2load_log(load).read_text().splitlines()]
    percentiles = statistics.quantiles(times_ms, n=100)
    return Figures(int(counted[1]), load.seconds, {number: percentiles[number - 1] for number in PERCENTILES})


def _h2load_log(load: Load) -> Path:
    return load.folder / "h2load.log"


def _ghz_command(load: Load) -> list[str]:
    rate = [] if load.rate is None else ["-r", str(load.rate)]
    shared = ["-c", str(load.connections), "--connections", str(load.connections), "-z", f"{load.seconds}s"]
    call = ["--insecure", "--proto", str(HERE / "echo.proto"), "--call", _GRPC_PATH, "-d", json.dumps({"text": TEXT})]
    return [*shared, *rate, *call, "-O", "json", f"127.0.0.1:{load.port}"]


def _ghz(output: str, _load: Load) -> Figures:
    report = json.loads(output)
    times_ms = {entry["percentage"]: entry["latency"] / 1e6 for entry in report["latencyDistribution"]}
    return Figures(report["statusCodeDistribution"].get("OK", 0), report["total"] / 1e9, times_ms)


def _k6_command(load: Load) -> list[str]:
    settings = {
        "PROTOCOL": load.protocol,
        "PORT": load.port,
        "CONNECTIONS": load.connections,
        "SECONDS": load.seconds,
        "RATE": load.rate or "",
        "TEXT": TEXT,
        "PROTO_FOLDER": HERE,
    }
    variables = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    return ["run", "--quiet", "--no-usage-report", "--address=", *variables, str(HERE / "k6.js")]


def _k6(output: str, load: Load) -> Figures:
    report = json.loads(output)
    return Figures(report["count"], load.seconds, {number: report[f"p({number})"] for number in PERCENTILES})


def _loads(protocols: Sequence[str], models: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset((protocol, model) for protocol in protocols for model in models)


_BOTH = _loads(("http", "grpc"), (SATURATION, RATE))

TOOLS: tuple[Tool, ...] = (
    Tool("native", "bakeoff-load", ["--version"], _BOTH, _native_command, _native, corrects=True),
    Tool("wrk, Lua body", "wrk", ["-v"], _loads(["http"], [SATURATION]), _wrk_command, _wrk),
    Tool("wrk2, Lua body", "wrk2", ["-v"], _loads(["http"], [RATE]), _wrk_command, _wrk, corrects=True),
    Tool("oha", "oha", ["--version"], _loads(["http"], [SATURATION, RATE]), _oha_command, _oha, corrects=True),
    Tool("h2load", "h2load", ["--version"], _BOTH, _h2load_command, _h2load),
    Tool("ghz", "ghz", ["--version"], _loads(["grpc"], [SATURATION, RATE]), _ghz_command, _ghz),
    Tool("k6", "k6", ["version"], _BOTH, _k6_command, _k6),
)
