"""How often the intervals of `run rate --slo` contain the truth: `python lab/benchmarks/rate_search.py [TIMES]`.

Simulates searches of two targets, interleaved trial by trial, on a machine that drifts. For docs/METHOD_APPENDIX.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from simulated_search import DRIFTS, Drifting, searched

_NOISE, _DRIFTS = (0.001, 0.02, 0.05), (0.1, 0.17)


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("| drift | noise of a trial | limit | ratio | trials of a target |\n|---|---:|---:|---:|---:|")
    cases = [("steady", 0.0), *((shape, drift) for shape in DRIFTS if shape != "steady" for drift in _DRIFTS)]
    for shape, drift in cases:
        for noise in _NOISE:
            found = [searched(Drifting(shape, drift, noise), seed) for seed in range(times)]
            limit, ratio, trials = (
                sum(getattr(each, name) for each in found) / times for name in ("has_limit", "has_ratio", "trials")
            )
            words = shape if shape == "steady" else f"{drift:.0%}, {shape}"
            print(f"| {words} | {noise:.1%} | {limit:.0%} | {ratio:.0%} | {trials:.1f} |")


if __name__ == "__main__":
    main()
