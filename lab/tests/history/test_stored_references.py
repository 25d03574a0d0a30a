"""Which of several stored comparisons `latest` and a commit stand for."""

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError
from bakeoff.gating.request import request_of
from bakeoff.history.run_references import Referenced, resolve, resolve_asked
from bakeoff.project import Project
from bakeoff.results.document import Origin
from bakeoff.results.run import RunResult, Status
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.storage.stored_runs import load_comparison
from made_up import BEGIN, run_result
from observations import machine_state

pytestmark = pytest.mark.end_to_end

ORIGIN = Origin(BEGIN, "", "events", "quick", "./bakeoff run quick", 1)


@pytest.fixture(scope="module")
def head(project: Project) -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=True).stdout.strip()


def add(
    store: MetricsStore,
    commit: str,
    *targets: str,
    command: str = ORIGIN.command,
    uncommitted: bool | None = False,
    **changes: object,
) -> str:
    """A comparison that was begun a minute after the one before it, with a run of each target; returns its name."""
    runs = [run_result(target, environment=environment(commit, uncommitted)) for target in targets or ("one",)]
    return add_runs(store, [replace(run, **changes) for run in runs], command)  # type: ignore[arg-type]


def environment(commit: str, uncommitted: bool | None) -> dict[str, str]:
    reported = {} if uncommitted is None else {"uncommitted_changes": str(uncommitted).lower()}
    return {"commit": commit, "cpu": "this", "cores": "2", **reported}


def add_runs(store: MetricsStore, runs: Sequence[RunResult], command: str = ORIGIN.command) -> str:
    with store.server.connect() as connection:
        (count,) = connection.execute("SELECT count(*) FROM comparisons").fetchone() or (0,)
    mode = runs[0].mode if runs else "quick"
    origin = replace(ORIGIN, started_at=BEGIN + timedelta(minutes=count), mode=mode, command=command)
    request = ComparisonRequest(mode, command).as_document()
    comparison_id = store.begin_comparison(origin, {**request, "machine": "this"})
    for run in runs:
        store.add_run(comparison_id, run)
    store.end_comparison(comparison_id, "completed" if runs else "failed", {} if runs else {"one": "one: broken"})
    return f"c{comparison_id}"


def named(found: Referenced) -> str:
    return f"c{found.comparison_id}"


@pytest.mark.parametrize(
    "later",
    [
        {"mode": "smoke"},
        {"uncommitted": True},
        {"command": "./bakeoff gate --baseline main"},
        {"status": Status.FAILED},
    ],
)
def test_a_commit_is_what_was_measured_of_it_alone(
    store: MetricsStore, project: Project, head: str, later: dict[str, object]
) -> None:
    add(store, head)
    newest = add(store, head, uncommitted=None)  # a checkout that git did not answer for, long ago
    add(store, head, **later)  # type: ignore[arg-type]
    add(store, "f" * 40)
    assert named(resolve(project, store.server, head)) == newest


def test_a_commit_without_any_such_says_what_does_not_count(store: MetricsStore, project: Project, head: str) -> None:
    add(store, head, mode="smoke")
    add(store, head, uncommitted=True)
    with pytest.raises(BakeoffError, match="reruns of a gate and runs of a project with uncommitted"):
        resolve(project, store.server, head)


def test_runs_of_two_commits_stand_for_neither(store: MetricsStore, project: Project, head: str) -> None:
    """A comparison that was resumed after a change."""
    mixed = [run_result("one", environment=environment(commit, False)) for commit in (head, "f" * 40)]
    first = add(store, head)
    add_runs(store, mixed)
    assert named(resolve(project, store.server, head)) == first


def test_a_run_that_failed_before_it_knew_its_commit_changes_nothing(
    store: MetricsStore, project: Project, head: str
) -> None:
    good = run_result("one", environment=environment(head, False))
    lost = run_result("two", minute=1, status=Status.FAILED, environment={})
    added = add_runs(store, [good, lost])
    assert named(resolve(project, store.server, head)) == added


def test_of_a_commit_that_comparison_is_meant_which_holds_what_is_judged(
    store: MetricsStore, project: Project, head: str
) -> None:
    both = add(store, head, "one", "two")
    other_machine = [
        run_result(name, environment={**environment(head, False), "cpu": "another"}) for name in ("one", "two", "three")
    ]
    add_runs(store, other_machine)
    one = add(store, head, "one")
    larger = add(store, head, "one", "two", payload="8k")

    def meant(*targets: str, **changes: object) -> str:
        candidate = add(store, "f" * 40, *targets, **changes)  # type: ignore[arg-type]
        like = resolve(project, store.server, candidate).runs
        return named(resolve(project, store.server, head, like))

    assert meant("one", "two") == both
    assert meant("one") == one
    assert meant("two") == both
    assert meant("one", payload="8k") == larger
    assert meant("five") == named(resolve(project, store.server, head)) == larger


def test_the_latest_is_no_rerun_of_a_gate(store: MetricsStore, project: Project, head: str) -> None:
    latest = add(store, head, "one", "two")
    add(store, head, "one", command="./bakeoff gate --goals goals.toml")
    assert named(resolve(project, store.server, "latest")) == latest
    assert f"c{load_comparison(store.server).id}" == latest


def test_the_latest_may_have_measured_nothing(store: MetricsStore, project: Project, head: str) -> None:
    add(store, head)
    latest = add_runs(store, [])
    found = resolve_asked(project, store.server, "latest")
    assert (named(found), found.runs) == (latest, [])
    request = request_of(found.requested)
    assert request is not None and (request.mode, request.command) == ("quick", ORIGIN.command)
    with pytest.raises(BakeoffError, match="Comparison c2 measured nothing: one: broken"):
        resolve(project, store.server, "latest")


def test_what_runs_found_their_machine_like_is_that_of_the_run(store: MetricsStore, project: Project) -> None:
    state = {"speed_mb_s": 1700.5, "steal_percent": 0.2, "other_cpu_percent": None, "load_average_before": 1.0}
    name = add_runs(store, [run_result(machine_state=state), run_result(minute=1)])
    assert resolve(project, store.server, name).measurement.conditions == [machine_state(state)]
