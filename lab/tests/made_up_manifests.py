"""Targets, workloads and engines that exist in tests alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from bakeoff.builds.build import Build, BuildTable
from bakeoff.engines.manifest import Command, Engine, EngineManifest, InstalledTable
from bakeoff.project import Project
from bakeoff.targets.manifest import RunTable, Target, TargetManifest
from bakeoff.workload.declaration import Declaration
from bakeoff.workload.loader import Workload

_NOWHERE = Path("/nowhere")
_BUILD = Build("built", _NOWHERE, ("true",), (), _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)
_TABLE = BuildTable(command=["true"], artifact="built")
RUN = RunTable(command=["true"], port_variable="SERVER_PORT", default_port=8081)


def target(name: str, protocol: str = "rest", workload: str = "events", **changes: Any) -> Target:
    manifest = TargetManifest(
        name=name,
        workload=workload,
        language="rust",
        protocol="grpc" if protocol == "grpc" else "rest",
        target_class="tuned",
        build=_TABLE,
        run=RUN,
    )
    return Target(Project(_NOWHERE), name, _NOWHERE, msgspec.structs.replace(manifest, **changes), _BUILD)


def declared(**members: Any) -> Declaration:
    """The declaration of a workload.toml with these members."""
    return msgspec.convert({"database": "none", **members}, Declaration)


def workload(name: str = "events", **members: Any) -> Workload:
    """A workload; `members` replace those of its workload.toml."""
    call = {"method": "p.S/M", "expect": "OK"}
    batch = {"http": {"method": "POST", "path": "/", "expect": 200, "open": "", "separator": "", "close": ""}}
    usual = {
        "database": "postgresql",
        "sizes": {"default": "natural", "8k": 8192},
        "batch": {**batch, "grpc": {**call, "field": "all"}},
        "stream": {"grpc": {"method": "p.S/M"}},
    }
    return Workload(name, _NOWHERE, declared(**{**usual, **members}))


def engine(name: str, *features: str, models: tuple[str, ...] = ("closed", "open"), **changes: Any) -> Engine:
    manifest = EngineManifest(
        protocols=["http", "grpc"],
        models=models,
        features=features,
        build=_TABLE,
        run=Command(["{artifact}"]),
        installed=InstalledTable("load", "pip install load"),
    )
    return Engine(name, _NOWHERE, msgspec.structs.replace(manifest, **changes), _BUILD)


def image_build(folder: Path) -> Build:
    """The build of an image whose id is in a file of the folder."""
    return replace(_BUILD, name="image built", artifact=folder / "image.id", inside=Path("/bakeoff/built"))
