"""An API as a newcomer would write it after `bakeoff init things`: started with PORT, and with DATABASE_URL
where it stores. With FORGETS=1 it acknowledges entries of virtual users and keeps none of them."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

import psycopg

SAVE = """
INSERT INTO things (id, name, quantity, price) VALUES (%(id)s, %(name)s, %(quantity)s, %(price)s)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, quantity = excluded.quantity, price = excluded.price
"""
READ = (
    "SELECT jsonb_build_object('id', id, 'name', name, 'quantity', quantity, 'price', price) FROM things WHERE id = %s"
)


class Store(Protocol):
    """Where entries are."""

    def save(self, entry: dict[str, Any]) -> None: ...

    def read(self, identity: str) -> Any: ...

    def delete(self, identity: str) -> None: ...


class Memory:
    def __init__(self) -> None:
        self._entries: dict[str, Any] = {}

    def save(self, entry: dict[str, Any]) -> None:
        self._entries[entry["id"]] = entry

    def read(self, identity: str) -> Any:
        return self._entries.get(identity)

    def delete(self, identity: str) -> None:
        self._entries.pop(identity, None)


class Table:
    """Connections that clients share: a client that connects for each request need not cost a session each."""

    def __init__(self, url: str, schema: Path) -> None:
        self._url = url
        self._idle: list[psycopg.Connection[Any]] = []
        self._run(schema.read_text("utf-8"))

    def save(self, entry: dict[str, Any]) -> None:
        if "FORGETS" not in os.environ or not entry["id"].startswith("things-"):
            self._run(SAVE, entry)

    def read(self, identity: str) -> Any:
        row = self._run(READ, [identity]).fetchone()
        return None if row is None else row[0]

    def delete(self, identity: str) -> None:
        self._run("DELETE FROM things WHERE id = %s", [identity])

    def _run(self, statement: str, values: Any = None) -> "psycopg.Cursor[tuple[Any, ...]]":
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = psycopg.connect(self._url, autocommit=True)
        try:
            cursor: psycopg.Cursor[tuple[Any, ...]] = connection.execute(statement.encode(), values)
        except psycopg.OperationalError:
            # The database was cut off: the next requests connect again.
            self._idle.clear()
            raise
        self._idle.append(connection)
        return cursor


class Handler(BaseHTTPRequestHandler):
    """POST /things, GET and DELETE /things/ID, GET /health."""

    protocol_version = "HTTP/1.1"
    store: Store

    def do_GET(self) -> None:
        if self.path == "/health":
            try:
                self.store.read("health")
            except psycopg.OperationalError:
                return self._reply(503, {"healthy": False})
            return self._reply(200, {"healthy": True})
        entry = self.store.read(self.path.removeprefix("/things/"))
        return self._reply(404 if entry is None else 200, entry or {})

    def do_POST(self) -> None:
        entry = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in entry:
            return self._reply(400, {"message": "id: required"})
        self.store.save(entry)
        return self._reply(200, {"id": entry["id"]})

    def do_DELETE(self) -> None:
        identity = self.path.removeprefix("/things/")
        if self.store.read(identity) is None:
            return self._reply(404, {})
        self.store.delete(identity)
        return self._reply(204, None)

    def _reply(self, status: int, document: Any) -> None:
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


def main() -> None:
    url = os.environ.get("DATABASE_URL")
    Handler.store = Memory() if url is None else Table(url, Path(os.environ["SCHEMA"]))
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    main()
