import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.comparing.experiment import read_experiment
from bakeoff.comparing.request import ComparisonRequest, request_from
from bakeoff.documents.toml_lines import line_of
from bakeoff.errors import UsageError
from bakeoff.options.variant import Level
from bakeoff.project import Project

GOOD = """\
version = 1
name = "pools"
question = "How many connections?"
mode = "quick"
rounds = 3
phase_duration = "2s"
users = [64, 256]
think_time = "100ms"

[vary]
payload = ["default", "8k"]
connections = ["one-each", 16]

[vary.settings]
pool_size = [5, 20]
write_mode = ["per-request"]
"""


def read(checkout: Project, text: str) -> ComparisonRequest:
    (request,) = read_all(checkout, text).values()
    return request


def read_all(checkout: Project, text: str) -> Mapping[str, ComparisonRequest]:
    path = checkout.root / "experiment.toml"
    path.write_text(text)
    return read_experiment(path)


def test_a_file_declares_a_whole_comparison(empty_checkout: Project) -> None:
    request = read(empty_checkout, GOOD)
    assert (request.name, request.mode, request.rounds) == ("pools", "quick", 3)
    assert (request.phase_duration_s, request.think_time_s, request.users) == (2, 0.1, (64, 256))
    assert len(request.variants()) == 2 * 2 * 2
    assert {variant.connections for variant in request.variants()} == {None, 16}
    assert request.settings == {"pool_size": ["5", "20"], "write_mode": ["per-request"]}
    assert stored_form(request_from(stored_form(request))) == stored_form(request)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('mode = "quick"', 'mode = "fast"', "line 4: mode: 'fast' is not one of"),
        ("rounds = 3", "round = 3", "line 5: there is no key round. Did you mean rounds?"),
        ("rounds = 3", "rounds = 0", "line 5: rounds: 0 is less than the minimum of 1"),
        ('"one-each", 16', '"one-each", 0', "line 12: vary.connections.1: 0"),
        ("[vary.settings]", "[vary.setting]", "line 14: there is no key setting. Did you mean settings?"),
        ("pool_size = [5, 20]", "pool_size = 5", "line 15: vary.settings.pool_size: 5 is not of type 'array'"),
        ('"100ms"', '"soon"', 'line 8: think_time: "soon" is not a duration'),
        (
            "payload =",
            'transport_mode = ["pigeon"]\npayload =',
            'line 11: transport_mode: unknown transport mode "pigeon"',
        ),
        (
            "payload =",
            'agents = ["ssh://one"]\npayload =',
            "line 11: vary.agents.0: 'ssh://one' is not",
        ),
        ("payload =", "agents = [65]\npayload =", "line 11: vary.agents.0: 65 is greater than the maximum of 64"),
        ('name = "pools"', "", "line 1: 'name' is a required property"),
        ("[vary]", "[vary", "is not valid TOML"),
    ],
)
def test_errors_name_line_and_key(empty_checkout: Project, old: str, new: str, words: str) -> None:
    assert old in GOOD
    with pytest.raises(UsageError) as error:
        read(empty_checkout, GOOD.replace(old, new, 1))
    assert words in error.value.message
    assert str(empty_checkout.root / "experiment.toml") in error.value.message


PHASES = """\
threshold = "p99<50ms,errors<0.1%"
phases = [
  { name = "Quiet", users = 10, duration = "30s" },
  { users = 500, duration = "2m" },
  { name = "Ramp", from_users = 10, users = 50, steps = 3, duration = "30s" },
]

[vary]"""


