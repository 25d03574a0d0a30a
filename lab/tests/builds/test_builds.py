import os
import socket
import subprocess
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


@pytest.fixture
def tracked(here: Path) -> Path:
    """The folder in a repository that tracks src/build/p.go, and ignores what builds make."""
    (here / "in" / "src" / "build").mkdir(parents=True)
    (here / "in" / "src" / "build" / "p.go").write_text("one")
    (here / ".gitignore").write_text("/in/bin/\n")
    subprocess.run(["git", "init", "-q"], cwd=here, check=True)
    subprocess.run(["git", "add", "-A"], cwd=here, check=True)
    return here


def test_inputs_are_what_git_tracks_and_new_files_that_it_does_not_ignore(
    tracked: Path, empty_checkout: Project
) -> None:
    build = build_in(tracked, empty_checkout)
    fingerprints = [build.fingerprint()]
    (tracked / "in" / "src" / "build" / "p.go").write_text("two")
    fingerprints.append(build.fingerprint())
    (tracked / "in" / "src" / "build" / "q.go").write_text("new")
    fingerprints.append(build.fingerprint())
    assert len({*fingerprints}) == 3
    (tracked / "in" / "bin").mkdir()
    (tracked / "in" / "bin" / "object").write_text("")
    assert build.fingerprint() == fingerprints[-1]


def test_an_input_folder_has_the_files_of_repositories_in_it(tracked: Path, empty_checkout: Project) -> None:
    build = build_in(tracked, empty_checkout)
    inner = tracked / "in" / "inner"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    before = build.fingerprint()
    (inner / "file").write_text("one")
    assert build.fingerprint() != before


def test_input_folders_may_lie_in_several_repositories(tracked: Path, empty_checkout: Project) -> None:
    other = tracked.parent / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    (other / ".gitignore").write_text("*.log\n")
    table = BuildTable(["true"], artifact="out", inputs=["in", "../other"])
    build = build_of("thing", tracked, table, empty_checkout)
    before = build.fingerprint()
    (tracked / "in" / "bin").mkdir()
    for ignored in (tracked / "in" / "bin" / "object", other / "a.log"):
        ignored.write_text("")
    assert build.fingerprint() == before
    (tracked / "in" / "source").write_text("two")
    changed = build.fingerprint()
    (other / "file").write_text("")
    assert len({before, changed, build.fingerprint()}) == 3


def test_the_artifact_and_its_contents_are_no_inputs(tracked: Path, empty_checkout: Project) -> None:
    program = "import os; open('in/out', 'w').close(); os.mkdir('in/lib'); open('in/lib/core', 'w').close()"
    table = BuildTable([sys.executable, "-c", program], artifact="in/out", inputs=["in"], contents=["in/lib"])
    build = build_of("thing", tracked, table, empty_checkout)
    build.run(lambda _: None)
    assert not build.is_stale()
    (tracked / "in" / "lib" / "core").write_text("by hand")
    assert build.is_stale()


def test_without_an_artifact_each_command_builds_once_and_inputs_identify_it(
    here: Path, empty_checkout: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = BuildTable([sys.executable, "-c", COPY], inputs=["in"])
    build = build_of("thing", here, table, empty_checkout)
    build.run(lambda _: None)
    assert not build.is_stale()
    assert build.made_from == build.fingerprint()
    monkeypatch.setattr("bakeoff.builds.build._RUN_BY_THIS_COMMAND", set())
    assert build.is_stale()
    (here / "in" / "source").write_text("two")
    assert build.made_from != build.fingerprint()


@pytest.mark.parametrize("is_tracked", [False, True])
def test_of_links_the_target_counts_and_what_is_no_file_does_not(
    here: Path, empty_checkout: Project, monkeypatch: pytest.MonkeyPatch, is_tracked: bool
) -> None:
    build, folder = build_in(here, empty_checkout), here / "in"
    if is_tracked:
        subprocess.run(["git", "init", "-q"], cwd=here, check=True)
    monkeypatch.chdir(folder)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    fingerprints = []
    for target in ("nowhere", "elsewhere", "..", "source"):
        (folder / "link").unlink(missing_ok=True)
        (folder / "link").symlink_to(target)
        fingerprints.append(build.fingerprint())
    assert len({*fingerprints}) == 4


def test_an_input_that_is_a_link_has_the_content_of_its_target(here: Path, empty_checkout: Project) -> None:
    (here / "link").symlink_to("in/source")
    build = build_of("thing", here, BuildTable(["true"], artifact="out", inputs=["link"]), empty_checkout)
    before = build.fingerprint()
    (here / "in" / "source").write_text("two")
    assert build.fingerprint() != before


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
        (
            {"command": [sys.executable, "-c", ""], "inputs": ["gone"], "artifact": "out"},
            "names the input",
        ),
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


def test_an_image_needs_no_dockerignore_and_without_inputs_each_command_builds_it(
    here: Path, empty_checkout: Project
) -> None:
    (here / "Dockerfile").write_text("FROM scratch")
    image = image_of("thing", here, ImageTable("Dockerfile"), build_in(here, empty_checkout), empty_checkout)
    before = image.fingerprint()
    (empty_checkout.root / ".dockerignore").write_text("")
    build = build_in(here, empty_checkout)
    assert image_of("thing", here, ImageTable("Dockerfile"), build, empty_checkout).fingerprint() != before
    without_inputs = build_of("thing", here, BuildTable(["true"], artifact="out"), empty_checkout)
    assert image_of("thing", here, ImageTable("Dockerfile"), without_inputs, empty_checkout).inputs == ()


def test_the_image_of_one_of_two_commits_is_kept_apart_and_found_by_its_labels(
    here: Path, empty_checkout: Project
) -> None:
    build = build_in(here, empty_checkout)
    (here / "Dockerfile").write_text("FROM scratch")
    usual, first, second = (
        image_of("thing", here, ImageTable("Dockerfile"), build, empty_checkout, tag, labels)
        for tag, labels in (("", ()), ("abc", ("a=1", "b=1")), ("abc", ("a=1", "b=2")))
    )
    assert "--tag=bakeoff/thing" in usual.command and "--tag=bakeoff/thing:abc" in first.command
    assert {usual.name, usual.artifact, usual.stamp, usual.log}.isdisjoint(
        {first.name, first.artifact, first.stamp, first.log}
    )
    assert first.marks == ("--label=a=1", "--label=b=1")
    # What it is made from is the same for the next process, which gives it other labels.
    assert first.fingerprint() == second.fingerprint()


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
