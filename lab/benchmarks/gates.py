r"""How often the gate is wrong on this machine: `python lab/benchmarks/gates.py REF TIMES [OPTION...]`.

Runs `./bakeoff gate --against REF` so many times and counts the outcomes. With REF the checkout's own commit every
failure is a false alarm; with a REF whose target is known to be faster every pass is a miss. For docs/RESULTS.md:

    lab/benchmarks/gates.py HEAD 40 -t producer-api-rust-rest --users 64 --phase-duration 3s --warm-up 2s
    lab/benchmarks/gates.py HEAD 20 -t transaction-gateway-local --users 64 --rounds 5 --phase-duration 10s \
        --warm-up 1s --throughput 5

    lab/benchmarks/gates.py HEAD 20 -t grpc-user-service-rest --users 64 --rounds 5 --phase-duration 10s \
        --warm-up 1s --throughput 5

the second and the third in a checkout whose target was made a tenth slower, uncommitted; the third one stores in
PostgreSQL. Leave the machine alone meanwhile.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

_BAKEOFF = Path(__file__).parents[2] / "bakeoff"
_MEANINGS = {0: "passed", 1: "failed", 2: "undecided", 3: "unclear"}


def main() -> None:
    """Prints the outcome of each gate, and how many there were of each."""
    reference, times, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    outcomes: Counter[str] = Counter()
    for number in range(1, times + 1):
        status = subprocess.run([_BAKEOFF, "gate", "--against", reference, *options], check=False).returncode
        outcome = _MEANINGS.get(status, f"exit status {status}")
        outcomes[outcome] += 1
        print(f"gate {number} of {times}: {outcome}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))


if __name__ == "__main__":
    main()
