from dataclasses import replace
from pathlib import Path

import pytest

from as_json import as_json
from bakeoff.options.variant import Variant
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import Settling
from bakeoff.running.run_request import RunRequest
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.access import Access, access_of
from bakeoff.workload.loader import load_workload
from made_up_manifests import engine, target, workload


def ceiling(rate_per_s: float, transport: str, payload: str = "default", *, tls: bool = False) -> Calibration:
    return Calibration("here", "engine", "native", "1", "events", transport, payload, 64, rate_per_s, tls=tls)


CALIBRATIONS = [
    ceiling(1.0, "http"),
    ceiling(2.0, "http", tls=True),
    ceiling(3.0, "grpc"),
    ceiling(4.0, "grpc", tls=True),
    ceiling(5.0, "http", "8k"),
    ceiling(6.0, "grpc-stream"),
    Calibration("here", "database", "batches of 500", "18", "events", "sql", "default", 1, 7.0),
]


def calibrated(*rates_by_version: tuple[str, float]) -> list[Calibration]:
    """Ceilings of the engine over HTTP."""
    return [replace(ceiling(rate, "http"), subject_version=version) for version, rate in rates_by_version]


def request(protocol: str, variant: Variant, attached: Access | None = None) -> RunRequest:
    contender = Contender(target("any", protocol), workload(), engine(variant.engine), variant)
    return RunRequest(contender, "quick", [Phase("Short", 8, 1.0)], calibrations=CALIBRATIONS, attached=attached)


@pytest.mark.parametrize(("features", "ends_early"), [((), False), (("until-steady",), True)])
def test_an_engine_that_can_ends_the_warm_up_when_it_is_steady(
    project: Project, features: tuple[str, ...], ends_early: bool
) -> None:
    wanted = replace(
        request("rest", Variant()),
        contender=Contender(target("any"), load_workload(project, "events"), engine("some", *features)),
        settling=Settling(10),
    )
    equal, _ = as_json(replace(wanted, mode="equal").plan(access_of("http://host:8081"), None))["phases"]
    assert (equal["duration_ms"], "until_steady" in equal) == (10_000, False), "it settles for the whole time"
    warm_up, short = as_json(wanted.plan(access_of("http://host:8081"), None))["phases"]
    assert (warm_up["name"], warm_up["duration_ms"], "until_steady" in warm_up) == ("Warm-up", 10_000, ends_early)
    assert short == {"name": "Short", "virtual_users": 8, "duration_ms": 1000}


@pytest.mark.parametrize(
    ("protocol", "variant", "attached", "rate"),
    [
        ("rest", Variant(), None, 1.0),
        ("rest", Variant(tls=True), None, 2.0),
        ("rest", Variant(), access_of("http://host:8081"), 1.0),
        ("rest", Variant(), access_of("https://host"), 2.0),
        ("grpc", Variant(), None, 3.0),
        ("grpc", Variant(tls=True), None, 4.0),
        ("rest", Variant(payload="8k"), None, 5.0),
        ("rest", Variant(payload="8k", tls=True), None, None),
        ("grpc", Variant(transport_mode="stream"), None, 6.0),
        ("grpc", Variant(transport_mode="stream", tls=True), None, None),
        ("rest", Variant(engine="k6"), None, None),
        ("rest", Variant(agents=2), None, 1.0),
        # The machine that was calibrated is another one.
        ("rest", Variant(agents="ssh://one,ssh://two"), None, None),
        ("rest", Variant(agents=2, runs_in="kubernetes"), None, None),
    ],
)
def test_a_run_is_held_against_the_ceiling_of_its_own_kind(
    protocol: str, variant: Variant, attached: Access | None, rate: float | None
) -> None:
    ceilings = request(protocol, variant, attached).ceilings("1")
    assert (ceilings.pop("engine", None), ceilings) == (rate, {"batches of 500": 7.0})


@pytest.mark.parametrize(
    ("made_from", "version", "calibrations", "rate"),
    [
        # An engine that was not built here is known by its version alone.
        (None, "1", calibrated(("1", 9.0)), 9.0),
        (None, "2", calibrated(("1", 9.0)), None),
        (None, "unknown", calibrated(("1", 9.0)), None),
        ("a" * 64, "1", calibrated(("1", 9.0)), None),
        ("a" * 64, "1", calibrated(("1+aaaaaaaaaaaa", 9.0), ("1+bbbbbbbbbbbb", 8.0)), 9.0),
        ("b" * 64, "1", calibrated(("1+aaaaaaaaaaaa", 9.0), ("1+bbbbbbbbbbbb", 8.0)), 8.0),
        ("a" * 64, "2", calibrated(("1+aaaaaaaaaaaa", 9.0)), None),
        # Measured again: the last counts.
        (None, "1", calibrated(("1", 9.0), ("1", 7.0)), 7.0),
    ],
)
def test_a_run_is_held_against_the_ceiling_of_its_own_build_of_the_engine(
    tmp_path: Path, made_from: str | None, version: str, calibrations: list[Calibration], rate: float | None
) -> None:
    run = replace(request("rest", Variant()), calibrations=calibrations)
    stamp = tmp_path / "stamp"
    if made_from is not None:
        stamp.write_text(made_from)
    build = replace(run.contender.engine.build, stamp=stamp)
    contender = replace(run.contender, engine=replace(run.contender.engine, build=build))
    assert replace(run, contender=contender).ceilings(version).get("engine") == rate


@pytest.mark.parametrize(
    ("variant", "attached", "tls"),
    [
        (Variant(), None, None),
        (Variant(tls=True), None, "on"),
        (Variant(), access_of("http://host:8081"), None),
        (Variant(), access_of("https://host"), "on"),
    ],
)
def test_the_record_says_whether_messages_were_encrypted(
    variant: Variant, attached: Access | None, tls: str | None
) -> None:
    assert request("rest", variant, attached).settings.get("tls") == tls
