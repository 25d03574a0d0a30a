"""A Docker engine that exists in tests alone: real HTTP over a real socket, answers in the shapes of its API."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import Any
from urllib.parse import unquote, urlsplit

ID = "4fa6e0f0c6786287e131c3852c58a2e01cc697a68231826813597e4994f1d6e2"
IMAGE_ID = "sha256:e216a057b1cb1efc11f8a268f37ef62083e70b1b38323ba252e25ac88904a7e8"
DIGEST = "registry.example/producer-api-go-rest@sha256:afcc7f1ac1b49db317a7196c902e61c6c3c4607d63599ee1a82d702d249a0ccb"


def inspected(name: str = "go-rest", **state: Any) -> dict[str, Any]:
    """The reply to GET /containers/{id}/json for a running container, as far as it is read here."""
    return {
        "Id": ID,
        "Name": f"/{name}",
        "Image": IMAGE_ID,
        "State": {
            "Status": "running",
            "Running": True,
            "Paused": False,
            "Restarting": False,
            "OOMKilled": False,
            "Dead": False,
            "Pid": 1234,
            "ExitCode": 0,
            "StartedAt": "2026-01-06T09:06:59.461876391Z",
            "FinishedAt": "0001-01-01T00:00:00Z",
            **state,
        },
        "Config": {"Image": "registry.example/producer-api-go-rest:1.4"},
        "HostConfig": {
            "NanoCpus": 2_000_000_000,
            "CpuQuota": 0,
            "CpuPeriod": 0,
            "CpusetCpus": "",
            "Memory": 2_147_483_648,
        },
    }


def stats(cpu_ns: int, memory: dict[str, Any]) -> dict[str, Any]:
    """The reply to GET /containers/{id}/stats."""
    usage = {"total_usage": cpu_ns, "usage_in_kernelmode": 0, "usage_in_usermode": cpu_ns}
    return {"cpu_stats": {"cpu_usage": usage, "online_cpus": 2}, "precpu_stats": {}, "memory_stats": memory}


class FakeDocker:
    """Containers by name or id, and what is said of them; may be changed while the engine serves."""

    def __init__(self, *containers: dict[str, Any], newest: str = "1.47", oldest: str = "1.24") -> None:
        self.containers = list(containers)
        self.version = {"Version": "27.3.1", "ApiVersion": newest, "MinAPIVersion": oldest}
        self.digests = [DIGEST]
        self.stats: dict[str, Any] = {}
        self.received: list[str] = []

    @contextlib.contextmanager
    def serving(self, socket: Path) -> Iterator[str]:
        """The address while it serves."""
        engine = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                engine.received.append(self.path)
                status, answer = engine.answer(urlsplit(unquote(self.path)).path)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def address_string(self) -> str:
                return "socket"

            def log_message(self, *_: object) -> None:
                """Not read."""

        class Server(ThreadingMixIn, UnixStreamServer):
            daemon_threads = True

        with Server(str(socket), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield f"unix://{socket}"
            finally:
                server.shutdown()
                thread.join()

    def answer(self, path: str) -> tuple[int, Any]:
        """Status and document for a path."""
        if path == "/version":
            return 200, self.version
        version, _, rest = path.removeprefix("/v").partition("/")
        if not self._knows(version):
            return 400, {"message": f"client version {version} is too old or too new"}
        if rest == "containers/json":
            return 200, [{"Id": each["Id"], "Names": [each["Name"]]} for each in self.containers]
        kind, name, what = [*rest.split("/"), "", ""][:3]
        if kind == "images":
            if name not in {each["Image"] for each in self.containers}:
                return 404, {"message": f"No such image: {name}"}
            return 200, {"Id": name, "RepoDigests": self.digests}
        found = [each for each in self.containers if name in (each["Id"], each["Name"].removeprefix("/"))]
        if not found:
            return 404, {"message": f"No such container: {name}"}
        return 200, found[0] if what == "json" else self.stats

    def _knows(self, version: str) -> bool:
        def numbers(text: str) -> list[int]:
            return [int(part) for part in text.split(".")]

        return numbers(self.version["MinAPIVersion"]) <= numbers(version) <= numbers(self.version["ApiVersion"])
