"""What a comparison came to: immutable values that every report, page and gate shares."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from bakeoff.results.findings import JudgedFinding
from bakeoff.results.operations import summed

Verdict = Literal["faster", "slower", "tie", "unknown"]
# With fewer, what is shown is the range of the rounds: of three it contains the true median in 75 % of comparisons.
ROUNDS_FOR_INTERVAL = 5
# How improbable, by the scatter between rounds, points must be that contradict a curve.
MISFIT = 0.05
LATENCIES = ("min", "mean", "p50", "p90", "p95", "p99", "p99.9", "max")


def interval_name(rounds: int) -> str:
    """What the bounds of a figure over so many rounds are."""
    return "95% interval" if rounds >= ROUNDS_FOR_INTERVAL else "range of the rounds"


@dataclass(frozen=True)
class Estimate:
    """A figure over rounds: its median, and the bounds of its 95% bootstrap interval.

    The bounds are None with fewer than three rounds, and with fewer than five they are the range of the rounds.
    `values` holds the rounds' own figures, in the order of rounds.
    """

    median: float
    low: float | None
    high: float | None
    values: Sequence[float]

    @property
    def interval_name(self) -> str:
        """What its bounds are."""
        return interval_name(len(self.values))


@dataclass(frozen=True)
class CostEstimate:
    """What one role (target, database, engine) used. None: it could not be told. CPU per cent is of one core.

    `pss_peak_mb` is the highest proportional memory that was seen.
    """

    cpu_us_each: Estimate | None
    cpu_percent_mean: Estimate | None
    cpu_percent_peak: Estimate | None
    memory_mean_mb: Estimate
    memory_peak_mb: Estimate
    pss_peak_mb: Estimate | None = None


@dataclass(frozen=True)
class GaugeEstimate:
    """What one gauge of a target's showed: the mean and the highest of its readings in each round."""

    unit: str
    mean: Estimate
    maximum: Estimate


@dataclass(frozen=True)
class OperationLevel:
    """One operation of a phase over all rounds. Counts are sums over rounds, throughput is of requests that succeeded.

    `error_rate` counts replies that were not checked as often wrong as those that were.
    """

    requests: int
    failed: int
    checked: int
    checks_failed: int
    errors: Mapping[str, int]
    statuses: Mapping[str, int]
    throughput_per_s: Estimate
    error_rate: Estimate
    latency_ms: Mapping[str, Estimate]


@dataclass(frozen=True)
class Level:
    """One phase over all rounds, or all phases together.

    `latency_ms` maps the names of LATENCIES to estimates over rounds; `histogram` is the merged HDR histogram of all
    rounds (standard compressed encoding, nanoseconds). Duration and counts are sums over rounds. `virtual_users` is 0
    in the open model and for all phases together; `arrival_rate_per_s` is None in the closed model. `estimated_failed`
    counts replies that were not checked as often wrong as those that were. `operations` is empty where the engine did
    not divide the requests, and `processes`, parts of the cost of `target`, where the target is one process. `gauges`
    are by the labels of the target's manifest.
    """

    name: str
    virtual_users: int
    arrival_rate_per_s: float | None
    duration_s: float
    requests: int
    failed: int
    unsent: int
    throughput_per_s: Estimate
    error_rate: Estimate
    latency_ms: Mapping[str, Estimate]
    histogram: str
    costs: Mapping[str, CostEstimate]
    errors: Mapping[str, int] = field(default_factory=dict)
    estimated_failed: float = 0.0
    sent_bytes_per_s: Estimate | None = None
    received_bytes_per_s: Estimate | None = None
    operations: Mapping[str, OperationLevel] = field(default_factory=dict)
    processes: Mapping[str, CostEstimate] = field(default_factory=dict)
    gauges: Mapping[str, GaugeEstimate] = field(default_factory=dict)

    @property
    def load(self) -> str:
        """The load that was held, in words: `1 user`, `2,000 users`, `5,000/s`; empty of all phases together."""
        if self.arrival_rate_per_s is not None:
            return f"{self.arrival_rate_per_s:,.10g}/s"
        return f"{self.virtual_users:,} user{'' if self.virtual_users == 1 else 's'}" if self.virtual_users else ""

    @property
    def failed_share(self) -> float:
        """Of all requests of all rounds."""
        return self.estimated_failed / self.requests if self.requests else 0.0

    @property
    def statuses(self) -> dict[str, int]:
        """Replies by status, of all operations."""
        return dict(sorted(summed(each.statuses for each in self.operations.values()).items()))


