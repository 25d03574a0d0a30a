"""The cases of `formats/vectors/flows.json`: plans, and the replies to each of their operations.

`{n}` in a reply is the number of the operation's request, from 1; the last reply of a list is repeated.
"""

from typing import Any

Json = dict[str, Any]

TOKEN = {"authorization": ["Bearer ", {"slot": "login", "name": "token"}]}
# A login that all users would send alike is sent before the load.
OF_USER = ['{"user":', {"slot": "user"}, "}"]
ID = {"slot": "captured", "name": "id"}
DELETES = {"kind": "delete", "key": [[ID]]}


def _operation(name: str, method: str, path: list[Any], *variants: list[Any], **members: Any) -> Json:
    call: Json = {
        member: members.pop(member) for member in ("expect", "capture", "header_templates") if member in members
    }
    http = {"method": method, "path": path, "headers": {}, "expect": 200, "reply": {}, "capture": {}, **call}
    nothing = {"weight": 1, "key": None, "grpc": None, "creates": None, "needs": None, "effect": None}
    return {"name": name, **nothing, "http": http, "variants": list(variants) or [[]], **members}


def _plan(*operations: Json, **members: Any) -> Json:
    common = {"run": "00c0ffee", "seed": "0123456789abcdef", "base_time_ms": 1_768_473_000_000, "keys": []}
    return {**common, "size_bytes": None, "operations": list(operations), **members}


def _reply(status: int = 200, body: str = "{}", *headers: tuple[str, str]) -> Json:
    return {"status": status, "headers": [list(header) for header in headers], "body": body}


MADE = _reply(201, '{"id":{n}}')
NAME = ['{"name":"', {"slot": "alphanumeric", "length": 4}, '"}']


def _items(**get: Any) -> list[Json]:
    return [
        _operation("create", "POST", ["/items"], NAME, creates="item", expect=201, capture={"id": "/id"}),
        _operation("get", "GET", ["/items/", ID], needs="item", weight=3, **get),
        _operation("delete", "DELETE", ["/items/", ID], needs="item", effect=DELETES, expect=204),
    ]


def _logins() -> Json:
    login = _operation("login", "POST", ["/login"], OF_USER, weight=0, login=True, capture={"token": "/token"})
    create, get, delete = ({**each, "http": {**each["http"], "header_templates": TOKEN}} for each in _items())
    replies = {
        "login": [_reply(503), _reply(200, '{"token":"t-{n}"}')],
        "create": [MADE], "get": [_reply()], "delete": [_reply(204, "")],
    }  # fmt: skip
    return {"name": "a login, then entities created, used and deleted", "plan": _plan(login, create, get, delete),
            "replies": replies, "turns": 30}  # fmt: skip


def _statuses() -> Json:
    create, get, delete = _items()
    create["http"]["expect"] = [201, 202]
    replies = {
        "create": [_reply(500), _reply(202, '{"id":99}'), _reply(201, "{}"), MADE],
        "get": [_reply()], "delete": [_reply(404, ""), _reply(204, "")],
    }  # fmt: skip
    return {"name": "only the expected status creates and deletes", "plan": _plan(create, get, delete),
            "replies": replies, "turns": 24}  # fmt: skip


def _headers_and_lists() -> Json:
    place = {"slot": "captured", "name": "place"}
    create = _operation("create", "POST", ["/v1/items"], NAME, creates="item", expect=201,
                        capture={"place": "header:location", "id": "header:location/"})  # fmt: skip
    get = _operation("get", "GET", [place, "?id=", ID], needs="item")
    listing = _operation("list", "GET", ["/users?page=", {"slot": "integer", "min": 1, "max": 9}], creates="user",
                         capture={"id": "/items/*/id"})  # fmt: skip
    user = _operation("user", "GET", ["/users/", ID], needs="user", weight=2)
    replies = {
        "create": [_reply(201, "", ("Location", "/v1/items/{n}7"))], "get": [_reply()], "user": [_reply()],
        "list": [_reply(200, '{"items":[{"id":{n}1},{"id":"{n}2"},{"id":"{n}3"}]}')],
    }  # fmt: skip
    return {"name": "captures from headers and from lists", "plan": _plan(create, get, listing, user),
            "replies": replies, "turns": 30}  # fmt: skip


def _oldest() -> Json:
    operations = _items(pick={"pick": "zipf", "s": 1.2})
    replies = {"create": [MADE], "get": [_reply()], "delete": [_reply(204, "")]}
    return {"name": "the oldest entities most often", "plan": _plan(*operations), "replies": replies, "turns": 40}


