"""Options that cannot be combined: what the table declares is refused, with the option and the fix."""

from collections.abc import Mapping

import pytest

from bakeoff.errors import UsageError
from bakeoff.options.combinations import given_in, refuse_combinations
from bakeoff.options.option import options_of
from bakeoff.options.table import ENVIRONMENT, MODES, ComparisonTable, FactorTable, InvocationTable

TABLES = (InvocationTable, ComparisonTable, FactorTable)
OPTIONS = {field: option for table in TABLES for field, option in options_of(table).items()}
EXCLUSIONS = [(option, each) for option in OPTIONS.values() for each in option.excludes]
NEEDS = [(option, each) for option in OPTIONS.values() for each in option.requires]
# One of these is a level that an exclusion or a need is for.
LEVELS = ("docker", "kubernetes", "ssh://a")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("option", "excluded"), EXCLUSIONS, ids=lambda each: getattr(each, "field", ""))
def test_an_exclusion_is_refused_with_its_reason(option, excluded, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    value = "some" if excluded.value is None else excluded.value
    mode = value if excluded.other == "mode" else "rate"
    own = next(level for level in LEVELS if excluded.among(level))
    given: Mapping[str, list[object]] = {option.field: [own], excluded.other: [value]}
    with pytest.raises(UsageError, match=rf"{option.label} cannot be combined .*{excluded.reason}\. Leave out"):
        refuse_combinations(mode, given)
    if excluded.other in ENVIRONMENT:
        refuse_combinations(mode, {option.field: [own]})
        monkeypatch.setenv(excluded.other, "set")
        with pytest.raises(UsageError, match=f"with {excluded.other}: {excluded.reason}"):
            refuse_combinations(mode, {option.field: [own]})


@pytest.mark.parametrize(("option", "need"), NEEDS, ids=lambda each: getattr(each, "field", ""))
def test_a_need_is_named_until_it_is_met(option, need) -> None:  # type: ignore[no-untyped-def]
    own = next(level for level in LEVELS if need.among(level))
    enough = next(level for level in LEVELS if need.enough(level))
    with pytest.raises(UsageError, match=rf"{option.label} needs --.*: {need.reason}\."):
        refuse_combinations("quick", {option.field: [own]})
    refuse_combinations("quick", {option.field: [own], need.other: [enough]})


@pytest.mark.parametrize(
    "given",
    [
        {"agents": [4], "runs_in": ["kubernetes"], "attached": [{"a": "http://b"}]},
        {"agents": [4], "tls": [True]},
    ],
)
def test_only_the_levels_that_an_exclusion_is_for_are_refused(given: Mapping[str, list[object]]) -> None:
    refuse_combinations("quick", given)


def test_a_need_that_only_some_levels_meet_is_refused() -> None:
    with pytest.raises(UsageError, match="--agents-reach needs --agents: name other hosts"):
        refuse_combinations("quick", {"agents_reach": ["10.0.0.1"], "agents": [4]})


@pytest.mark.parametrize("option", [each for each in OPTIONS.values() if each.modes], ids=lambda each: each.field)
def test_an_option_is_refused_outside_its_modes(option) -> None:  # type: ignore[no-untyped-def]
    for mode in MODES:
        if mode in option.modes:
            refuse_combinations(mode, {option.field: ["x"]})
        else:
            with pytest.raises(UsageError, match=f"{option.label} belongs to the mode"):
                refuse_combinations(mode, {option.field: ["x"]})


def test_exclusions_and_needs_name_options() -> None:
    others = {each.other for _, each in EXCLUSIONS} | {each.other for _, each in NEEDS}
    assert others <= {*OPTIONS, *ENVIRONMENT, "mode"}


def test_a_value_that_excludes_nothing_is_accepted() -> None:
    refuse_combinations("quick", {"tls": [True], "runs_in": ["processes"]})
    assert given_in(ComparisonTable(rates=[5.0]), ComparisonTable) == {"rates": [[5.0]]}
