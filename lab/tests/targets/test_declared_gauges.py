"""Gauges in a manifest: what is refused, and where each process of a target is read."""

import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from test_companions import Healthy, helper, with_companions
from test_manifest import MANIFEST, add

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.sampling.gauges import GaugeEndpoint, NamedGauge
from bakeoff.targets.access import Access
from bakeoff.targets.attached import AttachedTarget
from bakeoff.targets.gauges import GaugesTable, GaugeTable
from bakeoff.targets.manifest import Target, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.targets.replicas import behind_proxy
from bakeoff.workload.plan_records import PlannedTls
from made_up_manifests import RUN, target

OWN = '[run.gauges]\npath = "/metrics"\n[run.gauges.names]\nin_flight = { label = "in flight", unit = "requests" }\n'
COMPANION = '[[run.companions]]\nname = "helper"\ncommand = ["true"]\n'
ITS = OWN.replace("run.gauges", "run.companions.gauges")
IN_FLIGHT = GaugesTable("/metrics", {"in_flight": GaugeTable("in flight", "requests")})


def gauges_at(port: str) -> GaugesTable:
    return msgspec.structs.replace(IN_FLIGHT, port=port)


def showing(gauges: GaugesTable) -> Target:
    return target("one", run=msgspec.structs.replace(RUN, gauges=gauges))


def places(endpoints: list[GaugeEndpoint]) -> list[tuple[str, int, list[str]]]:
    return [(each.process, each.port, [gauge.name for gauge in each.gauges.values()]) for each in endpoints]


def test_a_manifest_names_its_gauges(empty_checkout: Project) -> None:
    add(empty_checkout, "notes/one", MANIFEST + OWN)
    (found,) = find_targets(empty_checkout)
    assert found.manifest.run.gauges == IN_FLIGHT


