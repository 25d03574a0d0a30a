"""How long the largest usual report takes and how large it is: `python tests/reporting/benchmark.py`, from lab/."""

import time

from bakeoff.reporting.html import html_report
from bakeoff.reporting.report import report_of
from judgements import SPEEDS, Shape, comparison

LARGE = Shape(tuple(SPEEDS), ("4k", "8k", "32k", "64k"), (10, 50, 100, 200, 500, 1_000, 2_000), 10, 120)


def main() -> None:
    judgement, stored = comparison(LARGE)
    began, cpu_began = time.monotonic(), time.process_time()
    page = html_report(report_of(judgement, stored))
    seconds, cpu_s = time.monotonic() - began, time.process_time() - cpu_began
    print("6 targets × 4 payloads × 7 phases × 10 rounds: ", end="")
    print(f"{seconds:.2f} s ({cpu_s:.2f} s of CPU), {len(page.encode()) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
