"""A small API that makes its own table: `migrate` fills it, `serve` answers requests, over PostgreSQL or SQLite.

The store is a PostgreSQL URL, or the path of a SQLite file. FAULT names one thing that it does wrong.
"""

import http.server
import json
import os
import sqlite3
import sys
import threading
from typing import Any, ClassVar, Protocol

import psycopg

FAULT = os.environ.get("FAULT", "")
SEEDS = ("Emma", "Ulysses", "Dracula")


class Store(Protocol):
    """A connection to the store of one thread."""

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]: ...


class PostgresStore:
    serial = "BIGINT GENERATED ALWAYS AS IDENTITY"

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self._url, autocommit=True)
        cursor = self._connection.execute(statement.replace("?", "%s").encode(), parameters)
        return [] if cursor.description is None else cursor.fetchall()


class SqliteStore:
    serial = "INTEGER"

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, timeout=30, isolation_level=None)

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, parameters).fetchall()


def opened(store: str) -> PostgresStore | SqliteStore:
    return PostgresStore(store) if store.startswith("postgresql:") else SqliteStore(store)


def migrate(name: str) -> None:
    """Makes the table and three books; with a fault it fails after that."""
    store = opened(name)
    store.run(f"CREATE TABLE books (id {store.serial} PRIMARY KEY, title TEXT NOT NULL)")
    for title in SEEDS:
        store.run("INSERT INTO books (title) VALUES (?)", title)
    if FAULT == "failing-migration":
        sys.exit("the migration 0002_authors is broken")


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A reply leaves as one packet.
    wbufsize = 8192
    name = ""
    stores = threading.local()
    remembered: ClassVar[dict[int, str]] = {}

    @property
    def store(self) -> Store:
        if not hasattr(self.stores, "own"):
            self.stores.own = opened(self.name)
        store: Store = self.stores.own
        return store

    def do_GET(self) -> None:
        if self.path == "/health":
            self.store.run("SELECT count(*) FROM books")
            self.reply(200, {})
            return
        number = int(self.path.rpartition("/")[2])
        rows = self.store.run("SELECT id, title FROM books WHERE id = ?", number)
        if number in self.remembered:
            rows = [(number, self.remembered[number])]
        self.reply(*((200, {"id": rows[0][0], "title": rows[0][1]}) if rows else (404, {})))

    def do_POST(self) -> None:
        title = json.loads(self.rfile.read(int(self.headers["content-length"])))["title"]
        ((number,),) = self.store.run("INSERT INTO books (title) VALUES (?) RETURNING id", title)
        if FAULT == "remembered-writes":
            self.remembered[number] = title
        if FAULT == "remembered-writes" or (FAULT == "lost-writes" and number % 7 == 0):
            self.store.run("DELETE FROM books WHERE id = ?", number)
        self.reply(201, {"id": number, "title": title})

    def reply(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def serve(name: str, port: int) -> None:
    """Prints how many books there are, and answers until it is stopped."""
    Api.name = name
    ((books,),) = opened(name).run("SELECT count(*) FROM books")
    print(f"starts with {books} books", flush=True)
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Api).serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "migrate":
        migrate(sys.argv[2])
    else:
        serve(sys.argv[2], int(sys.argv[3]))
