"""Judges a stored comparison: composes what the neighbouring files work out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.judging import capacity, comparison_findings, contender_findings
from bakeoff.judging.bottleneck import bottleneck_of
from bakeoff.judging.drift import own_drifts
from bakeoff.judging.effects import Levelled, effects_of
from bakeoff.judging.entries import SAME_TWICE, Division, Entry, entries_of, labels_of
from bakeoff.judging.estimates import Spread, estimate_of_known
from bakeoff.judging.judgement import Contender, Judgement, Level, Pairing
from bakeoff.judging.levels import LevelsHeld, levels_held
from bakeoff.judging.limits import Limits, limits_of, reference_lines
from bakeoff.judging.noise import Noise, noise_of, spread_between_rounds, spread_of_same_twice
from bakeoff.judging.pairings import Rated, log_ratios, pairings_of
from bakeoff.judging.provenance import provenance_of
from bakeoff.judging.ranking import Place, places
from bakeoff.judging.slo import documented_slo
from bakeoff.judging.usage import usage_at
from bakeoff.judging.verdict import Field, verdict_of
from bakeoff.storage.history import StoredComparison


@dataclass(frozen=True)
class _Measured:
    """An entry with what its runs came to."""

    entry: Entry
    held: LevelsHeld

    @property
    def peak(self) -> Level | None:
        return self.held.peak

    @property
    def rates(self) -> Mapping[int, float]:
        """Throughput at the peak, by round."""
        return self.held.rates


def judge(comparison: StoredComparison) -> Judgement:
    """The verdict on a comparison, whatever came of it: no run, void ones and missing phases included.

    Contenders are ranked by throughput in the phase where their own median is the best: each at its best load.
    """
    measured = [_Measured(entry, levels_held(entry.counted)) for entry in entries_of(comparison.runs)]
    rates = [each.rates for each in measured if each.rates]
    common = spread_between_rounds(rates)
    noise = _noise(measured, common)
    pairings = pairings_of(
        [Rated(each.entry.key, each.entry.division, each.rates) for each in measured if each.rates],
        common,
        noise.smallest_claim,
    )
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
        verdict=verdict_of(_fields(measured, contenders), pairings, noise.smallest_claim),
        contenders=contenders,
        pairings=pairings,
        effects=effects_of([_levelled(each) for each in measured if each.rates], common),
        noise_floor=noise.floor,
        smallest_claim=noise.smallest_claim,
        reference_lines=reference_lines([run.result for run in comparison.runs]),
        findings=comparison_findings.found(comparison, rates, _same_twice(measured)),
        provenance=provenance_of(comparison.runs),
        not_measured=comparison.not_measured,
    )


def _levelled(measured: _Measured) -> Levelled:
    division = measured.entry.division
    return Levelled(measured.entry.levels, measured.rates, (division.workload, division.durability))


def _same_twice(measured: Sequence[_Measured]) -> list[Sequence[float]]:
    """Of everything that was entered twice, the logarithms of one entry ÷ the other, round by round."""
    groups: dict[object, list[_Measured]] = {}
    for each in measured:
        if SAME_TWICE in each.entry.newest.factors:
            identity = (each.entry.newest.target, each.entry.newest.workload, *sorted(each.entry.levels.items()))
            groups.setdefault(identity, []).append(each)
    return [list(log_ratios(first.rates, second.rates).values()) for first, *rest in groups.values() for second in rest]


def _noise(measured: Sequence[_Measured], common: Spread | None) -> Noise:
    """From what was entered twice, where that was done; else from the rounds."""
    twice = [ratios for ratios in _same_twice(measured) if ratios]
    if twice:
        return noise_of(spread_of_same_twice([ratio for ratios in twice for ratio in ratios]), min(map(len, twice)))
    return noise_of(common, max((len(each.rates) for each in measured), default=0))


def _contenders(measured: Sequence[_Measured], pairings: Sequence[Pairing], rounds: int) -> list[Contender]:
    labels = labels_of([each.entry for each in measured])
    standing: dict[str, Place] = {}
    for division in _divisions(measured):
        medians = {
            each.entry.key: each.peak.throughput_per_s.median
            for each in measured
            if each.entry.division == division and each.peak is not None
        }
        standing |= places(medians, [pairing for pairing in pairings if pairing.one in medians])
    contenders = [
        _contender(each, labels[each.entry.key], standing.get(each.entry.key), _divisions(measured))
        for each in measured
    ]
    peers = [each.entry for each in measured]
    drifts = own_drifts([each.rates for each in measured])
    contenders = [
        replace(contender, findings=contender_findings.found(each.entry, contender, peers, rounds, drift))
        for each, contender, drift in zip(measured, contenders, drifts, strict=True)
    ]
    divisions = {each.entry.key: _divisions(measured).index(each.entry.division) for each in measured}
    return sorted(contenders, key=lambda contender: (divisions[contender.key], *_order(contender)))


def _contender(measured: _Measured, label: str, place: Place | None, divisions: Sequence[Division]) -> Contender:
    entry, newest = measured.entry, measured.entry.newest
    held, peak, slo = measured.held, measured.peak, documented_slo()
    limits = Limits(None, {}) if peak is None else limits_of(newest, peak.throughput_per_s.median)
    sustainable = capacity.sustainable_level(held.levels, slo)
    return Contender(
        key=entry.key,
        label=label,
        target=newest.target,
        language=newest.language,
        protocol=newest.protocol,
        payload=newest.payload,
        division=entry.division.name(divisions),
        target_class=newest.target_class,
        contract_profile=newest.contract_profile,
        durability=newest.durability.value,
        factors=newest.factors,
        rank=None if place is None else place.rank,
        tied_with=() if place is None else place.tied_with,
        run_ids=[run.id for run in entry.runs],
        rounds=len(entry.counted),
        void_rounds=entry.void_rounds,
        levels=held.levels,
        total=held.total,
        peak_throughput_per_s=None if peak is None else peak.throughput_per_s,
        peak_level=None if peak is None else peak.name,
        sustainable_throughput_per_s=None if sustainable is None else sustainable.throughput_per_s,
        optimal_users=capacity.optimal_users(held.levels, slo),
        breaking_users=capacity.breaking_users(held.levels, slo),
        start_to_healthy_s=estimate_of_known(run.start_to_healthy_s for run in entry.counted.values()),
        bottleneck=bottleneck_of(usage_at(held, entry.counted.values(), newest)),
        ceiling_share=limits.ceiling_share,
        reference_shares=limits.reference_shares,
        findings=(),
        settings=newest.settings,
        environment=newest.environment,
    )


def _fields(measured: Sequence[_Measured], contenders: Sequence[Contender]) -> list[Field]:
    fields = []
    for division in _divisions(measured):
        # Within a field what all share goes without saying.
        labels = labels_of([each.entry for each in measured if each.entry.division == division])
        own = [replace(each, label=labels[each.key]) for each in contenders if each.key in labels]
        fields.append(Field(division.name(_divisions(measured)), own))
    return fields


def _divisions(measured: Sequence[_Measured]) -> list[Division]:
    """In the order of the default payload first, then by size."""
    return sorted({each.entry.division for each in measured})


def _order(contender: Contender) -> tuple[float, float, str]:
    peak = contender.peak_throughput_per_s
    rank = float("inf") if contender.rank is None else contender.rank
    return rank, -(0.0 if peak is None else peak.median), contender.key
