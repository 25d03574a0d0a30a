"""Experiments: comparisons declared in TOML files, reviewed like code."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from bakeoff.comparing.request import ComparisonRequest, check_scale, new_seed
from bakeoff.documents.checked import Json, Toml, read_toml
from bakeoff.documents.toml_lines import Place
from bakeoff.errors import UsageError
from bakeoff.options.option import Option, options_of, with_values
from bakeoff.options.table import ComparisonTable, FactorTable
from bakeoff.options.variant import Level
from bakeoff.project import COMMAND, FORMATS


class _Experiment(msgspec.Struct):
    """The members of an experiment that are no options; each scenario has a name, and options in place of these."""

    mode: str
    name: str
    vary: Mapping[str, Json] = {}
    scenarios: Sequence[Mapping[str, Json]] = ()


class _Vary(msgspec.Struct):
    settings: Mapping[str, Sequence[str | int | float | bool]] = {}


def read_experiment(path: Path) -> Mapping[str, ComparisonRequest]:
    """The comparison that a file declares, under the name ""; with scenarios one for each, by the scenario's name.

    Errors name the file, the line and the key.
    """
    toml = read_toml(path, FORMATS / "experiment.schema.json", dict[str, Json])
    experiment = msgspec.convert(toml.document, _Experiment)
    places: dict[str, Place] = {name: [name] for name in toml.document}
    if not experiment.scenarios:
        return {"": _request(toml, experiment, toml.document, places)}
    requests: dict[str, ComparisonRequest] = {}
    for number, scenario in enumerate(experiment.scenarios):
        at: dict[str, Place] = {name: ["scenarios", number, name] for name in scenario}
        name = str(scenario["name"])
        if name in requests:
            raise toml.error(at["name"], f'scenarios: two are named "{name}". Rename one of them.')
        request = _request(toml, experiment, {**toml.document, **scenario}, {**places, **at})
        requests[name] = replace(request, name=f"{experiment.name}: {name}")
    return requests


def _request(
    toml: Toml[dict[str, Json]], experiment: _Experiment, document: Mapping[str, Json], places: Mapping[str, Place]
) -> ComparisonRequest:
    """The comparison of a document whose members stand at these places of the file."""
    given = {
        each.field: _read(toml, each, places[each.name], document[each.name])
        for each in options_of(ComparisonTable).values()
        if each.name in document
    }
    given.setdefault("seed", new_seed())
    factors = {name: factor for name, factor in options_of(FactorTable).items() if name != "settings"}
    levels = {name: _levels(toml, factors[name], experiment.vary[name]) for name in experiment.vary if name in factors}
    varied = msgspec.convert(experiment.vary, _Vary).settings
    settings = {name: [str(level) for level in each] for name, each in varied.items()}
    request = ComparisonRequest(
        experiment.mode, f"{COMMAND} run {toml.path}", experiment.name, levels=levels, settings=settings
    )
    request = with_values(request, given)
    if request.scale is not None:
        try:
            check_scale(request)
        except UsageError as error:
            raise toml.error(places["scale"], error.message) from error
    return request


def _levels(toml: Toml[dict[str, Json]], factor: Option, levels: Json) -> list[Level]:
    assert isinstance(levels, list)
    read = [_read(toml, factor, ["vary", factor.name], level) for level in levels]
    return msgspec.convert(read, list[Level])


def _read(toml: Toml[dict[str, Json]], option: Option, place: Place, value: Json) -> Json:
    try:
        return option.read(value)
    except UsageError as error:
        raise toml.error(place, f"{option.name}: {error.message}") from error
