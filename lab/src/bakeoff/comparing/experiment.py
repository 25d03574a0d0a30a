"""Experiments: comparisons declared in TOML files, reviewed like code."""

from pathlib import Path

from bakeoff.closed_toml import ClosedToml, Place, read_closed_toml
from bakeoff.comparing.request import ComparisonRequest, new_seed
from bakeoff.errors import UsageError
from bakeoff.factors.kinds import Json
from bakeoff.factors.option import Option, options_of, with_values
from bakeoff.factors.table import ComparisonTable, FactorTable
from bakeoff.factors.variant import Level
from bakeoff.project import Project


def read_experiment(project: Project, path: Path) -> ComparisonRequest:
    """The comparison that a file declares. Errors name the file, the line and the key."""
    toml = read_closed_toml(path, project.contract / "schemas" / "experiment.schema.json")
    document = toml.document
    options = [each for each in options_of(ComparisonTable).values() if each.name in document]
    given = {each.field: _read(toml, each, [each.name], document[each.name]) for each in options}
    given.setdefault("seed", new_seed())
    vary = document.get("vary", {})
    factors = options_of(FactorTable)
    levels = {name: [_level(toml, factors[name], level) for level in vary[name]] for name in vary if name != "settings"}
    settings = {name: [str(level) for level in each] for name, each in vary.get("settings", {}).items()}
    request = ComparisonRequest(
        document["mode"], f"./bakeoff run {toml.path}", document["name"], levels=levels, settings=settings
    )
    return with_values(request, given)


def _level(toml: ClosedToml, factor: Option, level: Json) -> Level:
    read = _read(toml, factor, ["vary", factor.name], level)
    assert read is None or isinstance(read, str | int | float)
    return read


def _read(toml: ClosedToml, option: Option, place: Place, value: Json) -> Json:
    try:
        return option.read(value)
    except UsageError as error:
        raise toml.error(place, f"{option.name}: {error.message}") from error
