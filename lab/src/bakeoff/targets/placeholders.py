"""The placeholders of a target's commands and variables, and their values in one start of it."""

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.processes import ports
from bakeoff.targets.manifest import Target

_PORT = re.compile(r"\{port\.([a-z0-9-]+)\}")


class Placeholders:
    """The values of `{artifact}`, `{directory}`, `{scratch}`, `{port.NAME}`, and of those that are `given`.

    `given` are `{port}`, `{state}`, `{database_url}` and its parts by their names; None: this start has none.
    """

    def __init__(self, target: Target, given: Mapping[str, str | None] | None = None) -> None:
        self._target = target
        self._given = {
            "{artifact}": str(target.build.program),
            "{directory}": str(target.directory),
            **{f"{{{name}}}": value for name, value in (given or {}).items()},
        }
        self._scratch: Path | None = None
        self._ports: dict[str, int] = {}

    def fill(self, text: str) -> str:
        """The text with every placeholder replaced; a folder is made for the first `{scratch}`.

        Raises BakeoffError for a placeholder that has no value in this start.
        """
        for name, value in self._given.items():
            if name in text and value is None:
                raise BakeoffError(
                    f"{self._target.name} names {name}, and what it stores in has none: see kind in its storage."
                )
            text = text.replace(name, value or "")
        if "{scratch}" in text:
            text = text.replace("{scratch}", str(self._folder()))
        return _PORT.sub(lambda found: str(self.port(found[1])), text)

    def fill_all(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Variables with their values; those whose placeholder has no value in this start are left out."""
        missing = [name for name, value in self._given.items() if value is None]
        return {
            variable: self.fill(text) for variable, text in texts.items() if not any(name in text for name in missing)
        }

    def port(self, name: str) -> int:
        """The port of that name: a free one, chosen at the first call."""
        return self._ports.setdefault(name, ports.free_port())

    def clear(self) -> None:
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def _folder(self) -> Path:
        # The path of a Unix socket has at most 107 bytes, so the folder is not below the project.
        self._scratch = self._scratch or Path(tempfile.mkdtemp(prefix="bakeoff-"))
        return self._scratch
