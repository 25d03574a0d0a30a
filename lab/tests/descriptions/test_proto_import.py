"""Proto files as their authors write them: what is sent, how requests follow from one another, what is left out."""

import zlib
from pathlib import Path
from typing import Any

import pytest

from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.descriptions.proto_sources import ProtoSource
from descriptions_of_protos import by_name, imported, sent

BOOKS = """
    syntax = "proto3";
    package shop.v1;
    message Book { string name = 1; string title = 2; int32 pages = 3; }
    message CreateBookRequest { string title = 1; int32 pages = 2; }
    message GetBookRequest { string name = 1; }
    message DeleteBookRequest { string name = 1; }
    message UpdateBookRequest { string name = 1; string title = 2; int32 pages = 3; }
    message ListBooksRequest { int32 page_size = 1; string page_token = 2; string filter = 3; string order_by = 4; }
    message ListBooksResponse { repeated Book books = 1; string next_page_token = 2; }
    message Empty {}
    service Books {
      rpc CreateBook(CreateBookRequest) returns (Book);
      rpc GetBook(GetBookRequest) returns (Book);
      rpc ListBooks(ListBooksRequest) returns (ListBooksResponse);
      rpc UpdateBook(UpdateBookRequest) returns (Book);
      rpc DeleteBook(DeleteBookRequest) returns (Empty);
    }
"""


def test_what_a_reply_and_a_request_have_in_common_is_the_identifier(tmp_path: Path) -> None:
    api = imported(tmp_path, BOOKS)

    operations = by_name(api)
    assert operations["CreateBook"].call["capture"] == {"id": "/name"}
    for name in ("GetBook", "UpdateBook", "DeleteBook"):
        assert (operations[name].needs, '"name":"${captured.id}"' in str(operations[name].message)) == ("book", True)
    assert sent(operations["UpdateBook"])["title"].startswith("title-")
    assert sent(operations["ListBooks"]).keys() == {"pageSize", "pageToken"}
    assert '"pageToken":"${captured.next}"' in str(operations["ListBooks"].message)
    assert operations["ListBooks"].call["capture"] == {"next": "optional:/nextPageToken"}
    assert api.members["sessions"] == [{"name": "pages of ListBooks", "weight": 1, "steps": ["ListBooks"] * 3}]
    assert api.advice == []


LIBRARY = """
    syntax = "proto3";
    package library.v1;
    import "google/api/annotations.proto";
    import "google/api/field_behavior.proto";
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
      string name = 1 [(google.api.field_behavior) = IDENTIFIER];
      string title = 2;
      string state = 3 [(google.api.field_behavior) = OUTPUT_ONLY];
      string etag = 4;
    }
    message CreateShelfRequest { Shelf shelf = 1; }
    message CreateBookRequest {
      string parent = 1 [(google.api.resource_reference).child_type = "library.example/Book"];
      string book_id = 2;
      Book book = 3;
    }
    message Named { string name = 1; }
    message UpdateBookRequest { Book book = 1; google.protobuf.FieldMask update_mask = 2; bool validate_only = 3; }
    message ListBooksRequest { string parent = 1; }
    message MoveBookRequest {
      string name = 1;
      string other_shelf = 2 [(google.api.resource_reference).type = "library.example/Shelf"];
    }
    message BatchGetBooksRequest { repeated string names = 1; }
    message Books { repeated Book books = 1; }
    service Library {
      rpc CreateShelf(CreateShelfRequest) returns (Shelf) { option (google.api.http) = { post: "/v1/shelves" }; }
      rpc DeleteShelf(Named) returns (google.protobuf.Empty);
      rpc CreateBook(CreateBookRequest) returns (Book);
      rpc GetBook(Named) returns (Book);
      rpc ListBooks(ListBooksRequest) returns (Books);
      rpc UpdateBook(UpdateBookRequest) returns (Book);
      rpc MoveBook(MoveBookRequest) returns (Book);
      rpc DeleteBook(Named) returns (google.protobuf.Empty);
    }
"""


