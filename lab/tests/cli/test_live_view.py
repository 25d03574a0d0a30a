import io

from rich.console import Console

from bakeoff.cli.live_view import ViewState, rendered
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.cli.progress_display import shown
from made_up_records import engine_second, phase_start


def text_of(state: ViewState, now_s: float) -> str:
    console = Console(width=100, file=io.StringIO(), color_system=None, record=True)
    console.print(rendered(state, now_s))
    return console.export_text()


def test_nothing_is_shown_before_anything_happens() -> None:
    assert text_of(ViewState(), 5).strip() == ""


def test_a_run_under_way() -> None:
    state = ViewState("a: quick", 100.0, 30.0, phase="Baseline, 10 virtual users", run="run 2 of 6")
    state.rates.extend([100, 200, 400])
    state.p99s.extend([1.0, 2.0, 4.0])
    state.failed = 1234
    state.cpu_percent = {"target": 61.0, "engine": 9.0}
    text = text_of(state, 112.0)
    assert "a: quick · Baseline, 10 virtual users · 18 s of 30 s left · run 2 of 6" in text
    lines = text.splitlines()
    assert set(lines[1].strip()) <= set("━╸╺") and lines[2].startswith("throughput")
    assert "400/s" in text and "▃▅█" in text
    assert "4.0 ms" in text
    assert "1,234" in text
    assert "target 61% · generator 9%" in text


def test_work_of_unknown_length_shows_what_it_is_at() -> None:
    text = text_of(ViewState("building a", 0.0, detail="Compiling [serde]"), 3.0)
    assert "building a · 3 s" in text
    assert "Compiling [serde]" in text


def test_plain_lines_without_a_terminal() -> None:
    console = Console(file=io.StringIO(), width=80)
    with shown(console) as progress:
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


def test_a_long_phase_has_a_line_every_ten_seconds() -> None:
    console = Console(file=io.StringIO(), width=80)
    progress = PlainProgress(console)
    for phase in (0, 1):
        progress.record(phase_start(phase=phase))
        for second in range(25):
            progress.record(engine_second(second, phase=phase, operations=100 + second, failed=second % 2))
    assert isinstance(console.file, io.StringIO)
    assert (
        console.file.getvalue().splitlines()
        == [
            "  Baseline, 10 virtual users",
            "    10 s: 104/s · p99 0.0 ms · 5 failed",
            "    20 s: 114/s · p99 0.0 ms · 10 failed",
        ]
        * 2
    )
