"""What each operation of a target sends to PostgreSQL: counted by `conform --statements`, kept beside target.toml."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from bakeoff.errors import BakeoffError
from bakeoff.project import COMMAND
from bakeoff.results.statements import OperationStatements
from bakeoff.targets.manifest import Target

_NAME = "statements.toml"
_HEAD = """\
# What one request of each operation sends to PostgreSQL: statements without those that begin and end transactions,
# round trips of all of them, and the rows that they return or change.
# Written by: {command} conform {target} --statements write
"""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    operations: Mapping[str, OperationStatements]


def statements_file(target: Target) -> Path:
    return target.directory / _NAME


def stated(target: Target) -> Mapping[str, OperationStatements]:
    """The kept counts by operation; empty where none are kept. Raises BakeoffError for a file that cannot be read."""
    file = statements_file(target)
    if not file.is_file():
        return {}
    try:
        return msgspec.toml.decode(file.read_bytes(), type=_File).operations
    except msgspec.DecodeError as error:
        words = f"{file}: {error}. Write it again: {COMMAND} conform {target.name} --statements write"
        raise BakeoffError(words) from error


def keep_statements(target: Target, counted: Mapping[str, OperationStatements]) -> None:
    """Replaces the kept counts."""
    lines = [
        f"{name} = {{ statements = {each.statements}, round_trips = {each.round_trips}, rows = {each.rows} }}"
        for name, each in counted.items()
    ]
    head = _HEAD.format(command=COMMAND, target=target.name)
    statements_file(target).write_text("\n".join([f"{head}[operations]", *lines, ""]), "utf-8")


def differences(target: Target, counted: Mapping[str, OperationStatements]) -> list[str]:
    """A sentence for each operation that does not send what is kept. Rows may differ: they depend on what is stored."""
    kept = stated(target)
    found = [
        f"{name}: {each.words}, and {_NAME} says {kept[name].words if name in kept else 'nothing'}."
        for name, each in counted.items()
        if name not in kept or not each.is_as_costly_as(kept[name])
    ]
    return [*found, *(f"{name}: in {_NAME}, and the workload has no such operation." for name in kept.keys() - counted)]
