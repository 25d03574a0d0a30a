"""The workload's own upsert as SQL text, with rows in the place of its parameters."""

import re
from collections.abc import Sequence
from typing import Literal

from bakeoff.errors import BakeoffError
from bakeoff.workload.loader import Workload
from bakeoff.workload.stored_effects import StoredRow


def upsert(workload: Workload, arrays: Sequence[str]) -> str:
    """`upsert.sql` with these expressions in the place of `$1`, `$2`, …: arrays of the key's parts and documents."""
    return _filled(workload, "upsert", arrays)


def upsert_one(workload: Workload, values: Sequence[str]) -> str:
    return _filled(workload, "upsert_one", values)


def _filled(workload: Workload, entry: Literal["upsert", "upsert_one"], expressions: Sequence[str]) -> str:
    text = workload.sql(entry)
    if text is None:
        raise BakeoffError(f"{workload.name} has no {entry}, so the lab cannot insert rows.")
    statement = re.sub(r"--[^\n]*\n", "", text).strip().rstrip(";")
    # In one pass: a document may hold what looks like a parameter.
    return re.sub(r"\$(\d+)", lambda found: f"({expressions[int(found[1]) - 1]})", statement)


def columns(rows: Sequence[StoredRow]) -> list[list[str]]:
    """The parts of the rows' keys, part by part, and then their documents."""
    return [list(part) for part in zip(*([*row.key, row.document] for row in rows), strict=True)]


def text_array(texts: Sequence[str]) -> str:
    return "ARRAY[" + ",".join(text_literal(text) for text in texts) + "]"


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
