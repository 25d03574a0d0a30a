"""Imports of proto files, relative to any folder: named, found by going up, by buf's files, or with the tool."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.conformance import grpc_protocol
from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.descriptions import proto_sources
from bakeoff.descriptions.descriptors import compiled_proto
from bakeoff.descriptions.proto_import import import_proto
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.errors import UsageError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan

MONEY = 'syntax = "proto3"; package shop.types; message Money { string currency = 1; int64 units = 2; }'


def shop(*imports: str, option: str = "") -> str:
    lines = "".join(f'import "{each}";\n' for each in imports)
    return f"""syntax = "proto3";
package shop.v1;
{lines}{option}
message PriceRequest {{ string id = 1; shop.types.Money offer = 2; }}
message Price {{ shop.types.Money price = 1; }}
service Shop {{ rpc GetPrice(PriceRequest) returns (Price); }}
"""


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """Writes the files, and returns the path of the first."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text), "utf-8")
    return folder / next(iter(files))


@pytest.mark.parametrize(
    ("imported", "place", "beside"),
    [
        ("shop/types/money.proto", "repo/proto/shop/types/money.proto", {}),
        ("money.proto", "repo/proto/shop/v1/money.proto", {}),
        ("../types/money.proto", "repo/proto/shop/types/money.proto", {}),
        ("./money.proto", "repo/proto/shop/v1/money.proto", {}),
        ("shop/types/money.proto", "repo/third_party/shop/types/money.proto", {}),
        ("types/money.proto", "repo/vendor/types/money.proto", {}),
        ("types/money.proto", "repo/lib/x/types/money.proto", {"repo/buf.yaml": "modules:\n  - path: lib/x\n"}),
        ("types/money.proto", "repo/lib/y/types/money.proto", {"repo/buf.work.yaml": "directories: [lib/y]\n"}),
        ("types/money.proto", "repo/lib/z/types/money.proto", {"repo/buf.gen.yaml": "inputs: [{directory: lib/z}]\n"}),
        ("types/money.proto", "repo/lib/r/types/money.proto", {"repo/buf.yaml": "build: {roots: [lib/r]}\n"}),
        ("github.com/shop/repo/proto/shop/types/money.proto", "repo/proto/shop/types/money.proto", {}),
    ],
)
def test_imports_are_found_by_going_up_from_the_file(
    tmp_path: Path, imported: str, place: str, beside: Mapping[str, str]
) -> None:
    file = written(tmp_path, {"repo/proto/shop/v1/shop.proto": shop(imported), place: MONEY, **beside})

    (operation,) = import_proto(ProtoSource(file)).operations

    assert '"offer":{"currency":' in str(operation.message)


def test_one_file_that_is_imported_by_two_names_is_one_file(tmp_path: Path) -> None:
    bag = 'syntax = "proto3"; package shop.v1; import "shop/types/money.proto"; message Bag { shop.types.Money m = 1; }'
    file = written(
        tmp_path,
        {
            "proto/shop/v1/shop.proto": shop("../types/money.proto", "shop/v1/bag.proto"),
            "proto/shop/v1/bag.proto": bag,
            "proto/shop/types/money.proto": MONEY,
        },
    )

    compiled = compiled_proto(ProtoSource(file))

    assert len({each.name for each in compiled.files}) == 3


def test_named_roots_come_first(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {
            "a/shop.proto": shop("money.proto"),
            "a/money.proto": "syntax = 'proto3'; package other; message X {}",
            "far/money.proto": MONEY,
        },
    )

    with pytest.raises(UsageError, match=r'shop.proto:5:\d+: "shop.types.Money" is not defined'):
        import_proto(ProtoSource(file))
    assert import_proto(ProtoSource(file, (tmp_path / "far",))).operations


def test_an_import_that_is_nowhere_is_named_with_where_it_was_looked_for(tmp_path: Path) -> None:
    file = written(tmp_path, {"a/b/shop.proto": shop("types/money.proto")})

    with pytest.raises(UsageError) as refused:
        import_proto(ProtoSource(file, (tmp_path / "c",)))

    words = refused.value.message
    assert words.startswith(f'{file}:3: the import "types/money.proto" was not found. Looked in {tmp_path}/c, ')
    assert f"{tmp_path}/a/b, {tmp_path}/a" in words
    assert "init -I DIR" in words


def test_of_several_imports_the_one_with_the_undefined_type_is_named(tmp_path: Path) -> None:
    text = """
    syntax = "proto3";
    package shop.v1;
    import "rules/v1/rules.proto";
    import "types/v1/money.proto";
    message Req { types.v1.Money price = 1 [(rules.v1.rule) = "x"]; }
    message Rep {}
    service Shop { rpc Sell(Req) returns (Rep); }
    """
    file = written(tmp_path, {"shop.proto": text})

    with pytest.raises(UsageError, match=r'shop.proto:5: the import "types/v1/money.proto" was not found'):
        import_proto(ProtoSource(file))


def test_a_copy_of_the_standard_health_service_by_another_name_is_one(tmp_path: Path) -> None:
    text = """
    syntax = "proto3";
    package grpc.health.v1;
    message HealthCheckRequest { string service = 1; }
    message HealthCheckResponse { enum ServingStatus { UNKNOWN = 0; SERVING = 1; } ServingStatus status = 1; }
    service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }
    """
    file = written(tmp_path, {"health_check.proto": text})
    standard = Path(grpc_protocol.__file__).with_name("protos") / "health.proto"

    codec = ProtoCodec(ProtoSource(file), ProtoSource(standard))

    assert codec.method("grpc.health.v1.Health/Check") is not None


