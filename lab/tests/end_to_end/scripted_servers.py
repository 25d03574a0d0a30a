"""HTTP servers of a few lines, which answer as no framework would."""

import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@dataclass
class Served:
    """Where a server listens, and the requests that it received, in order."""

    port: int
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


# The bytes of the answer to the request of this number, counted from 0; None closes the connection without one.
Script = Callable[[int], bytes | None]


def always(answer: bytes | None) -> Script:
    return lambda _: answer


@contextmanager
def serving(
    script: Script, *, closes: bool = False, tls: ssl.SSLContext | None = None, path: Path | None = None
) -> Iterator[Served]:
    """Serves until the end of the block; `closes` ends each connection after an answer, `path` is a Unix socket."""
    listener = socket.create_server(("127.0.0.1", 0)) if path is None else socket.socket(socket.AF_UNIX)
    if path is not None:
        listener.bind(str(path))
        listener.listen()
    served = Served(0 if path else listener.getsockname()[1])
    numbers = count()

    def serve(connection: socket.socket) -> None:
        try:
            with connection if tls is None else tls.wrap_socket(connection, server_side=True) as link:
                while request := _request(link):
                    number = next(numbers)
                    served.requests.append(request)
                    answer = script(number)
                    if answer is None:
                        return
                    link.sendall(answer)
                    if closes:
                        return
        except OSError:
            # The client has gone, which its own test judges.
            return

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield served
    finally:
        # Closing alone does not wake a thread that accepts.
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()


def _request(link: socket.socket) -> bytes:
    """One request as it came; nothing at the end of the connection."""
    received = b""
    # A handshake that a plain server takes for a request begins with 22.
    while b"\r\n\r\n" not in received and not received.startswith(b"\x16"):
        if not (more := link.recv(65_536)):
            return b""
        received += more
    head, _, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"(?im)^content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += link.recv(65_536)
    return head + b"\r\n\r\n" + body
