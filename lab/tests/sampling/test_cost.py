import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.results.cost import Sample, cpu_us_each
from bakeoff.sampling.cost import cost_between, cpu_percent_within, latest_cpu_percent
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.sampling.sampler import Sampler

SECOND = 1_000_000_000


def samples(*points: tuple[float, float, int]) -> list[Sample]:
    return [Sample(int(at * SECOND), "target", cpu, memory) for at, cpu, memory in points]


def test_cpu_is_interpolated_at_both_ends() -> None:
    cost = cost_between(
        samples((0, 0.0, 10), (1, 1.0, 20), (2, 1.5, 40), (3, 1.5, 30)), "target", SECOND // 2, 2 * SECOND
    )
    assert cost is not None
    assert cost.cpu_s == pytest.approx(1.0)
    assert cost.cpu_percent_mean == pytest.approx(100 / 1.5)
    assert (cost.memory_mean_bytes, cost.memory_peak_bytes) == (30.0, 40)


def test_the_peak_is_the_busiest_second() -> None:
    cost = cost_between(samples((0, 0.0, 1), (1, 0.1, 1), (2, 1.9, 1), (3, 2.0, 1)), "target", 0, 3 * SECOND)
    assert cost is not None and cost.cpu_percent_peak == pytest.approx(180.0)


def test_a_span_too_short_has_memory_but_no_cpu() -> None:
    cost = cost_between(samples((0, 0.0, 7), (1, 1.0, 9)), "target", 0, SECOND // 10)
    assert cost is not None
    assert cost.cpu_s is None and cost.cpu_percent_mean is None
    assert cost.memory_peak_bytes == 7
    assert cpu_us_each(cost, 5) is None


def test_a_role_that_was_not_sampled_costs_nothing_known() -> None:
    assert cost_between(samples((0, 0.0, 1)), "database", 0, SECOND) is None
    assert cpu_us_each(None, 10) is None


def test_cpu_per_request() -> None:
    cost = cost_between(samples((0, 2.0, 1), (10, 4.0, 1)), "target", 0, 10 * SECOND)
    assert cpu_us_each(cost, 1_000_000) == pytest.approx(2.0)
    assert cpu_us_each(cost, 0) is None


def test_time_of_children_that_have_ended_stays_counted() -> None:
    """The counter must never run backwards, whatever processes come and go."""
    tree = ProcessTree(os.getpid())
    spin = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\ninput()"
    child = subprocess.Popen([sys.executable, "-c", spin], stdin=subprocess.PIPE)
    begin = tree.usage()
    while (during := tree.usage()) is not None and begin is not None and during.cpu_s < begin.cpu_s + 0.3:
        pass
    child.communicate(b"\n")
    after = tree.usage()
    assert during is not None and after is not None
    assert after.cpu_s >= during.cpu_s
    assert after.memory_bytes > 0


def test_a_process_that_has_ended_gives_no_sample() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with Sampler({"target": ProcessTree(os.getpid()), "engine": ProcessTree(child.pid)}) as sampler:
        child.communicate(b"\n")
        before = len(sampler.samples)
        sampler.sample()
        assert [sample.role for sample in sampler.samples[before:]] == ["target"]


def test_processes_are_sampled_apart_beside_their_role() -> None:
    own = ProcessTree(os.getpid())
    with Sampler({"target": ProcessTree(os.getpid())}, {"worker": own}) as sampler:
        pass
    assert {sample.role for sample in sampler.samples} == {"target"}
    assert len(sampler.processes["worker"]) == len(sampler.samples) == 2
    assert sampler.processes["worker"][-1].memory_bytes > 0


def test_proportional_memory_is_seen_now_and_then() -> None:
    seen = [
        Sample(SECOND, "target", 0.0, 50),
        Sample(2 * SECOND, "target", 0.1, 50, 30),
        Sample(3 * SECOND, "target", 0.2, 50),
    ]
    cost = cost_between(seen, "target", 0, 4 * SECOND)
    assert cost is not None and cost.pss_peak_bytes == 30
    without = cost_between(seen[:1], "target", 0, 4 * SECOND)
    assert without is not None and without.pss_peak_bytes is None


def test_what_was_used_in_some_spans() -> None:
    # Half a core for two seconds, then nothing, then a whole core.
    seen = [Sample(at * SECOND, "target", cpu_s, 50) for at, cpu_s in ((0, 0.0), (2, 1.0), (4, 1.0), (6, 3.0))]
    assert cpu_percent_within(seen, "target", [(2 * SECOND, 4 * SECOND)]) == 0
    assert cpu_percent_within(seen, "target", [(0, SECOND), (4 * SECOND, 5 * SECOND)]) == pytest.approx(75)
    assert cpu_percent_within(seen, "target", []) is None
    assert cpu_percent_within(seen, "database", [(0, 2 * SECOND)]) is None


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="not reported by this kernel it")
def test_proportional_memory_of_a_tree() -> None:
    # A separate process: the tests' may have started a database by now, whose pages no other process here shares.
    child = subprocess.Popen([sys.executable, "-c", "print(); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    tree = ProcessTree(child.pid)
    usage, proportional = tree.usage(), tree.proportional_bytes()
    child.communicate(b"\n")
    assert usage is not None and proportional is not None
    assert 1_000_000 < proportional <= usage.memory_bytes * 1.1


@pytest.mark.parametrize(
    ("points", "percent"),
    [
        ([(0, 0.0, 1)], {}),
        ([(0, 0.0, 1), (0.5, 9.0, 1)], {}),
        ([(0, 0.0, 1), (1, 0.2, 1), (2, 0.9, 1)], {"target": 70.0}),
    ],
)
def test_what_is_used_now(points: list[tuple[float, float, int]], percent: dict[str, float]) -> None:
    assert latest_cpu_percent(samples(*points)) == pytest.approx(percent)
