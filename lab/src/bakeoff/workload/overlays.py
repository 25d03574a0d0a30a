"""Overlays of a workload's schema: the same tables, laid out in another way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.documents.toml_lines import Place
from bakeoff.workload.declaration import Declaration, DeclaredOverlay


@dataclass(frozen=True)
class Overlay:
    """One overlay. `before_schema`: its file makes tables that schema.sql then finds; else it changes those.

    `durability` is the file of a query for reasons why commits on other servers might not survive a crash.
    """

    name: str
    file: Path
    before_schema: bool
    extensions: Sequence[str] = ()
    durability: Path | None = None

    @property
    def files(self) -> list[Path]:
        return [self.file] if self.durability is None else [self.file, self.durability]


def overlays_of(declared: Declaration, directory: Path) -> dict[str, Overlay]:
    """The overlays of a workload.toml, by name; files are in the workload's folder."""
    return {name: _overlay(name, each, directory) for name, each in declared.overlays.items()}


def _overlay(name: str, declared: DeclaredOverlay, directory: Path) -> Overlay:
    durability = None if declared.durability is None else directory / declared.durability
    return Overlay(name, directory / declared.sql, declared.when == "before-schema", declared.extensions, durability)


def overlay_problems(declared: Declaration, directory: Path) -> Iterator[tuple[Place, str]]:
    """Why overlays of a workload could not be applied, each with its place in workload.toml."""
    for name, each in declared.overlays.items():
        place = ("overlays", name)
        if declared.database == "none":
            yield place, 'an overlay lays out tables, and database = "none": remove it.'
        elif declared.seed is not None:
            yield place, "an overlay lays out empty tables, and seed fills them first: remove one of them."
        elif declared.reset is None:
            yield place, "an overlay needs reset, the SQL file that drops its tables before the next run."
        elif each.when == "after-schema" and declared.schema is None:
            yield (*place, "when"), 'there is no schema that it could follow: write when = "before-schema".'
        else:
            for key, file in (("sql", each.sql), ("durability", each.durability)):
                if file is not None and not (directory / file).is_file():
                    yield (*place, key), f'{key} = "{file}", but there is no such file.'
