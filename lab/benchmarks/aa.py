"""Whether equal contenders are called different here: `python lab/benchmarks/aa.py PAIRS ROUNDS [OPTION...]`.

Runs `./bakeoff run quick --aa` so many times, each with one target twice in interleaved rounds, and counts the pairs
that differ by the rule of the finding `aa-difference`: Student's test of the ratios round by round, with Holm's
correction over all pairs. Each is a false difference. For docs/RESULTS.md, on a machine that is left alone:

    .bakeoff/venv/bin/python lab/benchmarks/aa.py 6 10 -t producer-api-rust-rest --users 64

Six targets in one comparison are six pairs too: `./bakeoff run quick --aa --rounds 10 --users 64`.
"""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

from bakeoff.judging.estimates import RatioTest, holm, ratio_of

_BAKEOFF = Path(__file__).parents[2] / "bakeoff"


def main() -> None:
    """Prints the ratio of each pair, and how many differed."""
    pairs, rounds, options = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    tests: list[RatioTest] = []
    for number in range(1, pairs + 1):
        report = _report(["run", "quick", "--aa", "--rounds", rounds, "--json", *options])
        tests += [ratio_of([math.log(value) for value in each["ratio"]["values"]]) for each in report["pairings"]]
        print(f"{number} of {pairs}: {len(tests)} pairs", flush=True)
    different = 0
    for test, p_value in zip(tests, holm([test.p_value for test in tests]), strict=True):
        different += p_value is not None and p_value <= 0.05
        print(_words(test, p_value))
    print(f"{different} of {len(tests)} A/A pairs differed")


def _report(arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run([_BAKEOFF, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"./bakeoff {' '.join(arguments)} printed no report (exit status {done.returncode}).")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _words(test: RatioTest, p_value: float | None) -> str:
    ratio = test.ratio
    if ratio.low is None or ratio.high is None or p_value is None:
        return f"{ratio.median:.3f}×, too few rounds"
    return f"{ratio.median:.3f}× ({ratio.interval_name} {ratio.low:.3f} to {ratio.high:.3f}), adjusted p {p_value:.2g}"


if __name__ == "__main__":
    main()
