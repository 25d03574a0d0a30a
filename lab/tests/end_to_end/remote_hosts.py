"""Hosts for agents: network namespaces of this machine, each with a real sshd, reached by the user's ssh client."""

import contextlib
import os
import queue
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from docker_here import skip_without

_NEEDED = {"ip": "iproute2", "sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client"}
_SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Host:
    """One of them. `temporary` is where its agents work, `cache` where they keep their engine; `pid_file` is sshd's."""

    name: str
    namespace: str
    address: str
    gateway: str
    temporary: Path
    cache: Path
    pid_file: Path

    @property
    def url(self) -> str:
        """As `--agents` names it: an alias of the test's own ssh configuration."""
        return f"ssh://{self.name}"

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Runs a command there."""
        return _run("ip", "netns", "exec", self.namespace, *command)

    def files(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Runs a command that sees the file systems as its sshd does, which has its own mounts."""
        return _run("nsenter", "-m", "-t", self.pid_file.read_text().strip(), *command)

    def engines(self) -> list[int]:
        """The processes of engines there."""
        pids = self.run("ip", "netns", "pids", self.namespace).stdout.split()
        return [int(pid) for pid in pids if b"bakeoff-load" in _executable(int(pid))]

    def loses_one_packet_in_a_hundred(self) -> None:
        """From now on, of those that it receives. Skips the test where the kernel cannot do it."""
        chain = "type filter hook input priority 0\nnumgen random mod 100 < 1 drop\n"
        rules = f"table inet loss {{\nchain arriving {{\n{chain}}}\n}}"
        if shutil.which("nft", path=_SEARCHED) is None:
            skip_without("ssh", "there is no nft to lose packets with (Debian: apt-get install nftables)")
        done = self.run("nft", rules)
        if done.returncode != 0:
            pytest.skip(f"this kernel cannot lose packets: {done.stderr.strip()}")

    def is_clean(self) -> bool:
        """Whether agents have left neither process nor file; waits for what is ending."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if not self.engines() and not self.files("ls", "-A", str(self.temporary)).stdout:
                return True
            time.sleep(0.05)
        return False


def why_not() -> str:
    """Why hosts cannot be made here; empty where they can."""
    missing = {
        program: package for program, package in _NEEDED.items() if shutil.which(program, path=_SEARCHED) is None
    }
    if missing:
        return f"there is no {', '.join(missing)} (Debian: apt-get install {' '.join(sorted(set(missing.values())))})"
    if os.geteuid() != 0:
        return "network namespaces need root"
    probe = f"bakeoff-probe-{os.getpid()}"
    done = _run("ip", "netns", "add", probe)
    _run("ip", "netns", "del", probe)
    return f"no network namespaces: {done.stderr.strip()}" if done.returncode != 0 else ""


@contextlib.contextmanager
def hosts(folder: Path, count: int) -> Iterator[list[Host]]:
    """So many hosts, each with a way to this machine alone, and an `ssh` on PATH that knows their names."""
    reason = why_not()
    if reason:
        skip_without("ssh", f"no hosts for agents here: {reason}")
    path = os.environ["PATH"]
    with contextlib.ExitStack() as stack:
        _key(folder / "user_key")
        made = [stack.enter_context(_host(folder, number)) for number in range(1, count + 1)]
        configure(folder, {host.name: (host.address, 22) for host in made})
        wrapper = folder / "bin" / "ssh"
        wrapper.parent.mkdir()
        wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh_config "$@"\n')
        wrapper.chmod(0o755)
        os.environ["PATH"] = f"{wrapper.parent}:{path}"
        try:
            yield made
        finally:
            os.environ["PATH"] = path


def configure(folder: Path, addresses: dict[str, tuple[str, int]]) -> None:
    """Writes the user's ssh configuration: where each host is."""
    own = f"IdentityFile {folder}/user_key\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nUser root\n"
    parts = [f"Host {name}\nHostName {host}\nPort {port}\n" for name, (host, port) in addresses.items()]
    (folder / "ssh_config").write_text("".join([*parts, "Host *\nLogLevel ERROR\n", own]))


