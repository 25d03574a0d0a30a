"""Sampled stacks of a program: functions from the outermost to the innermost, counted. Pure functions."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Stack: TypeAlias = tuple[str, ...]
Stacks: TypeAlias = Counter[Stack]

# A frame of `perf script`, such as `55d0c0ffee <hyper::Conn as Future>::poll (/opt/bin/api)`; its file may be `[heap]`.
_FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<symbol>.*) \((?P<file>[^()]*(?:\([^()]*\))?)\)$")
# What compilers add to a name: Rust a hash, perf the offset.
_ADDED = re.compile(r"(::h[0-9a-f]{16}|\+0x[0-9a-f]+)$")
# py-spy writes `name (file.py:12)`: the line differs between samples of one function.
_LINE = re.compile(r":\d+\)$")
# A smaller change of its share is within what sampling errs by.
_LEAST_GROWTH = 0.01
_UNKNOWN = "[unknown]"


@dataclass(frozen=True)
class Growth:
    """A function and its share of the CPU, without what it calls, in two profiles."""

    function: str
    before: float
    after: float


def stacks_of_perf(lines: Iterator[str]) -> Stacks:
    """The output of `perf script --fields comm,ip,sym,dso`: a block for each sample, the innermost frame first."""
    stacks: Stacks = Counter()
    frames: list[str] = []
    for line in lines:
        if frame := _FRAME.match(line):
            name = _ADDED.sub("", frame["symbol"])
            frames.append(f"[{Path(frame['file']).name or 'unknown'}]" if name == _UNKNOWN else name)
        elif not line.strip() and frames:
            stacks[tuple(reversed(frames))] += 1
            frames = []
    if frames:
        stacks[tuple(reversed(frames))] += 1
    return stacks


def stacks_of_lines(lines: Iterator[str]) -> Stacks:
    """Folded stacks: `outer;inner 12` in each line, as py-spy writes them."""
    stacks: Stacks = Counter()
    for line in lines:
        path, _, count = line.rpartition(" ")
        if path and count.strip().isdecimal():
            stacks[tuple(_LINE.sub(")", frame) for frame in path.split(";"))] += int(count)
    return stacks


def shares_of(stacks: Stacks) -> dict[str, float]:
    """The share of all samples in which each function is the innermost."""
    own: Counter[str] = Counter()
    for stack, count in stacks.items():
        own[stack[-1]] += count
    total = own.total()
    return {name: count / total for name, count in own.items()} if total else {}


def grown(before: Stacks, after: Stacks, most: int = 3) -> list[Growth]:
    """The functions whose share grew most, the one that grew most first; by less than 1% does not count."""
    old, new = shares_of(before), shares_of(after)
    changes = [Growth(name, old.get(name, 0.0), share) for name, share in new.items()]
    larger = [each for each in changes if each.after - each.before >= _LEAST_GROWTH]
    return sorted(larger, key=lambda each: (each.before - each.after, each.function))[:most]
