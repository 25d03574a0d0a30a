"""TCP ports of the loopback address."""

import os
import socket
from contextlib import suppress


def free_port() -> int:
    """A TCP port of the loopback address that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def port_is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def is_listening(host: str, port: int) -> bool:
    """Whether a connection to this address is accepted now."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def ports_of_session(session: int) -> list[int]:
    """The TCP ports on which processes of a session listen, as far as this user may see them."""
    import psutil

    found: set[int] = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if os.getsid(process.pid) == session:
                listening = (each for each in process.net_connections("tcp") if each.status == psutil.CONN_LISTEN)
                found |= {each.laddr[1] for each in listening}
    return sorted(found)
