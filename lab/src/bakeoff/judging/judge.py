"""Judges a stored comparison: composes what the neighbouring files work out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.judging import capacity, comparison_findings, contender_findings
from bakeoff.judging.bottleneck import bottleneck_of
from bakeoff.judging.ceilings import CeilingShares, limits_of, reference_lines, with_own_lines
from bakeoff.judging.contender_runs import AA_FACTOR, Division, contender_runs_of, labels_of
from bakeoff.judging.drift import own_drifts
from bakeoff.judging.estimates import Spread, estimate_of_known
from bakeoff.judging.family import decisions_of, pair_key
from bakeoff.judging.identities import identified
from bakeoff.judging.judgement import JudgedContender, Judgement, Pairing
from bakeoff.judging.measured_contender import MeasuredContender, measured_contender
from bakeoff.judging.noise import least_difference, prior_between_rounds, spread_between_rounds, spread_of_aa_pairs
from bakeoff.judging.pairings import Place, log_ratios, places
from bakeoff.judging.scaling import scale_curves_of
from bakeoff.judging.slo import documented_slo
from bakeoff.judging.sustained import lack_upkeep, sustained_windows
from bakeoff.judging.table_growth import growth_in
from bakeoff.judging.tested import tested
from bakeoff.judging.usage_at_peak import commit_size_at_peak, judged_run, usage_at
from bakeoff.judging.verdict import verdict_of
from bakeoff.results.observed import database_figures, machine_figures, medians
from bakeoff.results.stack import stack_in
from bakeoff.storage.stored_runs import StoredComparison, StoredRun


def judge(comparison: StoredComparison) -> Judgement:
    """The verdict on a comparison, whatever came of it: no run, void ones and missing phases included.

    Contenders are ranked by throughput, each at its best load that keeps the thresholds.
    """
    comparison = replace(comparison, runs=with_own_lines(comparison.runs, comparison.reference_draws))
    measured = [measured_contender(runs) for runs in contender_runs_of(comparison.runs)]
    rated = [each for each in measured if each.rates]
    rates = [each.rates for each in rated]
    aa_pairs, prior = _aa_pairs(measured), prior_between_rounds(rates)
    aa_spread, least = _aa_noise(aa_pairs)
    floor = aa_spread or spread_between_rounds(rates)
    family = tested(measured, prior)
    decisions = decisions_of(family.tests, least, {pair_key(*each.keys) for each in aa_pairs})
    pairings, find_pairing = family.pairings(decisions)
    contenders = _contenders(measured, pairings, comparison.rounds)
    return Judgement(
        comparison_id=comparison.id,
        name=comparison.name,
        workload=comparison.workload,
        mode=comparison.mode,
        command=comparison.command,
        started_at=comparison.started_at,
        finished_at=comparison.finished_at,
        status=comparison.status,
        rounds=comparison.rounds,
        verdict=verdict_of(_fields(measured, contenders), pairings),
        contenders=contenders,
        pairings=pairings,
        effects=[match.effect(decisions[match.key], find_pairing) for match in family.matches],
        operation_effects=[match.effect(decisions[match.key], find_pairing) for match in family.operation_matches],
        equal_loads=[field.load(decisions) for field in family.equal_fields],
        scale_curves=scale_curves_of(measured, comparison.scale),
        noise_floor=None if floor is None else math.expm1(floor.deviation),
        reference_lines=reference_lines([run.result for run in comparison.runs], comparison.reference_draws),
        findings=comparison_findings.found(
            comparison, rates, [find_pairing(*each.keys) for each in aa_pairs], _labels_by_run(measured)
        ),
        provenance=provenance_of(comparison.runs),
        not_measured=comparison.not_measured,
        has_aa=bool(aa_pairs),
        lacks_upkeep=lack_upkeep(run for each in measured for run in each.runs.counted.values()),
    )


def _labels_by_run(measured: Sequence[MeasuredContender]) -> dict[int, str]:
    labels = labels_of([each.runs for each in measured])
    return {run.id: labels[each.runs.key] for each in measured for run in each.runs.all}


@dataclass(frozen=True)
class _AaPair:
    """Two contenders that are the same thing, and the logarithms of one ÷ the other, round by round."""

    keys: tuple[str, str]
    ratios: Sequence[float]


def _aa_pairs(measured: Sequence[MeasuredContender]) -> list[_AaPair]:
    groups: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[MeasuredContender]] = {}
    for each in measured:
        if AA_FACTOR in each.runs.newest.factors:
            identity = (each.runs.newest.target, each.runs.newest.workload, tuple(sorted(each.runs.levels.items())))
            groups.setdefault(identity, []).append(each)
    pairs = [
        _AaPair((first.runs.key, second.runs.key), list(log_ratios(first.rates, second.rates).values()))
        for first, *rest in groups.values()
        for second in rest
    ]
    return [pair for pair in pairs if pair.ratios]


def _aa_noise(pairs: Sequence[_AaPair]) -> tuple[Spread | None, float | None]:
    """The spread of A/A pairs, and the least difference that is no bias of the lab; None without A/A pairs."""
    spread = spread_of_aa_pairs([ratio for pair in pairs for ratio in pair.ratios])
    return spread, None if spread is None else least_difference(spread, min(len(pair.ratios) for pair in pairs))


def _contenders(
    measured: Sequence[MeasuredContender], pairings: Sequence[Pairing], rounds: int
) -> list[JudgedContender]:
    labels, divisions = labels_of([each.runs for each in measured]), _divisions(measured)
    standing: dict[str, Place] = {}
    for division in divisions:
        medians = {
            each.runs.key: each.peak.throughput_per_s.median
            for each in measured
            if each.runs.division == division and each.peak is not None and not each.runs.lost_in
        }
        ranked = {each.runs.key for each in measured if each.rates and not each.windows.unranked}
        standing |= places(medians, pairings, ranked)
    peers, drifts = [each.runs for each in measured], own_drifts([each.rates for each in measured])
    contenders = []
    for each, drift in zip(measured, drifts, strict=True):
        judged = _contender(each, labels[each.runs.key], standing.get(each.runs.key), divisions)
        findings = contender_findings.found(each.runs, judged, peers, rounds, drift, each.windows)
        contenders.append((divisions.index(each.runs.division), replace(judged, findings=findings)))
    return identified([each for _, each in sorted(contenders, key=lambda each: (each[0], *_order(each[1])))])


def _contender(
    measured: MeasuredContender, label: str, place: Place | None, divisions: Sequence[Division]
) -> JudgedContender:
    runs, newest = measured.runs, measured.runs.newest
    peak, keeping = measured.peak, measured.levels_within(documented_slo())
    limits = CeilingShares(None, {})
    if peak is not None:
        limits = limits_of(newest, peak.throughput_per_s.median, commit_size_at_peak(measured))
    sustainable = capacity.best_level(keeping)
    return JudgedContender(
        key=runs.key,
        label=label,
        target=newest.target,
        language=newest.language,
        protocol=newest.protocol,
        payload=newest.payload,
        division=runs.division.name(divisions),
        target_class=newest.target_class,
        contract_profile=newest.contract_profile,
        durability=runs.durability.value,
        factors=newest.factors,
        rank=None if place is None else place.rank,
        indicative=measured.windows.unranked,
        tied_with=() if place is None else place.tied_with,
        runs=[judged_run(run) for run in runs.all],
        rounds=len(runs.counted),
        void_rounds=runs.void_rounds,
        levels=measured.levels,
        total=measured.total,
        peak_throughput_per_s=None if peak is None else peak.throughput_per_s,
        peak_level=None if peak is None else peak.name,
        sustainable_throughput_per_s=None if sustainable is None else sustainable.throughput_per_s,
        optimal_users=capacity.optimal_users(keeping),
        breaking_users=None if growth_in(runs.counted.values()) else capacity.breaking_users(measured.levels, keeping),
        start_to_healthy_s=estimate_of_known(run.start_to_healthy_s for run in runs.counted.values()),
        bottleneck=bottleneck_of(usage_at(measured)),
        ceiling_share=limits.ceiling_share,
        reference_shares=limits.reference_shares,
        operations_per_commit=limits.operations_per_commit,
        sustained=sustained_windows(runs.counted.values()),
        findings=(),
        settings=newest.settings,
        environment=newest.environment,
        stack=stack_in(newest.environment),
        checks=newest.checks if runs.counted else {},
        database=medians([database_figures(run) for run in runs.counted.values()]),
        machine=medians([machine_figures(run) for run in runs.counted.values()]),
    )


def _fields(
    measured: Sequence[MeasuredContender], contenders: Sequence[JudgedContender]
) -> dict[str, list[JudgedContender]]:
    """By division, its contenders in rank order; in their labels what all of them share goes without saying."""
    divisions, fields = _divisions(measured), {}
    for division in divisions:
        labels = labels_of([each.runs for each in measured if each.runs.division == division])
        own = [replace(each, label=labels[each.key]) for each in contenders if each.key in labels]
        fields[division.name(divisions)] = own
    return fields


def _divisions(measured: Sequence[MeasuredContender]) -> list[Division]:
    """In the order of the default payload first, then by size."""
    return sorted({each.runs.division for each in measured})


def _order(contender: JudgedContender) -> tuple[float, float, str]:
    peak = contender.peak_throughput_per_s
    rank = float("inf") if contender.rank is None else contender.rank
    return rank, -(0.0 if peak is None else peak.median), contender.key


# Belong to one target, and stand with its contender: its name, toolchain and libraries, its settings, and what it runs
# in where the lab did not start it.
_OF_A_TARGET = ("title", "toolchain", "stack", "target_")


def provenance_of(runs: Sequence[StoredRun]) -> Mapping[str, str]:
    """Facts by name; where runs differ, each value that there was. Facts of single targets are left out."""
    facts: dict[str, dict[str, None]] = {}
    for run in (stored.result for stored in runs):
        seed = {name: value for name, value in run.settings.items() if name == "seed"}
        for name, value in {**run.environment, "engine": f"{run.engine} {run.engine_version}", **seed}.items():
            if not name.startswith(_OF_A_TARGET):
                facts.setdefault(name, {})[value] = None
    return {name: ", ".join(values) for name, values in facts.items()}
