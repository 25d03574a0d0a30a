from typing import Any

import pytest

from as_json import as_json
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import UsageError
from bakeoff.running.modes import equal_phases, phases_of, phases_with, planned_seconds, probe_phases, rate_phases
from bakeoff.text.durations import seconds_of


@pytest.mark.parametrize(
    ("mode", "users", "seconds"),
    [
        ("quick", [10, 50, 200], [10, 10, 10]),
        ("full", [10, 50, 100, 200], [120, 120, 120, 300]),
        ("saturation", [10, 50, 100, 200, 500, 1000, 2000], [120] * 7),
    ],
)
def test_modes_are_as_documented(mode: str, users: list[int], seconds: list[float]) -> None:
    phases = phases_of(mode)
    assert [phase.virtual_users for phase in phases] == users
    assert [phase.duration_s for phase in phases] == seconds


def test_smoke_is_five_iterations_of_one_user_whatever_the_duration() -> None:
    (phase,) = phases_of("smoke", 30)
    assert as_json(phase.planned()) == {"name": "Smoke", "virtual_users": 1, "iterations": 5}
    assert planned_seconds([phase]) == 0


def test_a_duration_scales_all_phases() -> None:
    assert [phase.duration_s for phase in phases_of("full", 2)] == [2, 2, 2, 5]
    assert as_json(phases_of("full", 2)[3].planned()) == {
        "name": "Higher-load",
        "virtual_users": 200,
        "duration_ms": 5000,
    }


def test_users_replace_the_phases_of_a_mode() -> None:
    phases = phases_with([64, 256], phases_of("full", 3))
    assert [(phase.virtual_users, phase.duration_s) for phase in phases] == [(64, 3), (256, 3)]
    with pytest.raises(UsageError, match="a mode whose phases have a duration"):
        phases_with([64], phases_of("smoke"))


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="smoke, quick, full, saturation"):
        phases_of("fast")


@pytest.mark.parametrize(("text", "seconds"), [("10s", 10), ("500ms", 0.5), ("2m", 120), ("1.5h", 5400), ("90", 90)])
def test_durations(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "10 minutes", "-3s", "0s", "nan", "1e3", "50ms"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        seconds_of(text)


def test_rates_are_phases_of_the_open_model() -> None:
    phases = rate_phases([1000, 20_000], "poisson", [], 5)
    assert as_json(phases[0].planned()) == {
        "name": "1,000/s",
        "rate": 1000,
        "arrival": "poisson",
        "max_virtual_users": 250,
        "duration_ms": 5000,
    }
    assert [phase.virtual_users for phase in phases] == [250, 2000]
    assert rate_phases([10], "constant", [7], None)[0].virtual_users == 7


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (ComparisonRequest("rate", ""), "needs arrival rates"),
        (ComparisonRequest("rate", "", rates=[5], users=[1, 2]), "--users is one number"),
        (ComparisonRequest("quick", "", rates=[5]), "--rate belongs to the modes rate and equal"),
    ],
)
def test_rates_belong_to_the_mode_rate(request_: ComparisonRequest, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        _ = request_.phases


def test_an_equal_load_is_half_of_the_rate_the_rate_and_last_the_maximum() -> None:
    phases = equal_phases([700], "poisson", [], 12)
    assert [(phase.rate_per_s, phase.virtual_users, phase.duration_s) for phase in phases] == [
        (350, 64, 12), (700, 64, 12), (None, 64, 12),
    ]  # fmt: skip
    assert {phase.arrivals for phase in phases if phase.rate_per_s} == {"poisson"}
    (probe,) = probe_phases(phases)
    assert (probe.virtual_users, probe.rate_per_s) == (64, None)
    # Before the rate is known the comparison has the same phases.
    unknown = ComparisonRequest("equal", "", users=[16]).phases
    assert [(each.virtual_users, each.rate_per_s is None, each.duration_s) for each in unknown] == [
        (16, False, 10), (16, False, 10), (16, True, 10),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rates": [5, 6]}, "applies one rate to all contenders"),
        ({"users": [1, 2]}, "--users is one number"),
        ({"requests": 5}, "--requests belongs to the mode count"),
        ({"think_time_s": 1.0}, "Leave out --think-time"),
        ({"until_steady": True}, "settle for all of --warm-up and --settle. Leave out --until-steady"),
        ({"levels": {"payload": ["4k", "8k"]}}, "leave out all payloads but one"),
        ({"own_phases": [{"users": 1, "duration": 5.0}]}, "Leave out phases"),
    ],
)
def test_what_an_equal_load_cannot_have(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        _ = ComparisonRequest("equal", "", **changes).phases


def test_requests_make_phases_that_end_after_them() -> None:
    (phase,) = ComparisonRequest("count", "", requests=25_000, levels={"connections": [100]}).phases
    planned = {"name": "25,000 requests, 100 users", "virtual_users": 100, "iterations": 25_000}
    assert as_json(phase.planned()) == planned
    phases = ComparisonRequest("count", "", requests=10, users=[1, 8]).phases
    assert [phase.virtual_users for phase in phases] == [1, 8]


def test_requests_belong_to_the_mode_count() -> None:
    for request, words in [("count", "needs a number of requests"), ("quick", "belongs to the mode count")]:
        with pytest.raises(UsageError, match=words):
            _ = ComparisonRequest(request, "", requests=None if request == "count" else 5).phases
