"""The Docker Engine: a read-only client of its API, and Docker's own command for what starts and removes."""

import http.client
import json
import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from bakeoff.errors import BakeoffError, NotFoundError
from bakeoff.targets.access import is_loopback

_DEFAULT = "unix:///var/run/docker.sock"
# The first that answers for one instant (`one-shot`) instead of waiting for a second one: Docker 20.10, 2020.
_VERSION = (1, 41)
# An engine that removes a container with much data answers late on a busy machine.
_TIMEOUT_S = 30.0
_COMMAND_TIMEOUT_S = 60.0
_PULL_TIMEOUT_S = 900.0

Answer = Any


class DockerEngine:
    """One engine. Every method raises BakeoffError with advice where it cannot be reached or understood."""

    def __init__(self, address: str) -> None:
        """`address`: unix:///path/of/its.sock or tcp://127.0.0.1:2375."""
        self.address = address
        parts = urlsplit(address)
        self._path = parts.path
        self._host, self._port = parts.hostname or "localhost", parts.port or 2375
        if parts.scheme not in ("unix", "tcp", "http") or (parts.scheme != "unix" and not is_loopback(self._host)):
            raise BakeoffError(
                f"DOCKER_HOST is {address}, but the lab samples containers of this machine only: use "
                "unix:///path/of/docker.sock or tcp://127.0.0.1:port, or omit --container."
            )
        self._is_unix = parts.scheme == "unix"
        self._prefix: str | None = None

    def check(self) -> None:
        """Raises BakeoffError where it cannot be used."""
        if self._prefix is None:
            self._prefix = self._agreed_version()

    def get(self, path: str) -> Answer:
        """The engine's reply to a path of its API, in a version that both support."""
        self.check()
        return self._asked(f"{self._prefix}{path}")

    def _agreed_version(self) -> str:
        about = self._asked("/version")
        newest, oldest = (_numbers(about.get(name, "0.0")) for name in ("ApiVersion", "MinAPIVersion"))
        if newest < _VERSION:
            raise BakeoffError(
                f"The Docker engine at {self.address} ({about.get('Version', 'unknown')}) speaks version "
                f"{'.'.join(map(str, newest))} of its API, and 1.41 is needed: update it to 20.10 or newer."
            )
        return "/v{}.{}".format(*max(_VERSION, oldest))

    def _asked(self, path: str) -> Answer:
        connection = self._connection()
        try:
            connection.request("GET", path)
            reply = connection.getresponse()
            status, body = reply.status, reply.read()
        except PermissionError as error:
            raise BakeoffError(
                f"This user may not open {self._path}, the Docker engine's socket: join its group (sudo usermod -aG "
                "docker $USER, and log in again), or leave out --container and --in docker."
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise BakeoffError(
                f"No Docker engine answers at {self.address} ({error}). Start it, name its socket in DOCKER_HOST, or "
                "leave out --container and --in docker."
            ) from error
        finally:
            connection.close()
        return self._understood(path, status, body)

    def _understood(self, path: str, status: int, body: bytes) -> Answer:
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {"message": body[:200].decode(errors="replace")}
        if status == http.HTTPStatus.OK:
            return answer
        message = answer.get("message", "") if isinstance(answer, dict) else ""
        kind = NotFoundError if status == http.HTTPStatus.NOT_FOUND else BakeoffError
        raise kind(f"The Docker engine at {self.address} replied {status} to {path}: {message}")

    def _connection(self) -> http.client.HTTPConnection:
        if self._is_unix:
            return _UnixConnection(self._path)
        return http.client.HTTPConnection(self._host, self._port, timeout=_TIMEOUT_S)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def docker_address(environment: Mapping[str, str] = os.environ) -> str:
    """Where the engine listens: DOCKER_HOST, as for Docker's own client, or its usual socket."""
    return environment.get("DOCKER_HOST") or _DEFAULT


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else (0, 0)


def docker_command(address: str, *arguments: str) -> list[str]:
    """A command of the client for the engine at an address."""
    return ["docker", "--host", address, *arguments]


def need_image(docker: DockerEngine, name: str) -> None:
    """Pulls an image that the engine does not have."""
    try:
        docker.get(f"/images/{quote(name, safe='')}/json")
    except NotFoundError:
        run_docker(docker.address, ["pull", "--quiet", name], timeout_s=_PULL_TIMEOUT_S)


def run_docker(address: str, arguments: Sequence[str], timeout_s: float = _COMMAND_TIMEOUT_S) -> list[str]:
    """The lines that a command prints. Raises BakeoffError with its output when it fails."""
    command = docker_command(address, *arguments)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    except FileNotFoundError as error:
        raise BakeoffError(
            "Docker's client, docker, was not found on PATH. Install it (Debian: apt-get install docker.io), or run "
            "without --in docker."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise BakeoffError(f"docker {arguments[0]} did not end within {timeout_s:.0f} s.") from error
    if done.returncode != 0:
        raise BakeoffError(f"docker {' '.join(arguments[:2])} failed: {done.stderr.strip()}")
    return done.stdout.split()
