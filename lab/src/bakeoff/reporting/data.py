"""A judgement and what was stored as one document, which every format is made from."""

from collections.abc import Sequence

from bakeoff.judging.contender_runs import level_name
from bakeoff.judging.judgement import ROUNDS_FOR_INTERVAL, Judgement
from bakeoff.reporting.chart_shape import Chart
from bakeoff.reporting.charts.costs import cost_charts
from bakeoff.reporting.charts.latencies import latency_charts
from bakeoff.reporting.charts.loads import load_axis_values, resource_charts, throughput_chart
from bakeoff.reporting.charts.scaling import scale_charts
from bakeoff.reporting.charts.seconds import time_charts
from bakeoff.reporting.charts.standings import effects_chart, payloads_chart, ranking_chart
from bakeoff.reporting.contender_entries import contender_entries, finding_entries, pairing_entries
from bakeoff.reporting.equal_loads import equal_load_entries
from bakeoff.reporting.factor_effects import effect_entries, operation_effect_entries
from bakeoff.reporting.gaps import missing_of
from bakeoff.reporting.highlights import highlights_of
from bakeoff.reporting.identities import anchor, groups_of, identities_of, payloads_of
from bakeoff.reporting.numbers import percent, plural, rounded
from bakeoff.reporting.scale_curves import scale_entries
from bakeoff.reporting.shape import (
    VERSION,
    ComparisonFacts,
    Group,
    ReferenceLine,
    ReportData,
    ReportedContender,
    ReportedEffect,
    ReportedFinding,
)
from bakeoff.results.run import RunResult, Status
from bakeoff.storage.stored_runs import StoredComparison

# In a run's ceilings: what the load generator can send.
_ENGINE = "engine"
_GRAVITY = ("error", "warning", "info")


def report_data(judgement: Judgement, stored: StoredComparison) -> ReportData:
    """Everything a report says, as plain JSON values. The same input gives the same document."""
    identities = identities_of(judgement.contenders)
    entries = contender_entries(judgement, stored, identities)
    groups = [_group(name, entries) for name in groups_of(judgement.contenders)]
    effects, references = effect_entries(judgement), _reference_lines(judgement, stored)
    curves = scale_entries(judgement)
    return {
        "version": VERSION,
        "comparison": _comparison(judgement, stored),
        "verdict": judgement.verdict,
        "certainty": _certainty(judgement),
        "noise_floor": None if judgement.noise_floor is None else rounded(judgement.noise_floor, 3),
        "smallest_claim": None if judgement.smallest_claim is None else rounded(judgement.smallest_claim, 3),
        "missing": missing_of(judgement, stored, identities),
        "groups": groups,
        "contenders": entries,
        "pairings": pairing_entries(judgement.pairings),
        "effects": effects,
        "operation_effects": operation_effect_entries(judgement),
        "equal_loads": equal_load_entries(judgement),
        "scale_curves": curves,
        "reference_lines": references,
        "charts": [*_charts(judgement, stored, groups, entries, effects, references), *scale_charts(curves)],
        "findings": _findings(judgement, entries),
        "provenance": dict(judgement.provenance),
        "not_measured": dict(judgement.not_measured),
    }


def _comparison(judgement: Judgement, stored: StoredComparison) -> ComparisonFacts:
    finished = judgement.finished_at
    return {
        "id": judgement.comparison_id,
        "name": judgement.name,
        "workload": judgement.workload,
        "mode": judgement.mode,
        "command": judgement.command,
        "status": judgement.status,
        "rounds": judgement.rounds,
        "runs": len(stored.runs),
        "started_at": judgement.started_at.isoformat(),
        "finished_at": None if finished is None else finished.isoformat(),
        "took_s": None if finished is None else rounded((finished - judgement.started_at).total_seconds()),
    }


def _certainty(judgement: Judgement) -> str:
    """How far the verdict can be believed, in a sentence or two."""
    # An interrupted comparison has fewer than were planned, and not the same number of each contender.
    counted = [contender.rounds for contender in judgement.contenders if contender.rounds]
    fewest, most = min(counted, default=judgement.rounds), max(counted, default=judgement.rounds)
    rounds = plural(most, "round") if fewest == most else f"{fewest} to {most} rounds"
    if fewest < 3:
        return f"{rounds}, so there are no intervals: differences are indications, not results."
    words = f"Medians over {rounds}, with {_intervals(fewest)}."
    if judgement.noise_floor is not None:
        # Only A/A pairs show how far the same thing differs from itself.
        what = "Noise floor (A/A)" if judgement.has_aa else "Spread between rounds"
        words += f" {what} {percent(judgement.noise_floor)}."
    if judgement.smallest_claim is not None:
        words += f" Smallest detectable difference {percent(judgement.smallest_claim)}."
    return words


def _intervals(rounds: int) -> str:
    return "bootstrap 95% intervals" if rounds >= ROUNDS_FOR_INTERVAL else "the range of the rounds as interval"


