"""The report of a comparison: its judgement, and what is drawn and written of it in every format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.judging.estimates import FEWEST_ROUNDS, interval_name
from bakeoff.judging.judgement import Judgement
from bakeoff.reporting.chart import Chart
from bakeoff.reporting.charts.costs import cost_charts
from bakeoff.reporting.charts.latencies import latency_charts
from bakeoff.reporting.charts.loads import load_axis_values, resource_charts, throughput_chart
from bakeoff.reporting.charts.scaling import scale_charts
from bakeoff.reporting.charts.seconds import time_charts
from bakeoff.reporting.charts.standings import effects_chart, payloads_chart, ranking_chart
from bakeoff.reporting.factor_effects import known_first
from bakeoff.reporting.missing import missing_of
from bakeoff.reporting.numbers import percent, plural
from bakeoff.reporting.reasons import NO_REASONS, Reasons
from bakeoff.reporting.trust import Trust, trust_of
from bakeoff.results.run import RunResult, Status
from bakeoff.storage.stored_runs import StoredComparison


@dataclass(frozen=True)
class Report:
    """`certainty` and `missing` are sentences: how far the verdict can be believed, and what could not be shown.

    `reasons` are known where a pass after the measurement looked for them.
    """

    version: int
    judgement: Judgement
    certainty: str
    trust: Trust
    missing: Sequence[str]
    charts: Sequence[Chart]
    reasons: Reasons = NO_REASONS


def report_of(judgement: Judgement, stored: StoredComparison, reasons: Reasons = NO_REASONS) -> Report:
    """The same input gives the same report."""
    charts = [*_charts(judgement, stored), *scale_charts(judgement)]
    missing = missing_of(judgement, stored)
    return Report(1, judgement, _certainty(judgement), trust_of(judgement), missing, charts, reasons)


def _certainty(judgement: Judgement) -> str:
    """How far the verdict can be believed, in a sentence or two."""
    # An interrupted comparison has fewer than were planned, and not the same number of each contender.
    counted = [contender.rounds for contender in judgement.contenders if contender.rounds]
    fewest, most = min(counted, default=judgement.rounds), max(counted, default=judgement.rounds)
    rounds = plural(most, "round") if fewest == most else f"{fewest} to {most} rounds"
    if most < FEWEST_ROUNDS:
        return f"{rounds}, so there are no intervals: differences are indications, not results."
    has_even = any(count % 2 == 0 for count in counted)
    even = ", of latency the lower of the middle two" if has_even else ""
    words = f"Medians over {rounds}{even}, each with its {interval_name(counted or [most])} (order statistics)."
    if fewest < FEWEST_ROUNDS:
        words += f" Fewer than {FEWEST_ROUNDS} rounds have none."
    if judgement.noise_floor is not None:
        # Only A/A pairs show how far the same thing differs from itself.
        what = "Noise floor (A/A)" if judgement.has_aa else "Spread between rounds"
        words += f" {what} {percent(judgement.noise_floor)}."
    return words


def _charts(judgement: Judgement, stored: StoredComparison) -> Iterator[Chart]:
    several = len(judgement.divisions) > 1
    runs = _completed_runs(judgement, stored)
    for division in judgement.divisions:
        for chart in _charts_of(division, judgement, runs):
            if chart.series or chart.rows:
                yield msgspec.structs.replace(chart, title=f"{chart.title}, {division}") if several else chart
    effects = known_first(judgement.effects)
    if effects:
        yield effects_chart(effects)
    payloads = list(dict.fromkeys(contender.payload for contender in judgement.contenders))
    if len(payloads) > 1:
        yield payloads_chart(payloads, judgement.contenders)


def _charts_of(division: str, judgement: Judgement, runs: Mapping[str, Sequence[RunResult]]) -> Iterator[Chart]:
    own = judgement.of_division(division)
    # Lines that were measured with messages of these contenders' payload.
    limits = [
        line
        for line in judgement.reference_lines
        if any(line.payload == each.payload or line.name in each.reference_shares for each in own)
    ]
    # Of a single load the ranking, and the table of resources, say all.
    along_load = len(load_axis_values(own)) > 1
    yield ranking_chart(division, own, limits)
    if along_load:
        yield throughput_chart(division, own, limits)
    yield from latency_charts(division, own)
    yield from time_charts(division, own, runs)
    yield from cost_charts(division, own)
    if along_load:
        yield from resource_charts(division, own)


def _completed_runs(judgement: Judgement, stored: StoredComparison) -> dict[str, list[RunResult]]:
    by_id = {run.id: run.result for run in stored.runs if run.result.status is Status.COMPLETED}
    return {
        contender.key: [by_id[run.id] for run in contender.runs if run.id in by_id]
        for contender in judgement.contenders
    }
