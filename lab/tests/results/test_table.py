import pytest
from rich.console import Console

from bakeoff.results.table import comparison_table, milliseconds, one_line, run_details
from bakeoff.running.result import RunResult
from made_up import measured, phase, run_of

CEILINGS = {"engine": 8000.0, "one upsert per event": 500.0}


def text_of(content: object) -> list[str]:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(content)
    return [" ".join(line.split()) for line in capture.get().splitlines() if line.strip()]


def test_a_row_for_each_run() -> None:
    rows = text_of(comparison_table([run_of(), run_of("go-rest", phases=[])]))
    assert rows[2:4] == ["rust-rest 1,000 1.00 1.45 1.49 0 600.0 20.0", "go-rest – – – – – – –"]


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (
            run_of(throughputs=[1000, 2000], ceilings=CEILINGS),
            "fastest phase: 4.00× of one upsert per event · the engine can send 4.0 times as much",
        ),
        # Lines are drawn with messages of the default size.
        (run_of(ceilings=CEILINGS, payload="64k"), "fastest phase: the engine can send 8.0 times as much"),
        (run_of(), None),
        (run_of(ceilings=CEILINGS, phases=[]), None),
        (run_of(ceilings=CEILINGS, phases=[phase(1, 1, measured(0, requests=1, failed=1))]), None),
    ],
)
def test_the_fastest_phase_is_held_against_the_machine_s_limits(run: RunResult, line: str | None) -> None:
    shown = [each for each in text_of(run_details(run)) if each.startswith("fastest phase")]
    assert shown == ([] if line is None else [line])


def test_a_run_in_one_line() -> None:
    assert one_line(run_of()) == "rust-rest: 1,000/s · p50 1.00 ms · p99 1.49 ms · 0 failed"
    assert one_line(run_of(phases=[])) == "rust-rest: nothing was measured"


@pytest.mark.parametrize(("value", "text"), [(0.0123, "0.01"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1,234")])
def test_milliseconds(value: float, text: str) -> None:
    assert milliseconds(value) == text


def test_the_settings_in_force_are_shown_where_they_are_known() -> None:
    environment = {"api_settings": "pool_size 10 (default)"}
    assert "settings: pool_size 10 (default)" in text_of(run_details(run_of(environment=environment)))
    assert not any(line.startswith("settings") for line in text_of(run_details(run_of())))
