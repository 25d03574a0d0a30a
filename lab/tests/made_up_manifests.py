"""Targets, workloads and engines that exist in tests alone."""

from pathlib import Path

from bakeoff.builds import Build
from bakeoff.engines.manifest import Engine
from bakeoff.targets.manifest import Target
from bakeoff.workload.loader import Workload

_NOWHERE = Path("/nowhere")
_BUILD = Build("built", _NOWHERE, ("true",), (), _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)


def target(name: str, protocol: str = "rest", workload: str = "events") -> Target:
    document = {"workload": workload, "language": "rust", "protocol": protocol, "class": "tuned"}
    return Target(name, _NOWHERE, document, _BUILD)


def workload() -> Workload:
    return Workload(
        "events",
        _NOWHERE,
        {
            "database": "postgresql",
            "sizes": {"default": "natural", "8k": 8192},
            "batch": {"http": {}, "grpc": {}},
            "stream": {"grpc": {}},
        },
    )


def engine(name: str, *features: str, models: tuple[str, ...] = ("closed", "open")) -> Engine:
    document = {"protocols": ["http", "grpc"], "models": list(models), "features": list(features)}
    return Engine(name, _NOWHERE, document, _BUILD)
