"""A small API as a user of the lab would write it, and with FAULT one that has a fault: what the lab must find.

wrong-reads: every read answers with the first book's title. lost-writes: one book in five is acknowledged and not kept.
late-losses: the same from the fiftieth book on. slow-lists: a list takes 250 ms. failing-deletes: no book can be
deleted. wrong-lists: lists ignore their limit. redirected-searches: a search answers with another place.
deaf-searches: a search ignores what is searched for. no-gauges: GET /metrics is not found. STORE=memory keeps the books
in memory.
"""

import json
import os
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs

import psycopg
from psycopg.rows import dict_row

FAULT = os.environ.get("FAULT", "")
INSERT = "INSERT INTO books (title, pages) VALUES (%(title)s, %(pages)s) RETURNING id"
_of_thread = threading.local()


def rows(statement: str, values: Any = None) -> list[dict[str, Any]]:
    """One connection for each thread, and so for each client."""
    if not hasattr(_of_thread, "connection"):
        _of_thread.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, row_factory=dict_row)
    try:
        cursor = _of_thread.connection.execute(statement, values)
    except psycopg.OperationalError:
        # The database was cut off: the next request connects again.
        del _of_thread.connection
        raise
    return [] if cursor.description is None else list(cursor.fetchall())


class Database:
    """The books in PostgreSQL."""

    def check(self) -> None:
        rows("SELECT 1")

    def insert(self, book: dict[str, Any]) -> int:
        return int(rows(INSERT, book)[0]["id"])

    def delete(self, book_id: int) -> None:
        rows("DELETE FROM books WHERE id = %s", [book_id])

    def read(self, book_id: int) -> dict[str, Any] | None:
        found = rows("SELECT id::text, title, pages FROM books WHERE id = %s", [book_id])
        return found[0] if found else None

    def first(self, limit: int) -> list[dict[str, Any]]:
        return rows("SELECT id::text, title, pages FROM books ORDER BY id LIMIT %s", [limit])


class Memory:
    """The books in a dictionary."""

    def __init__(self) -> None:
        self._books: dict[int, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._last = 0

    def check(self) -> None:
        return

    def insert(self, book: dict[str, Any]) -> int:
        with self._lock:
            self._last += 1
            self._books[self._last] = {"id": str(self._last), **book}
            return self._last

    def delete(self, book_id: int) -> None:
        with self._lock:
            self._books.pop(book_id, None)

    def read(self, book_id: int) -> dict[str, Any] | None:
        with self._lock:
            book = self._books.get(book_id)
            return None if book is None else dict(book)

    def first(self, limit: int) -> list[dict[str, Any]]:
        with self._lock:
            return [dict(book) for _, book in zip(range(limit), self._books.values(), strict=False)]


BOOKS: Database | Memory = Memory() if os.environ.get("STORE") == "memory" else Database()


def loses(book_id: int) -> bool:
    """Whether a book that was acknowledged is not kept."""
    return book_id % 5 == 0 and (FAULT == "lost-writes" or (FAULT == "late-losses" and book_id > 50))


class Handler(BaseHTTPRequestHandler):
    """POST /books, GET /books?limit=N, GET and DELETE /books/ID, POST /search, GET /health, GET /metrics."""

    protocol_version = "HTTP/1.1"
    # Without it each reply waits for the client's delayed acknowledgement of its head.
    wbufsize = -1

    def do_GET(self) -> None:
        if self.path == "/health":
            self._health()
        elif self.path == "/metrics":
            self._metrics()
        elif self.path.startswith("/books?"):
            self._list(int(self.path.partition("limit=")[2]))
        else:
            self._read(int(self.path.removeprefix("/books/")))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/search":
            self._search(body)
            return
        book_id = BOOKS.insert(json.loads(body))
        if loses(book_id):
            BOOKS.delete(book_id)
        self._reply(201, {"id": str(book_id)})

    def do_DELETE(self) -> None:
        if FAULT == "failing-deletes":
            self._reply(500, {"message": "not written yet"})
            return
        BOOKS.delete(int(self.path.removeprefix("/books/")))
        self._reply(204, None)

    def _health(self) -> None:
        try:
            BOOKS.check()
        except psycopg.OperationalError:
            self._reply(503, {"healthy": False})
        else:
            self._reply(200, {"healthy": True})

    def _metrics(self) -> None:
        text = f"# TYPE threads gauge\nthreads {threading.active_count()}\n".encode()
        self.send_response(404 if FAULT == "no-gauges" else 200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _read(self, book_id: int) -> None:
        found = BOOKS.read(book_id)
        if found and FAULT == "wrong-reads":
            found["title"] = "The same book for everybody"
        self._reply(200 if found else 404, found or {})

    def _list(self, limit: int) -> None:
        if FAULT == "slow-lists":
            time.sleep(0.25)
        books = BOOKS.first(limit)
        self._reply(200, {"limit": 1000 if FAULT == "wrong-lists" else limit, "books": books})

    def _search(self, body: bytes) -> None:
        """A form with the title, as a browser sends it."""
        if self.headers["content-type"] != "application/x-www-form-urlencoded":
            self._reply(415, {})
            return
        (title,) = parse_qs(body.decode(), strict_parsing=True)["title"]
        if FAULT == "redirected-searches":
            self._reply(302, {}, {"location": "/elsewhere"})
            return
        self._reply(200, {"title": "Emma" if FAULT == "deaf-searches" else title})

    def _reply(self, status: int, document: Any, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


def main() -> None:
    if isinstance(BOOKS, Database):
        rows(Path(os.environ["SCHEMA"]).read_text("utf-8"))
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    main()
