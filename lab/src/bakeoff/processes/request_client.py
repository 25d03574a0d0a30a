"""A client in a process of its own: sends single requests, which it reads as lines of JSON."""

import base64
import contextlib
import itertools
import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.processes.launching import Launcher, Program, own_user

# The client keeps to the timeout of each request; this is for one that hangs itself.
_GRACE_S = 30.0


@dataclass(frozen=True)
class ClientReply:
    """A reply with any status, or the kind of a failure and its reason; names of headers are as they came.

    `status` is a number, or the name of a gRPC status, and empty where there was no reply. `then` are the outcomes of
    the requests that followed on the same connection.
    """

    status: str = ""
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    failure: str = ""
    reason: str = ""
    then: "Sequence[ClientReply]" = ()


class RequestClient:
    """Starts with its first request, and ends with the lab. Threads may use it at the same time."""

    def __init__(
        self,
        command: Sequence[str],
        launcher: Launcher,
        image: str | Path | None = None,
        reads: Sequence[Path] = (),
    ) -> None:
        """In a container `image` is what it runs, and `reads` are files of this machine that it sees."""
        self._reads = reads
        self._command = command
        self._launcher = launcher
        self._image = image
        self._lock = threading.Lock()
        self._ids = itertools.count()
        self._waiting: dict[int, Future[ClientReply]] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def ask(
        self,
        address: tuple[str, int],
        scheme: str,
        path: str,
        *,
        timeout_s: float,
        body: bytes | None = None,
        then: Sequence[Mapping[str, str]] = (),
        **fields: Any,
    ) -> ClientReply:
        """The outcome of a request to host and port, over `http`, `https`, `grpc` or `grpcs`.

        `then` are the requests that follow, and `fields` others of the engine's `request` command. Raises BakeoffError
        for a request that cannot be sent.
        """
        host, port = self._launcher.address(*address)
        url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"
        place = {"url": f"{url}{path}"} if scheme.startswith("grpc") else {"url": url, "path": path}
        content = {} if body is None else {"body_base64": base64.b64encode(body).decode()}
        request = {**place, **content, "timeout_ms": max(1, round(timeout_s * 1000)), "then": then, **fields}
        reply = self._sent(request).result(timeout_s * (1 + len(then)) + _GRACE_S)
        if reply.failure == "invalid":
            raise BakeoffError(f"No request can be sent to {host}:{port}: {reply.reason}.")
        return reply

    def _sent(self, request: dict[str, object]) -> Future[ClientReply]:
        reply: Future[ClientReply] = Future()
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()
            number = next(self._ids)
            self._waiting[number] = reply
            assert self._process.stdin is not None
            line = json.dumps({"id": number, **request}).encode() + b"\n"
            # The thread that takes replies reports a client that has ended.
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(line)
                self._process.stdin.flush()
        return reply

    def _started(self) -> subprocess.Popen[bytes]:
        process = self._launcher.start(
            Program(
                role="client",
                command=self._command,
                log=Path(os.devnull),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                image=self._image,
                reads=self._reads,
                user=own_user(),
            )
        )
        # Each process has its own, so that the end of one fails no request of the next.
        self._waiting = {}
        threading.Thread(target=self._take_replies, args=[process, self._waiting], name="replies", daemon=True).start()
        return process

    def _take_replies(self, process: subprocess.Popen[bytes], waiting: "dict[int, Future[ClientReply]]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            document = json.loads(line)
            waiting.pop(document["id"]).set_result(_reply(document))
        error = BakeoffError(f"The client {self._command[0]} has ended with status {process.wait()}.")
        with self._lock:
            while waiting:
                waiting.popitem()[1].set_exception(error)


def _reply(document: Any) -> ClientReply:
    error = document["error"] or {}
    return ClientReply(
        document["status"] or "",
        [(name, value) for name, value in document["headers"]],
        base64.b64decode(document["body_base64"]),
        error.get("kind", ""),
        error.get("message", ""),
        [_reply(each) for each in document.get("then", ())],
    )
