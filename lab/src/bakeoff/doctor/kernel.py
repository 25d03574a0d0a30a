"""Limits and settings of the kernel that connections and clocks depend on."""

import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bakeoff.doctor.diagnosis import Diagnosis, State

# The saturation mode: 2,000 users with a connection each, and what a process has open besides.
_MOST_USERS = 2_000
_DESCRIPTORS = 2 * _MOST_USERS
_PORTS = 10_000
_BACKLOG = 1_024

_PORT_RANGE = Path("proc/sys/net/ipv4/ip_local_port_range")
_SOMAXCONN = Path("proc/sys/net/core/somaxconn")
_GOVERNORS = "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"


def kernel_checks(root: Path = Path("/")) -> Iterator[Diagnosis]:
    """Every check of this file. `root` is where /proc and /sys are found."""
    yield descriptors(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    yield port_range(_text(root / _PORT_RANGE))
    yield backlog(_text(root / _SOMAXCONN))
    yield governors([_text(path) or "?" for path in sorted(root.glob(_GOVERNORS))])


def descriptors(limit: int) -> Diagnosis:
    """Whether targets can hold a connection for each user. Engines raise the limit themselves."""
    subject = "file descriptors"
    if limit == resource.RLIM_INFINITY or limit >= _DESCRIPTORS:
        found = "unlimited" if limit == resource.RLIM_INFINITY else f"{limit:,} for each process"
        return Diagnosis(subject, State.OK, found)
    cost = f"from about {max(0, limit - 100):,} users on, targets refuse connections that they could serve"
    return Diagnosis(subject, State.COSTLY, f"{limit:,} for each process", cost, f"ulimit -n {16 * _DESCRIPTORS}")


def port_range(text: str | None) -> Diagnosis:
    """How many connections to one port there can be, open or recently closed. `text`: two port numbers."""
    subject = "ephemeral ports"
    numbers = (text or "").split()
    if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        return Diagnosis(subject, State.UNKNOWN, "not reported by this kernel")
    count = int(numbers[1]) - int(numbers[0]) + 1
    if count >= _PORTS:
        return Diagnosis(subject, State.OK, f"{count:,}")
    state = State.WRONG if count < _MOST_USERS else State.COSTLY
    cost = f"at most {count:,} connections, closed ones count for a minute; then connecting fails"
    return Diagnosis(subject, state, f"{count:,}", cost, 'sudo sysctl -w net.ipv4.ip_local_port_range="10000 65535"')


def backlog(text: str | None) -> Diagnosis:
    """How many connections may wait to be accepted."""
    subject = "somaxconn"
    if text is None or not text.isdecimal():
        return Diagnosis(subject, State.UNKNOWN, "not reported by this kernel")
    if int(text) >= _BACKLOG:
        return Diagnosis(subject, State.OK, text)
    cost = f"when more than {text} users connect at once, some wait a second or more for their first reply"
    return Diagnosis(subject, State.COSTLY, text, cost, "sudo sysctl -w net.core.somaxconn=4096")


def governors(names: list[str]) -> Diagnosis:
    """Whether the clock of the CPU stays the same while measuring. One name for each core that has a choice."""
    subject = "CPU governor"
    if not names:
        return Diagnosis(subject, State.UNKNOWN, "not reported by this kernel, as in most virtual machines")
    found = ", ".join(f"{name} ({count} cores)" for name, count in Counter(names).items())
    if set(names) == {"performance"}:
        return Diagnosis(subject, State.OK, found)
    cost = "the CPU frequency changes with the load: low loads look slower than they are, and rounds differ"
    return Diagnosis(subject, State.COSTLY, found, cost, "sudo cpupower frequency-set -g performance")


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8").strip()
    except OSError:
        return None
