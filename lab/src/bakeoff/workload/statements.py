"""The workload's own upsert as SQL text, with rows in the place of its parameters."""

import re
from collections.abc import Sequence

from bakeoff.errors import BakeoffError
from bakeoff.workload.effects import StoredRow
from bakeoff.workload.loader import Workload


def upsert(workload: Workload, arrays: Sequence[str]) -> str:
    """`upsert.sql` with these expressions in the place of `$1`, `$2`, …: arrays of the key's parts and documents."""
    text = workload.sql("upsert")
    if text is None:
        raise BakeoffError(f"{workload.name} has no upsert in workload.toml, so the lab cannot insert rows.")
    statement = re.sub(r"--[^\n]*\n", "", text).strip().rstrip(";")
    # In one pass: a document may hold what looks like a parameter.
    return re.sub(r"\$(\d+)", lambda found: f"({arrays[int(found[1]) - 1]})", statement)


def columns(rows: Sequence[StoredRow]) -> list[list[str]]:
    """The parts of the rows' keys, part by part, and then their documents."""
    return [list(part) for part in zip(*([*row.key, row.document] for row in rows), strict=True)]


def text_array(texts: Sequence[str]) -> str:
    """An SQL array of texts."""
    return "ARRAY[" + ",".join("'" + text.replace("'", "''") + "'" for text in texts) + "]"
