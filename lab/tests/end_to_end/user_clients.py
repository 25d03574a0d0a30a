"""Calls the user service over either protocol and names outcomes by gRPC's codes."""

import http.client
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import grpc

from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.workload.loader import Workload

OK = "OK"
# The target could not be reached, or ended the connection: it said nothing.
NO_REPLY = "NO_REPLY"
# Longer than anything that a target may take; only a target that hangs is waited for so long.
_TIMEOUT_S = 60.0
_CODES = {code.value[0]: code.name for code in grpc.StatusCode}


@dataclass(frozen=True)
class Reply:
    """The name of a code, and the message of an error or the body of a reply."""

    code: str
    message: str = ""
    body: Any = None


class UserClient:
    """A separate connection, closed at the end of the block."""

    def __init__(self, workload: Workload, protocol: str, port: int) -> None:
        self._calls: _HttpCalls | _GrpcCalls = _GrpcCalls(workload, port) if protocol == "grpc" else _HttpCalls(port)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._calls.close()

    def create(self, email: str) -> Reply:
        """Creates a user with this address."""
        return self._calls.call("CreateUser", "POST", "/v1/users", {"name": "Ada Moreau", "email": email})

    def get(self, identity: str) -> Reply:
        """Reads a user."""
        return self._calls.call("GetUser", "GET", f"/v1/users/{identity}", {"id": identity})


class _HttpCalls:
    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)

    def call(self, _method: str, verb: str, path: str, message: Any) -> Reply:
        body = None if verb == "GET" else json.dumps(message)
        try:
            self._connection.request(verb, path, body, {"content-type": "application/json"})
            response = self._connection.getresponse()
            reply = json.loads(response.read())
        except (OSError, http.client.HTTPException) as error:
            # The next call connects again.
            self._connection.close()
            return Reply(NO_REPLY, str(error))
        if response.status == http.client.OK:
            return Reply(OK, body=reply)
        return Reply(_CODES[reply["code"]], reply["message"])

    def close(self) -> None:
        self._connection.close()


class _GrpcCalls:
    def __init__(self, workload: Workload, port: int) -> None:
        self._codec = codec_of(workload)
        options = [
            # Loopback must not go through a proxy that the environment names, and a connection is of this client alone.
            ("grpc.enable_http_proxy", 0),
            ("grpc.use_local_subchannel_pool", 1),
            # A target that was restarted is tried again at once.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 500),
        ]
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=options)

    def call(self, method: str, _verb: str, _path: str, message: Any) -> Reply:
        name = f"user.UserService/{method}"
        declared = self._codec.method(name)
        assert declared is not None
        call: Callable[..., Any] = self._channel.unary_unary(
            f"/{name}",
            lambda document: self._codec.encode(declared.request, document),
            lambda reply: self._codec.decode(declared.reply, reply),
        )
        try:
            # Without a deadline, so that the target's own limit holds.
            return Reply(OK, body=call(message))
        except grpc.RpcError as error:
            return _refusal(error)

    def close(self) -> None:
        self._channel.close()


def _refusal(error: Any) -> Reply:
    # grpc-python says UNAVAILABLE for a connection that it could not make or that ended, too.
    is_of_the_target = "database" in error.details()
    if error.code() is grpc.StatusCode.UNAVAILABLE and not is_of_the_target:
        return Reply(NO_REPLY, error.details())
    return Reply(error.code().name, error.details())


class Creating:
    """Clients that create one user after another while things are killed around them, and remember what was
    acknowledged."""

    def __init__(self, workload: Workload, protocol: str, port: int, clients: int = 8) -> None:
        self._client: Callable[[], UserClient] = lambda: UserClient(workload, protocol, port)
        self._done = threading.Event()
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, args=(each,), daemon=True) for each in range(clients)]
        self.acknowledged: set[str] = set()

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, users: int) -> None:
        """Blocks until that many more users have been acknowledged: work is going on again."""
        with self._changed:
            goal = len(self.acknowledged) + users
            if not self._changed.wait_for(lambda: len(self.acknowledged) >= goal, timeout=_TIMEOUT_S):
                more = len(self.acknowledged) - goal + users
                raise AssertionError(f"only {more} of {users} users were acknowledged in {_TIMEOUT_S:g} s")

    def _work(self, number: int) -> None:
        sequence = 0
        with self._client() as client:
            while not self._done.is_set():
                sequence += 1
                email = f"client-{number}-{sequence}@example.org"
                if client.create(email).code == OK:
                    with self._changed:
                        self.acknowledged.add(email)
                        self._changed.notify_all()
