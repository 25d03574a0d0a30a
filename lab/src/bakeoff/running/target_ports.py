"""Ports of targets that are started together."""

from collections import Counter
from collections.abc import Callable, Sequence

from bakeoff.errors import BakeoffError
from bakeoff.processes import ports
from bakeoff.targets.manifest import Target


def ports_of(targets: Sequence[Target], is_free: Callable[[int], bool] = ports.port_is_free) -> dict[str, int]:
    """A port for each target, all of them different and free.

    A target has its documented port where no other of them has the same one, and otherwise the second one of its
    manifest. Where that is not enough, the next free port follows.
    """
    wanted = Counter(target.default_port for target in targets)
    ports: dict[str, int] = {}
    for target in targets:
        alone = wanted[target.default_port] == 1 or target.manifest.run.second_port is None
        port = target.default_port if alone else target.manifest.run.second_port
        assert port is not None
        ports[target.name] = _next_free(port, set(ports.values()), is_free)
    return ports


def _next_free(first: int, taken: set[int], is_free: Callable[[int], bool]) -> int:
    for port in range(first, 65_536):
        if port not in taken and is_free(port):
            return port
    raise BakeoffError(f"No port from {first} on is free. Name one with --port.")
