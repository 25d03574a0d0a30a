"""Engines found under `load/`."""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.builds import Build, build_of
from bakeoff.documents import Document, read_toml
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project


@dataclass(frozen=True)
class Engine:
    """One `engine.toml`, checked, and the folder it lies in."""

    name: str
    directory: Path
    document: Document
    build: Build

    @property
    def command(self) -> list[str]:
        """What to start; `--plan FILE` is added to it."""
        return self._command("run", {})

    def null_command(self, port: int) -> list[str]:
        """What starts the engine's null server on a port."""
        return self._command("null", {"{port}": str(port)})

    def audit_command(self, plan: Path, ledger: Path, audit_sql: Path) -> list[str]:
        """What audits a run of this engine; DATABASE_URL is to be set."""
        places = {"{plan}": str(plan), "{ledger}": str(ledger), "{audit_sql}": str(audit_sql)}
        return self._command("audit", places)

    def build_version(self, version: str) -> str:
        """The version that the engine tells of itself, with the build that it is of: a ceiling is one build's."""
        made_from = self.build.made_from
        return version if made_from is None else f"{version}+{made_from[:12]}"

    def offers(self, table: str) -> bool:
        """Whether the manifest has one of the optional commands, `null` or `audit`."""
        return table in self.document

    def _command(self, table: str, places: Mapping[str, str]) -> list[str]:
        if table not in self.document:
            raise BakeoffError(f"The engine {self.name} has no [{table}] in its engine.toml.")
        everywhere = {
            "{python}": sys.executable,
            "{artifact}": str(self.build.artifact),
            "{bin}": str(self.build.bin),
            "{here}": str(self.directory),
        }
        return [_replaced(part, {**everywhere, **places}) for part in self.document[table]["command"]]

    def can(self, feature: str) -> bool:
        """Whether the engine offers one of the optional features of the engine schema."""
        return feature in self.document.get("features", [])

    def check_toolchain(self) -> None:
        """Raises BakeoffError when this machine cannot build the engine."""
        toolchain = self.document.get("toolchain", {})
        missing = [program for program in toolchain.get("commands", []) if shutil.which(program) is None]
        if missing:
            install = toolchain.get("install", "").rstrip(".")
            raise BakeoffError(
                f"The engine {self.name} needs {', '.join(missing)}: {install}. Or choose another with --engine."
            )


def find_engine(project: Project, name: str) -> Engine:
    """The engine of that name."""
    engines = {path.parent.name: path for path in sorted(project.engines.glob("*/engine.toml"))}
    if name not in engines:
        raise UsageError(f'There is no engine "{name}". Engines in load/: {", ".join(engines) or "none"}.')
    directory = engines[name].parent
    document = read_toml(engines[name], project.contract / "schemas" / "engine.schema.json")
    version_command = document.get("toolchain", {}).get("version_command", [])
    build = build_of(f"engine-{name}", directory, document["build"], project, version_command)
    return Engine(name, directory, document, build)


def _replaced(text: str, places: Mapping[str, str]) -> str:
    for placeholder, path in places.items():
        text = text.replace(placeholder, path)
    return text
