"""Comparisons that never took place: judgements, and the stored runs that belong to them, the same every time."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from hdrh.histogram import HdrHistogram

from bakeoff.judging.ceilings import reference_lines
from bakeoff.judging.identities import identified
from bakeoff.judging.judgement import (
    Bottleneck,
    CostEstimate,
    Effect,
    Estimate,
    JudgedContender,
    Judgement,
    Level,
    OperationLevel,
    Pairing,
    Verdict,
)
from bakeoff.judging.usage_at_peak import judged_run
from bakeoff.results import histograms
from bakeoff.results.findings import JudgedFinding, KindName
from bakeoff.results.histograms import LATENCIES
from bakeoff.results.observed import medians
from bakeoff.results.run import RunResult, Second, Status
from bakeoff.storage.stored_runs import StoredComparison, StoredRun
from made_up import measured, phase
from observations import ACTIVITY, STATE, database_activity, machine_state

BEGAN = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
SPEEDS = {"rust-rest": 1.0, "rust-grpc": 0.98, "go-rest": 0.8, "java-rest": 0.62, "go-grpc": 0.5, "java-grpc": 0.41}
REQUESTS = 40_000
CHECKS = {"Save": 0.0, "Read": 0.01}
PHASE_S = 10.0


@dataclass(frozen=True)
class Shape:
    """How much there is to a comparison."""

    targets: Sequence[str] = ("rust-rest", "rust-grpc", "go-rest")
    payloads: Sequence[str] = ("default",)
    users: Sequence[int] = (10, 50, 200)
    rounds: int = 3
    seconds: int = 10


def _by_size(payloads: Sequence[str]) -> list[str]:
    """In the judgement's order: the default payload first, then by size."""
    return sorted(payloads, key=lambda payload: int(payload.removesuffix("k")) if payload != "default" else 0)


def comparison(shape: Shape = Shape()) -> tuple[Judgement, StoredComparison]:
    """A judgement in which everything is there, and its runs."""
    contenders = [
        _contender(shape, target, payload) for payload in _by_size(shape.payloads) for target in shape.targets
    ]
    by_contender = [
        [StoredRun(100 + place + 1000 * number, 12, _run(shape, each, number)) for number in range(1, shape.rounds + 1)]
        for place, each in enumerate(contenders)
    ]
    contenders = identified([_with_runs(each, own) for each, own in zip(contenders, by_contender, strict=True)])
    runs = [run for of_round in zip(*by_contender, strict=True) for run in of_round]
    judgement = Judgement(
        comparison_id=12,
        name="quick",
        workload="events",
        mode="quick",
        command="./bakeoff run quick --rounds 3",
        started_at=BEGAN,
        finished_at=BEGAN + timedelta(minutes=9, seconds=12),
        status="completed",
        rounds=shape.rounds,
        verdict=_verdict(contenders),
        contenders=contenders,
        pairings=_pairings(contenders),
        effects=_effects(shape, contenders),
        operation_effects=[
            Effect(
                "protocol", "gRPC", "REST", ratio, _some_pairs(contenders, 1, ratio), operation=name, load="200 users"
            )
            for name, ratio in (("Read", estimate(1.2, shape.rounds)), ("Save", estimate(1.05, shape.rounds)))
            if "rust-grpc" in shape.targets
        ],
        noise_floor=0.021,
        reference_lines=reference_lines([run.result for run in runs], {}),
        findings=[JudgedFinding(KindName("not-steady"), "info", "The machine was busy.", "Close what else runs.")],
        provenance={"commit": "0123abc", "cpu": "Intel Xeon × 2", "database": "PostgreSQL 18.4"},
    )
    return judgement, StoredComparison(
        id=12,
        name="quick",
        workload="events",
        mode="quick",
        command=judgement.command,
        status="completed",
        rounds=shape.rounds,
        started_at=judgement.started_at,
        finished_at=judgement.finished_at,
        not_measured={},
        runs=runs,
    )


def estimate(middle: float, rounds: int = 3) -> Estimate:
    """A figure with rounds spread two per cent around it."""
    spread = [middle * (1 + 0.02 * math.sin(2.4 * number)) for number in range(rounds)]
    if rounds < 3:
        return Estimate(middle, None, None, spread)
    return Estimate(middle, middle * 0.97, middle * 1.03, spread)


@cache
def histogram(middle_ms: float, requests: int = 2_000) -> str:
    """A long-tailed latency distribution around a median."""
    recorded = HdrHistogram(1, 3_600_000_000_000, 3)
    for place in range(requests):
        share = (place + 0.5) / requests
        recorded.record_value(int(middle_ms * 1e6 * (share / (1 - share)) ** 0.25))
    return histograms.encode(recorded)