def test_resource_names_are_linked_by_their_annotations(tmp_path: Path) -> None:
    api = imported(tmp_path, LIBRARY)

    operations = by_name(api)
    create, update = operations["CreateBook"], operations["UpdateBook"]
    assert (create.creates, create.needs, create.call["capture"]) == ("book", "shelf", {"id": "/name"})
    assert '"parent":"${captured.id}"' in str(create.message)
    assert sent(create)["book"].keys() == {"title"}, "what the server sets is not sent"
    assert '"bookId":"book-id-${run}-${user}-${sequence}"' in str(create.message)
    assert operations["ListBooks"].needs == "shelf"
    assert '"book":{"name":"${captured.id}"' in str(update.message)
    assert sent(update)["updateMask"] == "title"
    assert "validateOnly" not in sent(update)
    assert operations["DeleteShelf"].weight == 0, "books go with their shelf"
    assert (operations["MoveBook"].needs, operations["CreateShelf for book"].needs) == ("book with shelf", "book")
    # A book that is moved to another shelf is still named when others are deleted.
    why = "The deletion of what others lie in or name has weight 0: they would go with it."
    assert api.advice == [f"{why} (2 times: DeleteShelf, DeleteBook)"]


ORDERS = """
    syntax = "proto3";
    package orders;
    message User { int64 user_id = 1; string email = 2; }
    message CreateUserRequest { string email = 1; }
    message CreateUserResponse { User user = 1; }
    message UserRequest { int64 user_id = 1; }
    message AddOrderRequest { int64 user_id = 1; string item = 2; }
    message Order { string id = 1; string region = 2; }
    message OrderRequest { string order_id = 1; string region = 2; }
    message Orders { repeated Order orders = 1; }
    message Nothing {}
    service Users {
      rpc CreateUser(CreateUserRequest) returns (CreateUserResponse);
      rpc GetUserById(UserRequest) returns (User);
      rpc AddOrder(AddOrderRequest) returns (Order);
      rpc OrderGet(OrderRequest) returns (Order);
      rpc ListOrders(UserRequest) returns (Orders);
    }
    service Containers {
      rpc Create(Container) returns (Container);
      rpc Get(Id) returns (Container);
      rpc Check(Id) returns (Nothing);
    }
    service Images { rpc Get(Id) returns (Nothing); rpc Check(Id) returns (Nothing); }
    message Container { string id = 1; string image = 2; }
    message Id { string id = 1; }
"""


def test_names_link_what_nothing_annotates(tmp_path: Path) -> None:
    api = imported(tmp_path, ORDERS)

    operations = by_name(api)
    assert operations["CreateUser"].call["capture"] == {"id": "/user/userId"}
    assert (operations["GetUserById"].needs, operations["GetUserById"].weight) == ("user", 3)
    order = operations["AddOrder"]
    assert (order.creates, order.needs, order.message) == (
        "order",
        "user",
        '{"userId":${captured.id},"item":"item-${alphanumeric 8}"}',
    )
    assert order.call["capture"] == {"id": "/id", "region": "/region"}
    assert operations["OrderGet"].message == '{"orderId":"${captured.id}","region":"${captured.region}"}'
    assert operations["ListOrders"].needs == "user"


def test_methods_of_one_name_are_told_apart_by_their_services(tmp_path: Path) -> None:
    operations = by_name(imported(tmp_path, ORDERS))

    assert {"Containers.Get", "Images.Get", "Containers.Check", "Images.Check", "Create"} <= operations.keys()
    assert operations["Images.Get"].call["method"] == "orders.Images/Get"
    assert operations["Containers.Get"].needs == "container"
    assert operations["Create"].message == '{"id":"id-${run}-${user}-${sequence}","image":"image-${alphanumeric 8}"}'


def test_creations_that_need_one_another_are_not_linked_in_a_circle(tmp_path: Path) -> None:
    api = imported(
        tmp_path,
        """
        syntax = "proto3";
        message Team { string id = 1; }
        message Person { string id = 1; }
        message NewTeam { string person_id = 1; }
        message NewPerson { string team_id = 1; }
        service S { rpc CreateTeam(NewTeam) returns (Team); rpc CreatePerson(NewPerson) returns (Person); }
        """,
    )

    assert [each.needs for each in api.operations] == [None, None]
    assert [each.name for each in api.operations] == ["CreateTeam", "CreatePerson"]


