"""Calibrations in a real PostgreSQL: which of them a run is told of."""

from dataclasses import replace

import pytest

from bakeoff.storage.calibrations import Calibration, add_calibration, latest_calibrations
from bakeoff.storage.metrics_store import MetricsStore

pytestmark = pytest.mark.end_to_end

CEILING = Calibration("here", "engine", "native", "1+a", "events", "http", "default", 64, 100.0, 4.5)


def test_the_newest_of_each_version_is_told_the_oldest_first(store: MetricsStore) -> None:
    line = Calibration("here", "database", "batches of 500", "18", "events", "sql", "default", 2, 7.0)
    again, next_build = replace(CEILING, rate_per_s=90.0), replace(CEILING, subject_version="1+b", rate_per_s=80.0)
    tls, large = replace(CEILING, tls=True), replace(CEILING, payload_size="8k")
    elsewhere, other = replace(CEILING, machine="there"), replace(CEILING, workload="users")
    for each in (CEILING, next_build, line, tls, large, elsewhere, other, again):
        add_calibration(store.server, each)
    assert latest_calibrations(store.server, "here", "events") == [next_build, line, tls, large, again]