def level(users: int, throughput: float, rounds: int = 3, requests: int = REQUESTS) -> Level:
    """A level of the closed model with everything measured."""
    p50_ms = 1000 * users / throughput if throughput else 0.0
    factors = dict(zip(LATENCIES, (0.4, 1.2, 1.0, 1.7, 2.1, 3.2, 5.6, 9.0), strict=True))
    return Level(
        name=f"{users:,} users",
        virtual_users=users,
        arrival_rate_per_s=None,
        duration_s=PHASE_S * rounds,
        requests=requests,
        failed=0,
        unsent=0,
        throughput_per_s=estimate(throughput, rounds),
        error_rate=estimate(0.0, rounds),
        latency_ms={name: estimate(p50_ms * factor, rounds) for name, factor in factors.items()},
        # Few different ones: making a histogram takes longer than all else.
        histogram=histogram(float(f"{p50_ms:.1g}")) if requests else "",
        costs={
            "target": _cost(10.0, 26.0, rounds),
            "database": _cost(12.0, 180.0, rounds),
            "engine": _cost(4.5, 9.0, rounds),
        },
        sent_bytes_per_s=estimate(420.0 * throughput, rounds),
        received_bytes_per_s=estimate(110.0 * throughput, rounds),
        operations={
            "Save": _operation(0.75, throughput, p50_ms * 1.1, requests, rounds),
            "Read": _operation(0.25, throughput, p50_ms * 0.7, requests, rounds),
        },
    )


def _operation(part: float, throughput: float, p50_ms: float, requests: int, rounds: int) -> OperationLevel:
    own = round(part * requests)
    return OperationLevel(
        requests=own,
        failed=0,
        checked=own // 100,
        checks_failed=0,
        errors={},
        statuses={"200": own},
        throughput_per_s=estimate(part * throughput, rounds),
        error_rate=estimate(0.0, rounds),
        latency_ms={name: estimate(p50_ms * (1 + place / 4), rounds) for place, name in enumerate(LATENCIES)},
    )


def without_timeline(stored: StoredComparison) -> StoredComparison:
    """The same runs as an older version left them."""
    return replace(stored, runs=[replace(run, result=replace(run.result, timeline=())) for run in stored.runs])


def with_first(judgement: Judgement, **changes: object) -> Judgement:
    """The judgement with something else about its first contender."""
    first, *others = judgement.contenders
    return replace(judgement, contenders=[replace(first, **changes), *others])  # type: ignore[arg-type]


def with_status(judgement: Judgement, place: int, status: Status, failure: str | None = None) -> Judgement:
    """The judgement with a contender, the first run of which ended otherwise."""
    contenders = list(judgement.contenders)
    first, *others = contenders[place].runs
    changed = replace(first, status=status.value, failure=failure)
    contenders[place] = replace(contenders[place], runs=[changed, *others])
    return replace(judgement, contenders=contenders)


def _verdict(contenders: Sequence[JudgedContender]) -> str:
    first = [each for each in contenders if each.rank == 1] or contenders
    peaks = [each.peak_throughput_per_s.median for each in first if each.peak_throughput_per_s]
    figures = dict.fromkeys(f"{each:,.0f}" for each in (min(peaks), max(peaks)))
    return f"Rust REST and Rust gRPC tie at {' to '.join(figures)} operations/s."


def _with_runs(contender: JudgedContender, runs: Sequence[StoredRun]) -> JudgedContender:
    judged = [judged_run(run) for run in runs]
    return replace(
        contender,
        runs=judged,
        database=medians([run.database for run in judged if run.database]),
        machine=medians([run.machine for run in judged if run.machine]),
    )


def _contender(shape: Shape, target: str, payload: str) -> JudgedContender:
    language, protocol = target.split("-")
    size = 0.7 ** shape.payloads.index(payload)
    top = 50_000 * SPEEDS[target] * size
    levels = [level(users, top * _saturation(users), shape.rounds) for users in shape.users]
    several = len(shape.payloads) > 1
    label = f"{language.capitalize()} {'gRPC' if protocol == 'grpc' else 'REST'}"
    tied = {"rust-rest": "rust-grpc", "rust-grpc": "rust-rest"}.get(target)
    ranks = {"rust-rest": 1, "rust-grpc": 1, "go-rest": 3, "java-rest": 4, "go-grpc": 5, "java-grpc": 6}
    return JudgedContender(
        key=_key(shape, target, payload),
        label=f"{label} · payload {payload}" if several else label,
        target=f"producer-api-{language}-{protocol}",
        language=language,
        protocol=protocol,
        payload=payload,
        division=f"payload {payload}",
        factors={"payload": payload} if several else {},
        rank=ranks[target],
        tied_with=[_key(shape, tied, payload)] if tied in shape.targets else [],
        runs=[],
        rounds=shape.rounds,
        void_rounds=0,
        levels=levels,
        total=replace(level(50, top * 0.8, shape.rounds), name="all", virtual_users=0),
        peak_throughput_per_s=max((each.throughput_per_s for each in levels), key=lambda each: each.median),
        optimal_users=shape.users[-2] if len(shape.users) > 1 else shape.users[0],
        breaking_users=shape.users[-1] if target == "go-rest" else None,
        start_to_healthy_s=estimate(0.042, shape.rounds),
        bottleneck=Bottleneck("target-cpu", "the API's CPU: 96% of its share of the machine"),
        ceiling_share=top / 203_000,
        reference_shares={"one row each": top / 15_500},
        findings=[],
        settings={"write_mode": "group-commit", "pool_size": "2"},
        environment={"memory_mib": "24576", "toolchain": "rustc 1.95"},
        checks=CHECKS,
    )


