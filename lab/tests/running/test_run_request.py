import pytest

from bakeoff.running.contender import Contender
from bakeoff.running.modes import Phase
from bakeoff.running.request import Sending, Variant
from bakeoff.running.run_request import RunRequest
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.access import Access, access_of
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


def request(protocol: str, variant: Variant, attached: Access | None = None) -> RunRequest:
    contender = Contender(target("any", protocol), workload(), engine("native"), variant)
    return RunRequest(contender, "quick", [Phase("Short", 8, 1.0)], calibrations=CALIBRATIONS, attached=attached)


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
        ("grpc", Variant(sending=Sending(stream=True)), None, 6.0),
        ("grpc", Variant(sending=Sending(stream=True), tls=True), None, None),
        ("rest", Variant(engine="k6"), None, None),
    ],
)
def test_a_run_is_held_against_the_ceiling_of_its_own_kind(
    protocol: str, variant: Variant, attached: Access | None, rate: float | None
) -> None:
    ceilings = request(protocol, variant, attached).ceilings
    assert (ceilings.pop("engine", None), ceilings) == (rate, {"batches of 500": 7.0})


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
