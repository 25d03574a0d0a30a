"""A metrics database with comparisons in it, and the pages over it."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.document import Origin
from bakeoff.serving.web_app import create_app
from bakeoff.storage.metrics_store import MetricsStore
from filled_history import fill
from made_up import BEGIN, measured, run_result
from metrics_database_of_tests import metrics_database
from names_of_targets import HOSTILE, LONG
from observations import ACTIVITY, STATE


@pytest.fixture(scope="session")
def filled() -> Iterator[Server]:
    """Comparisons of many kinds."""
    with metrics_database() as server:
        fill(server)
        yield server


@pytest.fixture(scope="session")
def metrics() -> Iterator[Server]:
    """Two targets, three rounds each, and runs with a hostile name and a long one."""
    with metrics_database() as server:
        _add_two_comparisons(MetricsStore(server))
        yield server


def _add_two_comparisons(store: MetricsStore) -> None:
    comparison = store.begin_comparison(Origin(BEGIN, "", "events", "quick", "./bakeoff run quick --rounds 3", 3), {})
    for round_number in (1, 2, 3):
        for minute, (target, rate) in enumerate((("fast", 200.0 + round_number), ("slow", 100.0 + round_number))):
            observed = {"database_activity": ACTIVITY, "machine_state": STATE, "environment": {"cores": "4"}}
            total = measured(throughput_per_s=rate)
            run = run_result(target, 2 * round_number + minute, total, round=round_number, **observed)
            store.add_run(comparison, run)
    store.end_comparison(comparison, "completed", {})
    hostile = store.begin_comparison(Origin(BEGIN, HOSTILE, "events", "quick", HOSTILE, 1), {})
    store.add_run(hostile, run_result(HOSTILE, 60))
    store.add_run(hostile, run_result(LONG, 61))
    store.end_comparison(hostile, "completed", {})


@pytest.fixture
def pages(metrics: Server, empty_checkout: Project) -> TestClient:
    """The application as this machine's own readers meet it."""
    return TestClient(create_app(empty_checkout, metrics), base_url="http://127.0.0.1")
