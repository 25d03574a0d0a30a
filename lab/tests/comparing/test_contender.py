from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bakeoff.comparing.contenders import contenders_of
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import UsageError
from bakeoff.options.variant import Level
from bakeoff.targets.storage import StorageTable
from bakeoff.workload.loader import Workload
from bakeoff.workload.transport_mode import transport_mode_named
from made_up_manifests import RUN, declared, engine, target, workload

WORKLOADS = {"events": workload()}
ENGINES = {
    "native": engine("native", "agents", "batch", "stream", "shared-connections"),
    "plain": engine("plain"),
}


def asking(levels: Mapping[str, Sequence[Level]] | None = None, **settings: Sequence[str]) -> ComparisonRequest:
    return ComparisonRequest("quick", "", levels=levels or {}, settings=settings)


def test_a_sustained_run_starts_with_a_large_table_unless_told_otherwise() -> None:
    sustained = replace(asking(), mode="sustained")
    assert [variant.preload for variant in sustained.variants()] == [1_000_000]
    own = replace(asking({"preload": [5, 7]}), mode="sustained")
    assert [variant.preload for variant in own.variants()] == [5, 7]
    assert [variant.preload for variant in asking().variants()] == [0]
    assert [(phase.virtual_users, phase.duration_s) for phase in sustained.phases] == [(64, 900)]


def keys(request: ComparisonRequest, *protocols: str) -> tuple[list[str], dict[str, str]]:
    targets = [target(f"a-{protocol}", protocol) for protocol in protocols]
    possible, impossible = contenders_of(targets, request.variants(), WORKLOADS, ENGINES)
    return [contender.key for contender in possible], impossible


def test_a_contender_is_named_by_what_differs_and_by_nothing_else() -> None:
    assert keys(asking({"payload": ["8k"]}, write_mode=["per-request"]), "rest") == (["a-rest"], {})
    named, _ = keys(asking({"payload": ["default", "8k"]}, write_mode=["x", "y"], pool_size=["5"]), "rest")
    assert named == [
        "a-rest write_mode=x payload=default",
        "a-rest write_mode=y payload=default",
        "a-rest write_mode=x payload=8k",
        "a-rest write_mode=y payload=8k",
    ]


def test_every_target_meets_every_level() -> None:
    named, _ = keys(asking({"connections": [None, 16]}), "rest", "grpc")
    assert named == [
        "a-rest connections=one-each",
        "a-rest connections=16",
        "a-grpc connections=one-each",
        "a-grpc connections=16",
    ]


def test_the_contenders_of_an_a_a_pair_differ_in_name_alone() -> None:
    named, _ = keys(replace(asking(), aa=True), "rest")
    assert named == ["a-rest aa=1", "a-rest aa=2"]
    one, other = replace(asking(), aa=True).variants()
    assert one.differences_from_default() == other.differences_from_default() == {}


