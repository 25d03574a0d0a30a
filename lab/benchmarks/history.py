"""How fast the history's commands are with many stored runs: `python lab/benchmarks/history.py [RUNS]`.

Fills its own PostgreSQL with invented history, then times whole commands as a person starts them, from the shell
to the last line, with the database at hand (METRICS_DATABASE_URL), and the pages of `serve`.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clone import project_here
from hdrh.histogram import HdrHistogram
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import Installation, find_installation
from bakeoff.postgres.server import Server
from bakeoff.project import own_checkout
from bakeoff.results import histograms
from bakeoff.serving.web_app import create_app
from bakeoff.storage.metrics_store import MetricsStore

_RUNS_EACH = 6
_REPETITIONS = 15
_COMMANDS = (
    (("--version",), None),
    (("runs", "list"), 300),
    (("runs", "list", "--api", "producer-api-go-grpc", "--mode", "full", "--payload", "8k", "--limit", "50"), 300),
    (("runs", "summary"), 300),
    (("runs", "summary", "--comparison"), 300),
    (("runs", "compare", "41", "90001"), 1000),
    (("runs", "compare", "c1", "c12001"), 1000),
    (("runs", "trend", "--api", "producer-api-rust-rest"), None),
    (("runs", "cleanup", "--keep", "100"), None),
)


_PAGES = (
    "/comparisons",
    "/comparisons?q=go-grpc",
    "/comparisons?q=not+there",
    "/comparisons/9000",
    "/comparisons/9000/report",
    "/runs",
    "/runs?api=producer-api-go-grpc&mode=full&before=50000",
    "/runs/90001",
    "/overlay?run=90001&run=41",
    "/trends?api=producer-api-rust-rest",
    "/live",
)


def main() -> None:
    """Fills, measures, prints a line for each command and for each page."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    project = project_here()
    packaged = find_installation(project)
    with tempfile.TemporaryDirectory(dir=packaged.data, prefix="benchmark-") as folder:
        data = Path(folder)
        data.chmod(0o755)
        if packaged.user is not None and packaged.group is not None:
            os.chown(data, packaged.user, packaged.group)
        installation = Installation(packaged.programs, data, packaged.user, packaged.group)
        with embedded.Instance(installation, embedded.METRICS, data / "logs") as server:
            stored = _fill(server, runs)
            load = os.getloadavg()[0]
            print(
                f"{stored:,} invented runs, median of {_REPETITIONS} whole commands, ms; load of the machine {load:.1f}"
            )
            for arguments, goal_ms in _COMMANDS:
                wall_ms, cpu_ms = _timed(
                    [str(own_checkout().root / "bakeoff"), *arguments], {"METRICS_DATABASE_URL": server.url}
                )
                goal = "" if goal_ms is None else f"  goal {goal_ms}"
                print(f"{wall_ms:7.0f} wall  {cpu_ms:6.0f} CPU{goal:11}  {' '.join(arguments)}")
            for path in _PAGES:
                print(f"{_page_ms(create_app(project, server), path):7.0f} wall  {'':13}goal 300  serve {path}")


def _fill(server: Server, runs: int) -> int:
    MetricsStore(server).migrate()
    script = Path(__file__).with_name("synthetic_history.sql").read_text("utf-8")
    settings = {"benchmark.comparisons": str(-(-runs // _RUNS_EACH)), "benchmark.histogram": _histogram()}
    with server.connect() as connection:
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        connection.execute(script.encode())
        connection.execute("VACUUM")
        row = connection.execute("SELECT count(*) FROM test_runs").fetchone()
    assert row is not None
    return int(row[0])


def _histogram() -> str:
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for number in range(1, 5000):
        histogram.record_value(number * 10_007)
    return histograms.encode(histogram)


def _page_ms(app: ASGIApp, path: str) -> float:
    """Median of a page as the application makes it, in milliseconds."""
    client = TestClient(app, base_url="http://127.0.0.1")
    walls = []
    for _ in range(_REPETITIONS):
        began = time.perf_counter()
        client.get(path).raise_for_status()
        walls.append(1000 * (time.perf_counter() - began))
    return statistics.median(walls)


def _timed(command: list[str], extra: dict[str, str]) -> tuple[float, float]:
    """Median wall clock, and CPU of the command and all it starts, in milliseconds."""
    walls, cpus = [], []
    # As in a person's shell: compiled modules are kept.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | extra
    for _ in range(_REPETITIONS):
        before, began = os.times(), time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        walls.append(1000 * (time.perf_counter() - began))
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        cpus.append(1000 * used)
    return statistics.median(walls), statistics.median(cpus)


if __name__ == "__main__":
    main()