@pytest.mark.parametrize(
    ("added", "line", "reason"),
    [
        (OWN.replace("/metrics", "metrics"), 22, r"run\.gauges\.path: 'metrics' does not match"),
        (OWN.replace("path", "paths"), 22, r"there is no key paths\. Did you mean path\?"),
        (OWN.replace("in_flight", '"in flight"'), 23, r"run\.gauges\.names: 'in flight' does not match"),
        (OWN.replace(', unit = "requests"', ""), 24, "'unit' is a required property"),
        (OWN.replace("requests", ""), 24, r"run\.gauges\.names\.in_flight\.unit: '' does not match"),
        (OWN.partition("in_flight")[0], 23, r"run\.gauges\.names: \{\} should be non-empty"),
        (
            OWN + 'too = { label = "in flight", unit = "calls" }\n',
            23,
            r'run\.gauges: two gauges have the label "in flight"\. Reports could not distinguish them: rename one\.',
        ),
        (
            OWN.replace("path", 'port = "admin"\npath', 1),
            22,
            r"run\.gauges: no command and no variable of this file has \{port\.admin\}, so that no process can listen "
            r"there\. Give it to the process that shows the gauges\.",
        ),
        (COMPANION + ITS, 24, r"run\.companions\.0\.gauges: 'port' is a required property"),
        (
            COMPANION + ITS.replace("path", 'port = "helper-{instance}"\npath', 1),
            25,
            r"run\.companions\.0\.gauges: no command and no variable of this file has \{port\.helper-\{instance\}\}",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(empty_checkout: Project, added: str, line: int, reason: str) -> None:
    before, settings = MANIFEST.split("[settings]")
    add(empty_checkout, "notes/one", before + added + "[settings]" + settings)
    with pytest.raises(UsageError, match=rf"target\.toml, line {line}: .*{reason}"):
        find_targets(empty_checkout)


def test_gauges_of_a_grpc_target_need_a_port_of_their_own(empty_checkout: Project) -> None:
    manifest = MANIFEST.replace('"rest"', '"grpc"')
    add(empty_checkout, "notes/one", manifest + OWN)
    words = r"over HTTP, and the target's own port serves grpc\. .*name it: port = \"NAME\"\."
    with pytest.raises(UsageError, match=words):
        find_targets(empty_checkout)
    other_port = manifest.replace('["{artifact}"]', '["{artifact}", "--admin", "{port.admin}"]')
    (empty_checkout.root / "targets" / "notes" / "one" / "target.toml").write_text(
        other_port + OWN.replace("path", 'port = "admin"\npath', 1)
    )
    assert find_targets(empty_checkout)[0].manifest.run.gauges == gauges_at("admin")


def test_a_target_is_read_where_requests_reach_it(tmp_path: Path) -> None:
    process = TargetProcess(showing(IN_FLIGHT), None, Healthy([]), tmp_path / "log.txt", port=8123)
    (endpoint,) = process.gauge_endpoints
    assert (endpoint.process, endpoint.address) == ("one", "http://127.0.0.1:8123/metrics")
    assert endpoint.gauges == {"in_flight": NamedGauge("in flight", "requests")}
    assert TargetProcess(target("one"), None, Healthy([]), tmp_path / "log.txt").gauge_endpoints == []


def test_a_port_of_its_own_is_read_in_plain_text_with_the_token() -> None:
    access = Access("127.0.0.1", 8123, PlannedTls(), token="secret")
    assert IN_FLIGHT.endpoint("one", access).address == "https://127.0.0.1:8123/metrics"
    process = TargetProcess(showing(gauges_at("admin")), None, Healthy([]), Path("log.txt"), port=8123)
    process.access = access
    (endpoint,) = process.gauge_endpoints
    assert endpoint.port not in (0, 8123) and endpoint.address.startswith("http://")
    assert endpoint.headers == {"authorization": "Bearer secret"}
    assert "secret" not in repr(endpoint)
    assert process.gauge_endpoints[0].port == endpoint.port


def test_each_of_several_companions_is_read_on_its_own_port(tmp_path: Path) -> None:
    script = "import sys, signal; print(sys.argv[1], flush=True); signal.pause()"
    gateway = helper(
        name="gateway",
        command=[sys.executable, "-c", script, "{port.gateway-{instance}}"],
        count=2,
        gauges=gauges_at("gateway-{instance}"),
    )
    logs = [tmp_path / name for name in ("log.txt", "log.gateway-0.log", "log.gateway-1.log")]
    with TargetProcess(with_companions(tmp_path, gateway), None, Healthy(logs), logs[0]) as process:
        ports = [int(log.read_text()) for log in logs[1:]]
        assert places(process.gauge_endpoints) == [
            ("gateway 0", ports[0], ["gateway 0: in flight"]),
            ("gateway 1", ports[1], ["gateway 1: in flight"]),
        ]
        # Companions listen on this machine, wherever the target is reached.
        process.access = Access("10.0.0.7", 8123, PlannedTls())
        assert process.gauge_endpoints[0].address == f"http://127.0.0.1:{ports[0]}/metrics"


def test_replicas_show_what_the_target_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/sbin/{name}")
    run = behind_proxy(showing(IN_FLIGHT), 2).manifest.run
    assert run.gauges is None
    assert run.companions[0].gauges == gauges_at("replica-{instance}")
    assert behind_proxy(target("one"), 2).manifest.run.companions[0].gauges is None


def test_an_attached_target_is_read_on_the_port_that_is_known() -> None:
    access = Access("10.0.0.7", 443)
    (endpoint,) = AttachedTarget(showing(IN_FLIGHT), access, Healthy([])).gauge_endpoints
    assert (endpoint.host, endpoint.port) == ("10.0.0.7", 443)
    assert AttachedTarget(showing(gauges_at("admin")), access, Healthy([])).gauge_endpoints == []
    assert AttachedTarget(target("one"), access, Healthy([])).gauge_endpoints == []
