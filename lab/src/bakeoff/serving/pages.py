"""The pages. Each reads what it shows from the database each time: nothing is kept between requests."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from bakeoff.history.changed_workload import changed_at
from bakeoff.history.judged import overlaid
from bakeoff.history.listing import RunFilter, list_runs
from bakeoff.history.operation_figures import stored_operations
from bakeoff.history.run_figures import METRICS, RunFigures, figures_of
from bakeoff.history.trends import newest_series, trend
from bakeoff.judging.judge import judge
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.reporting.equal_loads import equal_load_tables
from bakeoff.reporting.html import html_report
from bakeoff.reporting.json_document import json_report
from bakeoff.reporting.report import report_of
from bakeoff.results.mode_names import UNRANKED
from bakeoff.results.run import Status
from bakeoff.serving import trend_chart
from bakeoff.serving.live import live_state
from bakeoff.serving.page_replies import id_in_path, ids_in_query, page
from bakeoff.serving.queries import ComparisonFilter, choices, list_comparisons
from bakeoff.storage.stored_runs import StoredComparison, load_comparison, load_runs

PAGE_LENGTH = 50
_TREND_LENGTH = 500
_MOST_OVERLAID = 12
_LIVE_PERIOD_S = 0.5
_RUNS = ("/runs", "Runs")
_NO_NAMES: Sequence[str] = ()
_NO_RUNS: Sequence[RunFigures] = ()
# A report brings its own policy, which names its scripts by their digests.
_REPORT_HEADERS = {"content-security-policy": "frame-ancestors 'none'"}


class Pages:
    """Handlers over one project and its metrics database."""

    def __init__(self, project: Project, server: Server, is_ending: Callable[[], bool]) -> None:
        self._project = project
        self._server = server
        self._is_ending = is_ending

    def comparisons(self, request: Request) -> Response:
        """All comparisons, newest first."""
        wanted = ComparisonFilter(
            words=_given(request, "q"),
            workload=_given(request, "workload"),
            mode=_given(request, "mode"),
            status=_given(request, "status"),
        )
        rows, more = list_comparisons(self._server, wanted, PAGE_LENGTH, _before(request))
        older = str(request.url.include_query_params(before=rows[-1].id).query) if more else None
        return page(
            "comparisons.html.j2",
            here="comparisons",
            rows=rows,
            wanted=wanted,
            choices=choices(self._server),
            older=older,
        )

    def comparison(self, request: Request) -> Response:
        """One comparison's verdict, standings and runs."""
        stored = load_comparison(self._server, id_in_path(request))
        figures = {run.id: figures_of(run.result, run.id).readable() for run in stored.runs}
        judgement = judge(stored)
        return page(
            "comparison.html.j2",
            here="comparisons",
            stored=stored,
            judgement=judgement,
            figures=figures,
            bottlenecks={run.id: run.bottleneck for each in judgement.contenders for run in each.runs},
            equal_loads=equal_load_tables(judgement),
        )

    def report(self, request: Request) -> Response:
        """One comparison's full report."""
        stored = load_comparison(self._server, id_in_path(request))
        return _report(stored, (f"/comparisons/{stored.id}", f"Comparison {stored.id}"))

    def comparison_json(self, request: Request) -> Response:
        """One comparison's figures."""
        stored = load_comparison(self._server, id_in_path(request))
        return Response(json_report(report_of(judge(stored), stored)), media_type="application/json")

    def runs(self, request: Request) -> Response:
        """All runs, newest first; ticked ones can be overlaid."""
        wanted = RunFilter(_given(request, "target"), _given(request, "mode"), _given(request, "payload"))
        found = list_runs(self._server, wanted, PAGE_LENGTH, _before(request))
        older = str(request.url.include_query_params(before=found.runs[-1].id).query) if found.more else None
        return page(
            "runs.html.j2", here="runs", runs=found.runs, wanted=wanted, choices=choices(self._server), older=older
        )

    def run(self, request: Request) -> Response:
        """One run: its report, alone."""
        return _report(overlaid(load_runs(self._server, [id_in_path(request)]), "a single run"), _RUNS)

    def overlay(self, request: Request) -> Response:
        """Several runs in one report."""
        ids = ids_in_query(request.query_params.getlist("run"))
        if not 1 <= len(ids) <= _MOST_OVERLAID:
            raise HTTPException(400, f"Select 1 to {_MOST_OVERLAID} runs to compare.")
        return _report(overlaid(load_runs(self._server, ids), "selected runs"), _RUNS)

    def trends(self, request: Request) -> Response:
        """One figure of one target over time, with its change points."""
        known = choices(self._server)
        name = _given(request, "metric") or "throughput"
        if name not in METRICS:
            raise HTTPException(400, f'There is no metric "{name}". Metrics: {", ".join(METRICS)}.')
        wanted = self._like_the_newest(RunFilter(*(_given(request, each) for each in ("target", "mode", "payload"))))
        operation, operations, runs = _given(request, "operation"), _NO_NAMES, _NO_RUNS
        if wanted.target is not None:
            runs, operations = self._series(wanted, name, operation)
        values = [value for run in runs if (value := METRICS[name].of(run)) is not None]
        changes = trend(values)
        return page(
            "trends.html.j2",
            here="trends",
            metric=METRICS[name],
            metrics=METRICS,
            wanted=wanted,
            choices=known,
            operation=operation,
            operations=operations,
            runs=runs,
            changes=changes,
            workload_changes=changed_at(runs),
            chart=trend_chart.trend_chart(values, changes, [_when(run) for run in runs]),
            width=trend_chart.WIDTH,
            height=trend_chart.HEIGHT,
            left=trend_chart.LEFT,
        )

    def live(self, _request: Request) -> Response:
        """The running comparison."""
        return page("live.html.j2", here="live")

    def newest(self, _request: Request) -> Response:
        """The newest comparison, wherever it is listed."""
        rows, _ = list_comparisons(self._server, ComparisonFilter(), 1)
        return RedirectResponse(f"/comparisons/{rows[0].id}" if rows else "/comparisons")

    async def live_events(self, request: Request) -> Response:
        """The running comparison, as server-sent events: the whole state whenever it changes."""

        async def events() -> AsyncIterator[str]:
            last: str | None = None
            while not (self._is_ending() or await request.is_disconnected()):
                state = msgspec.json.encode(await asyncio.to_thread(live_state, self._project)).decode()
                if state != last:
                    last = state
                    yield f"data: {state}\n\n"
                await asyncio.sleep(_LIVE_PERIOD_S)

        return StreamingResponse(events(), media_type="text/event-stream")

    def home(self, _request: Request) -> Response:
        """Comparisons are what people come for."""
        return RedirectResponse("/comparisons")

    def _like_the_newest(self, wanted: RunFilter) -> RunFilter:
        """What was not chosen is that of the newest run, of one that is ranked where there is one."""
        fitting = list_runs(self._server, wanted, _TREND_LENGTH).runs
        ranked = (run for run in fitting if run.status == Status.COMPLETED and run.mode not in UNRANKED)
        newest = next(ranked, next(iter(fitting), None))
        return wanted if newest is None else RunFilter(newest.target, newest.mode, newest.payload)

    def _series(
        self, wanted: RunFilter, metric: str, operation: str | None
    ) -> tuple[Sequence[RunFigures], Sequence[str]]:
        """The runs of a line, or one operation of each, and the operations that there are."""
        runs: Sequence[RunFigures] = list_runs(self._server, wanted, _TREND_LENGTH).runs
        found = stored_operations(self._server, runs)
        if operation is not None:
            runs = [each for each in found if each.operation == operation]
        return newest_series(runs, METRICS[metric]).runs, sorted({each.operation for each in found})


def _report(stored: StoredComparison, back: tuple[str, str]) -> Response:
    return HTMLResponse(html_report(report_of(judge(stored), stored), back), headers=_REPORT_HEADERS)


def _given(request: Request, name: str) -> str | None:
    return request.query_params.get(name, "").strip().replace("\0", "") or None


def _before(request: Request) -> int | None:
    text = _given(request, "before")
    return None if text is None else ids_in_query([text])[0]


def _when(run: RunFigures) -> str:
    return f"{run.started_at:%d %b} {(run.commit or '')[:7]}".strip()
