"""The storage of a target: the kind of store it keeps acknowledged writes in, and how each run gets the same state."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from bakeoff.postgres.binaries import EMBEDDED
from bakeoff.text.hints import hint

StorageKind = Literal["postgresql", "files", "external", "memory", "none"]
POSTGRESQL: StorageKind = "postgresql"
FILES: StorageKind = "files"
EXTERNAL: StorageKind = "external"
NONE: StorageKind = "none"
# They promise that acknowledged writes last, and the lab cannot check it.
DECLARED = (FILES, EXTERNAL)

# Run by /bin/sh -ec, or a program with its arguments.
Command = str | Sequence[str]


class StorageTable(msgspec.Struct, frozen=True):
    """The [storage] table of a manifest.

    `kind` holds unless the level of one of the `settings` names another one; None is the workload's. `postgres` is the
    PostgreSQL that the lab starts for it.
    """

    kind: StorageKind | None = None
    prepare: Command | None = None
    reset: Command | None = None
    settings: Mapping[str, Mapping[str, StorageKind]] = {}
    postgres: str = EMBEDDED

    @property
    def kinds(self) -> set[StorageKind | None]:
        """Every kind that some level leads to."""
        return {self.kind, *(kind for kinds in self.settings.values() for kind in kinds.values())}

    def problem(
        self, settings: Sequence[str], texts: Sequence[str], usual: Callable[[], StorageKind]
    ) -> tuple[Sequence[str], str] | None:
        """The key that is wrong, below [storage], and why; or None.

        `settings` are the target's, and `texts` the commands and variables of what the lab starts, if it does. `usual`
        is the kind of the workload, called where that decides.
        """
        kinds, has_server = self.kinds, self.postgres != EMBEDDED
        if None in kinds and (self.prepare is not None or has_server):
            kinds = {usual() if kind is None else kind for kind in kinds}
        for name in self.settings:
            if name not in settings:
                words = f"storage names the setting {name}, which settings does not have. "
                return ("settings", name), words + hint(name, list(settings), "Settings")
        if self.prepare is not None and not kinds & {POSTGRESQL, FILES}:
            return ("prepare",), 'prepare fills a database or a folder: set kind = "postgresql" or "files".'
        if has_server and POSTGRESQL not in kinds:
            return ("postgres",), 'postgres is the server of kind = "postgresql": set that kind, or remove postgres.'
        if self.reset is not None and EXTERNAL not in kinds:
            return ("reset",), 'reset is for a store of your own: set kind = "external".'
        if EXTERNAL in kinds and self.reset is None:
            return ("kind",), 'external needs reset = "…", a command that restores the same state before each run.'
        commands = (self.prepare, self.reset)
        own = [text for each in commands if each is not None for text in ([each] if isinstance(each, str) else each)]
        if FILES not in kinds and any("{state}" in text for text in (*texts, *own)):
            return ("kind",), '{state} is the folder of kind = "files", which this target does not have.'
        if FILES in kinds and texts and not any("{state}" in text for text in texts):
            return ("kind",), 'files lie in {state}: name it in run or env, such as env = { DATA = "{state}" }.'
        return None
