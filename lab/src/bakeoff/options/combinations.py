"""Refuses combinations of options by what each declares in the table that it needs and excludes."""

from collections.abc import Collection, Mapping

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.options.option import Option, options_of
from bakeoff.options.table import ComparisonTable, FactorTable, InvocationTable

Given = Mapping[str, Collection[object]]


def given_in(values: object, table: type) -> Given:
    """The values of a table's options that are not the default, by field."""
    options = options_of(table).values()
    return {each.field: [value] for each in options if (value := getattr(values, each.field)) != each.default and value}


def refuse_combinations(mode: str, given: Given) -> None:
    """Raises UsageError for the first option whose modes or exclusions the others contradict.

    `given` has the values of each option that are not the default: of a factor every level.
    """
    present = {"mode": [mode], **given}
    for option in _options().values():
        if option.field not in given:
            continue
        for each in option.excludes:
            values = present.get(each.other, ())
            if values and (each.value is None or each.value in values):
                raise UsageError(
                    f"{option.label} cannot be combined with {_other(each.other, each.value)}: {each.reason}. Leave "
                    f"out {option.label}."
                )
        # Phases of one's own may have rates in every mode.
        if option.modes and mode not in option.modes and "own_phases" not in given:
            modes = f"mode{'s' if len(option.modes) > 1 else ''} {' and '.join(option.modes)}"
            raise UsageError(f"{option.label} belongs to the {modes}: ./bakeoff run {option.example}.")


def _options() -> Mapping[str, Option]:
    tables = (InvocationTable, ComparisonTable, FactorTable)
    return {field: option for table in tables for field, option in options_of(table).items()}


def _other(field: str, value: Json) -> str:
    if field == "mode":
        return f"the mode {value}"
    label = _options()[field].label
    return label if value is None else f"{label} {value}"
