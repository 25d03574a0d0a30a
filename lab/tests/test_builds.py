import sys
from pathlib import Path

import msgspec
import pytest

from bakeoff.builds import Build, BuildTable, build_of
from bakeoff.errors import BakeoffError
from bakeoff.project import Project

COPY = "import shutil; shutil.copy('in/source', 'out'); print('copied')"


@pytest.fixture
def here(empty_checkout: Project) -> Path:
    folder = empty_checkout.targets / "thing"
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "source").write_text("one")
    return folder


def build_in(here: Path, checkout: Project, program: str = COPY) -> Build:
    entry = {"command": [sys.executable, "-c", program], "inputs": ["in"], "artifact": "out"}
    return build_of("thing", here, msgspec.convert(entry, BuildTable), checkout)


def test_what_is_built_is_stale_only_after_a_change(here: Path, empty_checkout: Project) -> None:
    build = build_in(here, empty_checkout)
    assert build.is_stale()
    assert build.made_from is None
    lines: list[str] = []
    build.run(lines.append)
    assert lines == ["copied"]
    assert not build.is_stale()
    made_from = build.made_from
    assert made_from == build.fingerprint()
    (here / "in" / "source").write_text("two")
    assert build.is_stale()
    # The artifact is still the one of before.
    assert build.made_from == made_from
    build.run(lambda _: None)
    assert build.made_from == build.fingerprint() != made_from
    (here / "in" / "more").write_text("")
    assert build.is_stale()


def test_what_builds_make_is_no_input(here: Path, empty_checkout: Project) -> None:
    build = build_in(here, empty_checkout)
    build.run(lambda _: None)
    (here / "in" / "target").mkdir()
    (here / "in" / "target" / "object").write_text("")
    assert not build.is_stale()


def test_a_lost_artifact_or_another_command_is_stale(here: Path, empty_checkout: Project) -> None:
    build = build_in(here, empty_checkout)
    build.run(lambda _: None)
    assert build_in(here, empty_checkout, COPY + " ").is_stale()
    build.artifact.unlink()
    assert build.is_stale()


def test_a_build_that_fails_shows_its_last_lines_and_stays_stale(here: Path, empty_checkout: Project) -> None:
    build_in(here, empty_checkout).run(lambda _: None)
    broken = build_in(here, empty_checkout, "print('line 7: no such thing'); raise SystemExit(3)")
    with pytest.raises(BakeoffError, match=r"(?s)did not build.*status 3.*no such thing"):
        broken.run(lambda _: None)
    assert broken.is_stale()


def test_an_interrupted_build_stays_stale(here: Path, empty_checkout: Project) -> None:
    build = build_in(here, empty_checkout, COPY + "; import signal; signal.pause()")

    def interrupt(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build.run(interrupt)
    assert build.is_stale()


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"command": [sys.executable, "-c", ""], "inputs": ["in"], "artifact": "out"}, "artifact .* does not exist"),
        ({"command": ["no-such-program-at-all"], "inputs": ["in"], "artifact": "out"}, "No such file"),
        ({"command": [sys.executable, "-c", ""], "inputs": ["gone"], "artifact": "out"}, "names the input"),
    ],
)
def test_manifests_that_do_not_hold(here: Path, empty_checkout: Project, entry: dict[str, object], reason: str) -> None:
    with pytest.raises(BakeoffError, match=reason):
        build_of("thing", here, msgspec.convert(entry, BuildTable), empty_checkout).run(lambda _: None)
