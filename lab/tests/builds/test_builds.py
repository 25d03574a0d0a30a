import sys
from pathlib import Path

import msgspec
import pytest

from bakeoff.builds.build import Build, BuildTable, ImageTable, build_of, image_of
from bakeoff.errors import BakeoffError
from bakeoff.project import Project

COPY = "import shutil; shutil.copy('in/source', 'out'); print('copied')"


@pytest.fixture
def here(empty_checkout: Project) -> Path:
    folder = empty_checkout.root / "targets" / "thing"
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


def test_an_image_is_an_artifact_of_the_same_inputs_and_of_its_dockerfile(here: Path, empty_checkout: Project) -> None:
    docker = empty_checkout.root / "deploy" / "docker"
    docker.mkdir(parents=True)
    (docker / "some.Dockerfile").write_text("FROM scratch")
    (empty_checkout.root / ".dockerignore").write_text("")
    table = ImageTable("../../deploy/docker/some.Dockerfile", {"MODULE": "a b"})
    image = image_of("thing", here, table, build_in(here, empty_checkout), empty_checkout)
    assert image.program == Path("/bakeoff/targets/thing/out")
    assert image.command[:2] == ("docker", "build")
    assert {f"--file={docker / 'some.Dockerfile'}", "--build-arg=MODULE=a b", f"--iidfile={image.image}"} <= {
        *image.command
    }
    assert image.directory == empty_checkout.root and image.toolchain is None
    before = image.fingerprint()
    (docker / "some.Dockerfile").write_text("FROM other")
    changed = image.fingerprint()
    (here / "in" / "source").write_text("two")
    assert len({before, changed, image.fingerprint()}) == 3


def test_options_of_the_environment_are_added_to_the_build_of_images(
    here: Path, empty_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKEOFF_DOCKER_BUILD_OPTIONS", "--network host --build-arg 'A=b c'")
    image = image_of("thing", here, ImageTable("Dockerfile"), build_in(here, empty_checkout), empty_checkout)
    assert image.command[2:6] == ("--network", "host", "--build-arg", "A=b c")


def test_an_artifact_that_was_built_elsewhere_can_be_adopted(here: Path, empty_checkout: Project) -> None:
    build = build_in(here, empty_checkout)
    with pytest.raises(BakeoffError, match=r"no .*out to adopt"):
        build.adopt()
    build.artifact.write_text("made elsewhere")
    assert build.is_stale()
    build.adopt()
    assert not build.is_stale()
