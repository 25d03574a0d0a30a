"""The meaning of each of the doctor's findings, at its edges."""

import resource
from pathlib import Path

import pytest

from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.doctor.durability_check import durability
from bakeoff.doctor.examination import cores
from bakeoff.doctor.kernel import backlog, descriptors, governors, kernel_checks, port_range
from bakeoff.doctor.neighbours import Busy, avg60_of, look, pressure, processes_of_others, steal
from bakeoff.doctor.space import disk_use, free_disk, judge_disk, judge_disk_use, judge_memory

OK, UNKNOWN, COSTLY, WRONG = State.OK, State.UNKNOWN, State.COSTLY, State.WRONG

PRESSURE = """some avg10=1.00 avg60=12.34 avg300=3.00 total=4
full avg10=0.00 avg60=99.00 avg300=0.00 total=0
"""


@pytest.mark.parametrize(
    ("diagnosis", "state"),
    [
        (descriptors(resource.RLIM_INFINITY), OK),
        (descriptors(4_000), OK),
        (descriptors(3_999), COSTLY),
        (port_range("32768\t60999"), OK),
        (port_range("50000 55000"), COSTLY),
        (port_range("50000 50999"), WRONG),
        (port_range("many few"), UNKNOWN),
        (port_range(None), UNKNOWN),
        (backlog("1024"), OK),
        (backlog("128"), COSTLY),
        (backlog(None), UNKNOWN),
        (governors(["performance"] * 4), OK),
        (governors(["performance", "powersave"]), COSTLY),
        (governors([]), UNKNOWN),
        (processes_of_others(Busy(4.9, 0, [])), OK),
        (processes_of_others(Busy(5.0, 0, ["java (7)"])), COSTLY),
        (processes_of_others(Busy(50.0, 0, [])), WRONG),
        (steal(0.9), OK),
        (steal(1.0), COSTLY),
        (steal(10.0), WRONG),
        (pressure("cpu", 9.9), OK),
        (pressure("io", 10.0), COSTLY),
        (pressure("memory", 50.0), WRONG),
        (pressure("cpu", None), UNKNOWN),
        (judge_disk(12.0, "results"), OK),
        (judge_disk(11.9, "results"), COSTLY),
        (judge_disk(2.9, "results"), WRONG),
        (judge_memory(3.0), OK),
        (judge_memory(2.9), COSTLY),
        (judge_memory(1.4), WRONG),
        (cores(2), OK),
        (cores(1), COSTLY),
        (durability("fsync", "on"), OK),
        (durability("fsync", "off"), WRONG),
        (durability("full_page_writes", "off"), WRONG),
        (durability("synchronous_commit", "remote_apply"), OK),
        (durability("synchronous_commit", "local"), OK),
        (durability("synchronous_commit", "off"), WRONG),
    ],
)
def test_states(diagnosis: Diagnosis, state: State) -> None:
    assert diagnosis.state is state
    assert diagnosis.found
    # A finding that matters states its cost and its fix.
    assert bool(diagnosis.cost) == bool(diagnosis.remedy) == (state in (COSTLY, WRONG))


def test_the_kernel_is_read_where_it_is(tmp_path: Path) -> None:
    for path, text in (
        ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
        ("proc/sys/net/core/somaxconn", "128\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    _, *rest = kernel_checks(tmp_path)
    assert [(each.subject, each.state, each.found) for each in rest] == [
        ("ephemeral ports", OK, "28,232"),
        ("somaxconn", COSTLY, "128"),
        ("CPU governor", COSTLY, "powersave (1 cores)"),
    ]


def test_a_kernel_that_is_silent_is_no_error(tmp_path: Path) -> None:
    assert [each.state for each in kernel_checks(tmp_path)][1:] == [UNKNOWN] * 3


@pytest.mark.parametrize(("text", "share"), [(PRESSURE, 12.34), ("", None), ("full avg60=1", None)])
def test_pressure_is_that_of_some(text: str, share: float | None) -> None:
    assert avg60_of(text) == share


def test_looking_around_gives_shares() -> None:
    busy = look(0.05)
    assert 0 <= busy.others_percent <= 100
    assert 0 <= busy.steal_percent <= 100


def test_disk_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    assert free_disk(tmp_path / "not" / "yet", "results").found == free_disk(tmp_path, "results").found


def test_disk_use_counts_every_file_and_names_the_command_that_frees_it(tmp_path: Path) -> None:
    for name in ("results", "state"):
        (tmp_path / name / "a").mkdir(parents=True)
    (tmp_path / "results" / "a" / "stream").write_bytes(bytes(200_000_000))
    used = disk_use(tmp_path / "results", tmp_path / "state")
    assert (used.found, used.remedy) == ("results/ 0.2 GB, state/ 0.0 GB", "")
    assert judge_disk_use(5.0, "").remedy == "./bakeoff runs cleanup --days 30 --files --execute"
    assert disk_use(tmp_path / "nowhere", tmp_path / "nothing").found == "nowhere/ 0.0 GB, nothing/ 0.0 GB"
