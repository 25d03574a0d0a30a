"""The lab's figures beside oha's for the same requests: `python3 benchmarks/oha.py [REQUESTS] [CONNECTIONS] [RATE]`.

Both send transactions to one gateway, in turn, three times each; printed are the medians, line by line. At full speed
they share the cores with the gateway, so that the one that takes less CPU measures a faster gateway; at a rate that
leaves room, only what each adds to a latency differs. oha must be on PATH: `cargo install oha --locked`.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

import processes

_ROUNDS = 3
_PERCENTILES = ("p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9")

Lines = dict[str, float]


def main() -> None:
    """Prints a line for each figure that both have."""
    if shutil.which("oha") is None:
        sys.exit("oha was not found on PATH: cargo install oha --locked")
    requests = sys.argv[1] if len(sys.argv) > 1 else "25000"
    connections = sys.argv[2] if len(sys.argv) > 2 else "100"
    rate = sys.argv[3] if len(sys.argv) > 3 else None
    lab: list[Lines] = []
    oha: list[Lines] = []
    with processes.local_gateway() as gateway:
        url = f"{gateway}/api/transaction"
        for _ in range(_ROUNDS):
            oha.append(_oha(url, requests, connections, rate))
            lab.append(_lab(url, requests, connections, rate))
    speed = "at full speed" if rate is None else f"at {rate}/s"
    print(f"{requests} requests {speed}, {connections} connections, medians of {_ROUNDS} rounds; latencies in ms\n")
    print(f"{'':<14}{'lab':>12}{'oha':>12}{'lab / oha':>12}")
    for name in lab[0]:
        own, other = (median(each[name] for each in lines) for lines in (lab, oha))
        digits = 0 if own >= 1000 else 3
        print(f"{name:<14}{own:>12,.{digits}f}{other:>12,.{digits}f}{own / other:>12.2f}")


def _lab(url: str, requests: str, connections: str, rate: str | None) -> Lines:
    sent = ["-n", requests] if rate is None else ["-q", rate, "-z", f"{float(requests) / float(rate)}s"]
    hit = processes.hit(url, *sent, "-c", connections, "--data", processes.SALE)
    return _lines(
        hit["requests_per_s"], hit["mean_ms"], hit["min_ms"], hit["percentiles_ms"].__getitem__, hit["max_ms"]
    )


def _oha(url: str, requests: str, connections: str, rate: str | None) -> Lines:
    command = ["oha", "--no-tui", "--output-format", "json", "-n", requests, "-c", connections, "-m", "POST"]
    command += ["-T", "application/json", "-d", processes.SALE]
    # Counted from the instant at which a request is due, as the lab does.
    command += [url] if rate is None else ["-q", rate, "--latency-correction", url]
    done: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    summary, percentiles = done["summary"], done["latencyPercentiles"]
    if summary["successRate"] < 1:
        sys.exit(f"{url}: {done['statusCodeDistribution']} {done['errorDistribution']}")
    return _lines(
        summary["requestsPerSec"],
        summary["average"] * 1000,
        summary["fastest"] * 1000,
        lambda name: percentiles[name] * 1000,
        summary["slowest"] * 1000,
    )


def _lines(rate: float, average: float, fastest: float, percentile: Callable[[str], float], slowest: float) -> Lines:
    percentiles = {name: percentile(name) for name in _PERCENTILES}
    return {"requests/s": rate, "average": average, "fastest": fastest, **percentiles, "slowest": slowest}


if __name__ == "__main__":
    main()
