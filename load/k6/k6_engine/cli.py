"""The command: `engine.py --k6 PATH --plan PLAN.json`."""

import argparse
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from k6_engine.k6_process import K6Error
from k6_engine.plan import Plan, PlanError, read_plan, refusal
from k6_engine.records import Stream
from k6_engine.session import Session

DONE, FAILED, USAGE = 0, 1, 2


class StopRequest:
    """Remembers that SIGINT or SIGTERM arrived."""

    def __init__(self) -> None:
        self._arrived = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._remember)

    def __call__(self) -> bool:
        return self._arrived

    def _remember(self, _number: int, _frame: object) -> None:
        self._arrived = True


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        plan = read_plan(options.plan)
    except PlanError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    try:
        return _run(plan, options.k6, Stream(sys.stdout))
    except BrokenPipeError:
        # The reader has closed the output. Python would complain once more when it closes the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("error: the reader of the result stream went away", file=sys.stderr)
        return FAILED


def _run(plan: Plan, k6: Path, stream: Stream) -> int:
    interrupted = StopRequest()
    session = Session(plan, k6, stream, interrupted)
    reason = refusal(plan)
    if reason is not None:
        session.write_start("unknown")
        return _fail(stream, reason, USAGE)
    try:
        session.run()
    except K6Error as error:
        return _fail(stream, str(error), FAILED)
    if interrupted():
        stream.end("interrupted", "stopped on request; requests in flight were abandoned and are not counted")
    else:
        stream.end("completed", "")
    return DONE


def _fail(stream: Stream, message: str, status: int) -> int:
    stream.note("error", message)
    stream.end("failed", message.splitlines()[0])
    print(f"error: {message}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="engine.py", description="Loads a target with k6 as a plan says; writes the result stream to stdout."
    )
    found = shutil.which("k6")
    parser.add_argument("--k6", type=Path, default=Path(found or "k6"), metavar="PATH", help="the k6 program")
    parser.add_argument("--plan", type=Path, required=True, metavar="PLAN.json", help="what to do, from the lab")
    return parser
