"""Puts the engines of the clone into the source distribution and the wheel; a wheel of the former has them already."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE_DATA = ("k6", "native/engine.toml")


class Engines(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        load = Path(self.root).parent / "load"
        if version == "editable" or not load.is_dir():
            return
        folder = "src/bakeoff/load" if self.target_name == "sdist" else "bakeoff/load"
        build_data["force_include"] |= {str(load / name): f"{folder}/{name}" for name in _PACKAGE_DATA}