def _shop() -> list[Json]:
    item = {"slot": "captured", "name": "item"}
    search = _operation("search", "GET", ["/search?q=", {"slot": "choice", "choices": ["a", "b"]}], weight=0,
                        capture={"item": "/hits/0/id"})  # fmt: skip
    order = _operation("order", "POST", ["/orders"], ['{"item":"', item, '"}'], weight=0, creates="order", expect=201,
                       capture={"id": "/id"})  # fmt: skip
    pay = _operation("pay", "PUT", ["/orders/", ID, "/", item], NAME, weight=0, needs="order")
    cancel = _operation("cancel", "DELETE", ["/orders/", ID], weight=0, needs="order", effect=DELETES, expect=204)
    return [_operation("ping", "GET", ["/ping"], weight=2), search, order, pay, cancel]


_SHOP_REPLIES = {
    "ping": [_reply()], "search": [_reply(200, '{"hits":[{"id":"i{n}"}]}')],
    "order": [MADE], "pay": [_reply()], "cancel": [_reply(204, "")],
}  # fmt: skip


def _sessions() -> Json:
    sessions = [
        {"name": "buy", "weight": 2, "steps": [1, 2, 3]},
        {"name": "regret", "weight": 1, "steps": [1, 2, 1, 3, 4]},
    ]
    return {"name": "sessions carry what their steps captured, the latest value of a name",
            "plan": _plan(*_shop(), sessions=sessions), "replies": _SHOP_REPLIES, "turns": 40}  # fmt: skip


def _failing_sessions() -> Json:
    replies = {**_SHOP_REPLIES, "order": [_reply(500), MADE, _reply(500), MADE], "pay": [_reply(402), _reply()]}
    return {"name": "a step that fails ends its session",
            "plan": _plan(*_shop(), sessions=[{"name": "buy", "weight": 2, "steps": [1, 2, 3]}]),
            "replies": replies, "turns": 30}  # fmt: skip


def _interposed() -> Json:
    login = _operation("login", "POST", ["/login"], OF_USER, weight=0, login=True, capture={"token": "/token"})
    create, get, delete = _items()
    session = {"name": "look", "weight": 1, "steps": [2, 3]}
    plan = _plan(login, *({**each, "weight": 0} for each in (create, get, delete)), sessions=[session])
    replies = {
        "login": [_reply(200, '{"token":"t"}')], "create": [MADE], "get": [_reply()], "delete": [_reply(204, "")],
    }  # fmt: skip
    return {"name": "logins and creators come before the step that needs them", "plan": plan, "replies": replies,
            "turns": 12}  # fmt: skip


def _entity_tags() -> Json:
    tag = {"slot": "captured", "name": "tag"}
    create = _operation("create", "POST", ["/items"], NAME, creates="item", expect=201,
                        capture={"id": "/id", "tag": "header:etag"})  # fmt: skip
    update = _operation("update", "PUT", ["/items/", ID, "?tag=", tag], NAME, needs="item")
    made = [_reply(201, '{"id":{n}}', ("ETag", quoted)) for quoted in ('"a-{n}"', 'W/"b-{n}"', "c-{n}", '""')]
    return {"name": "entity tags are captured without their quotes", "plan": _plan(create, update),
            "replies": {"create": made, "update": [_reply()]}, "turns": 16}  # fmt: skip


def _nested() -> Json:
    shelf = _operation("shelf", "POST", ["/shelves"], ["{}"], weight=1, creates="shelf", expect=201,
                       capture={"id": "/id"})  # fmt: skip
    book = _operation("book", "POST", ["/shelves/", ID, "/books"], NAME, weight=1, creates="book", needs="shelf",
                      expect=201, capture={"id": "/id"})  # fmt: skip
    read = _operation("read", "GET", ["/books/", ID], needs="book", weight=4)
    drop = _operation("drop", "DELETE", ["/shelves/", ID], needs="shelf", effect=DELETES, weight=2, expect=204)
    replies = {"shelf": [MADE], "book": [MADE], "read": [_reply()], "drop": [_reply(204, "")]}
    return {"name": "what a creator needs is created before it", "plan": _plan(read, book, drop, shelf),
            "replies": replies, "turns": 24}  # fmt: skip


