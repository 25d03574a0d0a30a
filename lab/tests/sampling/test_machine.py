from pathlib import Path

import pytest

from bakeoff.results.machine_state import MachineState
from bakeoff.running.findings import machine_findings
from bakeoff.sampling.machine import MachineCounters, load_between, machine_counters, machine_speed_mb_s, moved_past
from observations import machine_state

STAT = "cpu  1000 50 500 90000 300 20 30 {steal} 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n"
PRESSURE = "some avg10=1.00 avg60=0.50 avg300=0.10 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"


def counters(at_s: float, busy_s: float | None, steal_s: float | None, lab_s: float, cpu: float) -> MachineCounters:
    found = {"busy_s": busy_s, "steal_s": steal_s, "lab_cpu_s": lab_s, "cpu_stalled_s": cpu}
    known = {name: value for name, value in found.items() if value is not None}
    return {"at_s": at_s, "wall_clock_s": 1000 + at_s, **known}


def test_counters_are_read_from_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(STAT.format(steal=400))
    (tmp_path / "pressure").mkdir()
    (tmp_path / "pressure" / "io").write_text(PRESSURE)
    found = machine_counters(tmp_path)
    assert found["steal_s"] / found["busy_s"] == pytest.approx(400 / 1600)
    assert {name: value for name, value in found.items() if "stalled" in name} == {"io_stalled_s": 2.5}


def test_a_kernel_that_tells_nothing(tmp_path: Path) -> None:
    found = machine_counters(tmp_path)
    assert found.keys() == {"at_s", "wall_clock_s", "lab_cpu_s"}


def test_what_others_used_is_what_no_known_role_used() -> None:
    before, after = counters(100, 50.0, 1.0, 2.0, 5.0), counters(110, 65.0, 1.5, 2.2, 10.0)
    # 15 s busy: 12 s by the roles, 0.2 s by the lab, so 2.8 s by others, in 10 s.
    state = load_between(before, after, 12.0, 0.05)
    assert {name: value for name, value in vars(state).items() if value} == pytest.approx(
        {
            "steal_percent": 5.0,
            "other_cpu_percent": 28.0,
            "lab_cpu_percent": 2.0,
            "sampling_cpu_percent": 0.5,
            "cpu_pressure_percent": 50.0,
        }
    )


def test_what_others_used_is_unknown_where_a_role_was_not_sampled() -> None:
    state = load_between(counters(0, 0.0, None, 0.0, 0.0), counters(10, 9.0, None, 0.1, 0.0), None, 0.0)
    assert state.other_cpu_percent is None
    assert state.steal_percent is None


def test_what_happened_in_pauses_counts_for_nothing() -> None:
    # In the four seconds of the pause the other side used all of a core.
    pause = (counters(103, 53.0, 1.0, 2.1, 5.5), counters(107, 57.0, 1.5, 2.2, 9.5))
    before, after = counters(100, 50.0, 1.0, 2.0, 5.0), counters(110, 60.0, 1.5, 2.4, 10.0)
    state = load_between(moved_past(before, [pause]), after, 5.7, 0.0)
    assert state.other_cpu_percent == pytest.approx(0.0, abs=1e-6)
    assert (state.steal_percent, state.clock_jump_s) == (0.0, 0.0)
    assert state.cpu_pressure_percent == pytest.approx(100 / 6)
    unknown = counters(100, None, None, 2.0, 5.0)
    assert "busy_s" not in moved_past(unknown, [pause])


def test_a_clock_that_did_not_move_tells_nothing() -> None:
    same = counters(5, 1.0, 1.0, 1.0, 1.0)
    assert load_between(same, same, 0.0, 0.0) == MachineState()


def test_the_probe_measures_something() -> None:
    assert machine_speed_mb_s() > 0


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (None, []),
        ({}, []),
        ({"other_cpu_percent": None, "steal_percent": 0.0}, []),
        ({"other_cpu_percent": 10.0, "steal_percent": 2.0}, []),
        ({"other_cpu_percent": 75.4, "steal_percent": 0.0}, ["other processes used 75%"]),
        ({"other_cpu_percent": 11.0, "steal_percent": 3.0}, ["other processes used 11% and the hypervisor used 3%"]),
    ],
)
def test_a_noisy_machine_is_a_finding(state: dict[str, float | None] | None, words: list[str]) -> None:
    found = machine_findings(machine_state(state), 60)
    assert [finding.kind for finding in found] == ["noisy-machine"] * len(words)
    assert all(word in finding.message for word, finding in zip(words, found, strict=True))


@pytest.mark.parametrize(
    ("seconds", "wall_clock_s", "jump_s"),
    [(10, 10.05, 0.0), (600, 600.4, 0.0), (10, 3610.0, 3600.0), (10, -3590.0, -3600.0), (10, 10.5, 0.5)],
)
def test_a_wall_clock_that_was_set(seconds: float, wall_clock_s: float, jump_s: float) -> None:
    before = counters(0, 0.0, 0.0, 0.0, 0.0)
    after = {**counters(seconds, 0.0, 0.0, 0.0, 0.0), "wall_clock_s": before["wall_clock_s"] + wall_clock_s}
    state = load_between(before, after, 0.0, 0.0)
    assert state.clock_jump_s == pytest.approx(jump_s)
    assert [finding.kind for finding in machine_findings(state, 60)] == (["clock-adjusted"] if jump_s else [])
