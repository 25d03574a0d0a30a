"""`bakeoff init grpc://…`: a running server shows its services by reflection."""

import tomllib
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.descriptions.descriptors import compiled_proto
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.errors import UsageError
from bakeoff.processes.ports import free_port
from bakeoff.processes.request_client import RequestClient
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.workload.loader import load_workload
from reflecting import VERSIONS, reflecting

SHOP = """
    syntax = "proto3";
    package shop.v1;
    import "google/protobuf/timestamp.proto";
    import "money.proto";
    message Item { string id = 1; shop.types.Money price = 2; google.protobuf.Timestamp at = 3; }
    message Id { string id = 1; }
    service Items {
      rpc CreateItem(Item) returns (Item);
      rpc GetItem(Id) returns (Item);
      rpc Watch(Id) returns (stream Item);
    }
    service Stock { rpc GetItem(Id) returns (Item); }
"""
MONEY = 'syntax = "proto3"; package shop.types; message Money { string currency = 1; int64 units = 2; }'


@pytest.fixture
def proto(tmp_path: Path) -> Path:
    folder = tmp_path / "protos"
    folder.mkdir()
    (folder / "money.proto").write_text(MONEY, "utf-8")
    (folder / "shop.proto").write_text(SHOP, "utf-8")
    return folder / "shop.proto"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: RequestClient) -> Path:
    """The folder of a project, which is the current one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)
    return folder


@pytest.mark.parametrize("versions", [VERSIONS, VERSIONS[:1], VERSIONS[1:]], ids=["both", "v1", "v1alpha"])
def test_a_server_shows_its_services(folder: Path, proto: Path, versions: tuple[str, ...]) -> None:
    with reflecting(proto, versions) as url:
        make_project(InitOptions(["shop", url]))

    document = tomllib.loads((folder / "bakeoff.toml").read_text("utf-8"))
    assert document["workloads"]["shop"]["proto"] == "services.binpb"
    assert document["targets"]["shop"]["protocol"] == "grpc"
    loaded = {each.name: each for each in load_workload(Project(folder), "shop").declared.operations}
    assert list(loaded) == ["CreateItem", "Items.GetItem", "Stock.GetItem"]
    assert (loaded["CreateItem"].creates, loaded["Items.GetItem"].needs) == ("item", "item")
    assert '"price":{"currency":' in str(loaded["CreateItem"].message)


def test_the_folders_of_a_contract_hold_what_was_shown(folder: Path, proto: Path) -> None:
    with reflecting(proto) as url:
        make_project(InitOptions(["shop", url], full=True))

    names = [each.name for each in load_workload(Project(folder), "shop").declared.operations]
    assert names == ["CreateItem", "Items.GetItem", "Stock.GetItem"]
    assert (folder / "contract" / "shop" / "services.binpb").is_file()


def test_a_server_without_reflection_is_named(folder: Path, proto: Path) -> None:
    with (
        reflecting(proto, ()) as url,
        pytest.raises(UsageError, match="does not show its services: it has no service of reflection"),
    ):
        make_project(InitOptions(["shop", url]))
    assert list(folder.iterdir()) == []


def test_nothing_that_answers_is_named(folder: Path) -> None:
    with pytest.raises(UsageError, match="does not answer: nothing listens on this port"):
        make_project(InitOptions(["shop", f"grpc://127.0.0.1:{free_port()}"]))
    assert list(folder.iterdir()) == []


def test_a_set_of_descriptors_is_a_proto(folder: Path, proto: Path) -> None:
    (folder / "shop.binpb").write_bytes(compiled_proto(ProtoSource(proto)).descriptor_set)

    make_project(InitOptions(["shop"], proto=Path("shop.binpb")))

    names = [each.name for each in load_workload(Project(folder), "shop").declared.operations]
    assert names == ["CreateItem", "Items.GetItem", "Stock.GetItem"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no descriptors", "is neither a .proto file nor a set of descriptors. Write one with buf build"),
        (
            FileDescriptorSet(file=[FileDescriptorProto(name="a", dependency=["b"])]).SerializeToString(),
            "lacks b, which a imports. Write one with buf build -o FILE.binpb, or protoc --include_imports",
        ),
        (b"", "declares no service"),
    ],
)
def test_a_set_that_cannot_be_used_says_why(folder: Path, content: bytes, words: str) -> None:
    (folder / "shop.binpb").write_bytes(content)
    with pytest.raises(UsageError, match=words):
        make_project(InitOptions(["shop"], proto=Path("shop.binpb")))


def test_services_of_one_name_are_told_apart_by_their_packages(folder: Path) -> None:
    declared: list[FileDescriptorProto] = []
    for version in ("v1", "v2"):
        text = f'syntax = "proto3"; package a.{version}; message M {{}} service S {{ rpc Do(M) returns (M); }}'
        (folder / f"{version}.proto").write_text(text, "utf-8")
        compiled = compiled_proto(ProtoSource(folder / f"{version}.proto"))
        declared += FileDescriptorSet.FromString(compiled.descriptor_set).file
    (folder / "both.binpb").write_bytes(FileDescriptorSet(file=declared).SerializeToString())

    make_project(InitOptions(["both"], proto=Path("both.binpb")))

    operations = load_workload(Project(folder), "both").declared.operations
    assert [(each.name, each.grpc and each.grpc.method) for each in operations] == [
        ("a.v1.S.Do", "a.v1.S/Do"),
        ("a.v2.S.Do", "a.v2.S/Do"),
    ]
