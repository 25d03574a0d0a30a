"""The processes of the benchmarks in this folder: the gateway with its servers, and the framework's own minimal server.

The programs are those of the release build; every start has free ports and its own folder, and ends with its
block.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

_RUST = Path(__file__).parents[1]
_TARGETS = _RUST.parents[1]
_BAKEOFF = _TARGETS.parent / "bakeoff"
_STARTS_WITHIN_S = 20.0

SALE = json.dumps(
    {"transaction_type": "sale", "transaction_id": "TXN-1", "account": "ACC-999", "amount": 15000, "currency": "USD"}
)


def program(name: str) -> Path:
    """A program of the release build."""
    path = _TARGETS / "target" / name
    if not path.exists():
        sys.exit(
            f"{path} is missing. Build it: ./bakeoff build transaction-gateway-local transaction-gateway-nats, and"
            " CARGO_PROFILE_RELEASE_PANIC=unwind cargo build --release --package transaction-gateway --example bare"
            f" in {_RUST}"
        )
    return path


@contextmanager
def bare() -> Iterator[str]:
    """The framework's own `GET /` → `OK`; gives its URL."""
    port = _free_port()
    with _running(program("release/examples/bare"), {"SERVER_PORT": str(port)}):
        yield _answers(f"http://127.0.0.1:{port}")


@contextmanager
def local_gateway() -> Iterator[str]:
    """A gateway and a server over Unix sockets; gives its URL."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as folder, _gateway({"BUS": "local", "BUS_DIR": folder}) as url:
        yield url


@contextmanager
def nats_gateway(nats_url: str) -> Iterator[str]:
    """A gateway and a server over NATS; gives its URL."""
    with _gateway({"BUS": "nats", "NATS_URL": nats_url}) as url:
        yield url


@contextmanager
def nats_server() -> Iterator[str]:
    """The NATS server that nats/go.mod pins; gives its URL."""
    port = _free_port()
    with _running(program("bin/nats-server"), {}, "--addr", "127.0.0.1", "--port", str(port)):
        _connected(port).close()
        yield f"nats://127.0.0.1:{port}"


def bus_echoes(nats_url: str) -> dict[str, float]:
    """Echoes a second of `cargo bench --package bus`, by what carried them."""
    command = ["cargo", "bench", "--locked", "--quiet", "--package", "bus", "--bench", "echo"]
    done = subprocess.run(command, cwd=_RUST, env={**os.environ, "NATS_URL": nats_url}, check=True, capture_output=True)
    lines = [line.partition("/s")[0] for line in done.stdout.decode().splitlines() if "/s" in line]
    return {" ".join(line.split()[:-1]): float(line.split()[-1]) for line in lines}


def hit(url: str, *options: str) -> dict[str, Any]:
    """The result of `./bakeoff hit` as it prints it with --json."""
    done = subprocess.run([_BAKEOFF, "hit", url, *options, "--json"], check=True, stdout=subprocess.PIPE)
    result: dict[str, Any] = json.loads(done.stdout)
    if result["failed"]:
        sys.exit(f"{url}: {result['failed']} requests failed: {result['statuses']} {result['errors']}")
    return result


@contextmanager
def _gateway(bus: Mapping[str, str]) -> Iterator[str]:
    port = _free_port()
    with ExitStack() as processes:
        processes.enter_context(_running(program("release/sample-server"), bus))
        gateway = {**bus, "SERVER_PORT": str(port)}
        processes.enter_context(_running(program("release/transaction-gateway"), gateway))
        yield _answers(f"http://127.0.0.1:{port}", "/api/status")


@contextmanager
def _running(command: Path, environment: Mapping[str, str], *arguments: str) -> Iterator[None]:
    process = subprocess.Popen(
        [command, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _answers(url: str, path: str = "/") -> str:
    """The URL, once the path is answered with 200."""
    port = int(url.rpartition(":")[2])
    until = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < until:
        with _connected(port) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: benchmark\r\nConnection: close\r\n\r\n".encode())
            if connection.recv(64).startswith(b"HTTP/1.1 200"):
                return url
        time.sleep(0.01)
    sys.exit(f"{url}{path} was not answered with 200 within {_STARTS_WITHIN_S:.0f} s.")


def _connected(port: int) -> socket.socket:
    until = time.monotonic() + _STARTS_WITHIN_S
    while time.monotonic() < until:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5)
        except ConnectionRefusedError:
            time.sleep(0.01)
    sys.exit(f"Nothing listens on port {port} after {_STARTS_WITHIN_S:.0f} s.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