@dataclass(frozen=True)
class Bottleneck:
    """What limited a contender: `kind` is target-cpu, database, pool, generator, machine, load or unknown."""

    kind: str
    words: str


@dataclass(frozen=True)
class Contender:
    """A target with its settings, as it entered the comparison.

    `key` is unique in the comparison; `label` is what people read, and names only what differs. `rank` counts from 1
    among contenders of the same `division` (workload, class, durability and
    payload) and is shared by ties; None where nothing valid was measured. `rounds` are
    those that count: neither void nor cut short. The peak is the throughput of the phase whose median is the best
    (`peak_level`), sustainable is the best of those that keep the documented thresholds. `ceiling_share` is the peak
    as a share of what the engine can do, None without a calibration; `reference_shares` are shares of each reference
    line. `indicative` are the reasons why its windows cannot carry a rank: then it has none.
    """

    key: str
    label: str
    target: str
    language: str
    protocol: str
    payload: str
    factors: Mapping[str, str]
    rank: int | None
    tied_with: Sequence[str]
    run_ids: Sequence[int]
    rounds: int
    void_rounds: int
    levels: Sequence[Level]
    total: Level | None
    peak_throughput_per_s: Estimate | None
    optimal_users: int | None
    breaking_users: int | None
    start_to_healthy_s: Estimate | None
    bottleneck: Bottleneck
    ceiling_share: float | None
    reference_shares: Mapping[str, float]
    findings: Sequence[JudgedFinding]
    settings: Mapping[str, str]
    environment: Mapping[str, str]
    division: str = ""
    target_class: str = "standard"
    contract_profile: str = ""
    durability: str = "unknown"
    indicative: Sequence[str] = ()
    peak_level: str | None = None
    sustainable_throughput_per_s: Estimate | None = None

    @property
    def level_at_peak(self) -> Level | None:
        """The level that it is ranked by, None where nothing valid was measured."""
        peak = self.peak_throughput_per_s
        return next((level for level in self.levels if level.throughput_per_s == peak), self.total)


@dataclass(frozen=True)
class Pairing:
    """Two contenders round by round: how many times the throughput of `other` does `one` reach.

    `p_adjusted` is after Holm's correction over all pairs; None with too few rounds. `verdict` is about `one`.
    """

    one: str
    other: str
    ratio: Estimate
    p_value: float | None
    p_adjusted: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Effect:
    """What one factor did while all others stayed alike: REST against gRPC, one language against another, …

    `ratio` is throughput at level `one` over throughput at level `other`, all matched contenders and rounds together;
    `pairs` are these contenders one by one, with Holm's correction over the pairs of this effect.
    `p_adjusted` is after Holm's correction over all effects; None with too few rounds. `verdict` is about `one`.
    Of an `operation` it is how many times as fast it is answered, by mean latency, at one `load` of all of them.
    """

    factor: str
    one: str
    other: str
    ratio: Estimate
    pairs: Sequence[Pairing]
    p_value: float | None = None
    p_adjusted: float | None = None
    verdict: Verdict = "unknown"
    operation: str = ""
    load: str = ""


