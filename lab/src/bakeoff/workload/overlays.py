"""Overlays of a workload's schema: the same tables, laid out in another way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.toml_lines import Place
from bakeoff.workload.declaration import Declaration


@dataclass(frozen=True)
class Overlay:
    """One overlay. `before_schema`: its file makes tables that schema.sql then finds; else it changes those."""

    name: str
    file: Path
    before_schema: bool
    extensions: Sequence[str] = ()


def overlays_of(declared: Declaration, directory: Path) -> dict[str, Overlay]:
    """What a workload.toml declares, by name; files are in the workload's folder."""
    return {
        name: Overlay(name, directory / each.sql, each.when == "before-schema", each.extensions)
        for name, each in declared.overlays.items()
    }


def overlay_problems(declared: Declaration, directory: Path) -> Iterator[tuple[Place, str]]:
    """Why overlays of a workload could not be applied, each with its place in workload.toml."""
    for name, each in declared.overlays.items():
        place = ("overlays", name)
        if declared.database == "none":
            yield place, 'an overlay lays out tables, and database = "none": remove it.'
        elif declared.reset is None:
            yield place, "an overlay needs reset, the SQL file that drops its tables before the next run."
        elif each.when == "after-schema" and declared.schema is None:
            yield (*place, "when"), 'there is no schema that it could follow: write when = "before-schema".'
        elif not (directory / each.sql).is_file():
            yield (*place, "sql"), f'sql = "{each.sql}", but there is no such file.'