def _key(shape: Shape, target: str | None, payload: str) -> str:
    return f"producer-api-{target} payload={payload}" if len(shape.payloads) > 1 else f"producer-api-{target}"


def _saturation(users: int) -> float:
    """Rises, is at its best near 200 users, and falls again."""
    return users / (users + 30) / (1 + users / 8_000)


def _cost(cpu_us: float, memory_mb: float, rounds: int) -> CostEstimate:
    return CostEstimate(
        cpu_us_each=estimate(cpu_us, rounds),
        cpu_percent_mean=estimate(cpu_us * 5, rounds),
        cpu_percent_peak=estimate(cpu_us * 6, rounds),
        memory_mean_mb=estimate(memory_mb, rounds),
        memory_peak_mb=estimate(memory_mb * 1.2, rounds),
        pss_peak_mb=estimate(memory_mb * 1.1, rounds),
        memory_limit_mb=24_576 * 2**20 / 1e6,
    )


def _run(shape: Shape, contender: JudgedContender, number: int) -> RunResult:
    timeline = [
        Second(float(place * shape.seconds + at), place + 1, round(each.throughput_per_s.median), 0, 2.0, 8.0 + at)
        for place, each in enumerate(contender.levels)
        for at in range(shape.seconds)
    ]
    return RunResult(
        target=contender.target,
        workload="events",
        language=contender.language,
        protocol=contender.protocol,
        mode="quick",
        payload=contender.payload,
        engine="native",
        engine_version="0.1.0",
        settings=contender.settings,
        started_at=BEGAN + timedelta(minutes=number),
        finished_at=BEGAN + timedelta(minutes=number, seconds=30),
        status=Status.COMPLETED,
        failure=None,
        start_to_healthy_s=0.042,
        phases=[
            phase(place, each.virtual_users, measured(), each.arrival_rate_per_s)
            for place, each in enumerate(contender.levels, start=1)
        ],
        total=None,
        samples=[],
        findings=[],
        environment=contender.environment,
        ceilings={"engine": 203_000.0, "one row each": 15_500.0},
        contender=contender.key,
        factors=contender.factors,
        round=number,
        timeline=timeline,
        checks=CHECKS,
        database_activity=database_activity({**ACTIVITY, "checkpoints": number}),
        machine_state=machine_state({**STATE, "steal_percent": 0.1 * number}),
    )


def _pairings(contenders: Sequence[JudgedContender]) -> list[Pairing]:
    pairs = []
    for place, one in enumerate(contenders):
        for other in contenders[place + 1 :]:
            if one.payload == other.payload and one.peak_throughput_per_s and other.peak_throughput_per_s:
                ratio = estimate(one.peak_throughput_per_s.median / other.peak_throughput_per_s.median, one.rounds)
                tie = other.key in one.tied_with
                pairs.append(Pairing(one.key, other.key, ratio, 0.01, 0.02, "tie" if tie else "faster"))
    return pairs


def _told(verdict: Verdict, shape: Shape) -> Verdict:
    """Too few rounds show nothing."""
    return verdict if shape.rounds >= 3 else "unknown"


def _effects(shape: Shape, contenders: Sequence[JudgedContender]) -> list[Effect]:
    def effect(factor: str, one: str, other: str, ratio: float, matched: int, verdict: Verdict) -> Effect:
        pairs = _some_pairs(contenders, matched, estimate(ratio, shape.rounds), _told(verdict, shape))
        return Effect(factor, one, other, estimate(ratio, shape.rounds), pairs, verdict=_told(verdict, shape))

    effects = [effect("protocol", "rest", "grpc", 1.02, 2, "tie"), effect("language", "rust", "go", 1.25, 1, "faster")]
    if len(shape.payloads) > 1:
        effects.append(effect("payload", shape.payloads[0], shape.payloads[-1], 2.9, len(shape.targets), "faster"))
    return effects


def _some_pairs(
    contenders: Sequence[JudgedContender], count: int, ratio: Estimate, verdict: Verdict = "unknown"
) -> list[Pairing]:
    """The first of all pairs; which ones says nothing here."""
    some = itertools.islice(itertools.combinations(contenders, 2), count)
    return [Pairing(one.key, other.key, ratio, 0.01, 0.02, verdict) for one, other in some]
