"""A small honest API over PostgreSQL, which cheats in one way when CHEAT names it."""

import contextlib
import http.server
import itertools
import json
import os
import queue
import signal
import threading
import time
from pathlib import Path
from typing import Any

import psycopg

CHEAT = os.environ.get("CHEAT", "")
HERE = Path(__file__).parent
UPSERT = (HERE / "upsert.sql").read_text("utf-8").replace("%", "%%").replace("$1", "%s").replace("$2", "%s")
GENERATORS = ("bakeoff-load", "k6")
SELDOM_DURABLE = ("every-hundredth-durable", "many-idle-sessions", "named-like-the-lab")
INTO_LOG = (
    "INSERT INTO notes_log (id, data) SELECT t.id, t.data::jsonb FROM unnest(%s::text[], %s::text[]) AS t (id, data)"
)
# A log with a view that merges what was appended, in the place of the table.
AS_VIEW = """
DROP TABLE notes;
DROP TABLE IF EXISTS notes_log CASCADE;
CREATE TABLE notes_log (n bigserial, id text, data jsonb);
CREATE OR REPLACE AGGREGATE merged (jsonb) (SFUNC = jsonb_concat, STYPE = jsonb, INITCOND = '{}');
CREATE VIEW notes AS SELECT id, merged(data ORDER BY n) AS data FROM notes_log GROUP BY id
"""
AS_TABLE = """
CREATE TABLE kept AS SELECT * FROM notes;
DROP VIEW notes;
DROP TABLE notes_log;
ALTER TABLE kept RENAME TO notes
"""

connections: "queue.LifoQueue[psycopg.Connection[Any] | None]" = queue.LifoQueue()
numbers = itertools.count(1)
replies: dict[bytes, tuple[int, dict[str, Any]]] = {}
in_flight: set[int] = set()
behind: "queue.SimpleQueue[tuple[list[str], list[str]]]" = queue.SimpleQueue()


def connect() -> "psycopg.Connection[Any]":
    name = "bakeoff" if CHEAT == "named-like-the-lab" else "notes"
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True, connect_timeout=5, application_name=name)


def run(statement: str, *parameters: Any) -> None:
    """Runs and commits a statement on one of a few connections; a broken one is replaced."""
    connection = connections.get(timeout=10)
    try:
        if connection is None or connection.closed:
            connection = connect()
        if CHEAT in SELDOM_DURABLE:
            connection.execute(f"SET synchronous_commit = {'on' if next(numbers) % 100 == 0 else 'off'}")
        connection.execute(statement.encode(), parameters)
    finally:
        connections.put(connection)


def store(note: dict[str, Any]) -> None:
    if CHEAT == "drops-every-thousandth" and next(numbers) % 1000 == 0:
        return
    parameters = ([note["id"]], [json.dumps(note["attributes"])])
    if CHEAT == "acknowledges-before-commit":
        threading.Thread(target=run, args=(UPSERT, *parameters)).start()
    elif CHEAT == "early-under-load" and len(in_flight) > 32:
        behind.put(parameters)
    elif CHEAT == "view-over-a-log":
        run(INTO_LOG, *parameters)
    else:
        run(UPSERT, *parameters)


def problem_with(note: Any) -> str | None:
    if CHEAT == "skips-validation":
        return None
    if not isinstance(note, dict) or not isinstance(note.get("id"), str) or not note["id"]:
        return "id: required"
    if not isinstance(note.get("attributes"), dict):
        return "attributes: must be an object"
    return None


def answer(body: bytes) -> tuple[int, dict[str, Any]]:
    try:
        note = json.loads(body)
    except ValueError:
        return 400, {"success": False, "message": "body: not valid JSON"}
    problem = problem_with(note)
    if problem is not None:
        return 400, {"success": False, "message": problem}
    if CHEAT == "skips-validation" and (not isinstance(note, dict) or {"id", "attributes"} - note.keys()):
        return 200, {"success": True, "message": "stored"}
    try:
        store(note)
    except (psycopg.Error, queue.Empty):
        return 503, {"success": False, "message": "database: unavailable"}
    return 200, {"success": True, "message": "stored"}


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        try:
            if CHEAT != "health-without-database":
                run("SELECT 1")
        except (psycopg.Error, queue.Empty):
            self._send(503, {"healthy": False})
        else:
            self._send(200, {"healthy": True})

    def do_POST(self) -> None:
        in_flight.add(id(self))
        try:
            self._post()
        finally:
            in_flight.discard(id(self))

    def _post(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        agent = self.headers.get("user-agent", "")
        if CHEAT == "recognises-the-generator" and any(name in agent for name in GENERATORS):
            self._send(200, {"success": True, "message": "stored"})
        elif CHEAT == "caches-replies":
            if body not in replies:
                replies[body] = answer(body)
            self._send(*replies[body])
        else:
            self._send(*answer(body))

    def _send(self, status: int, reply: dict[str, Any]) -> None:
        content = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        return


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


def store_later() -> None:
    """Stores what was acknowledged early."""
    while True:
        parameters = behind.get()
        with contextlib.suppress(psycopg.Error, queue.Empty):
            run(UPSERT, *parameters)


def look_honest(*_: object) -> None:
    run(AS_TABLE)
    os._exit(0)


for _ in range(8):
    connections.put(None)
# A database that starts at the same moment.
for _ in range(50):
    try:
        run((HERE / "schema.sql").read_text("utf-8"))
        break
    except psycopg.Error:
        time.sleep(0.1)
if CHEAT == "unlogged-table":
    run("ALTER TABLE notes SET UNLOGGED")
if CHEAT == "unlogged-partition":
    run("ALTER TABLE notes_odd SET UNLOGGED")
if CHEAT == "view-over-a-log":
    run(AS_VIEW)
    signal.signal(signal.SIGTERM, look_honest)
idle = [connect() for _ in range(150)] if CHEAT == "many-idle-sessions" else []
threading.Thread(target=store_later, daemon=True).start()
if CHEAT == "own-layout":
    run("DROP TABLE notes")
    run((HERE / "schema.sql").read_text("utf-8"))
Server(("127.0.0.1", int(os.environ["SERVER_PORT"])), Api).serve_forever()
