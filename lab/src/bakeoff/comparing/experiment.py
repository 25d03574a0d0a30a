"""Experiments: comparisons declared in TOML files, reviewed like code."""

from pathlib import Path
from typing import Any

from bakeoff.closed_toml import ClosedToml, read_closed_toml
from bakeoff.comparing.request import TWINS, ComparisonRequest, Matrix
from bakeoff.durations import seconds_of
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project


def read_experiment(project: Project, path: Path) -> ComparisonRequest:
    """The comparison that a file declares. Errors name the file, the line and the key."""
    return _request(read_closed_toml(path, project.contract / "schemas" / "experiment.schema.json"))


def _request(toml: ClosedToml) -> ComparisonRequest:
    document = toml.document
    vary: dict[str, Any] = dict(document.get("vary", {}))
    settings = {name: [str(level) for level in levels] for name, levels in vary.pop("settings", {}).items()}
    connections = [None if level == "one-each" else level for level in vary.pop("connections", ["one-each"])]
    twins = TWINS if document.get("aa") else (1,)
    matrix = Matrix(**vary, connections=connections, settings=settings, twins=twins)

    def seconds(key: str, shortest_s: float) -> float | None:
        if key not in document:
            return None
        try:
            return seconds_of(document[key], shortest_s=shortest_s)
        except UsageError as error:
            raise toml.error([key], f"{key}: {error.message}") from error

    request = ComparisonRequest(
        mode=document["mode"],
        command=f"./bakeoff run {toml.path}",
        name=document["name"],
        targets=document.get("targets", ()),
        matrix=matrix,
        rounds=document.get("rounds", 1),
        seed=document.get("seed", 1),
        phase_duration_s=seconds("phase_duration", 0.1),
        users=document.get("users", ()),
        rates=document.get("rates", ()),
        arrivals=document.get("arrivals", "constant"),
        think_time_s=seconds("think_time", 0.0) or 0.0,
        warm_up_s=seconds("warm_up", 0.0),
    )
    try:
        matrix.variants()
    except BakeoffError as error:
        raise toml.error(["vary", "sending"], error.message) from error
    return request
