"""Which turns are measured side by side, and what becomes of them when one of them breaks."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.comparing import measurer
from bakeoff.comparing.measurer import measured_side_by_side
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.schedule import Turn
from bakeoff.comparing.sides import grouped, numbered_sides, refuse_too_many_sides
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.table import DOCKER, IN_PROCESSES, KUBERNETES
from bakeoff.postgres.server import Server
from bakeoff.processes.launching import PROCESSES
from bakeoff.project import Project
from bakeoff.running.alternation import Side
from bakeoff.running.contender import Contender
from bakeoff.running.modes import Phase
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Contained, Testbed
from bakeoff.targets.storage import StorageKind, StorageTable
from made_up_manifests import engine, target, workload

ENGINE = engine("native", "until-steady")
REQUEST = ComparisonRequest("quick", "bakeoff run quick")


def _contender(commit: str | None, name: str = "a", kind: StorageKind = "none", **factors: str) -> Contender:
    own: Mapping[str, Any] = factors if commit is None else {**factors, "commit": commit}
    return Contender(target(name, storage=StorageTable(kind)), workload(), ENGINE, factors=own)


def _turns(*contenders: Contender, rounds: int = 1) -> list[Turn]:
    return [Turn(number, contender) for number in range(1, rounds + 1) for contender in contenders]


def _places(turns: list[Turn]) -> list[list[int]]:
    return [[turns.index(turn) for turn in group] for group in grouped(turns)]


def test_both_sides_of_a_round_are_a_group_in_the_order_of_the_round() -> None:
    before, after = _contender("abc"), _contender("candidate")
    turns = [Turn(1, before), Turn(1, after), Turn(2, after), Turn(2, before)]
    assert _places(turns) == [[0, 1], [2, 3]]


def test_other_targets_and_other_factors_are_groups_of_their_own() -> None:
    turns = _turns(
        _contender("abc"), _contender("abc", "b"), _contender("candidate"), _contender("candidate", payload="4k"),
        _contender("candidate", "b"), _contender("abc", payload="4k"),
    )  # fmt: skip
    assert _places(turns) == [[0, 2], [1, 4], [3, 5]]


def test_a_comparison_without_a_commit_is_measured_run_by_run() -> None:
    turns = _turns(_contender(None), _contender(None, "b"))
    assert _places(turns) == [[0], [1]]
    assert _places(_turns(_contender("abc"))) == [[0]]


@pytest.mark.parametrize(
    "unfit",
    [
        {"kind": "postgresql"},
        {"kind": "external"},
        {"engine": engine("k6")},
        {"runs_in": KUBERNETES},
    ],
)
def test_sides_that_share_a_store_or_an_engine_that_cannot_wait_are_measured_one_by_one(unfit: dict[str, Any]) -> None:
    both = [_contender(commit, kind=unfit.get("kind", "none")) for commit in ("abc", "candidate")]
    both = [replace(each, engine=unfit.get("engine", ENGINE)) for each in both]
    both = [replace(each, variant=replace(each.variant, runs_in=unfit.get("runs_in", IN_PROCESSES))) for each in both]
    assert _places(_turns(*both)) == [[0], [1]]


@pytest.mark.parametrize(
    ("variant", "places"), [({}, [[0, 1]]), ({"read_replica": True}, [[0], [1]]), ({"runs_in": DOCKER}, [[0, 1]])]
)
def test_sides_that_store_in_a_postgresql_each_take_turns(variant: dict[str, Any], places: list[list[int]]) -> None:
    both = [_contender(commit, kind="postgresql") for commit in ("abc", "candidate")]
    turns = _turns(*(replace(each, variant=replace(each.variant, **variant)) for each in both))
    assert [[turns.index(turn) for turn in group] for group in grouped(turns, lambda _: True)] == places


def test_the_sides_swap_their_servers_each_round(tmp_path: Path) -> None:
    progress: Any = None
    one, other = (Server(f"postgresql://{name}", None, embedded=True) for name in ("one", "other"))
    opposite: Any = SimpleNamespace(server=other)
    before, after = both = [_contender(commit, kind="postgresql") for commit in ("abc", "candidate")]
    sides = numbered_sides(replace(REQUEST, against="abc"), both)
    testbed = Testbed(Project(tmp_path), one, progress, opposites=[opposite], sides=sides)
    served = [[testbed.of(each, number).server for each in (before, after)] for number in (1, 2, 3)]
    assert served == [[other, one], [one, other], [other, one]]
    assert testbed.of(_contender("abc", kind="none"), 1).server is None
    # Without a second server both use the one there is.
    assert replace(testbed, opposites=()).of(before, 1).server is one


def test_all_contenders_of_a_round_take_turns_and_each_has_every_server_once(tmp_path: Path) -> None:
    progress: Any = None
    contenders = [_contender(None, name, "postgresql") for name in "abc"]
    turns = _turns(*contenders, rounds=2)
    together = grouped(turns, lambda _: True, together=True)
    assert [[turns.index(turn) for turn in group] for group in together] == [[0, 1, 2], [3, 4, 5]]
    servers = [Server(f"postgresql://{name}", None, embedded=True) for name in ("one", "two", "three")]
    others: Any = [SimpleNamespace(server=server) for server in servers[1:]]
    sides = numbered_sides(replace(REQUEST, turns=True), contenders)
    testbed = Testbed(Project(tmp_path), servers[0], progress, opposites=others, sides=sides)
    served = [[testbed.of(each, number).server for each in contenders] for number in (1, 2, 3)]
    assert all(sorted(map(id, row)) == sorted(map(id, servers)) for row in served)
    assert all(sorted(map(id, row)) == sorted(map(id, servers)) for row in zip(*served, strict=True))


def test_more_servers_than_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=4 * 2**30))
    contenders = [_contender(None, name, "postgresql") for name in "abc"]
    refuse_too_many_sides(replace(REQUEST, turns=True), contenders[:2])
    refuse_too_many_sides(REQUEST, contenders)
    with pytest.raises(UsageError, match=r"3 PostgreSQL servers at once, .* 4 GB .* Name fewer targets"):
        refuse_too_many_sides(replace(REQUEST, turns=True), contenders)


def test_sides_in_containers_have_the_servers_there(tmp_path: Path) -> None:
    progress: Any = None
    here, one, other = (Server(f"postgresql://{name}", None, embedded=True) for name in ("here", "one", "other"))
    docker: Any = object()
    crashable, opposite = (cast(Any, SimpleNamespace(server=server)) for server in (one, other))
    own = Contained(crashable, docker, PROCESSES, [opposite])
    before, after = (_contender(commit, kind="postgresql") for commit in ("abc", "candidate"))
    both = [replace(each, variant=replace(each.variant, runs_in=DOCKER)) for each in (before, after)]
    sides = numbered_sides(replace(REQUEST, against="abc"), both)
    testbed = Testbed(Project(tmp_path), here, progress, in_containers=own, sides=sides)
    assert [testbed.of(each).server for each in both] == [other, one]
    assert [testbed.of(each).database for each in both] == [opposite, crashable]
    assert testbed.of(after).server is here


def _runs(tmp_path: Path) -> list[tuple[Testbed, RunRequest]]:
    progress: Any = None
    testbed = Testbed(Project(tmp_path), None, progress)
    levels = [Phase("1 user", 1, 2.0)]
    return [
        (testbed, RunRequest(_contender(commit), "quick", levels, in_slices=True)) for commit in ("abc", "candidate")
    ]


def test_results_are_in_the_order_of_the_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    noted: list[str] = []

    def measure(_testbed: Testbed, run: RunRequest, side: Side) -> Any:
        with side:
            for number in range(len(run.steps)):
                side.await_step()
                noted.append(f"{run.contender.factors['commit']} {number}")
            side.await_end()
            return run.contender.factors["commit"]

    monkeypatch.setattr(measurer, "measure", measure)
    results: list[object] = [*measured_side_by_side(_runs(tmp_path))]
    assert results == ["abc", "candidate"]
    assert noted == ["abc 0", "candidate 0", "candidate 1", "abc 1"]


@pytest.mark.parametrize("broken", ["abc", "candidate"])
def test_an_error_of_one_side_interrupts_the_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, broken: str
) -> None:
    interrupted: list[str] = []

    def measure(_testbed: Testbed, run: RunRequest, side: Side) -> Any:
        with side:
            own = str(run.contender.factors["commit"])
            side.interrupted_by(lambda: interrupted.append(own))
            if own == broken:
                raise BakeoffError("the disk is full.")
            side.await_step()
            side.await_end()
            return own

    monkeypatch.setattr(measurer, "measure", measure)
    with pytest.raises(BakeoffError, match="the disk is full"):
        measured_side_by_side(_runs(tmp_path))
    assert {"abc", "candidate"} - {broken} <= set(interrupted)
