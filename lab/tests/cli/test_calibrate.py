"""The measurements of `./bakeoff calibrate`: every workload, unless one is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.calibration.calibrated_workloads import measured_of, requests_of
from bakeoff.calibration.machine_calibration import CalibrationRequest
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.storage.calibrations import Calibration
from bakeoff.workload.loader import Workload
from bakeoff.workload.transport_mode import TransportMode
from made_up_manifests import declared, engine, workload

HTTP = {"name": "a", "http": {"method": "GET", "path": "/", "expect": 200}}
EVENTS = workload(operations=[{**HTTP, "grpc": {"method": "p.S/M", "expect": "OK"}}])
REST_ONLY = Workload("users", Path("/nowhere"), declared(operations=[HTTP]))
ENGINE = engine("native")
UNARY, STREAM = TransportMode(), TransportMode(stream=True)


def chosen(payloads: list[str], mode: TransportMode, *workloads: Workload) -> list[tuple[str, list[str], list[str]]]:
    requests = requests_of(workloads, ENGINE, ENGINE, payloads, 1.0, mode)
    return [(each.workload.name, [mode.stored for mode in each.modes], list(each.payloads)) for each in requests]


def test_every_workload_is_measured_in_all_its_sizes() -> None:
    assert chosen([], UNARY, EVENTS, REST_ONLY) == [
        ("events", ["http", "grpc"], ["default", "8k"]),
        ("users", ["http"], ["default"]),
    ]


def test_what_only_one_workload_has_is_measured_with_that() -> None:
    assert [name for name, _, _ in chosen(["8k"], UNARY, EVENTS, REST_ONLY)] == ["events"]
    assert [name for name, _, _ in chosen([], STREAM, EVENTS, REST_ONLY)] == ["events"]


@pytest.mark.parametrize(
    ("payloads", "mode", "words"),
    [
        (["9k"], UNARY, r'no payload "9k"\. Payloads of events: default, 8k\. Payloads of users: default\.'),
        ([], TransportMode(batch=500), "users has no transport mode batch-500"),
    ],
)
def test_what_no_workload_has_is_refused(payloads: list[str], mode: TransportMode, words: str) -> None:
    workloads = (EVENTS, REST_ONLY) if payloads else (REST_ONLY,)

    with pytest.raises(UsageError, match=words):
        chosen(payloads, mode, *workloads)


def test_a_workload_that_cannot_be_measured_takes_nothing_from_the_others() -> None:
    def measure(request: CalibrationRequest) -> Iterator[Calibration]:
        yield Calibration("here", "engine", "native", "1", request.workload.name, "http", "default", 64, 1000.0)
        if request.workload.name == "events":
            raise BakeoffError("all of its requests failed.")

    measured, failed = measured_of(requests_of([EVENTS, REST_ONLY], ENGINE, ENGINE, [], 1.0, UNARY), measure)

    assert [each.workload for each in measured] == ["events", "users"]
    assert failed == {"events": "all of its requests failed."}
