"""Whether two agents measure what one measures: `python lab/benchmarks/agents.py RATE ROUNDS [OPTION...]`.

Holds one low arrival rate with one agent, with one agent again, and with two, ROUNDS times in rotating order, and
prints p50, p99 and p99.9 of each. The two series of one agent are the noise floor: two agents agree with one where
their ratio is not further from 1 than that of the second series. For docs/RESULTS.md, on a machine that is left alone:

    .bakeoff/venv/bin/python lab/benchmarks/agents.py 500 5 -t producer-api-rust-rest --phase-duration 10s
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

_BAKEOFF = Path(__file__).parents[2] / "bakeoff"
_PERCENTILES = ("p50", "p99", "p99.9")
# Each series with its number of agents.
_SERIES = {"one agent": 1, "one agent again": 1, "two agents": 2}


def main() -> None:
    """Prints the medians of each series, and their ratios to the first."""
    rate, rounds, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    taken: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in range(rounds):
        names = list(_SERIES)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            for percentile, value in _latency_ms(rate, _SERIES[name], options).items():
                taken[name][percentile].append(value)
            print(f"round {number + 1} of {rounds}: {name}", flush=True)
    first = {percentile: statistics.median(taken["one agent"][percentile]) for percentile in _PERCENTILES}
    for name in _SERIES:
        medians = {percentile: statistics.median(taken[name][percentile]) for percentile in _PERCENTILES}
        words = (f"{each} {medians[each]:.3f} ms ({medians[each] / first[each]:.3f}×)" for each in _PERCENTILES)
        print(f"{name}: {', '.join(words)}")


def _latency_ms(rate: str, agents: int, options: list[str]) -> dict[str, float]:
    """Of one run's last phase, from the file that it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["run", "rate", "--rate", rate, "--agents", str(agents), *options]
        environment = {**os.environ, "BAKEOFF_RESULTS": folder}
        subprocess.run([_BAKEOFF, *command], stdout=subprocess.DEVNULL, env=environment, check=True)
        documents = [json.loads(path.read_text()) for path in Path(folder).glob("*/*.json")]
    (run,) = [document for document in documents if document.get("mode") == "rate"]
    percentiles: dict[str, float] = run["phases"][-1]["measured"]["latency"]["percentiles_ms"]
    return {each: percentiles[each] for each in _PERCENTILES}


if __name__ == "__main__":
    main()
