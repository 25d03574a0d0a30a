"""Calibrations in a real PostgreSQL: those that apply to a run."""

from dataclasses import replace

import pytest

from bakeoff.results.document import Origin
from bakeoff.storage.calibrations import Calibration, add_calibration, latest_calibrations
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.storage.stored_runs import load_comparison
from made_up import BEGIN

pytestmark = pytest.mark.end_to_end

CEILING = Calibration("here", "engine", "native", "1+a", "events", "http", "default", 64, 100.0, 4.5)


def test_the_newest_of_each_version_is_told_the_oldest_first(store: MetricsStore) -> None:
    line = Calibration("here", "database", "batches of 500", "18", "events", "sql", "default", 2, 7.0)
    again, next_build = replace(CEILING, rate_per_s=90.0), replace(CEILING, subject_version="1+b", rate_per_s=80.0)
    tls, large = replace(CEILING, tls=True), replace(CEILING, payload_size="8k")
    elsewhere, other = replace(CEILING, machine="there"), replace(CEILING, workload="users")
    for each in (CEILING, next_build, line, tls, large, elsewhere, other, again):
        add_calibration(store.server, each)
    assert latest_calibrations(store.server, "here", "events", "18") == [next_build, line, tls, large, again]


def test_a_reference_line_counts_for_an_hour_and_for_its_own_server(store: MetricsStore) -> None:
    line = Calibration("here", "database", "batches of 500", "18, fsync = on", "events", "sql", "default", 2, 7.0)
    add_calibration(store.server, line)
    assert latest_calibrations(store.server, "here", "events", "18, fsync = on") == [line]
    assert latest_calibrations(store.server, "here", "events", "18, fsync = off") == []
    assert latest_calibrations(store.server, "here", "events") == []
    with store.server.connect() as connection:
        connection.execute("UPDATE calibrations SET measured_at = measured_at - interval '61 minutes'")
    assert latest_calibrations(store.server, "here", "events", "18, fsync = on") == []


def test_what_was_drawn_for_a_comparison_comes_with_it(store: MetricsStore) -> None:
    comparison_id = store.begin_comparison(Origin(BEGIN, "", "events", "quick", "./bakeoff run quick", 1), {})
    line = Calibration("here", "database", "one upsert per event", "18", "events", "sql", "default", 2, 7.0)
    for rate in (7.0, 9.0):
        add_calibration(store.server, replace(line, rate_per_s=rate), comparison_id)
    add_calibration(store.server, line)
    assert load_comparison(store.server, comparison_id).reference_draws == {"one upsert per event": [7.0, 9.0]}