EVERY = """
    syntax = "proto3";
    package every.v1;
    import "google/protobuf/any.proto";
    import "google/protobuf/duration.proto";
    import "google/protobuf/struct.proto";
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    import "google/protobuf/field_mask.proto";
    message Node { string label = 1; Node next = 2; Other other = 3; }
    message Other { Node node = 1; int32 weight = 2; }
    message Req {
      map<int32, string> by_number = 1; map<bool, Node> flags = 2; map<string, google.protobuf.Any> extensions = 3;
      google.protobuf.Any detail = 4; repeated google.protobuf.Any details = 5;
      map<uint64, google.protobuf.Value> v = 6;
      google.protobuf.Duration pause = 7; google.protobuf.Struct attributes = 8; google.protobuf.NullValue nothing = 9;
      google.protobuf.StringValue text = 10; google.protobuf.UInt64Value size = 11; google.protobuf.BytesValue raw = 12;
      google.protobuf.Timestamp at = 13; google.protobuf.FieldMask read_mask = 14;
      repeated google.protobuf.ListValue l = 15;
      oneof pick { google.protobuf.Any any_first = 16; Node node = 17; string name_of_it = 18; }
      enum Kind { option allow_alias = true; NONE = 0; A = 1; B = 1; C = 2; }
      repeated Kind kinds = 19; optional bool flag = 20; double latitude = 21;
      message Inner { bytes b = 1; } Inner inner = 22;
    }
    message Rep { string ok = 1; }
    service S { rpc Do(Req) returns (Rep); }
"""


def test_fields_of_every_kind_fit_their_types_and_any_is_left_out(tmp_path: Path) -> None:
    api = imported(tmp_path, EVERY)

    message = sent(api.operations[0])
    assert set(message["byNumber"]) == {"1"}
    assert message["flags"]["true"]["label"].startswith("label-")
    assert message.keys().isdisjoint({"extensions", "detail", "details", "anyFirst", "nameOfIt", "readMask"})
    assert message["node"] == {
        "label": message["node"]["label"],
        "other": {"weight": message["node"]["other"]["weight"]},
    }
    assert api.left_out == [
        "4 fields are left out: google.protobuf.Any holds a message of any type: Do extensions, Do detail, Do details "
        "and 1 more."
    ]


GROUPS = """
    syntax = "proto2";
    package grp.v1;
    message Req {
      required string id = 1;
      repeated group Part = 2 { optional string x = 1; optional group Size = 3 { required int32 width = 1; } }
      extensions 100 to 200;
    }
    extend Req { optional string more = 100; }
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
      repeated int32 few = 3 [features.repeated_field_encoding = EXPANDED];
      repeated int32 many = 4;
      string must = 5 [features.field_presence = LEGACY_REQUIRED];
      map<int64, Inner> parts = 6;
      enum Kind { option features.enum_type = CLOSED; A = 0; B = 1; }
      Kind kind = 7;
    }
    service S { rpc Do(Req) returns (Inner); }
"""


def test_groups_of_proto2_are_messages(tmp_path: Path) -> None:
    (part,) = sent(imported(tmp_path, GROUPS).operations[0])["part"]

    assert part["x"].startswith("x-")
    assert isinstance(part["size"]["width"], int)


@pytest.mark.parametrize("edition", ["2023", "2024"])
def test_editions_are_read_as_what_engines_know(tmp_path: Path, edition: str) -> None:
    api = imported(tmp_path, EDITION.replace("2023", edition))
    assert sent(api.operations[0]).keys() == {"id", "part", "few", "many", "must", "parts", "kind"}

    codec = ProtoCodec(ProtoSource(tmp_path / "api.proto"))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"part": {"a": 5}}, "130805142a00"),
        ({"many": [1, 2]}, "220201022a00"),
        ({"few": [1, 2]}, "180118022a00"),
    ]
    for members, encoded in cases:
        assert codec.encode("ed.v1.Req", {"must": "", **members}).hex() == encoded


