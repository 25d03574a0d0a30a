"""A server that keeps comments as GitHub and GitLab do, and fails when it is asked to."""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

OWN, OTHER = "github-actions[bot]", "somebody"


@dataclass
class Refusal:
    """The reply to the next request of a method. Without a status the connection is closed instead.

    `acts`: the server does what was asked before it fails.
    """

    method: str
    status: int | None
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)
    acts: bool = False


class FakeForge:
    """The comments of one pull request with their authors, by id; `asked` are the requests."""

    def __init__(self) -> None:
        self.comments: dict[int, dict[str, Any]] = {}
        self.refusals: list[Refusal] = []
        self.asked: list[str] = []
        self.tokens: set[str] = set()
        self.knows_user = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def bodies(self) -> list[str]:
        return [each["body"] for each in self.comments.values()]

    def add(self, body: str, author: str = OWN) -> int:
        """A comment of a user, on both forges alike."""
        number = max(self.comments, default=0) + 1
        kind = "Bot" if author.endswith("[bot]") else "User"
        self.comments[number] = {
            "id": number,
            "body": body,
            "user": {"login": author, "type": kind},
            "author": {"id": len(author)},
            "html_url": f"https://forge.example/comments/{number}",
        }
        return number

    @contextmanager
    def running(self) -> Iterator["FakeForge"]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def reply(self, method: str, path: str, body: Mapping[str, Any]) -> tuple[int, object]:
        parts = urlsplit(path)
        if parts.path == "/user":
            # The token of a workflow may not ask who it is.
            return (200, {"login": OWN, "id": len(OWN)}) if self.knows_user else (403, {"message": "not accessible"})
        if not re.search(r"/(issues|merge_requests)/(7/)?(comments|notes)", parts.path):
            return 404, {"message": f"no {parts.path}"}
        if method == "POST":
            return 201, self.comments[self.add(body["body"])]
        if method == "GET":
            query = parse_qs(parts.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self._page(size, page)
        number = int(parts.path.rpartition("/")[2])
        if number not in self.comments:
            return 404, {"message": "Not Found"}
        self.comments[number]["body"] = body["body"]
        return 200, self.comments[number]

    def _page(self, size: int, page: int) -> Sequence[object]:
        return list(self.comments.values())[(page - 1) * size : page * size]


def _handler_of(forge: FakeForge) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            forge.asked.append(f"{self.command} {urlsplit(self.path).path}")
            forge.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or "")
            # Who the token is of is a request by the way.
            refusal = None if self.path == "/user" else self._refusal()
            if refusal is None or refusal.acts:
                status, document = forge.reply(self.command, self.path, body)
            if refusal is None:
                self._answer(status, document, {})
            elif refusal.status is not None:
                self._answer(refusal.status, {"message": refusal.message}, refusal.headers)

        do_GET = do_POST = do_PATCH = do_PUT = _serve  # noqa: N815

        def _refusal(self) -> Refusal | None:
            found = next((each for each in forge.refusals if each.method == self.command), None)
            if found is not None:
                forge.refusals.remove(found)
            return found

        def _answer(self, status: int, document: object, headers: Mapping[str, str]) -> None:
            text = json.dumps(document).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
