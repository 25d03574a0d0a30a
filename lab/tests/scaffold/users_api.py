"""The API of users.openapi.yaml: ids that the server assigns, a login, and faults that a test can plant.

Started with PORT. FAULT names what it does wrong: `wrong-read`, `lost-write`, `failing-list`, `slow-list` or
`overload`: it refuses requests when more than thirty are in flight.
"""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token"


class Users:
    """Users by id, and the faults of keeping them."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self._lock = threading.Lock()
        self._users: dict[int, dict[str, Any]] = {}
        self._last = 0

    def create(self, user: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self._last += 1
            created = {**user, "id": self._last}
            self._users[self._last] = created
            return created

    def get(self, identity: int) -> dict[str, Any] | None:
        user = self._users.get(identity)
        return {**user, "name": "Mallory"} if user is not None and self.fault == "wrong-read" else user

    def update(self, identity: int, user: dict[str, Any]) -> dict[str, Any] | None:
        with self._lock:
            if identity not in self._users:
                return None
            updated = {**user, "id": identity}
            if self.fault != "lost-write":
                self._users[identity] = updated
            return updated

    def delete(self, identity: int) -> bool:
        with self._lock:
            return self._users.pop(identity, None) is not None

    def page(self, limit: int) -> list[dict[str, Any]]:
        if self.fault == "slow-list":
            time.sleep(0.05)
        with self._lock:
            return list(self._users.values())[:limit]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    in_flight = 0
    # A reply leaves in one piece: in two, the second waits for an acknowledgement.
    wbufsize = 1 << 16
    users: Users

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/api/health":
            return self._reply(200, {})
        if not self._is_known():
            return None
        if parts.path == "/api/users":
            limit = int(parse_qs(parts.query)["limit"][0])
            return self._reply(500 if self.users.fault == "failing-list" else 200, self.users.page(limit))
        user = self.users.get(self._identity())
        return self._reply(404 if user is None else 200, user or {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/api/login":
            return self._reply(200, {"token": TOKEN})
        if not self._is_known():
            return None
        if self.path == "/api/search":
            fields = parse_qs(body.decode())
            return self._reply(200 if 3 <= len(fields["text"][0]) <= 5 else 400, [])
        user = json.loads(body)
        if "name" not in user or "email" not in user:
            return self._reply(400, {"message": "name and email are required"})
        return self._reply(201, self.users.create(user))

    def do_PUT(self) -> None:
        user = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self._is_known():
            updated = self.users.update(self._identity(), user)
            self._reply(404 if updated is None else 200, updated or {})

    def do_DELETE(self) -> None:
        if self._is_known():
            self._reply(204 if self.users.delete(self._identity()) else 404, None)

    def _identity(self) -> int:
        return int(self.path.rsplit("/", 1)[-1])

    def _is_known(self) -> bool:
        if self.users.fault == "overload" and self._is_overloaded():
            self._reply(503, {"message": "too many requests"})
            return False
        if self.headers.get("authorization") == f"Bearer {TOKEN}":
            return True
        self._reply(401, {"message": "log in first"})
        return False

    def _is_overloaded(self) -> bool:
        Handler.in_flight += 1
        time.sleep(0.02)
        Handler.in_flight -= 1
        return Handler.in_flight > 30

    def _reply(self, status: int, document: Any) -> None:
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


class Server(ThreadingHTTPServer):
    """Threads end with the process: clients keep their connections."""

    daemon_threads = True
    request_queue_size = 256


def main() -> None:
    Handler.users = Users(os.environ.get("FAULT", ""))
    Server(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    main()
