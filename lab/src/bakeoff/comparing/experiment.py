"""Experiments: comparisons declared in TOML files, reviewed like code."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bakeoff.comparing.request import ComparisonRequest, new_seed
from bakeoff.documents import Json, Toml, read_toml
from bakeoff.errors import UsageError
from bakeoff.factors.option import Option, options_of, with_values
from bakeoff.factors.table import ComparisonTable, FactorTable
from bakeoff.factors.variant import Level
from bakeoff.project import Project
from bakeoff.toml_lines import Place


class _Experiment(msgspec.Struct):
    """The members of an experiment that are no options."""

    mode: str
    name: str
    vary: Mapping[str, Json] = {}


class _Vary(msgspec.Struct):
    settings: Mapping[str, Sequence[str | int | float | bool]] = {}


def read_experiment(project: Project, path: Path) -> ComparisonRequest:
    """The comparison that a file declares. Errors name the file, the line and the key."""
    toml = read_toml(path, project.contract / "schemas" / "experiment.schema.json", dict[str, Json])
    experiment = msgspec.convert(toml.document, _Experiment)
    given = {
        each.field: _read(toml, each, [each.name], toml.document[each.name])
        for each in options_of(ComparisonTable).values()
        if each.name in toml.document
    }
    given.setdefault("seed", new_seed())
    factors = {name: factor for name, factor in options_of(FactorTable).items() if name != "settings"}
    levels = {name: _levels(toml, factors[name], experiment.vary[name]) for name in experiment.vary if name in factors}
    varied = msgspec.convert(experiment.vary, _Vary).settings
    settings = {name: [str(level) for level in each] for name, each in varied.items()}
    request = ComparisonRequest(
        experiment.mode, f"./bakeoff run {toml.path}", experiment.name, levels=levels, settings=settings
    )
    return with_values(request, given)


def _levels(toml: Toml[dict[str, Json]], factor: Option, levels: Json) -> list[Level]:
    assert isinstance(levels, list)
    return [_level(toml, factor, level) for level in levels]


def _level(toml: Toml[dict[str, Json]], factor: Option, level: Json) -> Level:
    read = _read(toml, factor, ["vary", factor.name], level)
    assert read is None or isinstance(read, str | int | float)
    return read


def _read(toml: Toml[dict[str, Json]], option: Option, place: Place, value: Json) -> Json:
    try:
        return option.read(value)
    except UsageError as error:
        raise toml.error(place, f"{option.name}: {error.message}") from error
