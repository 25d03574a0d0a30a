"""The shape of a report's data: the one JSON document that every format is made from."""

from typing import Literal, TypedDict

from bakeoff.reporting.chart_shape import Chart
from bakeoff.results.observed import DatabaseFigures, MachineFigures

VERSION = 1

Verdict = Literal["faster", "slower", "tie", "unknown"]


class Figure(TypedDict):
    """A median over rounds with its interval (None with fewer than three rounds) and the rounds' own values."""

    median: float
    low: float | None
    high: float | None
    values: list[float]


class CostFigures(TypedDict):
    """What one role used. `cpu_percent` is of one core, `memory_percent` of its limit or the machine's memory.

    Memory is resident, with shared pages counted once; `pss` is proportional, None where it was not sampled.
    """

    cpu_us_each: Figure | None
    cpu_percent_mean: Figure | None
    cpu_percent_peak: Figure | None
    memory_mean_mb: Figure
    memory_peak_mb: Figure
    pss_peak_mb: Figure | None
    memory_mean_percent: float | None
    memory_peak_percent: float | None


class GaugeFigures(TypedDict):
    """What one gauge of a target's showed: the mean and the highest of its readings."""

    unit: str
    mean: Figure
    maximum: Figure


class OperationFigures(TypedDict):
    """One operation of a load level over all rounds. `throughput_per_s` is of requests that succeeded.

    `error_rate` counts replies that were not checked as often wrong as those that were.
    """

    requests: int
    failed: int
    checked: int
    checks_failed: int
    errors: dict[str, int]
    statuses: dict[str, int]
    throughput_per_s: Figure
    error_rate: Figure
    latency_ms: dict[str, Figure]


class LevelFigures(TypedDict):
    """One load level over all rounds. `load` is what people read: `200 users`, `5,000/s`, `all phases`.

    `cpu_percent_s_each` and `memory_mb_s_each` are the target's mean CPU % and mean MB × seconds ÷ requests.
    `operations` is empty where the engine did not divide the requests, and `processes`, which divides the target's
    costs, where it is one process. `gauges` are by their labels, those of companions with the process before them.
    """

    name: str
    load: str
    users: int
    arrival_rate_per_s: float | None
    duration_s: float
    requests: int
    failed: int
    unsent: int
    errors: dict[str, int]
    throughput_per_s: Figure
    error_rate: Figure
    latency_ms: dict[str, Figure]
    costs: dict[str, CostFigures]
    processes: dict[str, CostFigures]
    gauges: dict[str, GaugeFigures]
    cpu_percent_s_each: float | None
    memory_mb_s_each: float | None
    sent_bytes_per_s: Figure | None
    received_bytes_per_s: Figure | None
    statuses: dict[str, int]
    operations: dict[str, OperationFigures]


class RunLine(TypedDict):
    """One run of a contender, whatever became of it: what limited it, and what was seen beside its requests.

    A run that does not count has no bottleneck; `limited_by` and `limit` are empty then.
    """

    id: int
    round: int
    status: str
    failure: str | None
    bottleneck: str | None
    limited_by: str
    limit: str
    database: DatabaseFigures | None
    machine: MachineFigures | None


class ReportedFinding(TypedDict):
    """A finding with advice. `of` names the contenders (none: the comparison as a whole)."""

    kind: str
    severity: str
    message: str
    advice: str
    of: list[str]
    rounds: list[int]


class ReportedContender(TypedDict):
    """One contender. `identity` is the same for one target and settings at every payload; so are its name and style.

    `limited_by` is a word or two, `limit` a sentence. `at_best` is the level at which it does most and is ranked by,
    `best_load` its load; `at_optimum` is the level of optimal parallelism. `database` and `machine` are medians over
    the rounds that count.
    """

    key: str
    anchor: str
    label: str
    name: str
    identity: str
    style: int
    target: str
    language: str
    protocol: str
    payload: str
    group: str
    target_class: str
    contract_profile: str
    durability: str
    factors: dict[str, str]
    checks: dict[str, float]
    rank: int | None
    indicative: list[str]
    tied_with: list[str]
    against_leader: "ReportedPairing | None"
    rounds: int
    void_rounds: int
    runs: list[RunLine]
    levels: list[LevelFigures]
    total: LevelFigures | None
    peak_throughput_per_s: Figure | None
    sustainable_throughput_per_s: Figure | None
    at_best: LevelFigures | None
    at_optimum: LevelFigures | None
    best_load: str | None
    optimal_users: int | None
    breaking_users: int | None
    start_to_healthy_s: Figure | None
    bottleneck: str
    limited_by: str
    limit: str
    ceiling_share: float | None
    reference_shares: dict[str, float]
    database: DatabaseFigures | None
    machine: MachineFigures | None
    findings: list[ReportedFinding]
    settings: dict[str, str]
    environment: dict[str, str]


