import pytest

from bakeoff.errors import UsageError
from bakeoff.options.kinds import AGENTS, agents_in
from bakeoff.options.ssh_host import SshHost, ssh_host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("ssh://host1", SshHost("host1")),
        ("ssh://load-1.example.com", SshHost("load-1.example.com")),
        ("ssh://User@Host1:2222", SshHost("User@Host1", 2222)),
        ("ssh://root@[::1]:22", SshHost("root@::1", 22)),
    ],
)
def test_a_host(url: str, host: SshHost) -> None:
    assert ssh_host(url) == host


@pytest.mark.parametrize(
    "url",
    [
        "host1",
        "ssh://",
        "ssh://host/path",
        "ssh://host:port",
        "ssh://user:secret@host",
        "https://host",
        "ssh://-oProxyCommand=x",
        "ssh://user@-x",
    ],
)
def test_what_is_no_host(url: str) -> None:
    with pytest.raises(UsageError, match="is not a host for an agent: write ssh://host"):
        ssh_host(url)


@pytest.mark.parametrize(
    ("value", "read", "count"),
    [
        ("2", 2, 2),
        (3, 3, 3),
        ("ssh://a, ssh://b@c:22", "ssh://a,ssh://b@c:22", 2),
        ("ssh://a", "ssh://a", 1),
    ],
)
def test_agents_are_a_number_or_hosts(value: str | int, read: int | str, count: int) -> None:
    assert AGENTS.read(value) == read
    assert agents_in(read) == count


@pytest.mark.parametrize("value", ["0", "65", "two", "ssh://a,", "ssh://a,2"])
def test_other_agents_are_refused(value: str) -> None:
    with pytest.raises(UsageError):
        AGENTS.read(value)
