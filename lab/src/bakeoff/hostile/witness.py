"""A client that behaves, at work while others do not: how long it waits, and which of its writes are acknowledged."""

import http.client
import threading
import time
from collections.abc import Callable

from bakeoff.hostile.sample import SampleRequest, SampleRequests
from bakeoff.targets.access import Access

_PAUSE_S = 0.02
_TIMEOUT_S = 5.0


class Witness:
    """Sends a request, waits for its reply and pauses, in a thread while the block lasts."""

    def __init__(self, requests: SampleRequests, protocol: str, access: Access) -> None:
        self._requests = requests
        self._ask = _over_grpc(access) if protocol == "grpc" else _over_http(access)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.slowest_s = 0.0
        self.sent = 0
        self.acknowledged: list[str] = []

    @property
    def unanswered(self) -> int:
        """Requests without a positive reply."""
        return self.sent - len(self.acknowledged)

    def __enter__(self) -> "Witness":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(2 * _TIMEOUT_S)

    def _work(self) -> None:
        while not self._stopped.is_set():
            request = self._requests.make(self.sent)
            began = time.monotonic()
            if self._ask(request):
                self.acknowledged.append(request.key)
            self.sent += 1
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            self._stopped.wait(_PAUSE_S)


def _over_http(access: Access) -> Callable[[SampleRequest], bool]:
    kept: list[http.client.HTTPConnection] = []

    def ask(request: SampleRequest) -> bool:
        connection = kept.pop() if kept else http.client.HTTPConnection(access.host, access.port, timeout=_TIMEOUT_S)
        try:
            connection.request(request.method, request.path, request.body, request.fields)
            reply = connection.getresponse()
            reply.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return False
        kept.append(connection)
        return 200 <= reply.status < 300

    return ask


def _over_grpc(access: Access) -> Callable[[SampleRequest], bool]:
    import grpc

    from bakeoff.targets.channel import grpc_channel

    channel = grpc_channel(access)

    def ask(request: SampleRequest) -> bool:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(request.path)
        try:
            call(request.body, timeout=_TIMEOUT_S)
        except grpc.RpcError:
            return False
        return True

    return ask