class ReportedPairing(TypedDict):
    """How many times the throughput of `other` does `one` reach; both are contender keys."""

    one: str
    other: str
    ratio: Figure
    p_adjusted: float | None
    verdict: Verdict


class ReportedEffect(TypedDict):
    """What one factor did while all others stayed alike: to throughput, or to the mean latency of an `operation`.

    `pairs` are the matched contenders one by one.
    """

    factor: str
    title: str
    one: str
    other: str
    ratio: Figure
    pairs: list[ReportedPairing]
    verdict: Verdict
    operation: str
    load: str


class EqualLoadLine(TypedDict):
    """One contender at a rate that all were offered; `unranked` says why it has no rank.

    `ranks` and `tied_with` are by figure: `p99`, `cpu`. `maximum_per_s` is what it does at most, in the same rounds.
    """

    key: str
    name: str
    holds: bool
    unranked: str
    throughput_per_s: Figure
    latency_ms: dict[str, Figure]
    cpu_us_each: Figure | None
    maximum_per_s: Figure | None
    ranks: dict[str, int]
    tied_with: dict[str, list[str]]


class EqualLoadPairing(TypedDict):
    """How many times the `figure` (p99 or cpu) of `other` is that of `one`; `faster` is the lower one."""

    figure: str
    one: str
    other: str
    ratio: Figure
    p_adjusted: float | None
    verdict: Verdict


class ReportedEqualLoad(TypedDict):
    """The contenders of a group at one rate, by p99."""

    group: str
    rate_per_s: float
    contenders: list[EqualLoadLine]
    pairings: list[EqualLoadPairing]


class ScaleLine(TypedDict):
    """One count. `fitted_per_s` is the curve's; `efficiency` is of what as many times the first count would give.

    `cpu_us_each` is by role; `limited_by` is a word or two, `limit` a sentence.
    """

    count: int
    throughput_per_s: Figure
    fitted_per_s: float | None
    efficiency: float
    cpu_us_each: dict[str, float]
    limited_by: str
    limit: str


class ScaleLaw(TypedDict):
    """Coefficients of the Universal Scalability Law, with 95% profile intervals; `peak` is a count.

    `curve` are points [count, operations/s].
    """

    rate_per_s: Figure
    contention: Figure
    coherency: Figure
    peak: float | None
    misfit_p: float | None
    describes: bool
    curve: list[tuple[float, float]]


class ReportedScale(TypedDict):
    """Throughput along the counts of a factor. `law` is None where it could not be fitted; `refused` says why."""

    factor: str
    title: str
    name: str
    steps: list[ScaleLine]
    law: ScaleLaw | None
    refused: str


class Highlight(TypedDict):
    """Who is best at one thing; `shared` says how several names stand: tie or similar, `who` names them."""

    title: str
    names: list[str]
    who: str
    value: str
    interval: str | None
    shared: str | None
    note: str


class ReferenceLine(TypedDict):
    """What a part of the machine can do without any API; `payload` is None where it holds for all of them."""

    name: str
    payload: str | None
    label: str
    per_s: float


class Group(TypedDict):
    """Contenders that are ranked against each other, in rank order, those without a rank last.

    `name` tells the group from others: payload, class, durability, workload.
    """

    name: str
    anchor: str
    contenders: list[str]
    highlights: list[Highlight]


class ComparisonFacts(TypedDict):
    """What was compared, and when; moments are ISO 8601."""

    id: int | None
    name: str
    workload: str
    mode: str
    command: str
    status: str
    rounds: int
    runs: int
    started_at: str
    finished_at: str | None
    took_s: float | None


class Identity(TypedDict):
    """What a reader switches on and off: a contender at all its payloads."""

    id: str
    name: str
    style: int


class ReportData(TypedDict):
    """Everything a report says. `missing` says in sentences what could not be shown."""

    version: int
    comparison: ComparisonFacts
    verdict: str
    certainty: str
    noise_floor: float | None
    smallest_claim: float | None
    missing: list[str]
    groups: list[Group]
    contenders: list[ReportedContender]
    pairings: list[ReportedPairing]
    effects: list[ReportedEffect]
    operation_effects: list[ReportedEffect]
    equal_loads: list[ReportedEqualLoad]
    scale_curves: list[ReportedScale]
    reference_lines: list[ReferenceLine]
    charts: list[Chart]
    findings: list[ReportedFinding]
    provenance: dict[str, str]
    not_measured: dict[str, str]
