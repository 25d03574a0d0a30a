"""`run --profile` of two services: what a request of each allocates, beside the CPU."""

import re
import shutil
from pathlib import Path

import pytest
from bakeoff_process import bakeoff

from bakeoff.project import PROJECT_FILE, Project

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH"),
    pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed (Debian: linux-perf)"),
]

SERVICE = """
const size = Number(process.env.NUMBERS)
require('node:http').createServer((request, reply) => {
  const numbers = new Array(size).fill(size)
  reply.end(String(numbers.length))
}).listen(process.env.PORT, '127.0.0.1')
"""
PROJECT = """
[targets.lean]
run = "node service.js"
env = { NUMBERS = "1" }
storage = "none"
[targets.lavish]
run = "node service.js"
env = { NUMBERS = "12500" }
storage = "none"
[workloads.numbers]
[[workloads.numbers.operations]]
name = "count"
http = { method = "GET", path = "/", expect = 200 }
"""


def test_what_a_request_allocates_is_shown_for_both(tmp_path: Path, own_databases: Project) -> None:
    del own_databases
    root = tmp_path / "a project"
    root.mkdir()
    (root / "service.js").write_text(SERVICE)
    (root / PROJECT_FILE).write_text(PROJECT)
    short = ("--users", "2", "--phase-duration", "1s", "--warm-up", "0s", "--rounds", "1")
    measured = ("run", "quick", "--profile", "-t", "lean", "-t", "lavish", *short)
    done = bakeoff(Project(root), *measured, results=tmp_path / "results")
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.search(
        r"Allocations of lavish per request: ([\d.,]+) kB → ([\d.,]+) kB\.", " ".join(done.stdout.split())
    )
    assert found is not None, done.stdout + done.stderr
    lean, lavish = (float(each.replace(",", "")) for each in found.groups())
    # An array of so many numbers has 100 kB.
    assert 80 < lavish - lean < 130
