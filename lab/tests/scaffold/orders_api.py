"""An API whose rules its description does not state, for probes: each rule can be switched on by its name.

- `created`: creations answer 201, where the description says 200.
- `location`: the identifier stands in Location alone.
- `wrapped`: the identifier stands deeper in the reply than the description says.
- `header`: each write needs an Idempotency-Key of its own, and each request the header X-Tenant.
- `etag`: updates need If-Match with the present ETag. `version`: their message holds the present version.
- `states`: an order is paid once, then shipped once; paid orders are neither changed nor deleted.
- `unique`: no two orders have one number, which the client chooses among a few.
- `refuses`: the member `coupon` is refused.
- `catalogue`: products exist, and are found by their slug alone.
- `customers`: an order names a customer, who exists. `example`: by the description the first one.
- `cascade`: the orders of a customer go with it.
- `token`: requests need the bearer token t. `login`: which ann gets with the password right, and PUT /me changes her.
- `slash`: paths end in a slash, and without it in a redirect. `moved`: all requests belong to another host.
- `described`: the service shows its description.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


def description(*rules: str) -> Json:
    """The OpenAPI document, as its author wrote it: without the rules."""
    text: Json = {"type": "string"}
    order: Json = {
        "type": "object",
        "required": ["item"],
        "properties": {"item": text, "number": {"type": "integer", "minimum": 1, "maximum": 3}, "coupon": text},
    }
    if "version" in rules:
        order["properties"] = {**order["properties"], "version": {"type": "integer"}}
    if "customers" in rules:
        order["properties"] = {**order["properties"], "buyer_id": {"type": "integer"}}
    if "example" in rules:
        order["properties"]["buyer_id"]["example"] = 1_000
    shown = {"type": "object", "properties": {"id": {"type": "string"}, "item": text}}
    body = {"content": {"application/json": {"schema": order}}, "required": True}
    reply = {"200": {"description": "it", "content": {"application/json": {"schema": shown}}}}
    created = reply if "location" not in rules else {"200": {"description": "made", "content": {}}}
    gone = {"204": {"description": "gone"}}
    order_id = [{"name": "orderId", "in": "path", "required": True, "schema": text}]
    slug = [{"name": "slug", "in": "path", "required": True, "schema": text}]
    create = {"operationId": "createOrder", "requestBody": body, "responses": reply}
    one = {
        "get": {"operationId": "getOrder", "parameters": order_id, "responses": reply},
        "put": {"operationId": "updateOrder", "parameters": order_id, "requestBody": body, "responses": reply},
        "delete": {"operationId": "deleteOrder", "parameters": order_id, "responses": gone},
    }
    paths: Json = {"/orders": {"post": {**create, "responses": created}}, "/orders/{orderId}": one}
    if "states" in rules:
        for name in ("ship", "pay"):
            step = {"operationId": f"{name}Order", "parameters": order_id, "responses": reply}
            paths[f"/orders/{{orderId}}/{name}"] = {"post": step}
    if "customers" in rules:
        customer = {"type": "object", "properties": {"id": {"type": "integer"}, "name": text}}
        made = {"200": {"description": "made", "content": {"application/json": {"schema": customer}}}}
        named = {"content": {"application/json": {"schema": {"type": "object", "properties": {"name": text}}}}}
        paths["/customers"] = {"post": {"operationId": "createCustomer", "requestBody": named, "responses": made}}
        customer_id = [{"name": "customerId", "in": "path", "required": True, "schema": {"type": "integer"}}]
        read = {"operationId": "getCustomer", "parameters": customer_id, "responses": made}
        one_customer = {"get": read}
        if "cascade" in rules:
            one_customer["delete"] = {"operationId": "deleteCustomer", "parameters": customer_id, "responses": gone}
        paths = {"/customers": paths.pop("/customers"), "/customers/{customerId}": one_customer, **paths}
    if "catalogue" in rules:
        paths["/products"] = {"get": {"operationId": "listProducts", "responses": {"200": {"description": "all"}}}}
        read = {"operationId": "getProduct", "parameters": slug, "responses": {"200": {"description": "it"}}}
        paths["/products/{slug}"] = {"get": read}
    document: Json = {"openapi": "3.0.3", "info": {"title": "orders", "version": "1"}, "paths": paths}
    if "login" in rules:
        document |= {"components": {"securitySchemes": {"own": {"type": "http", "scheme": "bearer"}}}}
        user = {"type": "object", "properties": {"username": text, "password": text, "motto": text}}
        sent = {"content": {"application/json": {"schema": user}}}
        token = {"type": "object", "properties": {"token": text}}
        got = {"200": {"description": "it", "content": {"application/json": {"schema": token}}}}
        document["security"] = [{"own": []}]
        paths["/login"] = {
            "post": {"operationId": "login", "security": [], "requestBody": sent, "responses": got},
        }
        paths["/me"] = {"put": {"operationId": "updateMe", "requestBody": sent, "responses": reply}}
    return document


class Orders(ThreadingHTTPServer):
    """The API with some rules; `failed` are the refused requests of its clients, with the reasons."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, rules: tuple[str, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rules = rules
        self.lock = threading.Lock()
        self.orders: dict[str, Json] = {}
        self.numbers: set[int] = set()
        self.keys: set[str] = set()
        self.customers: dict[int, Json] = {}
        self.last = 0
        self.failed: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _RefusedError(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError as error:
        raise _RefusedError(400, f"{raw!r} is not JSON") from error


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    server: Orders

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        try:
            body = _parsed(raw)
            with self.server.lock:
                status, headers, document = self._result(body)
        except _RefusedError as refused:
            self.server.failed.append(f"{self.command} {self.path}: {refused}")
            status, headers, document = refused.status, {}, {"message": str(refused)}
        content = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def __getattr__(self, name: str) -> Any:
        """The handler of every method, such as do_GET."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _result(self, body: Any) -> tuple[int, Mapping[str, str], Any]:
        if "moved" in self.server.rules:
            return 308, {"location": f"https://orders.example{self.path}"}, None
        if "slash" in self.server.rules:
            if not self.path.endswith("/"):
                return 307, {"location": f"{self.path}/"}, None
            self.path = self.path.removesuffix("/")
        if self.path == "/login":
            if (body["username"], body["password"]) != ("ann", "right"):
                raise _RefusedError(401, "no such user")
            return 200, {}, {"token": "t"}
        self._check_headers()
        if self.path == "/me":
            if body.keys() & {"username", "password"}:
                raise _RefusedError(418, "the account must stay as it is")
            return 200, {}, {"id": "ann", "item": ""}
        if self.path == "/openapi.json" and "described" in self.server.rules:
            return 200, {}, description(*self.server.rules)
        if self.path.startswith("/customers"):
            is_new = self.command == "POST"
            number = 1_000 + len(self.server.customers) if is_new else int(self.path.rpartition("/")[2])
            if not is_new and not self.server.customers.get(number):
                raise _RefusedError(404, "no such customer")
            if self.command == "DELETE":
                self.server.customers[number] = {}
                kept = {name: each for name, each in self.server.orders.items() if each.get("buyer_id") != number}
                self.server.orders = kept
                return 204, {}, None
            customer = self.server.customers.setdefault(number, {**(body or {}), "id": number})
            return 200, {}, customer
        if self.path == "/products":
            return 200, {}, {"products": [{"title": "Tea", "slug": "green-tea"}]}
        if found := re.fullmatch(r"/products/(.+)", self.path):
            if found[1] != "green-tea":
                raise _RefusedError(404, "no such product")
            return 200, {}, {"slug": "green-tea"}
        if self.path == "/orders":
            return self._create(body)
        found = re.fullmatch(r"/orders/([^/]+)(/pay|/ship)?", self.path)
        order = self.server.orders.get(found[1]) if found else None
        if found is None or order is None:
            raise _RefusedError(404, "no such order")
        if found[2]:
            return self._step(order, found[2])
        if self.command == "GET":
            return 200, self._tag(order), self._shown(order)
        if "states" in self.server.rules and order["state"] != "new":
            raise _RefusedError(409, f"the order is {order['state']}")
        return self._change(order, body)

    def _check_headers(self) -> None:
        if "token" in self.server.rules and self.headers.get("authorization") != "Bearer t":
            raise _RefusedError(401, "log in first")
        if "header" not in self.server.rules:
            return
        if "X-Tenant" not in self.headers:
            raise _RefusedError(400, "missing required header X-Tenant")
        key = self.headers.get("Idempotency-Key")
        if self.command != "GET" and (key is None or key in self.server.keys):
            raise _RefusedError(400, "header 'Idempotency-Key' must be set, and new")
        self.server.keys |= {key} if key else set()

    def _create(self, body: Any) -> tuple[int, Mapping[str, str], Any]:
        server = self.server
        if "refuses" in server.rules and "coupon" in body:
            raise _RefusedError(422, "unknown coupon")
        if "customers" in server.rules and not server.customers.get(body.get("buyer_id")):
            raise _RefusedError(422, "the customer does not exist")
        if "unique" in server.rules and body.get("number") in server.numbers:
            raise _RefusedError(409, f"order {body['number']} exists")
        server.numbers.add(body.get("number"))
        server.last += 1
        order = {**body, "id": f"o{server.last}", "version": 1, "state": "new"}
        server.orders[order["id"]] = order
        status = 201 if "created" in server.rules else 200
        if "location" in server.rules:
            return status, {"location": f"/orders/{order['id']}"}, {}
        return status, self._tag(order), self._shown(order)

    def _change(self, order: Json, body: Any) -> tuple[int, Mapping[str, str], Any]:
        rules = self.server.rules
        if self.command == "DELETE":
            self.server.orders.pop(order["id"])
            return 204, {}, None
        if "refuses" in rules and "coupon" in body:
            raise _RefusedError(422, "unknown coupon")
        if "etag" in rules and self.headers.get("if-match") != self._tag(order)["etag"]:
            raise _RefusedError(428 if "if-match" not in self.headers else 412, "If-Match is missing, or old")
        if "version" in rules and body.get("version") != order["version"]:
            raise _RefusedError(409, f"version {body.get('version')} is not the present one")
        order.update({**body, "id": order["id"], "state": order["state"], "version": order["version"] + 1})
        return 200, self._tag(order), self._shown(order)

    def _step(self, order: Json, step: str) -> tuple[int, Mapping[str, str], Any]:
        before, after = {"/pay": ("new", "paid"), "/ship": ("paid", "shipped")}[step]
        if order["state"] != before:
            raise _RefusedError(409, f"the order is {order['state']}")
        order["state"] = after
        return 200, {}, self._shown(order)

    def _tag(self, order: Json) -> Mapping[str, str]:
        return {"etag": f'W/"{order["version"]}"'} if "etag" in self.server.rules else {}

    def _shown(self, order: Json) -> Json:
        shown = {name: each for name, each in order.items() if name != "state"}
        return {"data": {"order": shown}} if "wrapped" in self.server.rules else shown

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(*rules: str) -> Iterator[Orders]:
    with Orders(rules) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
