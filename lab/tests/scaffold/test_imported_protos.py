"""Fresh imports of proto files, sent by the engine: no request fails."""

import itertools
import re
import textwrap
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from rich.console import Console

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.project import PROJECT_VARIABLE, Project

pytestmark = pytest.mark.end_to_end

QUICK = ComparisonRequest("quick", "a test", users=[4], phase_duration_s=1, warm_up_s=0)

EVERY = """
    syntax = "proto3";
    package every.v1;
    import "google/protobuf/any.proto";
    import "google/protobuf/duration.proto";
    import "google/protobuf/struct.proto";
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    message Req {
      map<int32, string> by_number = 1; map<bool, string> flags = 2; map<string, google.protobuf.Any> extensions = 3;
      google.protobuf.Duration pause = 4; google.protobuf.Struct attributes = 5; google.protobuf.NullValue nothing = 6;
      google.protobuf.StringValue text = 7; google.protobuf.UInt64Value size = 8; google.protobuf.BytesValue raw = 9;
      google.protobuf.Timestamp at = 10; repeated google.protobuf.ListValue lists = 11; google.protobuf.Value any = 12;
      enum Kind { NONE = 0; A = 1; B = 2; } repeated Kind kinds = 13; repeated bool bools = 14;
      repeated bytes blobs = 15;
      map<uint64, Inner> inner = 16; message Inner { sint64 depth = 1; google.protobuf.BoolValue flag = 2; }
    }
    message Rep { string ok = 1; }
    service S { rpc Do(Req) returns (Rep); }
"""
GROUP = """
    syntax = "proto2";
    package grp.v1;
    message Req { required string id = 1; repeated group Part = 2 { optional string x = 1; required int32 n = 2; } }
    message Rep { optional string ok = 1; }
    service S { rpc Do(Req) returns (Rep); }
"""
EDITION = """
    edition = "2023";
    package ed.v1;
    message Inner { int32 a = 1; }
    message Req {
      string id = 1 [features.field_presence = IMPLICIT];
      Inner part = 2 [features.message_encoding = DELIMITED];
      map<int64, Inner> parts = 3;
    }
    message Rep { string ok = 1; }
    service S { rpc Do(Req) returns (Rep); }
"""
LIBRARY = """
    syntax = "proto3";
    package library.v1;
    import "google/api/resource.proto";
    import "google/protobuf/empty.proto";
    import "google/protobuf/field_mask.proto";
    message Shelf {
      option (google.api.resource) = { type: "library.example/Shelf" pattern: "shelves/{shelf}" };
      string name = 1;
      string theme = 2;
    }
    message Book {
      option (google.api.resource) = { type: "library.example/Book" pattern: "shelves/{shelf}/books/{book}" };
      string name = 1;
      string title = 2;
    }
    message CreateShelfRequest { Shelf shelf = 1; }
    message CreateBookRequest { string parent = 1; string book_id = 2; Book book = 3; }
    message Named { string name = 1; }
    message UpdateBookRequest { Book book = 1; google.protobuf.FieldMask update_mask = 2; }
    message ListBooksRequest { string parent = 1; int32 page_size = 2; string page_token = 3; string filter = 4; }
    message Books { repeated Book books = 1; string next_page_token = 2; }
    service Library {
      rpc CreateShelf(CreateShelfRequest) returns (Shelf);
      rpc GetShelf(Named) returns (Shelf);
      rpc DeleteShelf(Named) returns (google.protobuf.Empty);
      rpc CreateBook(CreateBookRequest) returns (Book);
      rpc GetBook(Named) returns (Book);
      rpc ListBooks(ListBooksRequest) returns (Books);
      rpc UpdateBook(UpdateBookRequest) returns (Book);
      rpc DeleteBook(Named) returns (google.protobuf.Empty);
    }
"""

PAGED = """
    syntax = "proto3";
    package paged.v1;
    message Texts { string page_token = 1; int32 page_size = 2; bool reverse = 3; }
    message TextsReply { repeated string items = 1; string next_page_token = 2; }
    message Page { bytes key = 1; uint64 limit = 2; }
    message PageInfo { bytes next_key = 1; }
    message Blobs { Page pagination = 1; }
    message BlobsReply { PageInfo pagination = 1; }
    service Lists {
      rpc ListTexts(Texts) returns (TextsReply);
      rpc ListBlobs(Blobs) returns (BlobsReply);
    }
"""