@pytest.mark.parametrize("name", ["query", "filter", "search_text", "q", "name_filter", "where", "title_prefix"])
def test_a_text_by_which_a_list_chooses_is_not_made_up(tmp_path: Path, name: str) -> None:
    api = imported(
        tmp_path,
        f"""
        syntax = "proto2";
        message Optional {{ optional string {name} = 1; optional string region = 2; }}
        message Required {{ required string {name} = 1; }}
        message Paged {{ optional string {name} = 1; optional string page_token = 2; }}
        message Items {{ repeated string items = 1; optional string next_page_token = 2; }}
        service Shop {{
          rpc ListItems(Optional) returns (Items);
          rpc QueryParts(Required) returns (Items);
          rpc ListPages(Paged) returns (Items);
          rpc SearchItems(Required) returns (Items);
        }}
        """,
        f"{name}.proto",
    )
    found, shown = by_name(api), json_name(name)

    assert sent(found["ListItems"]).keys() == {"region"}
    assert sent(found["QueryParts"]) == {shown: ""}
    assert (found["ListPages"].message, found["ListPages"].has_pages) == ('{"pageToken":"${captured.next}"}', True)
    # A search for nothing may be refused; what chooses itself is left out everywhere.
    assert name in ("filter", "name_filter") or sent(found["SearchItems"])[shown]


def json_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.title() for each in others)


def test_tokens_of_bytes_and_filters_are_not_made_up(tmp_path: Path) -> None:
    text = """
        syntax = "proto3";
        package tokens.v1;
        message Page { bytes key = 1; uint64 limit = 2; }
        message Req { string folder = 1; bytes next_page_token = 2; Page pagination = 3; repeated string filters = 4; }
        message Rep { bytes next_page_token = 1; }
        service Things { rpc ListThings(Req) returns (Rep); }
    """
    (operation,) = imported(tmp_path, text, "tokens.proto").operations

    message = sent(operation)
    assert (message["nextPageToken"], message["pagination"]["key"]) == ("", "")
    assert message.keys() == {"folder", "nextPageToken", "pagination"}


@pytest.mark.parametrize(
    ("request_fields", "reply_fields", "message", "place"),
    [
        ("string cursor = 1; int32 limit = 2;", "string next_cursor = 1;", '{"cursor":"@","limit":20}', "/nextCursor"),
        (
            "bytes next_page_token = 1; int32 maximum_page_size = 2; bool reverse = 3;",
            "bytes next_page_token = 1;",
            '{"nextPageToken":"@","maximumPageSize":20}',
            "/nextPageToken",
        ),
        (
            "bytes next_page_token = 1; bool reverse = 2; Order order = 3; repeated string ids = 4; Filter filter = 5;",
            "bytes next_page_token = 1; bool has_more = 2;",
            '{"nextPageToken":"@"}',
            "/nextPageToken while /hasMore",
        ),
        (
            "Page pagination = 1;",
            "PageInfo pagination = 1;",
            '{"pagination":{"key":"@","limit":20}}',
            "/pagination/nextKey",
        ),
        ("string page_token = 1; string folder = 2;", "string next_page_token = 1;", None, ""),
        ("string page_token = 1;", "bytes next_page_token = 1;", None, ""),
        ("string page_token = 1;", "repeated string next_page_token = 1;", None, ""),
        ("int32 page = 1;", "int32 total_pages = 1;", None, ""),
    ],
)
def test_lists_with_tokens_are_read_page_after_page(
    tmp_path: Path, request_fields: str, reply_fields: str, message: str | None, place: str
) -> None:
    text = f"""
        syntax = "proto3";
        package lists.v1;
        enum Order {{ NONE = 0; UP = 1; DOWN = 2; }}
        message Filter {{ string name = 1; }}
        message Page {{ bytes key = 1; uint64 limit = 2; bool count_total = 3; }}
        message PageInfo {{ bytes next_key = 1; uint64 total = 2; }}
        message Req {{ {request_fields} }}
        message Rep {{ {reply_fields} }}
        service Lists {{ rpc ListThings(Req) returns (Rep); }}
    """
    # A name for each: pytest uses a folder again, and a file is compiled once in a process.
    (operation,) = imported(tmp_path, text, f"lists{zlib.crc32(text.encode())}.proto").operations

    assert operation.has_pages == (message is not None)
    if message is not None:
        assert operation.message == message.replace("@", "${captured.next}")
        assert operation.call["capture"] == {"next": f"optional:{place}"}