@dataclass(frozen=True)
class EqualLoadEntry:
    """One contender at a rate that all of them were offered. Latencies are p50, p99 and p99.9.

    `ranks` and `tied_with` are by figure (`p99`, `cpu`); a figure that is unknown has none. `unranked` says why there
    are none at all: it did not hold the rate, or its windows cannot carry a rank.
    """

    key: str
    label: str
    throughput_per_s: Estimate
    latency_ms: Mapping[str, Estimate]
    cpu_us_each: Estimate | None
    holds: bool
    unranked: str = ""
    ranks: Mapping[str, int] = field(default_factory=dict)
    tied_with: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class EqualLoad:
    """Contenders of a division at one rate. `pairings` are by figure: how many times that of `one` is that of `other`.

    `faster` in a pairing means the lower figure.
    """

    division: str
    rate_per_s: float
    entries: Sequence[EqualLoadEntry]
    pairings: Mapping[str, Sequence[Pairing]]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with the ends of its 95% profile interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class UslFit:
    """The law through the points: `rate_per_s` is λ, `contention` σ, `coherency` κ.

    `misfit_p` is how probable points as far off the curve are where the law holds, by the scatter between rounds; None
    with a single round. Where it is small the intervals are those of the points around the curve.
    """

    rate_per_s: Coefficient
    contention: Coefficient
    coherency: Coefficient
    misfit_p: float | None

    @property
    def describes(self) -> bool:
        """Whether nothing contradicts the law."""
        return self.misfit_p is None or self.misfit_p >= MISFIT

    def throughput_at(self, count: float) -> float:
        """The curve, per second."""
        sigma, kappa = self.contention.value, self.coherency.value
        return self.rate_per_s.value * count / (1 + sigma * (count - 1) + kappa * count * (count - 1))

    @property
    def peak(self) -> float | None:
        """The count of the most throughput; None where the interval of κ reaches zero, so that there may be none."""
        if self.coherency.low <= 0 or self.contention.value >= 1:
            return None
        return max(1.0, math.sqrt((1 - self.contention.value) / self.coherency.value))


@dataclass(frozen=True)
class ScaleStep:
    """One count of a curve: what was reached with it, what that cost each role, and what was full.

    `cpu_us_each` are medians over rounds, by role, where they are known.
    """

    count: int
    throughput_per_s: Estimate
    cpu_us_each: Mapping[str, float]
    bottleneck: Bottleneck


@dataclass(frozen=True)
class ScaleCurve:
    """Throughput along the counts of a factor while all else stays alike.

    `fit` is the Universal Scalability Law through it; where it is None `refused` says why.
    """

    factor: str
    label: str
    steps: Sequence[ScaleStep]
    fit: UslFit | None
    refused: str = ""


@dataclass(frozen=True)
class Judgement:
    """The comparison as a whole. `verdict` is one sentence, with its uncertainty; `contenders` are in rank order.

    `noise_floor` is the relative spread of one contender against itself (A/A where `has_aa`, else between rounds);
    `smallest_claim` the smallest relative difference that can be claimed. `provenance` holds what is needed to repeat
    it: commit, machine, versions. `not_measured` maps a target to the reason. Contenders of the smallest payload come
    first: each payload has an order of its own.
    """

    comparison_id: int | None
    name: str
    workload: str
    mode: str
    command: str
    started_at: datetime
    finished_at: datetime | None
    status: str
    rounds: int
    verdict: str
    contenders: Sequence[Contender]
    pairings: Sequence[Pairing]
    effects: Sequence[Effect]
    noise_floor: float | None
    smallest_claim: float | None
    reference_lines: Mapping[str, float]
    findings: Sequence[JudgedFinding]
    provenance: Mapping[str, str]
    operation_effects: Sequence[Effect] = ()
    equal_loads: Sequence[EqualLoad] = ()
    scale_curves: Sequence[ScaleCurve] = ()
    not_measured: Mapping[str, str] = field(default_factory=dict)
    has_aa: bool = False
    reference_draws: Mapping[str, Sequence[float]] = field(default_factory=dict)
