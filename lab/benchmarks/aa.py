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

from bakeoff.judging.estimates import RatioTest, ratio_of
from bakeoff.judging.family import Decision, Key, decisions_of

_BAKEOFF = Path(__file__).parents[2] / "bakeoff"


def main() -> None:
    """Prints the ratio of each pair, and how many differed."""
    pairs, rounds, options = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    tests: dict[Key, RatioTest] = {}
    for number in range(1, pairs + 1):
        report = _report(["run", "quick", "--aa", "--rounds", rounds, "--json", *options])
        for each in report["pairings"]:
            tests["pair", str(len(tests))] = ratio_of([math.log(value) for value in each["ratio"]["values"]])
        print(f"{number} of {pairs}: {len(tests)} pairs", flush=True)
    decisions = decisions_of(tests).values()
    for decision in decisions:
        print(_words(decision))
    print(f"{sum(decision.differs for decision in decisions)} of {len(tests)} A/A pairs differed")


def _report(arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run([_BAKEOFF, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"./bakeoff {' '.join(arguments)} printed no report (exit status {done.returncode}).")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _words(decision: Decision) -> str:
    ratio, p_value = decision.ratio, decision.p_adjusted
    if ratio.low is None or ratio.high is None or p_value is None:
        return f"{ratio.median:.3f}×, too few rounds"
    return f"{ratio.median:.3f}× ({ratio.interval_name} {ratio.low:.3f} to {ratio.high:.3f}), adjusted p {p_value:.2g}"


if __name__ == "__main__":
    main()
