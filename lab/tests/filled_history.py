"""Comparisons of many kinds, so that every page has as much to show as it ever has."""

import math
from collections.abc import Sequence
from dataclasses import replace

from bakeoff.postgres.server import Server
from bakeoff.results.document import Origin
from bakeoff.results.run import RunResult, Second
from bakeoff.storage.metrics_store import MetricsStore
from judgements import SPEEDS
from made_up import BEGIN, cost, measured, phase, run_of, run_result
from made_up_equal_load import Made
from names_of_targets import HOSTILE, LONG
from observations import ACTIVITY, STATE

COMMITS = 14
CHANGED_AT = 8
ROUNDS = 5
USERS = (10, 50, 200)


def fill(server: Server) -> None:
    """Comparison 1 has everything, 2 an equal load, 3 names that mean harm, and 4 to 17 are those of a pipeline."""
    store = MetricsStore(server)
    quick = [_everything(target, speed, number) for number in range(ROUNDS) for target, speed in SPEEDS.items()]
    _add(store, quick, Origin(BEGIN, "", "events", "quick", f"./bakeoff run quick --rounds {ROUNDS}", ROUNDS))
    equal = [Made("go-rest", (4.0, 4.1, 3.9, 4.0, 4.05)), Made("rust-rest"), Made("java-grpc", maximum=900.0)]
    held = [replace(run, mode="equal") for each in equal for run in each.runs()]
    _add(store, held, Origin(BEGIN, "", "events", "equal", f"./bakeoff run equal --rounds {ROUNDS}", ROUNDS))
    harmful = [run_result(HOSTILE, 60), run_result(LONG, 61)]
    _add(store, harmful, Origin(BEGIN, HOSTILE, "events", "quick", HOSTILE, 1), "interrupted")
    for number in range(COMMITS):
        rate = (4000 if number < CHANGED_AT else 3100) * (1 + 0.01 * math.sin(2.4 * number))
        commit = {"commit": f"{number:x}" * 40}
        run = run_result("shop", 1440 * (number + 1), measured(rate), environment=commit)
        _add(store, [run], Origin(run.started_at, "nightly", "events", "quick", "bakeoff run quick", 1))
    with server.connect() as connection:
        connection.execute("UPDATE comparisons SET finished_at = started_at + interval '9 minutes 12 seconds'")


def _add(store: MetricsStore, runs: Sequence[RunResult], origin: Origin, status: str = "completed") -> None:
    comparison = store.begin_comparison(origin, {})
    for run in runs:
        store.add_run(comparison, run)
    store.end_comparison(comparison, status, {})


def _everything(target: str, speed: float, number: int) -> RunResult:
    """A run of three levels, with seconds and observations; its figures scatter a little over rounds."""
    drift = 1 + 0.015 * math.sin(2.4 * number + 10 * speed)
    levels = [50_000 * speed * drift * users / (users + 30) for users in USERS]
    costs = {"target": cost(60 / speed, 26), "database": cost(50, 180), "engine": cost(20, 9)}
    phases = [
        phase(place, users, measured(rate, 1000 * users / rate, costs=costs))
        for place, (users, rate) in enumerate(zip(USERS, levels, strict=True), start=1)
    ]
    timeline = [
        Second(float(11 * place + at), place + 1, round(rate * (1 + 0.02 * math.sin(at + place))), 0, 2.0, 8.0 + at)
        for place, rate in enumerate(levels)
        for at in range(10)
    ]
    return run_of(
        target,
        number=number + 1,
        phases=phases,
        timeline=timeline,
        database_activity=ACTIVITY,
        machine_state=STATE,
        ceilings={"engine": 203_000.0, "one row each": 15_500.0},
        settings={"write_mode": "group-commit", "pool_size": "2"},
    )
