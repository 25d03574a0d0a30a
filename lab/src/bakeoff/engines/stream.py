"""Reads a result stream: JSON lines → records, checked as they come."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bakeoff.documents import first_problem
from bakeoff.errors import BakeoffError

Record = dict[str, Any]

VERSION = 1

_TYPES = ("start", "phase_start", "second", "phase_end", "note", "end")


class StreamError(BakeoffError):
    """A line that is no record of the stream, or a stream of another version."""


def read_records(lines: Iterable[bytes], schema: Path, source: str) -> Iterator[Record]:
    """Records of a stream, each valid by contract/schemas/stream.schema.json. `source` names it in errors."""
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except ValueError as error:
            reason = f"not JSON ({error}). The engine was cut off"
            raise StreamError(f"{source}, line {number}: {reason}.") from error
        if number == 1 and isinstance(record, dict) and record.get("version") not in (None, VERSION):
            raise StreamError(
                f"{source} is of version {record['version']}, and this lab reads {VERSION}. Update the older one."
            )
        kind = record.get("type") if isinstance(record, dict) else None
        problem = first_problem(record, schema, kind) if kind in _TYPES else f"type: {kind!r} is not known"
        if problem:
            raise StreamError(f"{source}, line {number}: breaks {schema.name}: {problem}.")
        yield record
