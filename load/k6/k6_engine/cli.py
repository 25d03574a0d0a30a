"""The command: `engine.py --k6 PATH --plan PLAN.json`."""

import argparse
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from k6_engine.instructions import Instructions
from k6_engine.k6_process import K6Error
from k6_engine.plan import Plan, PlanError, plan_of, read_plan, refusal
from k6_engine.records import Stream
from k6_engine.segment import WHOLE, Segment, segment_of
from k6_engine.session import Session
from k6_engine.start import AtOnce, WhenInstructed

DONE, FAILED, USAGE = 0, 1, 2
# In the place of a plan's file: it is the first line of standard input, and instructions follow.
_STANDARD_INPUT = "-"


class StopRequest:
    """Remembers that SIGINT, SIGTERM or the instruction to stop arrived."""

    def __init__(self, instructions: Instructions | None) -> None:
        self._arrived = False
        self._instructions = instructions
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._remember)

    def __call__(self) -> bool:
        return self._arrived or (self._instructions is not None and self._instructions.are_over())

    def _remember(self, _number: int, _frame: object) -> None:
        self._arrived = True


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    instructions = Instructions(sys.stdin.fileno()) if options.plan == _STANDARD_INPUT else None
    try:
        plan = _plan(options.plan, options.agent, instructions)
    except PlanError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE
    try:
        return _run(plan, options.k6, Stream(sys.stdout), instructions)
    except BrokenPipeError:
        # The reader has closed the output. Python would complain once more when it closes the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("error: the reader of the result stream closed it", file=sys.stderr)
        return FAILED


def _plan(named: str, segment: Segment, instructions: Instructions | None) -> Plan:
    if instructions is None:
        return read_plan(Path(named), segment)
    content = instructions.plan()
    if content is None:
        raise PlanError("standard input ended before the plan, which is its first line")
    return plan_of(content, "of standard input", segment)


def _run(plan: Plan, k6: Path, stream: Stream, instructions: Instructions | None) -> int:
    interrupted = StopRequest(instructions)
    start = AtOnce() if instructions is None else WhenInstructed(instructions, stream, interrupted)
    session = Session(plan, k6, stream, interrupted, start)
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
    parser.add_argument("--plan", required=True, metavar="PLAN.json", help="what to do; -: from standard input")
    parser.add_argument(
        "--agent", type=_segment, default=WHOLE, metavar="K/N", help="be the K-th of N engines that divide the plan"
    )
    return parser


def _segment(text: str) -> Segment:
    try:
        return segment_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
