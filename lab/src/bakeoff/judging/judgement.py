"""The judgement of a comparison: immutable values that every report, page and gate shares."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from bakeoff.judging.sustained import SustainedWindow
from bakeoff.results.database_activity import DatabaseFigures
from bakeoff.results.finding_kinds import LOSING
from bakeoff.results.findings import JudgedFinding
from bakeoff.results.machine_state import MachineFigures
from bakeoff.results.operations import summed
from bakeoff.results.run import Status, load_in_words
from bakeoff.results.stack import Stack

Verdict = Literal["faster", "slower", "tie", "unknown"]
# How improbable, by the scatter between rounds, points must be that contradict a curve.
MISFIT = 0.05
ALL_PHASES = "all"

_LIMITED_BY = {
    "target-cpu": "target CPU",
    "database": "database",
    "pool": "connection pool",
    "generator": "load generator",
    "machine": "shared CPU",
    "load": "offered load",
    "unknown": "unknown",
}


@dataclass(frozen=True)
class Estimate:
    """A figure over rounds: its median, and bounds that contain the true one with the probability `confidence`.

    Bounds and confidence are None with fewer than three rounds. With a confidence a bound of a ratio is None where the
    rounds set none. `values` holds the rounds' own figures, in the order of rounds.
    """

    median: float
    low: float | None
    high: float | None
    values: Sequence[float]
    confidence: float | None = None

    @property
    def interval_name(self) -> str:
        """`94% interval`."""
        return "interval" if self.confidence is None else f"{math.floor(round(100 * self.confidence, 6))}% interval"

    @property
    def excludes_one(self) -> bool:
        """Of a ratio: whether its interval shows a difference."""
        return (self.low is not None and self.low > 1) or (self.high is not None and self.high < 1)

    def inverted(self) -> "Estimate":
        """The same ratio from the other's side. A ratio of zero has no inverse: it stays zero."""

        def inverse(value: float) -> float:
            return 1 / value if value else 0.0

        low = None if self.high is None else inverse(self.high)
        high = None if self.low is None else inverse(self.low)
        values = tuple(inverse(value) for value in self.values)
        return Estimate(inverse(self.median), low, high, values, self.confidence)


@dataclass(frozen=True)
class CostEstimate:
    """The usage of one role (target, database, engine). None: unknown. CPU per cent is of one core.

    `pss_peak_mb` is the highest proportional memory that was seen. `memory_limit_mb` is the role's limit where one is
    set, else the machine's memory.
    """

    cpu_us_each: Estimate | None
    cpu_percent_mean: Estimate | None
    cpu_percent_peak: Estimate | None
    memory_mean_mb: Estimate
    memory_peak_mb: Estimate
    pss_peak_mb: Estimate | None = None
    memory_limit_mb: float | None = None

    @property
    def memory_mean_percent(self) -> float | None:
        """Per cent of the limit."""
        return self._percent(self.memory_mean_mb)

    @property
    def memory_peak_percent(self) -> float | None:
        """Per cent of the limit."""
        return self._percent(self.memory_peak_mb)

    def _percent(self, used_mb: Estimate) -> float | None:
        return None if self.memory_limit_mb is None else 100 * used_mb.median / self.memory_limit_mb


@dataclass(frozen=True)
class GaugeEstimate:
    """One gauge of a target: the mean and the highest of its readings in each round."""

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
        """The load that was held, in words: `1 user`, `2,000 users`, `5,000/s`, `all phases`."""
        if self.virtual_users or self.arrival_rate_per_s is not None:
            return load_in_words(self.virtual_users, self.arrival_rate_per_s)
        return "all phases" if self.name == ALL_PHASES else self.name

    def of_target(self, figure: str) -> Estimate | None:
        """A figure of the target's cost by its name; None where it is unknown."""
        found: Estimate | None = getattr(self.costs.get("target"), figure, None)
        return found

    @property
    def cpu_percent_s_each(self) -> float | None:
        """The target's mean CPU % × seconds ÷ requests."""
        return self._spent_each(self.of_target("cpu_percent_mean"))

    @property
    def memory_mb_s_each(self) -> float | None:
        """The target's mean MB × seconds ÷ requests."""
        return self._spent_each(self.of_target("memory_mean_mb"))

    def _spent_each(self, mean: Estimate | None) -> float | None:
        if mean is None or not self.requests:
            return None
        return float(f"{mean.median * self.duration_s / self.requests:.4g}")

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
    """The limit of a contender: `kind` is target-cpu, database, pool, generator, machine, load or unknown."""

    kind: str
    words: str

    @property
    def limited_by(self) -> str:
        """The kind in two or three words."""
        return _LIMITED_BY.get(self.kind, self.kind)


