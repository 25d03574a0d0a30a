"""The table of options: each entry reaches the command line, files, the stored request, the record and the plan."""

import json
from collections.abc import Mapping
from dataclasses import fields, replace

import msgspec
import pytest

from as_json import as_json
from bakeoff.cli.run.request import RunOptions, request_of
from bakeoff.comparing.other_commit import full_name
from bakeoff.comparing.request import ComparisonRequest, request_from
from bakeoff.documents.checked import Json
from bakeoff.engines.manifest import find_engine
from bakeoff.options.experiment_schema import experiment_schema
from bakeoff.options.kinds import PINNED_ROLES
from bakeoff.options.option import Option, flagged, options_of
from bakeoff.options.table import (
    HELP_GROUPS,
    MODES,
    SHORTHANDS,
    ComparisonTable,
    EveryRunTable,
    FactorTable,
    InvocationTable,
)
from bakeoff.options.variant import Variant
from bakeoff.project import Project, own_checkout
from bakeoff.results.mode_names import COUNT
from bakeoff.results.run import ROLES
from bakeoff.running import modes
from bakeoff.running.contender import Contender
from bakeoff.running.run_request import RunRequest
from bakeoff.targets.access import access_of
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load
from made_up_manifests import target

# A value of each kind other than an option's default, as it is typed; and of the options that need another one.
TYPED_BY_METAVAR: Mapping[str, Json] = {
    "LIMITS": "p95<2s",
    "": True,
    "N": "7",
    "N,...": "8,16",
    "N|HOST,...": "ssh://a,ssh://b",
    "ADDRESS": "10.0.0.1",
    "NUMBER": "0.25",
    "DURATION": "5s",
    "CPUS|ROLE=CPUS,...": "target=2,engine=1",
    "SIZE|ROLE=SIZE,...": "2G",
    "NAME": "a,b",
    "NAME=VALUE": "pool_size=5",
    "ROLE=CPUS,...": "target=0",
    "TARGET=URL": "a=http://b:1",
    "TARGET=CONTAINER": "a=b",
    "MODE": "stream-16",
    "PHASES": [{"users": 10, "duration": "5s"}, {"name": "up", "users": 90, "from_users": 10, "duration": "10s"}],
    "INTERVAL,TIMEOUT": "10s,3s",
    "LABEL=VALUE": "language=go",
    "DISTRIBUTION": "zipf:0.99",
}
TYPED: Mapping[str, Json] = {
    "payload": "8k",
    "engine": "k6",
    "mix": "parcels",
    "operations": "Arrive",
    # A reference is stored as the commit that it means.
    "against": full_name(own_checkout(), "HEAD"),
}
OPTIONS = {**options_of(ComparisonTable), **options_of(FactorTable)}
EVERY_RUN = options_of(EveryRunTable)


def typed(option: Option) -> Json:
    """A value of the option other than its default, as it is typed."""
    choices = {each: each for each in option.kind.choices if each != option.default}
    return TYPED.get(option.field) or next(iter(choices), None) or TYPED_BY_METAVAR[option.kind.metavar]


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda each: each.field)
def test_a_value_survives_storing(option: Option) -> None:
    value = option.read(typed(option))
    assert value != option.default
    assert option.read(json.loads(json.dumps(value))) == value
    assert option.words(value)


def test_names_are_unique() -> None:
    options = [*OPTIONS.values(), *options_of(InvocationTable).values()]
    flags = [*(each.flag for each in options if each.flag), *(each.flag for each in SHORTHANDS)]
    assert len(set(flags)) == len(flags)
    assert len({each.name for each in options}) == len(options)
    assert {each.factor for each in SHORTHANDS} <= options_of(FactorTable).keys()


def test_every_option_belongs_to_one_group_of_the_help() -> None:
    flags = [each.flag for table in (ComparisonTable, FactorTable, InvocationTable) for each in flagged(table)]
    grouped = [flag for group in HELP_GROUPS.values() for flag in (*group.usual, *group.others)]
    assert sorted(grouped) == sorted([*flags, *(each.flag for each in SHORTHANDS)])


def test_a_file_may_hold_every_option_that_is_not_the_command_line_s_alone() -> None:
    schema = json.loads(json.dumps(experiment_schema()))
    options = {each.name for each in options_of(ComparisonTable).values() if each.in_file}
    assert schema["properties"].keys() == {"version", "name", "question", "mode", "vary", "scenarios"} | options
    assert schema["properties"]["vary"]["properties"].keys() == {each.name for each in options_of(FactorTable).values()}


@pytest.mark.parametrize("option", [each for each in OPTIONS.values() if each.flag], ids=lambda each: each.flag)
def test_a_flag_reaches_the_stored_request(project: Project, option: Option) -> None:
    value = [typed(option)] if option.kind.is_repeated else typed(option)
    mode = {"rate": "rate", "arrivals": "rate", "requests": "count"}.get(option.flag, "quick")
    needed: dict[str, Json] = {"agents": TYPED_BY_METAVAR["N|HOST,..."]} if option.field == "agents_reach" else {}
    given: dict[str, Json] = {"rate": "100", option.flag: value} if mode == "rate" else {option.flag: value}
    request = request_of(project, RunOptions(mode, "", {**needed, **given}))
    again = request_from(json.loads(json.dumps(request.as_document())))
    assert again.variants() == request.variants()
    if option.field in options_of(ComparisonTable):
        assert getattr(again, option.field) == getattr(request, option.field) == option.read(typed(option))
    else:
        (variant,) = again.variants()
        assert getattr(variant, option.field) == option.read(typed(option))


@pytest.mark.parametrize("field", [field for field, each in OPTIONS.items() if each.plan])
def test_an_option_reaches_the_plan_and_the_record(project: Project, field: str) -> None:
    option = OPTIONS[field]
    assert option.plan in {each.name for each in fields(Load)}
    before, after = (_planned(project, each) for each in ({}, {field: option.read(typed(option))}))
    assert before[0] != after[0]
    assert before[1] != after[1]


def _planned(project: Project, values: dict[str, Json]) -> tuple[str, dict[str, str]]:
    """The plan and the record of a run with these values, without the random name of the run."""
    of_run = {name: value for name, value in values.items() if name in EVERY_RUN}
    variant = replace(Variant(), **{name: value for name, value in values.items() if name not in EVERY_RUN})  # type: ignore[arg-type]
    events = load_workload(project, "events")
    workload = replace(events, declared=msgspec.structs.replace(events.declared, mixes={"parcels": {"Arrive": 1}}))
    contender = Contender(target("a"), workload, find_engine("native"), variant)
    run = RunRequest(contender, "smoke", modes.SMOKE, options=replace(EveryRunTable(), **of_run))  # type: ignore[arg-type]
    return json.dumps({**as_json(run.plan(access_of("http://127.0.0.1:1"), None)), "run": ""}), run.settings


def test_a_plain_request_records_the_seed_and_the_connections_alone(project: Project) -> None:
    assert _planned(project, {})[1] == {"seed": "1", "connections": "one for each user"}


def test_words_of_other_modules_agree() -> None:
    assert (*modes.MODES, modes.RATE, modes.EQUAL, COUNT) == MODES
    assert PINNED_ROLES == ROLES


def test_an_unknown_member_of_a_stored_request_is_left_out() -> None:
    document = {**ComparisonRequest("quick", "").as_document(), "machine": "here"}
    assert request_from(document) == ComparisonRequest("quick", "")
