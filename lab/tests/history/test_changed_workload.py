"""Figures of a workload that changed are compared with those of before only where a person insists."""

import pytest

from bakeoff.errors import UsageError
from bakeoff.history.changed_workload import changed_at, changed_workloads, refuse_changed, refuse_several
from bakeoff.history.run_figures import figures_of
from bakeoff.results.run import Status
from made_up import run_result

OLD, SAME, NEW = (figures_of(run_result(minute=at, workload_digest=digest)) for at, digest in enumerate(["", "a", "b"]))


def test_another_digest_is_refused_unless_allowed() -> None:
    with pytest.raises(UsageError, match=r"The workload events changed between these runs.*--allow-changed-workload"):
        refuse_changed([SAME, NEW], allowed=False)
    assert refuse_changed([SAME, NEW], allowed=True) == ["events"]


def test_what_is_not_known_has_not_changed() -> None:
    failed = figures_of(run_result(workload_digest="c", status=Status.FAILED))
    assert changed_workloads([OLD, SAME, SAME, failed]) == []
    assert changed_workloads([OLD, NEW]) == []


def test_a_change_is_where_the_digest_is_another_than_before() -> None:
    assert changed_at([OLD, SAME, OLD, SAME, NEW, NEW, OLD]) == [NEW]


def test_runs_of_two_workloads_are_not_compared() -> None:
    with pytest.raises(UsageError, match=r"different workloads \(events, users\)"):
        refuse_several([OLD, figures_of(run_result(workload="users"))])