@contextlib.contextmanager
def _host(folder: Path, number: int) -> Iterator[Host]:
    # Namespaces are the machine's own: another test process beside this one has others.
    part = os.getpid() % 200
    namespace, inside, outside = (f"bo{kind}{os.getpid()}-{number}" for kind in ("n", "i", "o"))
    host = Host(
        f"host{number}",
        namespace,
        f"10.{203 + part // 100}.{part % 100 + 100}.{number * 4 + 2}",
        f"10.{203 + part // 100}.{part % 100 + 100}.{number * 4 + 1}",
        folder / f"temporary-{number}",
        folder / f"cache-{number}",
        folder / f"sshd-{number}.pid",
    )
    host.temporary.mkdir()
    with contextlib.ExitStack() as stack:
        _do("ip", "netns", "add", namespace)
        stack.callback(_run, "ip", "netns", "del", namespace)
        _do("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", namespace)
        stack.callback(_run, "ip", "link", "del", outside)
        _do("ip", "address", "add", f"{host.gateway}/30", "dev", outside)
        _do("ip", "link", "set", outside, "up")
        _do("ip", "-n", namespace, "address", "add", f"{host.address}/30", "dev", inside)
        _do("ip", "-n", namespace, "link", "set", inside, "up")
        _do("ip", "-n", namespace, "link", "set", "lo", "up")
        _do("ip", "-n", namespace, "route", "add", "default", "via", host.gateway)
        stack.enter_context(_sshd(folder, host, number))
        yield host


@contextlib.contextmanager
def _sshd(folder: Path, host: Host, number: int) -> Iterator[None]:
    _key(folder / f"host_key-{number}")
    Path("/run/sshd").mkdir(exist_ok=True)
    config = folder / f"sshd_config-{number}"
    config.write_text(
        f"ListenAddress {host.address}\nHostKey {folder}/host_key-{number}\nAuthorizedKeysFile {folder}/user_key.pub\n"
        "StrictModes no\nUsePAM no\nPermitRootLogin yes\n"
        f"PidFile {host.pid_file}\nSetEnv XDG_CACHE_HOME={host.cache} TMPDIR={host.temporary}\n"
    )
    sshd = shutil.which("sshd", path=_SEARCHED)
    with (folder / f"sshd-{number}.log").open("wb") as log:
        process = subprocess.Popen(
            ["ip", "netns", "exec", host.namespace, str(sshd), "-D", "-e", "-f", str(config)],
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_until_listening(host.address, process)
        yield
    finally:
        process.terminate()
        process.wait()
        for pid in host.run("ip", "netns", "pids", host.namespace).stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), 9)


class DelayedLink:
    """A TCP proxy on loopback that passes everything on after a delay, in each direction."""

    def __init__(self, address: str, port: int, delay_s: float) -> None:
        self._to = (address, port)
        self._delay_s = delay_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> "DelayedLink":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._to)
                for source, sink in ((near, far), (far, near)):
                    arrived: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
                    threading.Thread(target=self._receive, args=(source, arrived), daemon=True).start()
                    threading.Thread(target=_pass_on, args=(arrived, sink), daemon=True).start()

    def _receive(self, source: socket.socket, arrived: "queue.SimpleQueue[tuple[float, bytes]]") -> None:
        """Each message is due a delay after it arrives; an empty one is the end."""
        data = b"-"
        while data:
            try:
                data = source.recv(65_536)
            except OSError:
                data = b""
            arrived.put((time.monotonic() + self._delay_s, data))


def _pass_on(arrived: "queue.SimpleQueue[tuple[float, bytes]]", sink: socket.socket) -> None:
    data = b"-"
    while data:
        due, data = arrived.get()
        time.sleep(max(0.0, due - time.monotonic()))
        _send(sink, data)


def _send(sink: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        if data:
            sink.sendall(data)
        else:
            sink.shutdown(socket.SHUT_WR)


def _wait_until_listening(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection((address, 22), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError(f"no sshd answers at {address}")


def _key(path: Path) -> None:
    _do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path))


def _executable(pid: int) -> bytes:
    try:
        return bytes(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return b""


def _do(*command: str) -> None:
    done = _run(*command)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"


def _run(*command: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PATH": _SEARCHED}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
