"""Clients that write while things are killed around them, and remember what was acknowledged."""

import threading
from collections.abc import Callable
from typing import Any

from bakeoff.conformance.exchange import NoReplyError
from bakeoff.conformance.grpc_caller import GrpcCaller
from bakeoff.conformance.grpc_protocol import GrpcProtocol, codec_of
from bakeoff.conformance.http_caller import HttpCaller
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.postgres.server import Server
from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload
from build_once import built_client

Store = Callable[[Any], list[str]]

_ENTITIES_EACH = 5
# Several targets start again at once, on a machine that may be busy; only one that hangs is waited for so long.
_TIMEOUT_S = 180.0
# What was killed needs the processor to start again more than its clients need it to ask for it.
_BACK_OFF_S = 0.1


class Clients:
    """Each client counts up its own few entities, one event after another's reply.

    The entities' names begin with `name`, so that clients of several targets can share a table. After a reply each
    client rests for `rest_s`.
    """

    rest_s = 0.0

    def __init__(self, workload: Workload, protocol: str, port: int, clients: int = 8, name: str = "client") -> None:
        self._name = name
        self._workload = workload
        self._protocol = protocol
        self._port = port
        self._done = threading.Event()
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, args=(client,), daemon=True) for client in range(clients)]
        self.acknowledged: dict[str, int] = {}
        self.count = 0

    def __enter__(self) -> "Clients":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, events: int) -> None:
        """Blocks until that many more events have been acknowledged: work is going on again."""
        self.wait_until(self.count + events)

    def wait_until(self, goal: int) -> None:
        """Blocks until so many events have been acknowledged in all."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.count >= goal, timeout=_TIMEOUT_S):
                raise AssertionError(f"{self._name}: {self.count} of {goal} were acknowledged within {_TIMEOUT_S:g} s")

    def _work(self, client: int) -> None:
        value = 0
        store = self._store()
        while not self._done.is_set():
            value += 1
            entity = f"{self._name}-{client}-{value % _ENTITIES_EACH}"
            if not _is_acknowledged(store, _event(entity, value)):
                self._done.wait(_BACK_OFF_S)
                continue
            with self._changed:
                self.acknowledged[entity] = value
                self.count += 1
                self._changed.notify_all()
            if self.rest_s:
                self._done.wait(self.rest_s)

    def _store(self) -> Store:
        if self._protocol == "grpc":
            caller = GrpcCaller(Access("127.0.0.1", self._port), built_client())
            return GrpcProtocol(self._workload, codec_of(self._workload), caller.send).store
        return HttpProtocol(self._workload, HttpCaller(Access("127.0.0.1", self._port), built_client()).send).store


def lost(server: Server, acknowledged: dict[str, int]) -> dict[str, str]:
    """Entities whose stored value is older than the last acknowledged one, or that are not stored at all.

    A newer value is no loss: an event may be stored although its reply never arrived.
    """
    with server.connect() as connection:
        rows = connection.execute("SELECT id, (data ->> 'value')::int FROM car_entities").fetchall()
    stored: dict[str, int] = dict(rows)
    return {
        entity: f"acknowledged {value}, stored {stored.get(entity)}"
        for entity, value in acknowledged.items()
        if stored.get(entity, 0) < value
    }


def _is_acknowledged(store: Store, event: Any) -> bool:
    try:
        return not store(event)
    except NoReplyError:
        return False


def _event(entity: str, value: int) -> dict[str, Any]:
    return {
        "eventHeader": {"uuid": "550e8400-e29b-41d4-a716-446655440000", "eventName": "Counted"},
        "eventBody": {
            "entities": [{"entityType": "Counter", "entityId": entity, "updatedAttributes": {"value": value}}]
        },
    }