@dataclass(frozen=True)
class JudgedRun:
    """One run of a contender, whatever became of it: what limited it, and what was observed beside its requests.

    A run that does not count has no bottleneck.
    """

    id: int
    round: int
    status: str
    failure: str | None
    bottleneck: Bottleneck | None
    database: DatabaseFigures | None
    machine: MachineFigures | None


@dataclass(frozen=True)
class JudgedContender:
    """A target with its settings, as it entered the comparison.

    `key` is unique in the comparison; `label` is what people read, and names only what differs; `name` leaves out the
    payload where that is still unique. `identity` numbers targets with their settings, whatever the payload. `rank`
    counts from 1 among contenders of the same `division` (workload, class, durability and payload) and is shared by
    ties; None where nothing valid was measured. `rounds` are those that count: neither void nor cut short; `database`
    and `machine` are medians over them. `checks` are the fractions of replies whose content is checked. The
    peak is the throughput of the phase whose median is the best (`peak_level`), sustainable is the best of those that
    keep the documented thresholds. `ceiling_share` is the peak
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
    runs: Sequence[JudgedRun]
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
    operations_per_commit: float | None = None
    sustained: Sequence[SustainedWindow] = ()
    indicative: Sequence[str] = ()
    peak_level: str | None = None
    sustainable_throughput_per_s: Estimate | None = None
    name: str = ""
    identity: int = 0
    checks: Mapping[str, float] = field(default_factory=dict)
    database: DatabaseFigures | None = None
    machine: MachineFigures | None = None
    stack: Stack = field(default_factory=Stack)

    @property
    def lost_in(self) -> list[int]:
        """The rounds in which data was lost or wrong: then it is in no comparison."""
        return sorted({number for each in self.findings if each.kind in LOSING for number in each.rounds})

    @property
    def failed_in(self) -> list[int]:
        """The rounds without a run that counts, interrupted ones apart: it is compared by the others."""
        counted = {run.round for run in self.runs if run.bottleneck is not None}
        return sorted({run.round for run in self.runs if run.status != Status.INTERRUPTED.value} - counted)

    @property
    def level_at_peak(self) -> Level | None:
        """The level that it is ranked by, None where nothing valid was measured."""
        peak = self.peak_throughput_per_s
        return next((level for level in self.levels if level.throughput_per_s == peak), self.total)

    @property
    def best_level(self) -> Level | None:
        """The level that it is ranked by; None where no request was answered there."""
        level = self.level_at_peak
        return level if level is not None and level.requests > level.failed else None

    @property
    def optimal_level(self) -> Level | None:
        """The level of optimal parallelism; where none is known, the one at which it does most."""
        closed = (level for level in self.levels if level.virtual_users)
        return next((level for level in closed if level.virtual_users == self.optimal_users), self.best_level)


@dataclass(frozen=True)
class Pairing:
    """Two contenders round by round: how many times the throughput of `other` does `one` reach.

    `p_adjusted` is after Holm's correction over everything in the report that has a verdict; None with too few rounds.
    `verdict` is about `one`, and `ratio` has the interval that belongs to it: that of a tie contains 1, that of a
    difference does not. `detectable` is the true difference that is found with a probability of 80%,
    `equivalent_within` a bound of the true difference of a tie; both are relative, 0.05 for 5%.
    """

    one: str
    other: str
    ratio: Estimate
    p_value: float | None
    p_adjusted: float | None
    verdict: Verdict
    detectable: float | None = None
    equivalent_within: float | None = None

    def inverted(self) -> "Pairing":
        """The same pairing from the other's side."""
        opposite: Mapping[str, Verdict] = {"faster": "slower", "slower": "faster"}
        verdict = opposite.get(self.verdict, self.verdict)
        return replace(self, one=self.other, other=self.one, ratio=self.ratio.inverted(), verdict=verdict)


