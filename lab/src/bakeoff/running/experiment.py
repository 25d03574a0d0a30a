"""Experiments: comparisons declared in TOML files, reviewed like code."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from bakeoff.documents import Document
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project
from bakeoff.running.durations import seconds_of
from bakeoff.running.request import ComparisonRequest, Matrix

Place = Sequence[str | int]


def read_experiment(project: Project, path: Path) -> ComparisonRequest:
    """The comparison that a file declares. Errors name the file, the line and the key."""
    try:
        text = path.read_text("utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Mend it there and start again.") from error
    problem = _first_problem(document, project.contract / "schemas" / "experiment.schema.json")
    if problem is not None:
        place, words = problem
        raise UsageError(f"{path}, line {line_of(text, place)}: {words}")
    return _request(document, path, text)


def line_of(text: str, place: Place) -> int:
    """The line on which the key of a place stands, such as ("vary", "payload"); 1 where it is not to be found."""
    names = [part for part in place if isinstance(part, str)]
    for depth in range(len(names), 0, -1):
        found = _line_of_key(text, names[:depth])
        if found:
            return found
    return 1


def _line_of_key(text: str, names: Sequence[str]) -> int | None:
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+([^\]]+)\]", line)
        if header:
            table = _parts(header.group(1))
            if table == list(names):
                return number
            continue
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if key and [*table, *_parts(key.group(1))] == list(names):
            return number
    return None


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def _first_problem(document: Document, schema: Path) -> tuple[Place, str] | None:
    import json

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(json.loads(schema.read_text("utf-8"))).iter_errors(document))
    if error is None:
        return None
    place: list[str | int] = list(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = list(error.schema["properties"])
        unknown = next(name for name in error.instance if name not in known)
        close = get_close_matches(unknown, known, 1)
        hint = f"Did you mean {close[0]}?" if close else f"Keys here: {', '.join(known)}."
        return [*place, unknown], f"there is no key {unknown}. {hint}"
    name = ".".join(str(part) for part in place)
    return place, f"{name + ': ' if name else ''}{error.message}."


def _request(document: Document, path: Path, text: str) -> ComparisonRequest:
    vary: dict[str, Any] = dict(document.get("vary", {}))
    settings = {name: [str(level) for level in levels] for name, levels in vary.pop("settings", {}).items()}
    connections = [None if level == "one-each" else level for level in vary.pop("connections", ["one-each"])]
    matrix = Matrix(**vary, connections=connections, settings=settings)

    def seconds(key: str, shortest_s: float) -> float | None:
        if key not in document:
            return None
        try:
            return seconds_of(document[key], shortest_s=shortest_s)
        except UsageError as error:
            raise UsageError(f"{path}, line {line_of(text, [key])}: {key}: {error.message}") from error

    request = ComparisonRequest(
        mode=document["mode"],
        command=f"./bakeoff run {path}",
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
        raise UsageError(f"{path}, line {line_of(text, ['vary', 'sending'])}: {error.message}") from error
    return request
