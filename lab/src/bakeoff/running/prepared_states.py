"""States that targets' `prepare` commands have made: once for all runs of a command, and a copy for each run."""

import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path

from bakeoff.postgres.made_databases import MadeDatabases
from bakeoff.postgres.server import Server
from bakeoff.running.run_files import own_folder


class PreparedStates(contextlib.ExitStack):
    """Databases and folders by the key of what made them; all are removed on exit.

    One that could not be prepared is removed at once, so that the next run prepares it again from nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, MadeDatabases] = {}
        self._databases: dict[Hashable, Server] = {}
        self._folders: dict[Hashable, Path] = {}
        # Both sides of a commit may begin at the same time.
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def database(self, key: Hashable, server: Server, prepare: Callable[[Server], None]) -> Iterator[Server]:
        """A database on the server, equal to the one that `prepare` has filled for this key."""
        with self._lock:
            made = self._on(server)
            template = self._databases.get((key, server.url))
            if template is None:
                with contextlib.ExitStack() as stack:
                    template = stack.enter_context(made.made())
                    prepare(template)
                    made.seal(template)
                    self.push(stack.pop_all())
                self._databases[key, server.url] = template
        with made.made(template) as copy:
            yield copy

    @contextlib.contextmanager
    def folder(self, key: Hashable, within: Path, prepare: Callable[[Path], None]) -> Iterator[Path]:
        """A folder below `within`, equal to the one that `prepare` has filled for this key."""
        with self._lock:
            template = self._folders.get(key)
            if template is None:
                with contextlib.ExitStack() as stack:
                    template = stack.enter_context(own_folder(within, "prepared"))
                    prepare(template)
                    self.push(stack.pop_all())
                self._folders[key] = template
        with own_folder(within, "run") as copy:
            shutil.copytree(template, copy, symlinks=True, dirs_exist_ok=True)
            # Written out before the run, which would pay for it otherwise.
            os.sync()
            yield copy

    def _on(self, server: Server) -> MadeDatabases:
        made = self._made.get(server.url)
        if made is None:
            made = self._made[server.url] = MadeDatabases(server)
            self.callback(made.close)
        return made
