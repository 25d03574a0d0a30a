"""Access to a target: its address, TLS, and the token that it requires."""

import ssl
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from bakeoff.errors import UsageError
from bakeoff.text.redaction import redacted
from bakeoff.workload.plan_records import PlannedTls

LOOPBACK = "127.0.0.1"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there; a name other than localhost is not looked up."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Access:
    """An address. `tls` None: plain text. `token` goes with every request as a bearer token, and is never stored."""

    host: str
    port: int
    tls: PlannedTls | None = None
    token: str | None = field(default=None, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers of every request, or metadata of every gRPC call."""
        return {} if self.token is None else {"authorization": f"Bearer {self.token}"}

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    def tls_fields(self) -> dict[str, Any]:
        """What the engine's client must know of the certificate; it may reach the target at another address."""
        if self.tls is None:
            return {}
        name = {"server_name": self.tls.server_name or self.host}
        return {"tls": name if self.tls.ca_file is None else {**name, "ca_file": self.tls.ca_file}}

    def scheme(self, protocol: str) -> str:
        """The scheme of URLs of `http` or `grpc`."""
        return protocol if self.tls is None else f"{protocol}s"

    def ssl_context(self) -> ssl.SSLContext | None:
        """For Python's own clients; None for plain text."""
        if self.tls is None:
            return None
        return ssl.create_default_context(cafile=self.tls.ca_file)


def access_of(url: str, token: str | None = None) -> Access:
    """The access that a URL such as `http://host:8081` or `https://host` names."""
    shown = redacted(url)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f'"{shown}" is not an address of a target: write http://host:port.') from error
    if "@" in parts.netloc:
        # Commands are stored with what they measured.
        raise UsageError(
            "The address of an attached target holds a user name or password. Leave it out, and set BAKEOFF_API_TOKEN "
            "where the target requires a token."
        )
    is_bare = parts.path in ("", "/") and not parts.query and not parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or not is_bare:
        raise UsageError(f'"{shown}" is not an address of a target: write http://host:port or https://host:port.')
    secure = parts.scheme == "https"
    return Access(parts.hostname, port or (443 if secure else 80), PlannedTls() if secure else None, token)
