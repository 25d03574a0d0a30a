"""The progress that a running lab publishes, and what readers find of one that has ended."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from as_json import as_json
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.project import Project
from bakeoff.serving.live import Publication, live_file, live_state
from made_up import histogram_of, run_result
from made_up_records import engine_second, phase_end, phase_start

SECOND = engine_second(operations=1200, failed=2, service_histogram=histogram_of(1.0))


@contextmanager
def published(project: Project) -> Iterator[PlainProgress]:
    with Publication(live_file(project), "./bakeoff run quick") as publication:
        yield PlainProgress(Console(quiet=True), publication.publish)


def test_a_reader_sees_what_the_lab_was_told(empty_checkout: Project) -> None:
    with published(empty_checkout) as progress:
        progress.run_of(2, 6, 40.0)
        progress.step("one: quick", 10.0)
        progress.record(phase_start())
        progress.usage({"target": 51.26})
        progress.record(SECOND)
        progress.record(phase_end(duration_ns=1_000_000_000))
        progress.standing(run_result("one"))
        state = as_json(live_state(empty_checkout))
    assert state is not None
    assert state["phase"] == "Baseline, 10 virtual users"
    assert (state["rates_per_s"], state["failed"], state["cpu_percent"]) == ([1200], 2, {"target": 51.3})
    (standing,) = state["standings"]
    assert (standing["contender"], standing["load"], standing["per_s"]) == ("one", "10 users", 100.0)
    assert state["run"] == {"number": 2, "count": 6, "left_s": 40.0}


def test_a_new_step_begins_with_nothing(empty_checkout: Project) -> None:
    with published(empty_checkout) as progress:
        progress.record(SECOND)
        progress.step("two: conformance")
        state = as_json(live_state(empty_checkout))
    assert state is not None
    assert (state["rates_per_s"], state["failed"]) == ([], 0)


def test_a_lab_that_is_refused_leaves_the_file_of_the_other_alone(empty_checkout: Project) -> None:
    with published(empty_checkout) as working:
        working.step("one: quick")
        with published(empty_checkout):
            pass
        state = as_json(live_state(empty_checkout))
    assert state is not None and state["step"] == "one: quick"


def test_nothing_runs_after_the_end(empty_checkout: Project) -> None:
    with published(empty_checkout) as progress:
        progress.step("one: quick")
    assert live_state(empty_checkout) is None


def test_a_lab_that_was_killed_does_not_run(empty_checkout: Project) -> None:
    path: Path = live_file(empty_checkout)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"pid": 2**22 + 1}), "utf-8")
    assert live_state(empty_checkout) is None


def test_a_half_written_file_is_no_state(empty_checkout: Project) -> None:
    path = live_file(empty_checkout)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"pid": ', "utf-8")
    assert live_state(empty_checkout) is None
