from dataclasses import replace

from bakeoff.history.run_figures import METRICS, figures_of
from bakeoff.history.trends import newest_series
from bakeoff.results.run import Status
from made_up import run_result


def test_runs_like_the_newest_completed_one_are_a_series() -> None:
    others = [run_result(minute=2, payload="8k"), run_result(minute=3, settings={"pool_size": "5"})]
    same = [run_result(minute=1), run_result(minute=4, settings={"connections": "one for each user", "seed": "7"})]
    broken = run_result(minute=5, status=Status.VOID, payload="8k")
    newest_first = sorted([*others, *same, broken], key=lambda run: run.started_at, reverse=True)
    # Whatever their seeds are: these make no other measurement.
    same_settings = {"connections": "one for each user"}
    found = newest_series([figures_of(run) for run in newest_first], METRICS["throughput"])
    assert [(run.started_at, run.settings) for run in found.runs] == [(run.started_at, same_settings) for run in same]
    assert found.left_out == 2


def test_a_run_without_the_figure_is_no_point() -> None:
    runs = [figures_of(run_result(minute=minute)) for minute in (2, 1)]
    unsampled = replace(runs[0], payload="8k", target_cpu_us_each=None)
    assert newest_series([unsampled, *runs], METRICS["cpu"]).left_out == 0
    assert newest_series([unsampled, *runs], METRICS["throughput"]).left_out == 2
    assert newest_series([unsampled], METRICS["cpu"]).runs == []
