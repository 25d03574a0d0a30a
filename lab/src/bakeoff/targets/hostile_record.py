"""How a target held under hostile connections when it was last tried, kept for the runs of the same artifact."""

from pathlib import Path

import msgspec

from bakeoff.project import Project
from bakeoff.targets.manifest import Target

NOT_TRIED = "–"


class HostileRecord(msgspec.Struct, frozen=True):
    """The kinds of hostile connections tried, those under which the artifact held, and its most memory beside idle."""

    artifact_sha256: str
    tried: int
    held: int
    most_bytes: int


def holds_under(held: int, tried: int, most_bytes: int) -> str:
    """`holds under 12 of 13 kinds of hostile connections, most memory 119 MB`."""
    return f"holds under {held} of {tried} kinds of hostile connections, most memory {most_bytes / 1e6:,.0f} MB"


def keep_hostile_record(project: Project, target: Target, *, tried: int, held: int, most_bytes: int) -> None:
    """Keeps the outcome of a trial of the target's current artifact."""
    file = _file_of(project, target)
    file.parent.mkdir(parents=True, exist_ok=True)
    record = HostileRecord(target.build.artifact_sha256 or "", tried, held, most_bytes)
    file.write_bytes(msgspec.json.encode(record))


def hostile_words(project: Project, target: Target) -> str:
    """The record of the current artifact in words, or a dash where it was not tried."""
    file = _file_of(project, target)
    if not file.exists():
        return NOT_TRIED
    record = msgspec.json.decode(file.read_bytes(), type=HostileRecord)
    if record.artifact_sha256 != (target.build.artifact_sha256 or ""):
        return NOT_TRIED
    return holds_under(record.held, record.tried, record.most_bytes)


def _file_of(project: Project, target: Target) -> Path:
    return project.state / "hostile" / f"{target.name}.json"
