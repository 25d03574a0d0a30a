"""A host that OpenSSH reaches, as `--agents` names it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from bakeoff.errors import UsageError

SCHEME = "ssh://"


@dataclass(frozen=True)
class SshHost:
    """`destination` is what ssh calls so: a host, an alias of the user's own configuration, or user@host."""

    destination: str
    port: int | None = None

    @property
    def url(self) -> str:
        """As `--agents` names it."""
        return f"{SCHEME}{self.destination}" + ("" if self.port is None else f":{self.port}")


def ssh_host(url: str) -> SshHost:
    """The host of `ssh://[user@]host[:port]`. Raises UsageError."""
    error = UsageError(
        f'"{url}" is not a host for an agent: write ssh://host, ssh://user@host or ssh://user@host:port.'
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as reason:
        raise error from reason
    is_plain = not parts.path.strip("/") and not parts.query and not parts.fragment and parts.password is None
    # A leading hyphen would make it an option of ssh.
    if f"{parts.scheme}://" != SCHEME or not parts.hostname or not is_plain or parts.netloc.startswith("-"):
        raise error
    name = parts.netloc.rpartition("@")[2]
    host = parts.hostname if name.startswith("[") else name.partition(":")[0]
    user = "" if parts.username is None else f"{parts.username}@"
    if host.startswith("-"):
        raise error
    return SshHost(f"{user}{host}", port)
