"""Whether equal contenders are called different here: `python lab/benchmarks/aa.py PAIRS ROUNDS [OPTION...]`.

Runs `./bakeoff run quick --aa` so many times, each with one target twice in interleaved rounds, and counts the pairs
that a verdict tells apart and the comparisons with a finding that says so: each is a false difference. For
docs/RESULTS.md, about forty minutes on a machine that is left alone:

    lab/benchmarks/aa.py 6 10 -t producer-api-rust-rest --users 64
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_BAKEOFF = Path(__file__).parents[2] / "bakeoff"
# Findings that are false where both contenders are the same.
_FALSE = ("aa-difference", "contender-drift")


def main() -> None:
    """Prints the ratio of each pair, and how many were told apart."""
    pairs, rounds, options = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    different = 0
    for number in range(1, pairs + 1):
        report = _report(["run", "quick", "--aa", "--rounds", rounds, "--json", *options])
        words = [_words(pairing) for pairing in report["pairings"]]
        found = [each["kind"] for each in report["findings"] if each["kind"] in _FALSE]
        is_different = bool(found) or any(each["verdict"] in ("faster", "slower") for each in report["pairings"])
        different += is_different
        print(f"pair {number} of {pairs}: {', '.join([*words, *found]) or 'no verdict'}", flush=True)
    print(f"{different} of {pairs} A/A pairs were told apart")


def _report(arguments: list[str]) -> dict[str, Any]:
    done = subprocess.run([_BAKEOFF, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"./bakeoff {' '.join(arguments)} printed no report (exit status {done.returncode}).")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _words(pairing: dict[str, Any]) -> str:
    ratio = pairing["ratio"]
    interval = "" if ratio["low"] is None else f" ({ratio['low']:.3f} to {ratio['high']:.3f})"
    return f"{ratio['median']:.3f}×{interval} {pairing['verdict']}"


if __name__ == "__main__":
    main()
