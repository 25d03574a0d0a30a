"""How often verdicts are wrong: `python lab/benchmarks/verdicts.py [TIMES] [CONTENDERS,...]`.

Simulates comparisons with a known truth, judges each with the whole of `judge`, and prints the table of
docs/METHOD.md: how often contenders that are alike are said to differ, and how often a true 10 % is found.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from simulated_machines import CASES, error_rates

_ROUNDS = (3, 5, 10)


def main() -> None:
    """Prints a row for each case and number of contenders."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    contenders = [int(each) for each in sys.argv[2].split(",")] if len(sys.argv) > 2 else [6]
    print(f"{times} comparisons each: wrong among equals / a true 10 % found")
    print(f"| case | contenders | {' | '.join(f'{rounds} rounds' for rounds in _ROUNDS)} |")
    print(f"|---|---:|{'---:|' * len(_ROUNDS)}")
    for name, machine in CASES.items():
        for count in contenders:
            rates = (error_rates(machine, rounds, count, times) for rounds in _ROUNDS)
            cells = (f"{wrong:.1%} / {found:.0%}" for wrong, found in rates)
            print(f"| {name} | {count} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