OPTIONS = """
option (rules.file_rule) = { a: [1, 2], b { c: "]" } };
option java_package = "x";
"""


def test_options_whose_file_is_missing_are_left_out_and_the_rest_is_read(tmp_path: Path) -> None:
    text = shop("types/money.proto", "rules/rules.proto", "google/api/field_behavior.proto", option=OPTIONS)
    text = text.replace(
        "string id = 1;",
        'string id = 1 [deprecated = true, (rules.text).p = "^[a-z];$", (google.api.field_behavior) = OUTPUT_ONLY];'
        "int32 n = 3 [(rules.n) = {gt: 0, in: [1, 2]}]; /* [(not) = an option */",
    )
    api = import_proto(ProtoSource(written(tmp_path, {"shop.proto": text, "types/money.proto": MONEY})))

    (operation,) = api.operations
    assert str(operation.message).startswith('{"n":${integer 1 999},"offer":{'), "the id is set by the server"
    assert api.left_out == [
        'shop.proto:4: the import "rules/rules.proto" was not found; the options that it declares are left out.'
    ]


def test_a_file_with_a_mistake_is_named_with_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, {"a/shop.proto": "syntax = 'proto3';\nmessage A { string = 1; }\n"})

    with pytest.raises(UsageError, match=rf"does not compile: {file}:2:\d+: .*Correct it\."):
        import_proto(ProtoSource(file))


def test_a_project_names_the_folders_of_its_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, {"repo/api/shop.proto": shop("types/money.proto"), "elsewhere/types/money.proto": MONEY})
    monkeypatch.chdir(tmp_path / "repo")
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)

    make_project(InitOptions(["shop"], proto=Path("api/shop.proto"), proto_paths=[Path("../elsewhere")]))

    assert 'proto_paths = ["../elsewhere"]' in (tmp_path / "repo" / "bakeoff.toml").read_text("utf-8")
    workload = load_workload(Project(tmp_path / "repo"), "shop")
    assert compile_plan(workload, Load("shop", "grpc", "127.0.0.1", 1, "smoke", phases=[])).proto is not None


def test_a_folder_of_a_workload_has_the_files_that_its_proto_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"proto/shop/v1/shop.proto": shop("shop/types/money.proto"), "proto/shop/types/money.proto": MONEY}
    file = written(tmp_path / "theirs", files)
    (tmp_path / "ours").mkdir()
    monkeypatch.chdir(tmp_path / "ours")
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)

    make_project(InitOptions(["shop"], proto=file, full=True))

    contract = tmp_path / "ours" / "contract" / "shop"
    assert (contract / "shop" / "types" / "money.proto").is_file()
    workload = load_workload(Project(tmp_path / "ours"), "shop")
    assert workload.declared.proto == "shop/v1/shop.proto"
    planned = compile_plan(workload, Load("shop", "grpc", "127.0.0.1", 1, "smoke", phases=[])).proto
    assert planned is not None
    assert planned.import_path == str(contract)


def test_modules_that_buf_has_downloaded_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUF_CACHE_DIR", str(tmp_path / "cache"))
    place = "cache/v3/modules/b5/buf.build/shop/types/0123/files/shop/types/money.proto"
    file = written(tmp_path, {"repo/shop.proto": shop("shop/types/money.proto"), place: MONEY})

    assert import_proto(ProtoSource(file)).operations


def test_a_repository_s_own_copy_of_google_s_files_comes_first(tmp_path: Path) -> None:
    own = """syntax = "proto3"; package google.api; import "google/protobuf/descriptor.proto";
    extend google.protobuf.FieldOptions { string own = 50001; }"""
    text = shop("types/money.proto", "google/api/annotations.proto").replace(
        "string id = 1;", 'string id = 1 [(google.api.own) = "x"];'
    )
    files = {"shop.proto": text, "types/money.proto": MONEY, "third_party/google/api/annotations.proto": own}

    assert import_proto(ProtoSource(written(tmp_path, files))).left_out == []


def test_a_file_beside_the_packages_that_come_with_the_tool_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an installed tool's own proto files are, which lie where google/api does."""
    file = written(tmp_path, {"tool/own.proto": shop("tool/money.proto"), "tool/money.proto": MONEY})
    roots = [*proto_sources.bundled_roots(), tmp_path]
    monkeypatch.setattr(proto_sources, "bundled_roots", lambda: roots)
    assert [each.path.name for each in compiled_proto(ProtoSource(file)).files] == ["own.proto", "money.proto"]


def test_options_that_protoc_no_longer_has_are_left_out(tmp_path: Path) -> None:
    text = shop("types/money.proto", option="option php_generic_services = true;\noption optimize_for = SPEED;")
    api = import_proto(ProtoSource(written(tmp_path, {"shop.proto": text, "types/money.proto": MONEY})))

    assert [each.name for each in api.operations] == ["GetPrice"]


def test_a_file_that_comes_with_the_tool_by_another_name_is_found(tmp_path: Path) -> None:
    text = """
    syntax = "proto3";
    package jobs.v1;
    import "google/longrunning/operations.proto";
    message Job { string id = 1; }
    service Jobs { rpc StartJob(Job) returns (google.longrunning.Operation); }
    """
    api = import_proto(ProtoSource(written(tmp_path, {"jobs.proto": text})))

    assert [each.name for each in api.operations] == ["StartJob"]
