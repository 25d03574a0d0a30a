"""Refuses combinations of options by what each declares in the table that it needs and excludes."""

import os
from collections.abc import Collection, Mapping
from typing import Any

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.options.option import Option, options_of
from bakeoff.options.table import ENVIRONMENT, ComparisonTable, FactorTable, InvocationTable
from bakeoff.project import COMMAND

Given = Mapping[str, Collection[Any]]


def given_in(values: object, table: type) -> Given:
    """The values of a table's options that are not the default, by field."""
    options = options_of(table).values()
    return {each.field: [value] for each in options if (value := getattr(values, each.field)) != each.default and value}


def refuse_combinations(mode: str, given: Given) -> None:
    """Raises UsageError for the first option whose modes, exclusions or needs the others contradict.

    `given` has the values of each option that are not the default: of a factor every level.
    """
    present = {"mode": [mode], **{name: [os.environ[name]] for name in ENVIRONMENT if os.environ.get(name)}, **given}
    for option in _options().values():
        if option.field in given:
            _refuse(option, present)


def _refuse(option: Option, present: Given) -> None:
    own = present[option.field]
    for each in option.excludes:
        values = present.get(each.other, ())
        if values and (each.value is None or each.value in values) and any(map(each.among, own)):
            raise UsageError(
                f"{option.label} cannot be combined with {_other(each.other, each.value)}: {each.reason}. Leave out "
                f"{option.label}."
            )
    for need in option.requires:
        if any(map(need.among, own)) and not any(map(need.enough, present.get(need.other, ()))):
            raise UsageError(f"{option.label} needs {_other(need.other, None)}: {need.reason}.")
    (mode,) = present["mode"]
    # Phases of one's own may have rates in every mode.
    if option.modes and mode not in option.modes and "own_phases" not in present:
        modes = f"mode{'s' if len(option.modes) > 1 else ''} {' and '.join(option.modes)}"
        raise UsageError(f"{option.label} belongs to the {modes}: {COMMAND} run {option.example}.")


def _options() -> Mapping[str, Option]:
    tables = (InvocationTable, ComparisonTable, FactorTable)
    return {field: option for table in tables for field, option in options_of(table).items()}


def _other(field: str, value: Json) -> str:
    if field in ENVIRONMENT:
        return field
    if field == "mode":
        return f"the mode {value}"
    label = _options()[field].label
    return label if value is None else f"{label} {value}"
