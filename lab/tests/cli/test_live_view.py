import io

import pytest
from rich.console import Console

from bakeoff.cli.live_view import LiveProgress
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.cli.progress_display import shown
from bakeoff.cli.tracked_progress import TrackedProgress, standings_of
from made_up import histogram_of, measured, phase, run_of, run_result
from made_up_records import engine_second, phase_end, phase_start


class Clock:
    """A time that the test sets."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def progress(clock: Clock) -> LiveProgress:
    return LiveProgress(Console(width=100, file=io.StringIO(), color_system=None, record=True), clock=clock)


def text_of(progress: LiveProgress) -> str:
    console = Console(width=100, file=io.StringIO(), color_system=None, record=True)
    console.print(progress.rendered())
    return console.export_text()


def test_nothing_is_shown_before_anything_happens(progress: LiveProgress) -> None:
    assert text_of(progress).strip() == ""


def test_a_run_under_way(progress: LiveProgress, clock: Clock) -> None:
    clock.now_s = 100.0
    progress.run_of(2, 6, 125.0)
    progress.step("a: quick", 30.0)
    progress.record(phase_start())
    for second, rate in enumerate((100, 200, 400, 3)):
        latency = histogram_of(2.0**second)
        progress.record(engine_second(second, operations=rate, failed=617 * (second > 0), service_histogram=latency))
    progress.usage({"target": 61.04, "engine": 9.0})
    progress.standing(run_result("one"))
    clock.now_s = 112.0
    text = text_of(progress)
    lines = text.splitlines()
    words = "a: quick · Baseline, 10 virtual users · 18 s of 30 s left · run 2 of 6 · about 2 min left"
    assert lines[0].strip() == words
    assert set(lines[1].strip()) <= set("━╸╺") and lines[2].startswith("throughput")
    assert "400/s" in text and "▃▅█" in text
    assert "4.0 ms" in text
    assert "1,851" in text
    assert "target 61% · generator 9%" in text
    assert lines[-1].split()[:4] == ["one", "1", "10", "users"]


def test_a_new_step_begins_with_nothing_but_the_standings(progress: LiveProgress) -> None:
    progress.record(engine_second(0, operations=100))
    progress.record(engine_second(1, operations=100))
    progress.standing(run_result("one"))
    progress.step("one: conformance")
    text = text_of(progress)
    assert "throughput" not in text and "so far" in text


def test_work_of_unknown_length_shows_what_it_is_at(progress: LiveProgress, clock: Clock) -> None:
    progress.step("building a")
    progress.detail("Compiling [serde]")
    clock.now_s = 3.0
    text = text_of(progress)
    assert "building a · 3 s" in text
    assert "Compiling [serde]" in text


def test_plain_lines_without_a_terminal() -> None:
    console = Console(file=io.StringIO(), width=80)
    with shown(console=console) as progress:
        assert isinstance(progress, PlainProgress)
        progress.run_of(2, 6, 125.0)
        progress.step("a: quick", 90.0)
        progress.record(phase_start(virtual_users=1))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == [
        "run 2 of 6, about 2 min left",
        "a: quick (about 2 min)",
        "  Baseline, 1 virtual user",
    ]


def test_a_long_phase_has_a_line_every_half_minute() -> None:
    console = Console(file=io.StringIO(), width=80)
    progress = PlainProgress(console)
    for number in (0, 1):
        progress.record(phase_start(phase=number))
        for second in range(65):
            progress.record(engine_second(second, phase=number, operations=100 + second, failed=second % 2))
    assert isinstance(console.file, io.StringIO)
    assert (
        console.file.getvalue().splitlines()
        == [
            "  Baseline, 10 virtual users",
            "    30 s: 114/s · p99 – · 15 failed",
            "    60 s: 144/s · p99 – · 30 failed",
        ]
        * 2
    )


@pytest.mark.parametrize(("duration_s", "shown"), [(2.3, [100, 200]), (3.0, [100, 200, 3])])
def test_the_second_that_the_end_of_a_phase_cuts_short_is_not_shown(duration_s: float, shown: list[int]) -> None:
    progress = TrackedProgress()
    progress.record(phase_start())
    for second, operations in enumerate((100, 200, 3)):
        progress.record(engine_second(second, operations=operations))
    progress.record(phase_end(duration_ns=round(duration_s * 1e9)))
    assert progress.state.rates_per_s == shown


def test_a_contender_stands_at_the_load_where_it_did_most() -> None:
    """Medians of one load, never of all levels together."""
    rounds = [run_of("go-rest", (100.0, 900.0)), run_of("go-rest", (300.0, 700.0)), run_of("go-rest", (200.0, 800.0))]
    (standing,) = standings_of({"go-rest": rounds})
    assert (standing.load, standing.rounds, standing.per_s) == ("50 users", 3, 800.0)


def test_an_offered_rate_does_not_stand_beside_a_maximum() -> None:
    maximum = run_of("go-rest", (9_000.0,))
    offered = run_of("rust-rest", phases=[phase(1, 0, measured(2_000.0), rate=2_000.0)])
    (standing,) = standings_of({"go-rest": [maximum], "rust-rest": [offered]})
    assert (standing.contender, standing.load) == ("rust-rest", "2,000/s")


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (
            110,
            "a: quick, round 1 of 3 · Baseline, 10 virtual users · 30 s of 30 s left · run 2 of 6 · about 2 min left",
        ),
        (90, "a: quick, round 1 of 3 · Baseline, 10 virtual users · run 2 of 6 · about 2 min left"),
        (60, "a: quick, round 1 of 3 · run 2 of 6 · about 2 min left"),
    ],
)
def test_the_heading_is_one_line_on_a_narrow_terminal(clock: Clock, width: int, line: str) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None, record=True)
    progress = LiveProgress(console, clock=clock)
    progress.run_of(2, 6, 125.0)
    progress.step("a: quick, round 1 of 3", 30.0)
    progress.record(phase_start())
    console.print(progress.rendered())
    assert console.export_text().splitlines()[0].strip() == line
