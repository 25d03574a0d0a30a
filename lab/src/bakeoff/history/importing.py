"""Result files back into the metrics database: after it was unavailable, or from another project."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.judging.fastest import store_fastest
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.document import StoredDocument
from bakeoff.results.result_files import read_result_file, result_files
from bakeoff.storage.metrics_store import MetricsStore, insert_comparison, insert_run

_FIND = """
SELECT id FROM test_runs
WHERE target = %s AND test_mode = %s AND payload_size = %s AND started_at = %s
"""
_FIND_COMPARISON = "SELECT id FROM comparisons WHERE started_at = %s AND command = %s"
_EXTEND = "UPDATE comparisons SET finished_at = %s WHERE id = %s AND status = 'completed' AND finished_at < %s"

# Content of a valid document that PostgreSQL or its driver does not take: characters that are none,
# figures and moments past the ends of their types.
_REFUSED = (psycopg.Error, ValueError, OverflowError)


@dataclass
class Import:
    """The outcome of an import: runs stored with their new ids, the number already there, and problems of files."""

    stored: list[tuple[Path, int]] = field(default_factory=list)
    present: int = 0
    problems: list[str] = field(default_factory=list)


def import_files(project: Project, server: Server, paths: Iterable[Path]) -> Import:
    """Stores the runs of each file, or of each file in a folder, that are not stored yet.

    A file that cannot be read or stored does not stop the others.
    """
    result = Import()
    changed = set()
    for path in _files(paths):
        try:
            documents = read_result_file(project, path)
        except BakeoffError as error:
            result.problems.append(error.message)
            continue
        for document in documents:
            try:
                added = _add(server, document)
            except _REFUSED as error:
                words = " ".join(str(error).split())
                result.problems.append(f"{project.relative(path)} cannot be stored: {words}")
                continue
            if added is None:
                result.present += 1
            else:
                comparison_id, run_id = added
                changed.add(comparison_id)
                result.stored.append((path, run_id))
    for comparison_id in changed:
        store_fastest(MetricsStore(server), comparison_id)
    return result


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        yield from result_files(path) if path.is_dir() else (path,)


def _add(server: Server, document: StoredDocument) -> tuple[int, int] | None:
    """Stores a run, and its comparison if it is not stored yet; returns their ids, comparison first.

    None where the run is there already.
    """
    run = document.run
    with server.connect() as connection, connection.transaction():
        if connection.execute(_FIND, [run.target, run.mode, run.payload, run.started_at]).fetchone() is not None:
            return None
        comparison_id = _comparison_of(connection, document)
        return comparison_id, insert_run(connection, comparison_id, run)


def _comparison_of(connection: "psycopg.Connection[Any]", document: StoredDocument) -> int:
    """The id of the comparison that the run belongs to, which is stored too if it is not yet."""
    origin, finished_at = document.origin, document.run.finished_at
    found = connection.execute(_FIND_COMPARISON, [origin.started_at, origin.command]).fetchone()
    if found is not None:
        connection.execute(_EXTEND, [finished_at, found[0], finished_at])
        return int(found[0])
    return insert_comparison(connection, origin, {"finished_at": finished_at, "status": "completed"})
