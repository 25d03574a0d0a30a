"""What to send to one URL, and the plan that an engine follows for it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from bakeoff.errors import UsageError
from bakeoff.targets.access import Access
from bakeoff.workload.declaration import Declaration, HttpCall, Operation
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, Tls, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedHttp, PlannedPhase

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

# Fixed by the engine, or meaningless for a request that is sent many times.
_OWN_HEADERS = {"connection", "content-length", "host", "te", "transfer-encoding"}
_HEADER_NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]+")


@dataclass(frozen=True)
class OneOff:
    """Requests to one URL.

    `duration_s` or `requests` bounds the phase. `rate_per_s` makes the model open, and `users` are then the most
    requests in flight at once. `connections` None: one for each user.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    users: int = 64
    duration_s: float = 10.0
    requests: int | None = None
    rate_per_s: float | None = None
    arrivals: str = "constant"
    connections: int | None = None
    timeout_s: float = 30.0
    warm_up_s: float = 0.0
    ca_file: Path | None = None

    @property
    def access(self) -> Access:
        """How the server is reached."""
        parts = urlsplit(self.url)
        secure = parts.scheme == "https"
        return Access(
            parts.hostname or "", parts.port or (443 if secure else 80), Tls(self.ca_file) if secure else None
        )

    @property
    def path(self) -> str:
        """Path and query, as the request line holds them."""
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def plan(self, expect: int, access: Access | None = None, seconds: float | None = None) -> Plan:
        """The plan against `access` (the URL's own if None), in which `expect` is the status of a good reply.

        `seconds` replaces everything that says how long, and how often: as fast as possible for so long.
        """
        access = access or self.access
        load = Load(
            target="url",
            protocol="http",
            host=access.host,
            port=access.port,
            mode="hit",
            phases=self._phases() if seconds is None else [self._held(seconds, "Capacity")],
            connections=self.connections,
            timeout_ms=round(self.timeout_s * 1000),
            tls=access.tls,
        )
        plan = compile_plan(_WORKLOAD, load)
        # Path, headers and body are the user's own: nothing in them is a slot.
        http = PlannedHttp(
            method=self.method, path=[self.path], headers=dict(self.headers), expect=expect, reply={}, capture={}
        )
        (operation,) = plan.operations
        operation = replace(operation, http=http, variants=[[self.body]] if self.body else [[]])
        return replace(plan, operations=[operation])

    def _phases(self) -> list[PlannedPhase]:
        if self.requests is not None:
            return [PlannedPhase(name="Requests", virtual_users=self.users, iterations=self.requests)]
        measured = self._held(self.duration_s, "Measured")
        return [self._held(self.warm_up_s, "Warm-up"), measured] if self.warm_up_s else [measured]

    def _held(self, seconds: float, name: str) -> PlannedPhase:
        duration_ms = max(1, round(seconds * 1000))
        if self.rate_per_s is None or name == "Capacity":
            return PlannedPhase(name=name, duration_ms=duration_ms, virtual_users=self.users)
        return PlannedPhase(
            name=name,
            duration_ms=duration_ms,
            rate=self.rate_per_s,
            arrival=self.arrivals,
            max_virtual_users=self.users,
        )


_WORKLOAD = Workload(
    "hit",
    Path(),
    Declaration(
        database="none", operations=[Operation(name="Request", http=HttpCall(method="GET", path="/", expect=200))]
    ),
)


def checked_url(url: str) -> str:
    """The URL, if requests can be sent to it. Raises UsageError that shows a right one."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise UsageError(f'"{url}" is not a URL: {error}.') from error
    if not is_usable:
        raise UsageError(f'"{url}" is not a URL of an HTTP server: write http://127.0.0.1:3000/path.')
    if parts.username is not None or parts.password is not None:
        raise UsageError("The URL holds a user name or password: send it as a header, -H 'Authorization: Basic …'.")
    if not all(" " < character < "\x7f" for character in url):
        raise UsageError(f'"{url}" holds characters that a URL cannot hold: percent-encode them.')
    return url


def checked_headers(lines: list[str], content_type: str | None) -> dict[str, str]:
    """Header lines such as `Accept: text/plain`, under lower-case names; `content_type` where none of them names it."""
    headers = {} if content_type is None else {"content-type": content_type}
    for line in lines:
        name, colon, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or not _HEADER_NAME.fullmatch(name) or not value.isprintable() or not value.isascii():
            raise UsageError(f"\"{line}\" is not a header: write 'Name: value'.")
        if name in _OWN_HEADERS:
            raise UsageError(f"The engine sets {name} itself: leave out -H '{line}'.")
        headers[name] = value
    return headers
