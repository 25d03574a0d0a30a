"""A workload that has nothing in common with the one that is shipped."""

from pathlib import Path
from typing import Any

from bakeoff.conformance.case import Call, Case, GrpcSide, HttpSide
from bakeoff.workload.loader import Workload
from made_up_manifests import declared

PROTO = """
syntax = "proto3";
package shop.v1;
import "google/protobuf/struct.proto";
service Store {
  rpc Put(Item) returns (Receipt);
  rpc PutAll(Items) returns (Receipt);
  rpc PutEach(stream Item) returns (stream Receipt);
}
message Item { string item_key = 1; google.protobuf.Value value = 2; }
message Items { repeated Item items = 1; }
message Receipt { uint32 revision = 1; bool is_new = 2; }
"""

DOCUMENT: dict[str, Any] = {
    "database": "none",
    "proto": "store.proto",
    "health": {"http": {"method": "GET", "path": "/up", "expect": 204}, "grpc": {"service": "shop.v1.Store"}},
    "operations": [
        {
            "name": "put",
            "http": {"method": "PUT", "path": "/items", "expect": 201},
            "grpc": {"method": "shop.v1.Store/Put", "expect": "OK"},
        }
    ],
    "batch": {
        "http": {
            "method": "POST",
            "path": "/items/all",
            "expect": 200,
            "open": '{"all":[',
            "separator": ";",
            "close": "]}",
        },
        "grpc": {"method": "shop.v1.Store/PutAll", "expect": "OK", "field": "items"},
    },
    "stream": {"grpc": {"method": "shop.v1.Store/PutEach"}},
}


def key_value_workload(folder: Path) -> Workload:
    """The workload, with its proto file in the folder."""
    (folder / "store.proto").write_text(PROTO, "utf-8")
    return Workload("key-value", folder, declared(**DOCUMENT))


def key_value_case(
    *,
    call: Call = Call.SINGLE,
    message: Any = None,
    http: HttpSide | None = None,
    grpc: GrpcSide | None = None,
) -> Case:
    """A case of that workload."""
    return Case("a-case", "things", "a-rule", call, (), message, http, grpc, None)
