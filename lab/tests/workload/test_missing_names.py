"""Loading refuses names that workload.toml does not define, with line, operation and nearest word."""

import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.workload.loader import load_workload

SHOP = """\
version = 1
name = "shop"
title = "Shop"
database = "none"
proto = "shop.proto"
[mixes.reads]
get = 9
[keys.order]
format = "o-${user}-${sequence}"
[[operations]]
name = "login"
weight = 0
login = true
http = { method = "POST", path = "/login", expect = 200, capture = { token = "/token" } }
message = '{ "name": "user-${user}" }'
[[operations]]
name = "create"
weight = 1
key = "order"
creates = "item"
message = '''
{ "name": "${key}",
"size": ${integer 1 9},
"tags": [${choice "a"|"b"}] }
'''
effect = { kind = "put", document = "/tags/0", key = ["${captured.id}"] }
[operations.http]
method = "POST"
path = "/items"
expect = 201
capture = { id = "/id" }
headers = { Authorization = "Bearer ${login.token}" }
[operations.grpc]
method = "shop.Shop/Create"
expect = "OK"
capture = { id = "/item/0/id" }
[[operations]]
name = "get"
weight = 2
needs = "item"
http.method = "GET"
http.path = "/items/${captured.id}"
http.expect = 200
http.reply = { "/id" = "${captured.id}" }
reads = { document = "", key = ["${captured.id}"] }
"""

PROTO = """
syntax = "proto3";
package shop;
message Order { string name = 1; int32 size = 2; repeated string tags = 3; }
message Item { string id = 1; map<string, string> labels = 2; }
message Created { repeated Item item = 1; }
service Shop { rpc Create(Order) returns (Created); }
"""


GRPC = """\
[operations.grpc]
method = "shop.Shop/Create"
expect = "OK"
capture = { id = "/item/0/id" }
"""


def load(checkout: Project, old: str = "", new: str = "") -> None:
    folder = checkout.root / "contract" / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    assert old in SHOP
    (folder / "workload.toml").write_text(SHOP.replace(old, new, 1), "utf-8")
    (folder / "shop.proto").write_text(PROTO, "utf-8")
    load_workload(checkout, "shop")


