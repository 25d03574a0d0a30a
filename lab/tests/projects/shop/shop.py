"""A small shop as a team would have it: items in SQLite, its own migrations, a bearer login.

`shop.py migrate` makes the tables; `shop.py` serves on PORT.
"""

import json
import os
import secrets
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MIGRATIONS = [
    "CREATE TABLE users (email TEXT PRIMARY KEY, password TEXT NOT NULL)",
    "CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price INTEGER NOT NULL)",
    "INSERT INTO users VALUES ('demo@example.org', 'correct horse')",
]
Row = tuple[object, ...]
TOKENS: set[str] = set()
LOCK = threading.Lock()


def connect() -> sqlite3.Connection:
    database = sqlite3.connect(os.environ["SHOP_DB"], check_same_thread=False, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    return database


def migrate() -> None:
    database = connect()
    (done,) = database.execute("PRAGMA user_version").fetchone()
    for number, statement in enumerate(MIGRATIONS[done:], start=done + 1):
        database.execute(statement)
        database.execute(f"PRAGMA user_version = {number}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    database: sqlite3.Connection
    # Status, headers and body leave in one packet.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/healthz":
            return self.reply(200, {"status": "ok"})
        if not self.is_logged_in():
            return self.reply(401, {"detail": "log in first"})
        if self.path == "/items":
            rows = self.query("SELECT id, name, price FROM items ORDER BY id DESC LIMIT 20")
            return self.reply(200, [self.item(row) for row in rows])
        rows = self.query("SELECT id, name, price FROM items WHERE id = ?", self.path.rpartition("/")[2])
        return self.reply(200, self.item(rows[0])) if rows else self.reply(404, {"detail": "no such item"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/login":
            found = self.query("SELECT 1 FROM users WHERE email = ? AND password = ?", body["email"], body["password"])
            if not found:
                return self.reply(401, {"detail": "wrong email or password"})
            token = secrets.token_urlsafe(16)
            TOKENS.add(token)
            return self.reply(200, {"access_token": token, "token_type": "bearer"})
        if not self.is_logged_in():
            return self.reply(401, {"detail": "log in first"})
        insert = "INSERT INTO items (name, price) VALUES (?, ?) RETURNING id, name, price"
        return self.reply(201, self.item(self.query(insert, body["name"], body["price"])[0]))

    def item(self, row: Row) -> dict[str, object]:
        return dict(zip(("id", "name", "price"), row, strict=True))

    def query(self, statement: str, *values: object) -> list[Row]:
        with LOCK:
            return self.database.execute(statement, values).fetchall()

    def is_logged_in(self) -> bool:
        return self.headers.get("Authorization", "").removeprefix("Bearer ") in TOKENS

    def reply(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    if sys.argv[1:] == ["migrate"]:
        migrate()
    else:
        Handler.database = connect()
        ThreadingHTTPServer.request_queue_size = 128
        server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
        server.daemon_threads = True
        server.serve_forever()
