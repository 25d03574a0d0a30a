"""Contenders of the judgement as entries of the report's data."""

import math
from collections.abc import Mapping, Sequence

from bakeoff.judging.judgement import Contender, Judgement, Pairing
from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.reporting.estimate_entries import figure, figure_or_none, inverted
from bakeoff.reporting.identities import Identity, anchor
from bakeoff.reporting.level_figures import best_level, level_figures, load_of, optimal_level
from bakeoff.reporting.numbers import rounded
from bakeoff.reporting.shape import ReportedContender, ReportedFinding, ReportedPairing, RunLine, Verdict
from bakeoff.results.findings import JudgedFinding
from bakeoff.results.observed import database_figures, machine_figures, medians
from bakeoff.results.run import Status
from bakeoff.storage.stored_runs import StoredComparison, StoredRun

_BOTTLENECKS = {
    "target-cpu": "target CPU",
    "database": "database",
    "pool": "connection pool",
    "generator": "load generator",
    "machine": "shared CPU",
    "load": "offered load",
    "unknown": "unknown",
}


def limited_by(bottleneck: str) -> str:
    """A kind of bottleneck in two or three words."""
    return _BOTTLENECKS.get(bottleneck, bottleneck)


def contender_entries(
    judgement: Judgement, stored: StoredComparison, identities: Mapping[str, Identity]
) -> list[ReportedContender]:
    """In the judgement's order; anchors are unique."""
    pairings = pairing_entries(judgement.pairings)
    runs = {run.id: run for run in stored.runs}
    return [
        _entry(contender, place, identities, _against_leader(contender, judgement.contenders, pairings), runs)
        for place, contender in enumerate(judgement.contenders, start=1)
    ]


def pairing_entries(pairings: Sequence[Pairing]) -> list[ReportedPairing]:
    """Those that have a ratio."""
    return [_pairing(pairing) for pairing in pairings if math.isfinite(pairing.ratio.median)]


def _pairing(pairing: Pairing) -> ReportedPairing:
    return {
        "one": pairing.one,
        "other": pairing.other,
        "ratio": figure(pairing.ratio),
        "p_adjusted": None if pairing.p_adjusted is None else rounded(pairing.p_adjusted, 2),
        "verdict": pairing.verdict,
    }


def finding_entries(findings: Sequence[JudgedFinding], of: Sequence[str]) -> list[ReportedFinding]:
    return [
        {
            "kind": finding.kind,
            "severity": finding.severity,
            "message": finding.message,
            "advice": finding.advice,
            "of": list(of),
            "rounds": list(finding.rounds),
        }
        for finding in findings
    ]


def _entry(
    contender: Contender,
    place: int,
    identities: Mapping[str, Identity],
    against_leader: ReportedPairing | None,
    runs: Mapping[int, StoredRun],
) -> ReportedContender:
    identity, best, optimal = identities[contender.key], best_level(contender), optimal_level(contender)
    own = [runs[run_id] for run_id in contender.run_ids if run_id in runs]
    counted = [run.result for run in own if run.result.status is Status.COMPLETED]
    return {
        "key": contender.key,
        "anchor": f"target-{place}-{anchor(contender.label)}",
        "label": contender.label,
        "name": identity.name,
        "identity": identity.id,
        "style": identity.style,
        "target": contender.target,
        "language": contender.language,
        "protocol": contender.protocol,
        "payload": contender.payload,
        "group": contender.division,
        "target_class": contender.target_class,
        "contract_profile": contender.contract_profile,
        "durability": contender.durability,
        "factors": dict(contender.factors),
        "checks": dict(max(counted, key=lambda run: run.started_at).checks) if counted else {},
        "rank": contender.rank,
        "indicative": list(contender.indicative),
        "tied_with": [identities[key].name for key in contender.tied_with if key in identities],
        "against_leader": against_leader,
        "rounds": contender.rounds,
        "void_rounds": contender.void_rounds,
        "runs": [_run(run) for run in own],
        "levels": [level_figures(level, contender.environment) for level in contender.levels],
        "total": None if contender.total is None else level_figures(contender.total, contender.environment),
        "peak_throughput_per_s": figure_or_none(contender.peak_throughput_per_s),
        "sustainable_throughput_per_s": figure_or_none(contender.sustainable_throughput_per_s),
        "at_best": None if best is None else level_figures(best, contender.environment),
        "at_optimum": None if optimal is None else level_figures(optimal, contender.environment),
        "best_load": None if best is None else load_of(best),
        "optimal_users": contender.optimal_users,
        "breaking_users": contender.breaking_users,
        "start_to_healthy_s": figure_or_none(contender.start_to_healthy_s),
        "bottleneck": contender.bottleneck.kind,
        "limited_by": limited_by(contender.bottleneck.kind),
        "limit": contender.bottleneck.words,
        "ceiling_share": None if contender.ceiling_share is None else rounded(contender.ceiling_share),
        "reference_shares": {name: rounded(share) for name, share in contender.reference_shares.items()},
        "database": medians([each for run in counted if (each := database_figures(run)) is not None]),
        "machine": medians([state for run in counted if (state := machine_figures(run)) is not None]),
        "findings": finding_entries(contender.findings, [contender.label]),
        "settings": dict(contender.settings),
        "environment": dict(contender.environment),
    }


def _run(run: StoredRun) -> RunLine:
    result = run.result
    bottleneck = bottleneck_of_run(result)
    return {
        "id": run.id,
        "round": result.round,
        "status": str(result.status),
        "failure": result.failure,
        "bottleneck": None if bottleneck is None else bottleneck.kind,
        "limited_by": "" if bottleneck is None else limited_by(bottleneck.kind),
        "limit": "" if bottleneck is None else bottleneck.words,
        "database": database_figures(result),
        "machine": machine_figures(result),
    }


def _against_leader(
    contender: Contender, contenders: Sequence[Contender], pairings: Sequence[ReportedPairing]
) -> ReportedPairing | None:
    """The contender compared with the first of its group; None of the leader itself, or where nothing was paired."""
    leader = next((each for each in contenders if each.division == contender.division and each.rank is not None), None)
    if leader is None or leader.key == contender.key:
        return None
    for pairing in pairings:
        if (pairing["one"], pairing["other"]) == (contender.key, leader.key):
            return pairing
        if (pairing["one"], pairing["other"]) == (leader.key, contender.key):
            return turned(pairing)
    return None


def turned(pairing: ReportedPairing) -> ReportedPairing:
    """The same pair from the other's side."""
    return {
        "one": pairing["other"],
        "other": pairing["one"],
        "ratio": inverted(pairing["ratio"]),
        "p_adjusted": pairing["p_adjusted"],
        "verdict": _turned(pairing["verdict"]),
    }


def _turned(verdict: Verdict) -> Verdict:
    match verdict:
        case "faster":
            return "slower"
        case "slower":
            return "faster"
    return verdict