@dataclass(frozen=True)
class Effect:
    """The effect of one factor while all others are equal: REST against gRPC, one language against another, …

    `ratio` is throughput at level `one` over throughput at level `other`, all matched contenders and rounds together;
    `pairs` are these contenders one by one, as they are paired elsewhere in the report. `p_adjusted` is after the same
    correction as theirs; None with too few rounds. `verdict` is about `one`; the interval of `ratio` shows it. Of an
    `operation` it is how many times as fast it is answered, by mean latency, at one `load` of all of them; it has no
    pairs.
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

    `fit` is the Universal Scalability Law through it; where it is None `refused` says why. `key` is that of the
    contender at its first count.
    """

    factor: str
    label: str
    steps: Sequence[ScaleStep]
    fit: UslFit | None
    refused: str = ""
    key: str = ""

    def efficiency(self, step: ScaleStep) -> float:
        """The throughput of a step ÷ what as many times the first count would give."""
        first = self.steps[0]
        return step.throughput_per_s.median / (first.throughput_per_s.median * step.count / first.count)


@dataclass(frozen=True)
class ReferenceLine:
    """The rate of a part of the machine without any API; `payload` is None where it holds for all of them."""

    name: str
    payload: str | None
    label: str
    per_s: float


@dataclass(frozen=True)
class Judgement:
    """The comparison as a whole. `verdict` is one sentence, with its uncertainty; `contenders` are in rank order.

    `noise_floor` is the relative spread of one contender against itself (A/A where `has_aa`, else between rounds).
    `provenance` holds what is needed to repeat
    it: commit, machine, versions. `not_measured` maps a target to the reason. `lacks_upkeep`: no window contained a
    checkpoint or an autovacuum. Contenders of the smallest payload come
    first: each payload has its own order.
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
    contenders: Sequence[JudgedContender]
    pairings: Sequence[Pairing]
    effects: Sequence[Effect]
    noise_floor: float | None
    reference_lines: Sequence[ReferenceLine]
    findings: Sequence[JudgedFinding]
    provenance: Mapping[str, str]
    operation_effects: Sequence[Effect] = ()
    equal_loads: Sequence[EqualLoad] = ()
    scale_curves: Sequence[ScaleCurve] = ()
    not_measured: Mapping[str, str] = field(default_factory=dict)
    has_aa: bool = False
    lacks_upkeep: bool = False

    @property
    def took_s(self) -> float | None:
        return None if self.finished_at is None else (self.finished_at - self.started_at).total_seconds()

    @property
    def run_count(self) -> int:
        return sum(len(contender.runs) for contender in self.contenders)

    @property
    def divisions(self) -> list[str]:
        """The names of what is ranked apart, in the order of the contenders."""
        return list(dict.fromkeys(contender.division for contender in self.contenders))

    def of_division(self, division: str) -> list[JudgedContender]:
        """In rank order, those without a rank last."""
        own = [contender for contender in self.contenders if contender.division == division]
        return sorted(own, key=lambda contender: contender.rank or math.inf)

    def names(self, keys: Sequence[str]) -> list[str]:
        """Of these contenders, in their order."""
        names = {contender.key: contender.name for contender in self.contenders}
        return [names[key] for key in keys if key in names]

    def against_leader(self, contender: JudgedContender) -> Pairing | None:
        """The contender compared with the first of its division; None of the leader, and where nothing was paired."""
        own = (each for each in self.contenders if each.division == contender.division and each.rank is not None)
        leader = next(own, contender)
        for pairing in self.pairings:
            if (pairing.one, pairing.other) == (contender.key, leader.key):
                return pairing
            if (pairing.one, pairing.other) == (leader.key, contender.key):
                return pairing.inverted()
        return None