def test_what_cannot_be_is_left_out_with_its_reason() -> None:
    named, impossible = keys(asking({"transport_mode": ["unary", "stream-16"]}), "rest", "grpc")
    assert named == ["a-rest transport_mode=unary", "a-grpc transport_mode=unary", "a-grpc transport_mode=stream-16"]
    assert list(impossible) == ["a-rest transport_mode=stream-16"]
    assert "no [stream] for http" in impossible["a-rest transport_mode=stream-16"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (asking({"transport_mode": ["stream"]}), "events has no \\[stream\\] for http"),
        (asking({"transport_mode": ["batch-10"], "engine": ["plain"]}), "engine plain cannot do --batch"),
        (asking({"agents": [2], "engine": ["plain"]}), "engine plain cannot do --agents"),
        (asking({"connections": [4], "engine": ["plain"]}), "engine plain cannot do --shared-connections"),
        (asking({"payload": ["default", "9k"]}), 'no payload "9k". Payloads of events: default, 8k'),
    ],
)
def test_nothing_possible_is_an_error(request_: ComparisonRequest, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        keys(request_, "rest")


def test_replicas_are_of_rest_targets_that_the_lab_starts() -> None:
    named, impossible = keys(asking({"replicas": [None, 2]}), "rest", "grpc")
    assert named == ["a-rest replicas=no-proxy", "a-rest replicas=2", "a-grpc replicas=no-proxy"]
    assert "HAProxy before REST over HTTP/1.1" in impossible["a-grpc replicas=2"]
    for levels in ({"tls": [True]}, {"http_version": ["2"]}, {"runs_in": ["docker"]}):
        with pytest.raises(UsageError, match="--replicas"):
            keys(asking({"replicas": [2], **levels}), "rest")


def test_the_number_of_agents_is_a_level() -> None:
    request = asking({"agents": [1, 2, 4]})
    assert keys(request, "rest")[0] == ["a-rest agents=1", "a-rest agents=2", "a-rest agents=4"]
    assert (request.most_agents, request.agent_hosts) == (4, [])
    one_alone, impossible = keys(asking({"agents": [1, 2], "engine": ["plain"]}), "rest")
    assert (one_alone, list(impossible)) == (["a-rest agents=1"], ["a-rest agents=2"])


def test_hosts_of_agents_name_no_contender() -> None:
    request = asking({"agents": ["ssh://one,ssh://two"]})
    assert keys(request, "rest")[0] == ["a-rest"]
    assert (request.most_agents, request.agent_hosts) == (2, ["ssh://one", "ssh://two"])


def test_pgbouncer_stands_before_a_database_of_targets_that_the_lab_starts() -> None:
    named, impossible = keys(asking({"pgbouncer": [None, "session"], "pgbouncer_connections": [20, 8]}), "rest")
    assert named == [
        "a-rest pgbouncer=no-pooler pgbouncer_connections=20",
        "a-rest pgbouncer=session pgbouncer_connections=20",
        "a-rest pgbouncer=session pgbouncer_connections=8",
    ]
    assert "needs --pgbouncer" in impossible["a-rest pgbouncer=no-pooler pgbouncer_connections=8"]
    with pytest.raises(UsageError, match="--pgbouncer is for targets that the lab starts as processes"):
        keys(asking({"pgbouncer": ["session"], "runs_in": ["docker"]}), "rest")


def test_a_replica_is_read_by_targets_that_know_it_and_that_the_lab_starts() -> None:
    request = asking({"read_replica": [False, True]})
    reading = target("a-rest", run=msgspec.structs.replace(RUN, read_url_variable="READ_URL"))
    possible, impossible = contenders_of([reading, target("b-rest")], request.variants(), WORKLOADS, ENGINES)
    assert [each.key for each in possible] == [
        "a-rest read_replica=off",
        "a-rest read_replica=on",
        "b-rest read_replica=off",
    ]
    assert "--read-replica is for targets that name a read_url_variable" in impossible["b-rest read_replica=on"]
    for levels, words in (
        ({"runs_in": ["docker"]}, "--read-replica is for targets that the lab starts as processes"),
        ({}, "--read-replica is for targets that store in PostgreSQL: leave it out"),
    ):
        elsewhere = replace(
            reading, manifest=msgspec.structs.replace(reading.manifest, storage=StorageTable(kind="memory"))
        )
        request = asking({"read_replica": [True], **levels})
        with pytest.raises(UsageError, match=words):
            contenders_of([reading if levels else elsewhere], request.variants(), WORKLOADS, ENGINES)


def test_a_size_that_another_workload_has_leaves_out_the_targets_without_it() -> None:
    small = Workload("small", Path("/nowhere"), declared())
    own = target("small-rest", workload="small")
    workloads = {**WORKLOADS, "small": small}

    possible, impossible = contenders_of(
        [target("a-rest"), own], asking({"payload": ["8k"]}).variants(), workloads, ENGINES
    )

    assert [contender.key for contender in possible] == ["a-rest"]
    assert impossible == {"small-rest": "small has no payload 8k, only default."}
    with pytest.raises(
        UsageError, match=r'no payload "9k"\. Payloads of events: default, 8k\. Payloads of small: default'
    ):
        contenders_of([target("a-rest"), own], asking({"payload": ["9k"]}).variants(), workloads, ENGINES)


@pytest.mark.parametrize("name", ["unary", "batch-500", "stream", "stream-16"])
def test_transport_modes_have_one_name_each(name: str) -> None:
    assert transport_mode_named(name).name == name


@pytest.mark.parametrize("name", ["", "batch", "batch-0", "unary-2", "stream-x", "streams"])
def test_an_unknown_transport_mode(name: str) -> None:
    with pytest.raises(UsageError, match="unknown transport mode"):
        transport_mode_named(name)
