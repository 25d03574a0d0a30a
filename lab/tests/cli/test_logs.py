"""`./bakeoff logs`: the newest file, and what is added to it."""

import io
import os
from pathlib import Path

import pytest

from bakeoff.cli.logs import copy_what_is_added, newest_log
from bakeoff.errors import BakeoffError
from bakeoff.project import Project


def test_the_newest_log_is_shown(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.logs.mkdir(parents=True)
    with pytest.raises(BakeoffError, match=r"a has no log yet: \./bakeoff up a starts it"):
        newest_log(project, "a")
    (project.results / "a").mkdir(parents=True)
    runs = (project.results / "a" / f"{name}.log" for name in ("later.engine", "later", "earlier"))
    others = (project.logs / name for name in ("up-a.log", "a-conformance.log", "other.log"))
    for age, path in enumerate((*runs, *others)):
        path.write_text("")
        os.utime(path, (1000 - age, 1000 - age))
    assert newest_log(project, "a").name == "later.log"


def test_a_log_that_grows_and_starts_again_is_followed(tmp_path: Path) -> None:
    log, out = tmp_path / "a.log", io.StringIO()
    log.write_text("first\n")
    steps = iter(["first\nsecond\n", "new\n"])

    def pause() -> None:
        text = next(steps, None)
        if text is None:
            raise KeyboardInterrupt
        log.write_text(text)

    with log.open() as file, pytest.raises(KeyboardInterrupt):
        copy_what_is_added(file, log, out, pause)
    assert out.getvalue() == "first\nsecond\nnew\n"
