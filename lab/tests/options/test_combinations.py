"""Options that cannot be combined: what the table declares is refused, with the option and the fix."""

from collections.abc import Mapping

import pytest

from bakeoff.errors import UsageError
from bakeoff.options.combinations import given_in, refuse_combinations
from bakeoff.options.option import options_of
from bakeoff.options.table import MODES, ComparisonTable, FactorTable, InvocationTable

TABLES = (InvocationTable, ComparisonTable, FactorTable)
OPTIONS = {field: option for table in TABLES for field, option in options_of(table).items()}
EXCLUSIONS = [(option, each) for option in OPTIONS.values() for each in option.excludes]


@pytest.mark.parametrize(("option", "excluded"), EXCLUSIONS, ids=lambda each: getattr(each, "field", ""))
def test_an_exclusion_is_refused_with_its_reason(option, excluded) -> None:  # type: ignore[no-untyped-def]
    value = "some" if excluded.value is None else excluded.value
    mode = value if excluded.other == "mode" else "rate"
    given: Mapping[str, list[object]] = {option.field: ["x"], excluded.other: [value]}
    with pytest.raises(UsageError, match=rf"{option.label} cannot be combined .*{excluded.reason}\. Leave out"):
        refuse_combinations(mode, given)


@pytest.mark.parametrize("option", [each for each in OPTIONS.values() if each.modes], ids=lambda each: each.field)
def test_an_option_is_refused_outside_its_modes(option) -> None:  # type: ignore[no-untyped-def]
    for mode in MODES:
        if mode in option.modes:
            refuse_combinations(mode, {option.field: ["x"]})
        else:
            with pytest.raises(UsageError, match=f"{option.label} belongs to the mode"):
                refuse_combinations(mode, {option.field: ["x"]})


def test_exclusions_name_options() -> None:
    assert {each.other for _, each in EXCLUSIONS} <= {*OPTIONS, "mode"}


def test_a_value_that_excludes_nothing_is_accepted() -> None:
    refuse_combinations("quick", {"tls": [True], "runs_in": ["kubernetes"]})
    assert given_in(ComparisonTable(rates=[5.0]), ComparisonTable) == {"rates": [[5.0]]}
