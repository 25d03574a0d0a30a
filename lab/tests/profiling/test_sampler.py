"""Samples of real processes."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from bakeoff.errors import BakeoffError
from bakeoff.profiling.sampler import NoProfilerError, Sampler
from bakeoff.profiling.stacks import Stacks

BUSY = """
def work():
    while True:
        sum(range(1000))
work()
"""


@contextmanager
def started(*command: str) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def sampled(folder: Path, process: "subprocess.Popen[bytes]") -> Stacks:
    sampler = Sampler(folder)
    try:
        sampler.start(process.pid)
        after_some_cpu(process)
        return sampler.stop()
    finally:
        sampler.close()


def after_some_cpu(process: "subprocess.Popen[bytes]") -> None:
    """Returns when the process has used two seconds of CPU more."""
    shown = psutil.Process(process.pid)
    until = shown.cpu_times().user + 2
    while shown.cpu_times().user < until:
        time.sleep(0.05)


def test_python_is_sampled_by_function(tmp_path: Path) -> None:
    with started(sys.executable, "-c", BUSY) as process:
        stacks = sampled(tmp_path, process)
    assert any(frame.startswith("work (") for stack in stacks for frame in stack)


@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed (Debian: linux-perf)")
def test_a_program_is_sampled_by_perf(tmp_path: Path) -> None:
    with started("sha256sum", "/dev/zero") as process:
        stacks = sampled(tmp_path, process)
    assert stacks.total() > 10


def test_a_missing_profiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with started(sys.executable, "-c", BUSY) as python, started("sha256sum", "/dev/zero") as other:
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
        monkeypatch.setattr("bakeoff.profiling.sampler.sys.executable", str(tmp_path / "python"))
        with pytest.raises(NoProfilerError, match="pip install py-spy"):
            Sampler(tmp_path).start(python.pid)
        with pytest.raises(NoProfilerError, match="apt-get install linux-perf"):
            Sampler(tmp_path).start(other.pid)


def test_a_process_that_has_ended(tmp_path: Path) -> None:
    with started("true") as process:
        process.wait()
        with pytest.raises(BakeoffError, match="has ended"):
            Sampler(tmp_path).start(process.pid)