def test_a_file_may_list_its_phases(empty_checkout: Project) -> None:
    request = read(empty_checkout, GOOD.replace("[vary]", PHASES, 1).replace("users = [64, 256]", "", 1)
                   .replace('phase_duration = "2s"', "", 1))  # fmt: skip

    loads = [(phase.name, phase.virtual_users, phase.duration_s) for phase in request.phases]
    assert loads == [
        ("Quiet", 10, 30),
        ("500 users", 500, 120),
        ("Ramp, 10 users", 10, 10),
        ("Ramp, 30 users", 30, 10),
        ("Ramp, 50 users", 50, 10),
    ]
    assert request.threshold == "p99<50ms,errors<0.1%"
    assert request_from(stored_form(request)).phases == request.phases


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        ('[{ users = 5 }]', "'duration' is a required property"),
        ('[{ user = 5, duration = "1s" }]', "there is no key user. Did you mean users?"),
        ('[{ users = 5, rate = 5, duration = "1s" }]', "line 8: phases: a phase has either users or a rate"),
        ('[{ rate = 5, from_users = 5, duration = "1s" }]', "from_users is where a ramp to users begins"),
        ('[{ users = 5, duration = "soon" }]', '"soon" is not a duration'),
    ],
)  # fmt: skip
def test_phases_that_cannot_be_meant_are_refused(empty_checkout: Project, phases: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        read(
            empty_checkout,
            GOOD.replace("users = [64, 256]", "", 1).replace('think_time = "100ms"', f"phases = {phases}"),
        )
    assert words in error.value.message


def test_phases_of_ones_own_stand_alone(empty_checkout: Project) -> None:
    request = read(empty_checkout, GOOD.replace('think_time = "100ms"', 'phases = [{ users = 5, duration = "1s" }]'))
    with pytest.raises(UsageError, match="--phase-duration cannot be combined with phases"):
        _ = request.phases


SCENARIOS = """\
[[scenarios]]
name = "few"
users = [5]

[[scenarios]]
name = "one operation"
operations = ["ProcessEvent"]
"""


def test_scenarios_follow_one_another_with_options_of_their_own(empty_checkout: Project) -> None:
    found = read_all(empty_checkout, GOOD + SCENARIOS)
    assert {name: (each.name, each.users, each.operations) for name, each in found.items()} == {
        "few": ("pools: few", (5,), ()),
        "one operation": ("pools: one operation", (64, 256), ("ProcessEvent",)),
    }
    assert {len(each.variants()) for each in found.values()} == {8}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "few"\n', "", "line 17: scenarios.0: 'name' is a required property"),
        ("users = [5]", "user = [5]", "line 19: there is no key user. Did you mean users?"),
        ("users = [5]", 'think_time = "soon"', 'line 19: think_time: "soon" is not a duration'),
        ('"one operation"', '"few"', 'line 22: scenarios: two are named "few"'),
    ],
)
def test_errors_in_scenarios_name_line_and_key(empty_checkout: Project, old: str, new: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        read_all(empty_checkout, GOOD + SCENARIOS.replace(old, new, 1))
    assert words in error.value.message


def test_a_file_that_is_not_there(empty_checkout: Project) -> None:
    with pytest.raises(UsageError, match=r"nothing\.toml cannot be read: No such file"):
        read_experiment(Path("nothing.toml"))


@pytest.mark.parametrize(
    ("place", "line"),
    [(["mode"], 4), (["vary"], 10), (["vary", "payload", 1], 11), (["vary", "settings", "write_mode"], 16), ([], 1)],
)
def test_lines(place: list[str | int], line: int) -> None:
    assert line_of(GOOD, place) == line


def test_every_shipped_experiment_is_valid(gallery: Project) -> None:
    files = sorted((gallery.root / "experiments").glob("*.toml"))
    assert files
    for file in files:
        for scenario, request in read_experiment(file).items():
            assert request.name == (f"{file.stem}: {scenario}" if scenario else file.stem)
            assert request.phases
            assert request.variants()


def stored_form(request: ComparisonRequest) -> dict[str, Any]:
    """The request as it comes back from the metrics database."""
    document: dict[str, Any] = json.loads(json.dumps(request.as_document()))
    return document


def test_a_request_survives_storing() -> None:
    levels: dict[str, list[Level]] = {"connections": [None, 4], "tls": [True], "key_pick": ["zipf:0.9"]}
    limits = ComparisonRequest(
        "",
        "",
        pin={"target": (0, 1)},
        limit_cpus={"target": 2.0, "database": 4.0},
        limit_memory_bytes={"target": 2 << 30},
        think_time_s=0.1,
    )
    request = replace(limits, mode="quick", levels=levels, settings={"write_mode": ["x"]}, containers={"a": "b"})
    again = request_from(stored_form(request))
    assert again.variants() == request.variants()
    assert (again.pin, again.limit_cpus, again.limit_memory_bytes, again.containers, again.phases) == (
        {"target": (0, 1)},
        {"target": 2.0, "database": 4.0},
        {"target": 2 << 30},
        {"a": "b"},
        request.phases,
    )


def test_a_stored_request_has_defaults_for_what_it_lacks() -> None:
    assert request_from({"mode": "quick", "command": "", "levels": {"payload": ["default"]}}) == (
        replace(ComparisonRequest("quick", ""), levels={"payload": ["default"]})
    )


def test_without_a_seed_each_comparison_has_an_order_of_its_own(empty_checkout: Project) -> None:
    assert len({read(empty_checkout, GOOD).seed for _ in range(5)}) > 1


SCALE = GOOD.replace("pool_size = [5, 20]", "pool_size = [1, 2, 4, 8]").replace(
    "[vary]", 'scale = "pool_size"\n\n[vary]', 1
)


def test_a_file_names_the_factor_that_is_a_scale(empty_checkout: Project) -> None:
    request = read(empty_checkout, SCALE)
    assert request.scale == "pool_size"
    assert request_from(stored_form(request)).scale == "pool_size"
    along_users = SCALE.replace('"pool_size"', '"users"').replace("[64, 256]", "[1, 8, 64, 256]")
    assert read(empty_checkout, along_users).scale == "users"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('scale = "pool_size"', 'scale = "pool_sice"', "scale: pool_sice is not varied. Did you mean pool_size?"),
        (
            "[1, 2, 4, 8]",
            "[1, 2, 4]",
            "pool_size has 3 levels (1, 2, 4). The law has three coefficients: give pool_size 4",
        ),
        ("[1, 2, 4, 8]", '[1, 2, 4, "many"]', "scale: pool_size has the level many, which is no count"),
        ("[1, 2, 4, 8]", "[0, 2, 4, 8]", "scale: pool_size has the level 0, which is no count"),
        ('scale = "pool_size"', 'scale = "users"', "users has 2 levels (64, 256)"),
    ],
)
def test_a_scale_that_is_none_is_refused_at_its_line(empty_checkout: Project, old: str, new: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        read(empty_checkout, SCALE.replace(old, new))
    assert words in raised.value.message and "line 10: scale: " in raised.value.message
