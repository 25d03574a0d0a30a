"""Which process of this machine answers at an address."""

import ipaddress
import socket

import psutil

# They listen for another process: what they use is not what the answer costs.
_FORWARDERS = (
    *("docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "ssh", "kubectl", "socat"),
    *("pgbouncer", "pgcat", "odyssey", "haproxy"),
)
_ANY = {"0.0.0.0", "::"}  # noqa: S104 — what a process listens at, not what the lab does

# Addresses with their ports.
_Places = set[tuple[str, int]]


def listener_at(host: str, port: int) -> psutil.Process | None:
    """The process that listens at a loopback address; of a parent and children that share the socket the parent.

    None where it is unknown: another host, another user's process, several unknown processes, or a mere forwarder.
    """
    addresses = _addresses(host)
    if not addresses or not all(ipaddress.ip_address(address).is_loopback for address in addresses):
        return None
    places = {(address, port) for address in addresses | _ANY}
    try:
        # None stands for a process that is out of sight.
        pids = {each.pid for each in psutil.net_connections("tcp") if _listens(each, places)}
        pid = pids.pop() if len(pids) == 1 else None
        process = None if pid is None else psutil.Process(pid)
        return None if process is None or process.name().startswith(_FORWARDERS) else _eldest(process, places)
    except psutil.Error:
        return None


def _eldest(process: psutil.Process, places: _Places) -> psutil.Process | None:
    """The first of those that inherited the socket from one another; None for siblings whose parent closed it."""
    for parent in process.parents():
        if not _holds(parent, places):
            siblings = [child for child in parent.children() if child != process]
            return None if any(_holds(sibling, places) for sibling in siblings) else process
        process = parent
    return process


def _holds(process: psutil.Process, places: _Places) -> bool:
    try:
        return any(_listens(each, places) for each in process.net_connections("tcp"))
    except psutil.Error:
        return False


def _listens(connection: "psutil._ntuples.sconn | psutil._ntuples.pconn", places: _Places) -> bool:
    return connection.status == psutil.CONN_LISTEN and tuple(connection.laddr) in places


def _addresses(host: str) -> set[str]:
    try:
        return {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return set()
