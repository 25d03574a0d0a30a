"""How often reports are wrong: `python lab/benchmarks/verdicts.py [TIMES] [CONTENDERS,...] [CASE]`.

Simulates comparisons with a known truth, judges each with the whole of `judge`, and prints the table of
docs/METHOD_APPENDIX.md: how many reports on equal contenders, and on equal ones with a faster one, have any false
statement, and how often a true 10 % is found; then how many intervals contain the truth, and in how many reports all
of them do. The comparisons vary three factors and have two operations, three levels
and an equal load.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from simulated_machines import CASES, shares

_ROUNDS = (3, 5, 10)


def main() -> None:
    """Prints a row for each case and number of contenders."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    contenders = [int(each) for each in sys.argv[2].split(",")] if len(sys.argv) > 2 else [2, 6, 12]
    cases = sys.argv[3:] or list(CASES)
    print(
        f"{times} reports each: false on equals / false with a faster one / a true 10 % found"
        " · intervals that contain the truth / reports in which all do"
    )
    print(f"| case | contenders | {' | '.join(f'{rounds} rounds' for rounds in _ROUNDS)} |")
    print(f"|---|---:|{'---:|' * len(_ROUNDS)}")
    for name in cases:
        for count in contenders:
            found = (shares(CASES[name], rounds, count, times) for rounds in _ROUNDS)
            cells = (
                f"{each.wrong_of_equals:.0%} / {each.wrong:.0%} / {each.found:.0%}"
                f" · {each.intervals:.1%} / {each.reports:.0%}"
                for each in found
            )
            print(f"| {name} | {count} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
