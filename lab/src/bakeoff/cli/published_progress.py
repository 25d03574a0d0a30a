"""Publishes the progress of a running lab to the file that its pages follow."""

from pathlib import Path

import msgspec

from bakeoff.documents.whole_file import write_whole
from bakeoff.serving.live import LiveState


class Publication:
    """The file that pages follow, while the `with` block lasts.

    It begins with the first state: a lab that is refused, because another is running, has none and leaves the other's
    file alone.
    """

    def __init__(self, path: Path, command: str) -> None:
        self._path = path
        self._command = command
        self._began = False

    def __enter__(self) -> "Publication":
        return self

    def __exit__(self, *_: object) -> None:
        if self._began:
            self._path.unlink(missing_ok=True)

    def publish(self, state: LiveState) -> None:
        self._began = True
        try:
            write_whole(self._path, msgspec.json.encode(msgspec.structs.replace(state, command=self._command)))
        except OSError:
            # No figure depends on this file; a full disk is reported by what must be written.
            return