class Anything(grpc.GenericRpcHandler):
    """Reads each request by its type, and answers with an empty message; what cannot be read fails."""

    def __init__(self, codec: ProtoCodec) -> None:
        self._codec = codec

    def service(self, details: Any) -> Any:
        name = details.method.rsplit("/", 1)[-1]
        method = self._codec.method(details.method.lstrip("/"))
        if method is None:
            return None

        def answer(payload: bytes, context: Any) -> bytes:
            message = self._codec.decode(method.request, payload)
            return self._codec.encode(method.reply, self.answer(name, message, context))

        return grpc.unary_unary_rpc_method_handler(answer)

    def answer(self, name: str, message: Any, context: Any) -> Any:  # noqa: ARG002 - anything is right
        return {}


class Library(Anything):
    """Shelves and books: names that do not exist, are taken, or lie elsewhere are refused."""

    def __init__(self, codec: ProtoCodec) -> None:
        super().__init__(codec)
        self._shelves: set[str] = set()
        self._books: set[str] = set()
        self._numbers = itertools.count(1)

    def answer(self, name: str, message: Any, context: Any) -> Any:
        verb, kind = re.fullmatch("([A-Z][a-z]+)([A-Z].*)", name).groups()  # type: ignore[union-attr]
        if name == "CreateShelf":
            shelf = f"shelves/{next(self._numbers)}"
            self._shelves.add(shelf)
            return {"name": shelf}
        if name == "CreateBook":
            return self._create_book(message, context)
        if name == "ListBooks":
            is_plain = not message["pageToken"] and not message["filter"]
            self._check(message["parent"] in self._shelves and is_plain, context)
            return {}
        named = message["book"] if verb == "Update" else message
        known = self._shelves if kind == "Shelf" else self._books
        self._check(named["name"] in known and message.get("updateMask", "title") == "title", context)
        if verb == "Delete":
            known.discard(named["name"])
            return {}
        return {"name": named["name"]}

    def _create_book(self, message: Any, context: Any) -> Any:
        self._check(message["parent"] in self._shelves, context)
        name = f"{message['parent']}/books/{message['bookId']}"
        if name in self._books:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, name)
        self._books.add(name)
        return {"name": name}

    def _check(self, is_so: bool, context: Any) -> None:
        if not is_so:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such thing")


class Paged(Anything):
    """Lists of three pages, by tokens that need escapes or are no text; unknown ones are refused."""

    TOKENS = ("", "/+=?", "YWJjZA==")
    BYTES = ("", "//79", "AAE=")

    def __init__(self, codec: ProtoCodec) -> None:
        super().__init__(codec)
        self.reached: dict[str, set[int]] = {"ListTexts": set(), "ListBlobs": set()}

    def answer(self, name: str, message: Any, context: Any) -> Any:
        is_text = name == "ListTexts"
        known = self.TOKENS if is_text else self.BYTES
        token = message["pageToken"] if is_text else message["pagination"]["key"]
        if token not in known or message.get("reverse"):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(message))
        page = known.index(token)
        self.reached[name].add(page)
        following = known[page + 1] if page + 1 < len(known) else ""
        return {"nextPageToken": following} if is_text else {"pagination": {"nextKey": following}}


@contextmanager
def serving(handler: grpc.GenericRpcHandler) -> Iterator[str]:
    server = grpc.server(futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


@pytest.mark.parametrize(
    ("text", "handler"), [(EVERY, Anything), (GROUP, Anything), (EDITION, Anything), (LIBRARY, Library)]
)
def test_no_request_of_a_fresh_import_fails(
    measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch, text: str, handler: type[Anything]
) -> None:
    measured(measuring_checkout, monkeypatch, text, handler)


def test_pages_of_lists_are_followed_by_their_tokens(
    measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = measured(measuring_checkout, monkeypatch, PAGED, Paged)

    assert isinstance(api, Paged)
    assert api.reached == {"ListTexts": {0, 1, 2}, "ListBlobs": {0, 1, 2}}


def measured(
    measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch, text: str, handler: type[Anything]
) -> Anything:
    """The handler after a run of a fresh import, in which no request failed."""
    root = measuring_checkout.root
    measuring_checkout.file.unlink()
    # A name for each: pytest uses a folder again, and a file is compiled once in a process.
    proto = root / f"api{len(text)}.proto"
    proto.write_text(textwrap.dedent(text), "utf-8")
    monkeypatch.chdir(root)
    monkeypatch.delenv(PROJECT_VARIABLE)

    make_project(InitOptions(["api"], proto=Path(proto.name)))
    api = handler(ProtoCodec(ProtoSource(proto)))
    with serving(api) as url:
        request = replace(QUICK, attached={"api": url})
        comparison = compare(measuring_checkout, request, PlainProgress(Console(quiet=True)))

    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert run.total is not None
    assert (run.total.failed, run.total.errors, run.total.requests > 20) == (0, {}, True)
    return api
