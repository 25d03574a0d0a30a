import os
import socket
import subprocess
import sys

import psutil
import pytest

from bakeoff.processes import ports
from bakeoff.sampling.listener import listener_at


def test_the_process_that_listens_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = listener_at("localhost", server.getsockname()[1])
        assert found is not None and found.pid == os.getpid()


def test_of_a_parent_and_its_children_it_is_the_parent() -> None:
    """Servers that fork after they have begun to listen share the socket."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        descriptor = server.fileno()
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[descriptor])
        found = listener_at("127.0.0.1", server.getsockname()[1])
        child.communicate(b"\n")
        assert found is not None and found.pid == os.getpid()


def test_siblings_that_share_a_socket_are_several() -> None:
    script = (
        "import os, socket, subprocess, sys\ns = socket.create_server(('127.0.0.1', 0))\n"
        "start = lambda: subprocess.Popen([sys.executable, '-c', 'input()'], pass_fds=[s.fileno()])\n"
        "pair = start(), start()\nport = s.getsockname()[1]\ns.close()\nprint(port, flush=True)\n"
        "for each in pair: each.wait()"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    port = int(parent.stdout.readline())
    assert listener_at("127.0.0.1", port) is None
    parent.communicate(b"\n\n")


def test_unknown_processes_are_not_sampled() -> None:
    listen = "import socket, sys\ns = socket.socket()\ns.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
    listen += "s.bind(('127.0.0.1', int(sys.argv[1])))\ns.listen()\nprint(1, flush=True)\ninput()"
    port = ports.free_port()
    pair = [
        subprocess.Popen([sys.executable, "-c", listen, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    try:
        assert [each.stdout.readline() for each in pair if each.stdout] == [b"1\n", b"1\n"]
        assert listener_at("127.0.0.1", port) is None
    finally:
        for each in pair:
            each.communicate(b"\n")


def test_another_address_of_the_same_port_is_not_meant() -> None:
    with socket.create_server(("127.0.0.2", 0)) as server:
        assert listener_at("127.0.0.1", server.getsockname()[1]) is None


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_other_machines_are_out_of_sight(host: str) -> None:
    assert listener_at(host, 80) is None


def test_a_port_without_a_listener() -> None:
    assert listener_at("127.0.0.1", ports.free_port()) is None


@pytest.mark.parametrize("name", ["docker-proxy", "pgbouncer"])
def test_who_only_forwards_is_not_what_answers(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(psutil.Process, "name", lambda _: name)
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert listener_at("127.0.0.1", server.getsockname()[1]) is None


def test_a_process_of_another_user_is_out_of_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel shows that a process listens, and not which."""
    known = psutil.net_connections

    def without_pids(kind: str) -> list[object]:
        return [each._replace(pid=None) for each in known(kind)]

    monkeypatch.setattr(psutil, "net_connections", without_pids)
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert listener_at("127.0.0.1", server.getsockname()[1]) is None