def test_a_workload_that_names_only_what_it_has_is_loaded(empty_checkout: Project) -> None:
    load(empty_checkout)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("weight = 2", "wieght = 2", 39, "there is no key wieght. Did you mean weight?"),
        ("expect = 201", "expects = 201", 30, "there is no key expects. Did you mean expect?"),
        ('name = "get"', 'name = "create"', 37, "two operations are named create. Names must differ."),
        ("get = 9", "got = 9", 7, "the mix reads names the operation got, which does not exist. Did you mean get?"),
        ('key = "order"', 'key = "oder"', 19, 'create: key = "oder", but [keys] has no such kind. Did you'),
        ('needs = "item"', 'needs = "itme"', 40, 'get: needs = "itme", but no operation creates that. Did'),
        ('creates = "item"\n', "", 39, 'get: needs = "item", but no operation creates that. Created are: none'),
        ("[operations.http]", "[operations.http]\ncaptures = 1", 0, "there is no key captures. Did you mean capture?"),
        (
            'http.path = "/items/${captured.id}"',
            'http.path = "/items/${captured.ids}"',
            42,
            "get: ${captured.ids}: what creates item does not capture ids. Did you mean id?",
        ),
        (
            '"/id" = "${captured.id}"',
            '"/id" = "${captured.name}"',
            44,
            "get: ${captured.name}: what creates item does not",
        ),
        ('needs = "item"\n', "", 0, 'get: ${captured.id}: nothing is captured for it. Add needs = "…"'),
        (
            "${login.token}",
            "${login.tokn}",
            32,
            "create: ${login.tokn}: no operation with login = true captures tokn. Did you mean token?",
        ),
        ("${integer 1 9}", "${value.count}", 23, "create: ${value.count}: no slot of the operation is named count."),
        (
            "http.expect = 200",
            'http.expect = 200\nhttp.capture = { limit = "sent:${value.limit}" }',
            0,
            "get: ${value.limit}: no slot of the operation is named limit.",
        ),
        ("${key}", "${login.token}", 22, "create: ${login.token} stands in headers, metadata and paths only."),
        ("${integer 1 9}", "${integr 1 9}", 23, "create: ${integr 1 9} is not a slot. Did you mean integer?"),
        ('"user-${user}"', '"${key}"', 15, "login: ${key} is the operation's key, but it has none"),
        (
            'document = "/tags/0"',
            'document = "/tag"',
            26,
            'create: document = "/tag", but the message has no tag at "". Did you mean tags?',
        ),
        ('document = "/tags/0"', 'document = "/tags/1"', 0, 'but the message has no 1 at "/tags". Members there: 0.'),
        ('"size": ', '"size" ', 21, "create: the message is not JSON when its slots are filled"),
        (
            "shop.Shop/Create",
            "shop.Shop/Creat",
            34,
            "create: the proto file declares no method shop.Shop/Creat. Did you mean shop.Shop/Create?",
        ),
        (
            "/item/0/id",
            "/item/0/ids",
            36,
            'create: capture "/item/0/ids": shop.Item has no field ids. Did you mean id?',
        ),
        (
            "http.expect = 200",
            'http.expect = 200\nhttp.list = { items = "/u", id = "/id", own = { kind = "itm", capture = "id" } }',
            0,
            'get: list.own.kind = "itm", but no operation creates that. Did you mean item?',
        ),
        (
            "http.expect = 200",
            'http.expect = 200\nhttp.list = { items = "/u", id = "/id", own = { kind = "item", capture = "di" } }',
            0,
            'get: list.own.capture = "di": what creates item does not capture it. Captured are: id.',
        ),
        (
            "http.expect = 200",
            'http.expect = 200\nhttp.list = { items = "/u", most = "${value.limit}" }',
            0,
            "get: ${value.limit}: no slot of the operation is named limit.",
        ),
        ("weight = 2", 'weight = 2\nthink_time = "a while"', 40, 'get: "a while" is not a duration'),
        ('"size": ', '"sise": ', 23, "create: the message: shop.Order has no field sise. Did you mean size?"),
    ],
)
def test_errors_name_line_operation_and_nearest_word(
    empty_checkout: Project, old: str, new: str, line: int, words: str
) -> None:
    with pytest.raises(UsageError) as error:
        load(empty_checkout, old, new)
    assert words in error.value.message
    assert not line or f"line {line}: " in error.value.message
    assert str(empty_checkout.root / "contract" / "shop" / "workload.toml") in error.value.message


def test_every_protocol_of_an_operation_must_create_what_is_needed(empty_checkout: Project) -> None:
    grpc_only = (
        '[[operations]]\nname = "read"\nweight = 1\nneeds = "item"\ngrpc = { method = "a.B/C", expect = "OK" }\n'
    )
    with pytest.raises(UsageError, match='needs "item", which no operation with a grpc table creates'):
        load(empty_checkout, GRPC, grpc_only)


def test_names_in_maps_are_free(empty_checkout: Project) -> None:
    load(empty_checkout, "/item/0/id", "/item/0/labels/any")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("got", "line 5: no operation is named got. Did you mean get?"),
        ("create", "line 5: the operation create has no reads table"),
        ("get", 'line 5: the operation get needs reads.absent over http, such as [404, "NOT_FOUND"]'),
    ],
)
def test_what_reads_entities_back_must_be_able_to(empty_checkout: Project, name: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        load(empty_checkout, 'database = "none"', f'database = "none"\nread_back = "{name}"')
    assert words in error.value.message


def test_users_are_logged_in_to_read_entities_back(empty_checkout: Project) -> None:
    before, after = SHOP.split('http.method = "GET"')
    secured = 'http.method = "GET"\nhttp.headers = { Authorization = "Bearer ${login.token}" }'
    absent = after.replace("]", "], absent = 404") if "absent" not in after else after
    shop = f"{before}{secured}{absent}".replace('database = "none"', 'database = "none"\nread_back = "get"')
    load(empty_checkout, SHOP, shop)
