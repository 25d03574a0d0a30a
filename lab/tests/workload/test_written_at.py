"""The line of a file that a person changes when an operation fails."""

from pathlib import Path

import pytest

from bakeoff.project import Project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.written_at import written_at

PROTO = """
syntax = "proto3";
message A {}
service S { rpc One(A) returns (A); rpc Two(A) returns (A); }
"""
ONE_FILE = """[targets.shop]
run = "true"
protocol = "grpc"

[workloads.shop]
proto = "shop.proto"

[[workloads.shop.operations]]
name = "Two"
weight = 2
"""


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("Two", "Two is in line 8 of bakeoff.toml."),
        (
            "One",
            "One comes from line 6 of bakeoff.toml: an entry [[workloads.shop.operations]] with its name changes it, "
            "and init --probe URL finds such entries at the running service.",
        ),
    ],
)
def test_an_operation_has_a_line_of_its_own_or_its_description_has(tmp_path: Path, operation: str, words: str) -> None:
    (tmp_path / "shop.proto").write_text(PROTO, "utf-8")
    (tmp_path / "bakeoff.toml").write_text(ONE_FILE, "utf-8")

    assert written_at(load_workload(Project(tmp_path), "shop"), operation) == words


def test_a_folder_of_a_workload_has_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "bakeoff.toml").write_text('[folders]\nworkloads = ["w"]\ntargets = ["t"]\n', "utf-8")
    (tmp_path / "t").mkdir()
    (tmp_path / "w" / "shop").mkdir(parents=True)
    call = 'http = { method = "GET", path = "/", expect = 200 }'
    text = f'version = 1\nname = "shop"\n\n[[operations]]\nname = "Read"\n{call}\n'
    (tmp_path / "w" / "shop" / "workload.toml").write_text(text, "utf-8")
    workload = load_workload(Project(tmp_path), "shop")

    assert written_at(workload, "Read") == "Read is in line 4 of workload.toml."
    assert written_at(workload, "Write") is None
