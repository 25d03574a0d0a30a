"""A run's operations as figures."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.history.run_figures import COLUMNS, RunFigures, Series, figures_of
from bakeoff.postgres.server import Server
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import RunResult

# Without the histograms, which are most of what is stored of an operation.
_STORED = """
SELECT total.test_run_id AS run, total.duration_s, operation.name, operation.figures - 'histogram' AS figures
FROM performance_metrics AS total, jsonb_each(total.by_operation) AS operation (name, figures)
WHERE total.test_run_id = ANY(%s)
ORDER BY total.test_run_id, operation.name
"""


def operations_of(run: RunResult, whole: RunFigures | None = None) -> list[RunFigures]:
    """The operations of a run; none where the engine did not divide its requests. `whole` are its own figures."""
    if run.total is None:
        return []
    whole, duration_s = whole or figures_of(run), run.total.duration_s
    return [_figures(whole, duration_s, name, each) for name, each in sorted(run.total.by_operation.items())]


def stored_operations(server: Server, runs: Sequence[RunFigures]) -> list[RunFigures]:
    """The operations of stored runs for people, in the order of their runs."""
    import msgspec

    with server.connect() as connection:
        rows = connection.execute(_STORED, [[run.id for run in runs]]).fetchall()
    grouped: dict[int, list[tuple[float, str, MeasuredOperation]]] = {}
    for run_id, duration_s, name, figures in rows:
        operation = msgspec.convert({**figures, "histogram": ""}, MeasuredOperation)
        grouped.setdefault(run_id, []).append((duration_s, name, operation))
    return [
        _figures(run, duration_s, name, operation).readable()
        for run in runs
        for duration_s, name, operation in grouped.get(run.id, [])
    ]


def of_several(operations: Sequence[RunFigures]) -> list[RunFigures]:
    """Without those that are the only operation of their series: its own figures say the same."""
    names: dict[Series, set[str]] = {}
    for each in operations:
        names.setdefault(replace(each.series, operation=""), set()).add(each.operation)
    return [each for each in operations if len(names[replace(each.series, operation="")]) > 1]


def _figures(run: RunFigures, duration_s: float, name: str, operation: MeasuredOperation) -> RunFigures:
    unknown = dict.fromkeys(figure for figure in vars(run) if figure in COLUMNS or figure.startswith("best_"))
    recorded = operation.latency.by_name if operation.latency.count else {}
    own = {
        "duration_s": run.duration_s,
        "requests": operation.requests,
        "failed": operation.failed,
        "throughput_per_s": operation.ok / duration_s if duration_s > 0 else 0.0,
        "error_rate": operation.error_rate,
        **{f"{name.replace('.', '')}_ms": value for name, value in recorded.items()},
    }
    return RunFigures(**{**vars(run), **unknown, **own, "operation": name})