def _forms_and_cookies() -> Json:
    form = _operation("sign in", "POST", ["/session"], ['{"user":"u ', {"slot": "sequence"}, '","keep":true}'],
                      body="form", expect=204)  # fmt: skip
    upload = _operation(
        "upload", "POST", ["/files"],
        ['{"file":{"filename":"a.txt","content_type":"text/plain","text":"', {"slot": "uuid"}, '"}}'],
        body="multipart",
    )  # fmt: skip
    raw = _operation("raw", "PUT", ["/raw"], [{"slot": "alphanumeric", "length": 8}], body="binary")
    replies = {
        "sign in": [_reply(204, "", ("Set-Cookie", "id=s{n}; Path=/; HttpOnly"), ("Set-Cookie", "lang=en"))],
        "upload": [_reply()], "raw": [_reply()],
    }  # fmt: skip
    return {"name": "forms, parts and bytes, and the cookies that replies set",
            "plan": _plan(form, upload, raw, cookies=True), "replies": replies, "turns": 12}  # fmt: skip


def _pages() -> Json:
    token = {"slot": "captured", "name": "next", "prefix": "&page="}
    after = {"slot": "captured", "name": "after", "prefix": "?after="}
    by_token = _operation("list", "GET", ["/items?size=2", token], weight=0, capture={"next": "optional:/next"})
    by_link = _operation("linked", "GET", ["/linked", after], weight=0,
                         capture={"after": "optional:query:after:header:link"})  # fmt: skip
    links = '<http://h/linked>; rel="first", <http://h/linked?size=2&after={n}%2Fb>; rel="next"'
    replies = {
        "list": [_reply(200, '{"next":"a/b+c=="}'), _reply(200, '{"next":null}'), _reply(),
                 _reply(200, '{"next":{n}}')],
        "linked": [_reply(200, "", ("Link", links)), _reply(200, "", ("Link", '<http://h/>; rel="first"')),
                   _reply(200, ""), _reply(200, "", ("Link", links))],
    }  # fmt: skip
    sessions = [
        {"name": "pages", "weight": 1, "steps": [0, 0, 0, 0]},
        {"name": "links", "weight": 1, "steps": [1, 1, 1]},
    ]
    return {"name": "pages of lists: the last one shows no token", "plan": _plan(by_token, by_link, sessions=sessions),
            "replies": replies, "turns": 24}  # fmt: skip


def _other_pages() -> Json:
    next_part = {"slot": "captured", "name": "next", "prefix": "?from="}
    operations = [
        _operation(name, "GET", [f"/{name}", part], weight=0, capture={"next": place})
        for name, part, place in (
            ("offset", next_part, "count:0+/items while < /total"),
            ("page", next_part, "count:1+1 while <= header:x-pages"),
            ("full", next_part, "count:0+1 while /items has 2"),
            ("last", next_part, "optional:/items/-1/id while /more"),
            ("whole", {**next_part, "prefix": "?"}, "optional:query::/next while not /end"),
        )
    ]
    items = '"items":[{"id":"a"},{"id":"b/{n}"}]'
    replies = {
        "offset": [_reply(200, f'{{{items},"total":3}}'), _reply(200, '{"items":[{}],"total":3}'), _reply(),
                   _reply(200, f'{{{items},"total":"9"}}')],
        "page": [_reply(200, "", ("X-Pages", "2"))],
        "full": [_reply(200, f"{{{items}}}"), _reply(200, '{"items":[{}]}'), _reply(200, f"{{{items}}}")],
        "last": [_reply(200, f'{{{items},"more":true}}'), _reply(200, f'{{{items},"more":false}}'),
                 _reply(200, '{"items":[],"more":true}'), _reply(200, f'{{{items},"more":true}}')],
        "whole": [_reply(200, '{"next":"http://h/whole?a=%2F+&b{n}#c","end":false}'),
                  _reply(200, '{"next":"/w?c=1","end":true}'), _reply(200, '{"next":"/w?c=1"}'),
                  _reply(200, '{"next":"/w","end":false}')],
    }  # fmt: skip
    sessions = [{"name": f"pages of {each['name']}", "weight": 1, "steps": [index] * 4}
                for index, each in enumerate(operations)]  # fmt: skip
    return {"name": "pages of lists: counted, after the last item, and by a whole query",
            "plan": _plan(*operations, sessions=sessions), "replies": replies, "turns": 60}  # fmt: skip


CASES: tuple[Json, ...] = (
    _pages(),
    _other_pages(),
    _logins(),
    _statuses(),
    _headers_and_lists(),
    _oldest(),
    _sessions(),
    _failing_sessions(),
    _interposed(),
    _nested(),
    _entity_tags(),
    _forms_and_cookies(),
)