def _group(name: str, entries: Sequence[ReportedContender]) -> Group:
    own = [entry for entry in entries if entry["group"] == name]
    return {
        "name": name,
        "anchor": anchor(name),
        "contenders": [entry["key"] for entry in sorted(own, key=lambda entry: entry["rank"] or float("inf"))],
        "highlights": highlights_of(own),
    }


def _spread(judgement: Judgement, name: str) -> str:
    """How far the draws of a line lie apart; nothing where it was not drawn for this comparison."""
    draws = judgement.reference_draws.get(name, ())
    return f" ({min(draws):,.0f} to {max(draws):,.0f}, drawn before and after)" if draws else ""


def _reference_lines(judgement: Judgement, stored: StoredComparison) -> list[ReferenceLine]:
    """What PostgreSQL does alone, and what the generator can send over each protocol. The lowest first."""
    lines: list[ReferenceLine] = [
        {
            "name": name,
            "payload": None,
            "label": f"PostgreSQL alone, {name}{_spread(judgement, name)}",
            "per_s": rounded(value),
        }
        for name, value in judgement.reference_lines.items()
    ]
    ceilings = {
        (run.result.protocol, run.result.settings.get("tls") == "on", run.result.payload): run.result.ceilings[_ENGINE]
        for run in stored.runs
        if _ENGINE in run.result.ceilings
    }
    lines += [
        {
            "name": f"{_ENGINE} {protocol}{' tls' if encrypted else ''}",
            "payload": payload,
            "label": f"generator capacity, {level_name(protocol)}{' with TLS' if encrypted else ''}",
            "per_s": rounded(value),
        }
        for (protocol, encrypted, payload), value in ceilings.items()
    ]
    return sorted(lines, key=lambda line: line["per_s"])


def _charts(
    judgement: Judgement,
    stored: StoredComparison,
    groups: Sequence[Group],
    entries: Sequence[ReportedContender],
    effects: Sequence[ReportedEffect],
    references: Sequence[ReferenceLine],
) -> list[Chart]:
    by_key = {entry["key"]: entry for entry in entries}
    contenders = {contender.key: contender for contender in judgement.contenders}
    runs = _valid_runs(judgement, stored)
    charts: list[Chart] = []
    for group in groups:
        name, own = group["name"], [by_key[key] for key in group["contenders"]]
        limits = [line for line in references if _bounds(line, own)]
        charts.append(ranking_chart(name, own, limits))
        # Of a single load the ranking, and the table of resources, say all.
        along_load = len(load_axis_values(own)) > 1
        charts += [throughput_chart(name, own, limits)] if along_load else []
        charts += latency_charts(name, own, {key: contenders[key] for key in group["contenders"]})
        charts += time_charts(name, own, runs)
        charts += cost_charts(name, own)
        charts += resource_charts(name, own) if along_load else []
    if len(groups) > 1:
        charts = [{**chart, "title": f"{chart['title']}, {chart['group']}"} for chart in charts]
    if effects:
        charts.append(effects_chart(effects))
    payloads = payloads_of(judgement.contenders)
    if len(payloads) > 1:
        charts.append(payloads_chart(payloads, entries))
    return [chart for chart in charts if chart["series"] or chart["rows"]]


def _bounds(line: ReferenceLine, contenders: Sequence[ReportedContender]) -> bool:
    """Whether a line was drawn with messages of these contenders' payload."""
    return any(line["payload"] == each["payload"] or line["name"] in each["reference_shares"] for each in contenders)


def _valid_runs(judgement: Judgement, stored: StoredComparison) -> dict[str, list[RunResult]]:
    by_id = {run.id: run.result for run in stored.runs}
    return {
        contender.key: [
            by_id[run_id]
            for run_id in contender.run_ids
            if run_id in by_id and by_id[run_id].status == Status.COMPLETED
        ]
        for contender in judgement.contenders
    }


def _findings(judgement: Judgement, entries: Sequence[ReportedContender]) -> list[ReportedFinding]:
    """Of the comparison and of all contenders, errors first; what holds of several is said once."""
    said: dict[tuple[str, str, str], ReportedFinding] = {}
    of_contenders = [_briefly(each, entry) for entry in entries for each in entry["findings"]]
    for each in [*finding_entries(judgement.findings, []), *of_contenders]:
        same = said.setdefault((each["kind"], each["message"], each["advice"]), {**each, "of": [], "rounds": []})
        same["of"] += [name for name in each["of"] if name not in same["of"]]
        same["rounds"] = sorted({*same["rounds"], *each["rounds"]})
    return sorted(
        said.values(),
        key=lambda each: _GRAVITY.index(each["severity"]) if each["severity"] in _GRAVITY else len(_GRAVITY),
    )


def _briefly(finding: ReportedFinding, entry: ReportedContender) -> ReportedFinding:
    """What limited a contender stands in a table with its figures: here only what it was, once for all it holds of."""
    if finding["message"] != entry["limit"]:
        return finding
    return {**finding, "message": f"limited by {entry['limited_by']}; see the table of limits."}
