"""Memory as a share of what a role may use: its limit where one is set, else the memory of the machine."""

from collections.abc import Mapping

_MIB = 2**20


def memory_percent(used_bytes: float, role: str, environment: Mapping[str, str]) -> float | None:
    """Per cent; None where a run's record has neither limit nor machine."""
    for fact in (f"{role}_memory_limit_mib", "memory_mib"):
        try:
            may_use = float(environment[fact]) * _MIB
        except (KeyError, ValueError):
            continue
        if may_use > 0:
            return 100 * used_bytes / may_use
    return None
