"""k6's CSV rows: the few that matter, out of about thirteen for each request.

Blocks of whole lines are searched with one compiled pattern per metric, because a pattern that begins with a literal
runs at memory speed, and a Python loop over every line would not.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEADER = b"metric_name,timestamp,metric_value,error_code,name,status,extra_tags,metadata"

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tags:
    """The tags of a row; empty where k6 has none."""

    call: str
    status: str
    error_code: str
    phase: int | None
    kind: str


@dataclass(frozen=True)
class Rows:
    """Rows of one metric with the same tags: when each was taken (Unix microseconds), and its value."""

    tags: Tags
    times_us: Ints
    values: Floats


class RowReader:
    """Finds rows in what k6 wrote, which comes in blocks that may end in the middle of a line."""

    def __init__(self, metrics: tuple[str, ...]) -> None:
        self._patterns = {metric: re.compile(rb"\n%b,(\d+),([-\d.]+),([^\n]*)" % metric.encode()) for metric in metrics}
        self._tags: dict[bytes, Tags] = {}
        self._rest = b"\n"

    def read(self, block: bytes) -> dict[str, list[Rows]]:
        """The rows of each metric that this block completes."""
        text = self._rest + block
        end = text.rfind(b"\n")
        # The line break is kept: it is the beginning of every pattern.
        self._rest = text[end:]
        lines = text[:end]
        return {metric: list(self._rows(pattern, lines)) for metric, pattern in self._patterns.items()}

    def _rows(self, pattern: re.Pattern[bytes], lines: bytes) -> Iterator[Rows]:
        found: dict[bytes, list[tuple[bytes, bytes]]] = defaultdict(list)
        for time, value, tags in pattern.findall(lines):
            found[tags].append((time, value))
        for tags, pairs in found.items():
            columns = np.array(pairs, dtype=np.bytes_)
            yield Rows(self._parsed(tags), columns[:, 0].astype(np.int64), columns[:, 1].astype(np.float64))

    def _parsed(self, text: bytes) -> Tags:
        tags = self._tags.get(text)
        if tags is None:
            tags = self._tags[text] = _parse(text.decode())
        return tags


def _parse(text: str) -> Tags:
    error_code, call, status, extra, _metadata = text.split(",")
    more = dict(pair.split("=", 1) for pair in extra.split("&") if pair)
    phase = int(more["phase"]) if "phase" in more else None
    return Tags(call, status, error_code, phase, more.get("kind", ""))
