import os
import subprocess
import sys

import pytest

from bakeoff.sampling.cost import cost_between, cpu_us_each
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.sampling.sampler import Sample, Sampler

SECOND = 1_000_000_000


def samples(*points: tuple[float, float, int]) -> list[Sample]:
    return [Sample(int(at * SECOND), "api", cpu, memory) for at, cpu, memory in points]


def test_cpu_is_interpolated_at_both_ends() -> None:
    cost = cost_between(samples((0, 0.0, 10), (1, 1.0, 20), (2, 1.5, 40), (3, 1.5, 30)), "api", SECOND // 2, 2 * SECOND)
    assert cost is not None
    assert cost.cpu_s == pytest.approx(1.0)
    assert cost.cpu_percent_mean == pytest.approx(100 / 1.5)
    assert (cost.memory_mean_bytes, cost.memory_peak_bytes) == (30.0, 40)


def test_the_peak_is_the_busiest_second() -> None:
    cost = cost_between(samples((0, 0.0, 1), (1, 0.1, 1), (2, 1.9, 1), (3, 2.0, 1)), "api", 0, 3 * SECOND)
    assert cost is not None and cost.cpu_percent_peak == pytest.approx(180.0)


def test_a_span_too_short_has_memory_but_no_cpu() -> None:
    cost = cost_between(samples((0, 0.0, 7), (1, 1.0, 9)), "api", 0, SECOND // 10)
    assert cost is not None
    assert cost.cpu_s is None and cost.cpu_percent_mean is None
    assert cost.memory_peak_bytes == 7
    assert cpu_us_each(cost, 5) is None


def test_a_role_that_was_not_sampled_costs_nothing_known() -> None:
    assert cost_between(samples((0, 0.0, 1)), "database", 0, SECOND) is None
    assert cpu_us_each(None, 10) is None


def test_cpu_per_request() -> None:
    cost = cost_between(samples((0, 2.0, 1), (10, 4.0, 1)), "api", 0, 10 * SECOND)
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
    with Sampler({"api": os.getpid(), "engine": child.pid}) as sampler:
        child.communicate(b"\n")
        before = len(sampler.samples)
        sampler.sample()
        assert [sample.role for sample in sampler.samples[before:]] == ["api"]
