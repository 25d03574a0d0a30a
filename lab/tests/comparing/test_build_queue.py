"""The order of builds, and the end of builds that fail or are no longer wanted."""

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bakeoff.builds.build import Build, BuildTable, build_of
from bakeoff.comparing.build_queue import BuiltContenders, building, first_measured_first
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import CANDIDATE, COMMIT
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from made_up_manifests import engine, target, workload


class Shown:
    """A display that keeps what it was given."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def step(self, title: str) -> None:
        self.said.append(title)

    def detail(self, _text: str) -> None:
        pass


@pytest.fixture
def shown() -> Any:
    return Shown()


def a_build(checkout: Project, name: str, program: str = "", directory: str = "", **more: object) -> Build:
    here = checkout.root / "targets" / (directory or name)
    (here / "in").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", f"{program}\nopen({name!r}, 'w').close()"]
    return build_of(
        name,
        here,
        msgspec.convert({"command": command, "inputs": ["in"], "artifact": name, **more}, BuildTable),
        checkout,
    )


# Each waits for a file of the other: only builds that run at the same time can both end.
def _meets(own: Path, other: Path) -> str:
    return (
        f"import pathlib, time\npathlib.Path({str(own)!r}).touch()\n"
        f"while not pathlib.Path({str(other)!r}).exists(): time.sleep(0.01)"
    )


def test_two_builds_run_at_once(empty_checkout: Project, tmp_path: Path, shown: Any) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    builds = [a_build(empty_checkout, "a", _meets(one, two)), a_build(empty_checkout, "b", _meets(two, one))]
    with building(builds, shown) as queued:
        for build in builds:
            queued.wait_for(build)
        assert not queued.is_busy
    assert sorted(line.partition(" in ")[0] for line in shown.said if line.startswith("built")) == [
        "built a",
        "built b",
    ]
    assert not any(build.is_stale() for build in builds)


def test_builds_of_one_directory_follow_each_other(empty_checkout: Project, shown: Any) -> None:
    alone = (
        "import os, time\nos.close(os.open('only-one', os.O_CREAT | os.O_EXCL))\ntime.sleep(0.1)\nos.remove('only-one')"
    )
    builds = [a_build(empty_checkout, name, alone, "shared") for name in "abc"]
    with building(builds, shown) as queued:
        for build in builds:
            queued.wait_for(build)


def test_a_build_that_fails_leaves_the_others_alone(empty_checkout: Project, shown: Any) -> None:
    bad = a_build(empty_checkout, "bad", "raise SystemExit(3)")
    good = a_build(empty_checkout, "good")
    with building([bad, good], shown) as queued:
        queued.wait_for(good)
        with pytest.raises(BakeoffError, match="bad did not build"):
            queued.wait_for(bad)
        assert queued.has_ended(bad)


@pytest.mark.parametrize(
    ("fails", "measured"),
    [("", ["before", "after", "alone"]), ("before", ["after", "alone"]), ("after", ["alone"])],
)
def test_another_commit_is_not_measured_without_the_candidate(
    empty_checkout: Project, shown: Any, fails: str, measured: list[str]
) -> None:
    commits = {"before": "0123456789ab", "after": CANDIDATE, "alone": CANDIDATE}
    names = {"before": "shop", "after": "shop", "alone": "new"}
    builds = {each: a_build(empty_checkout, each, "raise SystemExit(3)" * (each == fails)) for each in commits}
    engine_build = a_build(empty_checkout, "load")
    contenders = {
        each: Contender(
            replace(target(names[each]), build=builds[each]),
            workload(),
            replace(engine("native"), build=engine_build),
            factors={COMMIT: commit},
        )
        for each, commit in commits.items()
    }
    refused: dict[str, str] = {}
    with building([engine_build, *builds.values()], shown) as queued:
        built = BuiltContenders(queued, [*contenders.values()], (), refused.__setitem__).in_order()
    assert [each.target.build.name for each in built] == measured
    assert [*refused] == ([contenders[fails].key] if fails else [])
    assert all("did not build" in reason and "ended with status 3" in reason for reason in refused.values())


def test_what_is_up_to_date_is_not_built(empty_checkout: Project, shown: Any) -> None:
    build = a_build(empty_checkout, "a")
    build.run(lambda _: None)
    with building([build], shown) as queued:
        assert not queued.is_busy
        queued.wait_for(build)
    assert shown.said == []


def test_builds_that_are_not_waited_for_are_ended(empty_checkout: Project, tmp_path: Path, shown: Any) -> None:
    started = tmp_path / "started"
    program = f"import pathlib, signal\npathlib.Path({str(started)!r}).touch()\nsignal.pause()"
    builds = [a_build(empty_checkout, name, program) for name in "abc"]
    with building(builds, shown) as queued:
        while not started.exists():
            time.sleep(0.01)
        assert queued.names() == "a, b"
    assert all(build.is_stale() for build in builds)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("build")]


def test_fast_builds_come_first_and_unknown_ones_last(empty_checkout: Project) -> None:
    builds = [a_build(empty_checkout, "u"), a_build(empty_checkout, "s", typical_s=90)]
    builds.append(a_build(empty_checkout, "f", typical_s=9))
    assert [build.name for build in first_measured_first(builds)] == ["f", "s", "u"]
