"""Whether two agents measure what one measures: `python lab/benchmarks/agents.py RATE ROUNDS [OPTION...]`.

Holds one low arrival rate with one agent, with one agent again, and with two, ROUNDS times in rotating order, and
prints p50, p99 and p99.9 of each, and the ratios round by round to the first series with their intervals. The interval
of the second series of one agent is the noise floor: two agents agree with one where their ratio lies within it. For
docs/lab-notes/scale.md, on a machine that is left alone:

    .bakeoff/venv/bin/python lab/benchmarks/agents.py 500 5 -t producer-api-rust-rest --phase-duration 10s
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bakeoff.judging.estimates import ratio_of

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
    for name in _SERIES:
        words = (_words(each, taken[name][each], taken["one agent"][each]) for each in _PERCENTILES)
        print(f"{name}: {', '.join(words)}")


def _words(percentile: str, values: Sequence[float], first: Sequence[float]) -> str:
    """The median, and the ratio to the first series round by round."""
    words = f"{percentile} {statistics.median(values):.3f} ms"
    if values is first:
        return words
    ratio = ratio_of([math.log(value / other) for value, other in zip(values, first, strict=True)]).ratio
    interval = (
        ""
        if ratio.low is None or ratio.high is None
        else f", {ratio.interval_name} {ratio.low:.3f} to {ratio.high:.3f}"
    )
    return f"{words} ({ratio.median:.3f}×{interval})"


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
