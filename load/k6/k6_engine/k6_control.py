"""k6's own REST API: whether a paused k6 has created its users, and the command to start."""

import http.client
import json
import socket
from typing import Any

_STATUS = "/v1/status"
# k6's lib.ExecutionStatusPausedBeforeRun: users are made, and the test waits.
_PAUSED_BEFORE_RUN = 4
_TIMEOUT_S = 10.0


class K6Control:
    """A free port of the loopback address, on which one k6 is to listen."""

    def __init__(self) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self._port: int = found.getsockname()[1]

    @property
    def options(self) -> list[str]:
        """Options that make k6 wait, and listen there."""
        return ["--paused", f"--address=127.0.0.1:{self._port}"]

    def is_waiting(self) -> bool:
        """Whether k6 has made its users and waits for `resume`; not yet where it does not listen."""
        try:
            return bool(self._asked("GET")["data"]["attributes"]["status"] == _PAUSED_BEFORE_RUN)
        except OSError:
            return False

    def resume(self) -> None:
        """Starts the test. Raises OSError where k6 does not listen any more."""
        self._asked("PATCH", {"data": {"type": "status", "id": "default", "attributes": {"paused": False}}})

    def _asked(self, method: str, document: object = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_TIMEOUT_S)
        try:
            connection.request(method, _STATUS, None if document is None else json.dumps(document))
            reply = connection.getresponse()
            content = reply.read()
        except http.client.HTTPException as error:
            raise OSError(f"k6's API ended a reply early: {error!r}") from error
        finally:
            connection.close()
        if reply.status != http.HTTPStatus.OK:
            raise OSError(f"k6's API answered {reply.status} to {method} {_STATUS}: {content[:200]!r}")
        return json.loads(content)
