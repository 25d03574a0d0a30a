"""The memory that a role may use: its limit where one is set, else the memory of the machine."""

from collections.abc import Mapping

_MB_PER_MIB = 2**20 / 1e6


def memory_limit_mb(role: str, environment: Mapping[str, str]) -> float | None:
    """None where a run's record has neither limit nor machine."""
    for fact in (f"{role}_memory_limit_mib", "memory_mib"):
        try:
            limit_mb = float(environment[fact]) * _MB_PER_MIB
        except (KeyError, ValueError):
            continue
        if limit_mb > 0:
            return limit_mb
    return None
