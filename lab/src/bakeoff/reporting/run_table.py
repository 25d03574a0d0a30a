"""Tables for the terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.judging.ceilings import limits_in_words, limits_of
from bakeoff.judging.memory_limit import memory_limit_mb
from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.reporting.numbers import NOTHING, milliseconds, number, three_digits
from bakeoff.reporting.observed_tables import database_table, machine_table
from bakeoff.results.cost import Cost, cpu_us_each
from bakeoff.results.histograms import Latency
from bakeoff.results.observed import database_figures, machine_figures
from bakeoff.results.run import ROLES, Durability, Measured, PhaseResult, RunResult, Status


def comparison_table(runs: Sequence[RunResult]) -> Table:
    """One row for each run, in the order in which they were made; fits 80 columns."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption=("all phases of a run together · " if any(len(run.phases) > 1 for run in runs) else "")
        + "latency in ms · CPU: µs of the target per operation · MB: peak memory of the target",
        caption_justify="left",
    )
    table.add_column("target", overflow="fold")
    for heading in ("ops/s", "min", "mean", "p50", "p99", "failed", "CPU", "MB"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        table.add_row(run.contender or run.target, *_figures(None if was_interrupted(run) else run.total))
    return table


_OF_A_TARGET = {
    "storage": "stores in",
    "target_settings": "settings",
    "api_replaces": "replaces",
    "api_documented_settings": "differs from defaults",
    "api_artifact_sha256": "artifact",
    "overlay_sha256": "overlay",
    "api_log": "log",
}


def run_details(run: RunResult) -> Group:
    """Everything a person asks of one run: what it was, its phases, its cost, what was seen beside, its findings."""
    heading = Text(
        f"{run.target} · {class_of(run)}\n"
        f"{run.mode} · payload {run.payload} · engine {run.engine} {run.engine_version}\n"
        f"{run.started_at:%Y-%m-%d %H:%M:%S} UTC · {run.status}"
        + (f" · {run.failure}" if run.failure else "")
        + (f" · healthy after {run.start_to_healthy_s * 1000:.0f} ms" if run.start_to_healthy_s is not None else "")
        + (f" · durability {run.durability}" if run.durability is not Durability.UNKNOWN else "")
        + "".join(f"\n{words}: {facts}" for name, words in _OF_A_TARGET.items() if (facts := run.environment.get(name)))
    )
    findings = [Text(f"{finding.severity}: {finding.message} {finding.advice}") for finding in run.findings]
    if was_interrupted(run):
        # Rates over what is left of the phases would mean nothing, and a limit would be blamed on the target.
        return Group(heading, Text("It was interrupted, so that it has no figures."), *findings)
    observed = (database_table(database_figures(run)), machine_table(machine_figures(run)))
    operations = [table for table in (operations_table(run), statuses_table(run)) if table.row_count]
    return Group(
        heading,
        _phases_table(run),
        *_start(run),
        _rates_table(run),
        *operations,
        _cost_table(run),
        *_gauges(run),
        *observed,
        *_disk(run),
        *_limits(run),
        *findings,
    )


def _start(run: RunResult) -> list[Text]:
    """The first seconds of the process beside its steady state, where they were measured apart."""
    cold = None if run.warm_up is None else run.warm_up.cold_start
    if run.warm_up is None or cold is None:
        return []
    steady_s = run.warm_up.steady_after_s
    steady = "not steady within the limit" if steady_s is None else f"steady {steady_s} s after the first request"
    return [
        Text(
            f"first {cold.duration_s:.0f} s of the process, in no other figure: {cold.throughput_per_s:,.0f}/s · p50 "
            f"{milliseconds(cold.p50_ms or 0.0)} ms · p99 {milliseconds(cold.p99_ms or 0.0)} ms · {steady}"
        )
    ]


def _disk(run: RunResult) -> list[Text]:
    """The latency of a flush before and after the run."""
    state = run.machine_state
    if state is None or state.fsync_before_ms is None or state.fsync_after_ms is None:
        return []
    return [
        Text(f"disk probe: a flush took {state.fsync_before_ms:.2f} ms before, {state.fsync_after_ms:.2f} ms after")
    ]


def class_of(run: RunResult) -> str:
    """`standard class, core contract`."""
    profile = f", {run.contract_profile} contract" if run.contract_profile else ""
    return f"{run.target_class} class{profile}"


def one_line(run: RunResult) -> str:
    """A run in a line, for the moment it ends: the load at which it did most."""
    name = run.contender or run.target
    if was_interrupted(run):
        return f"{name}: interrupted, so that it has no figures"
    best = max(run.phases, key=lambda phase: phase.measured.throughput_per_s, default=None)
    if run.total is None or best is None:
        return f"{name}: nothing was measured"
    measured, percentiles = best.measured, best.measured.latency.percentiles_ms
    return (
        f"{name}: {measured.throughput_per_s:,.0f}/s at {_load(best)} · p50 {milliseconds(percentiles['p50'])} ms · "
        f"p99 {milliseconds(percentiles['p99'])} ms · {run.total.failed:,} of {run.total.requests:,} failed"
    )


def _load(phase: PhaseResult) -> str:
    rate = phase.arrival_rate_per_s
    if rate is not None:
        return f"{rate:,g}/s"
    return f"{phase.virtual_users:,} user{'' if phase.virtual_users == 1 else 's'}"


def was_interrupted(run: RunResult) -> bool:
    """Whether it was ended before its phases were: a rate over what is left of them would mean nothing."""
    return run.status is Status.INTERRUPTED


def _limits(run: RunResult) -> list[Text]:
    """The fastest phase: what limited it, and what it is of what this machine can do where it was calibrated."""
    peak = max((phase.measured.throughput_per_s for phase in run.phases), default=0.0)
    words = limits_in_words(limits_of(run, peak)) if peak > 0 else ""
    bottleneck = bottleneck_of_run(run)
    shares = [Text(f"fastest phase: {words}")] if words else []
    return [*shares, *([] if bottleneck is None else [Text(bottleneck.words)])]


def _table(first: str, *headings: str) -> Table:
    """A table of words in the first column and figures in the others."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _measured(run: RunResult) -> list[tuple[str, str, Measured]]:
    """Each phase, and all together where there are several."""
    rows = [(f"{phase.number} {phase.name}", f"{phase.virtual_users:,}", phase.measured) for phase in run.phases]
    return [*rows, ("all", "", run.total)] if run.total is not None and len(rows) > 1 else rows


_LATENCIES = ("min ms", "mean ms", "p50 ms", "p95 ms", "p99 ms", "p99.9 ms", "max ms")


def _latencies(latency: Latency) -> list[str]:
    percentiles = [latency.percentiles_ms[name] for name in ("p50", "p95", "p99", "p99.9")]
    return [milliseconds(value) for value in (latency.min_ms, latency.mean_ms, *percentiles, latency.max_ms)]


def _phases_table(run: RunResult) -> Table:
    table = _table("phase", "VUs", "seconds", "requests", "ops/s", *_LATENCIES, "failed")
    for name, users, measured in _measured(run):
        table.add_row(
            name,
            users,
            f"{measured.duration_s:.1f}",
            f"{measured.requests:,}",
            f"{measured.throughput_per_s:,.0f}",
            *_latencies(measured.latency),
            f"{measured.failed:,}",
        )
    return table


def _rates_table(run: RunResult) -> Table:
    """What went over the network."""
    table = _table("data", "sent MB", "received MB", "sent MB/s", "received MB/s", "sent/request", "received/request")
    for name, _, measured in _measured(run):
        requests = max(1, measured.requests)
        table.add_row(
            name,
            *(f"{count / 1e6:,.2f}" for count in (measured.bytes_sent, measured.bytes_received)),
            *(f"{rate / 1e6:,.2f}" for rate in (measured.sent_bytes_per_s, measured.received_bytes_per_s)),
            *(f"{count / requests:,.0f}" for count in (measured.bytes_sent, measured.bytes_received)),
        )
    return table


def operations_table(run: RunResult) -> Table:
    """Each operation over all phases; without rows where the engine did not divide them."""
    table = _table("operation", "requests", "req/s", *_LATENCIES, "failed", "checked", "wrong")
    total = run.total
    for name, each in ({} if total is None else total.by_operation).items():
        assert total is not None
        table.add_row(
            name,
            f"{each.requests:,}",
            f"{total.operation_throughput_per_s(name):,.0f}",
            *_latencies(each.latency),
            f"{each.failed:,}",
            _checked(run.checks.get(name), each.checked),
            f"{each.checks_failed:,}" if each.checked else NOTHING,
        )
    table.caption = "checked: replies whose content was checked, and the rate · wrong: those whose content was wrong"
    table.caption_justify = "left"
    return table


def statuses_table(run: RunResult) -> Table:
    """Replies by status, and what failed by kind, of each operation."""
    table = _table("operation", "outcome", "count")
    for name, each in ({} if run.total is None else run.total.by_operation).items():
        outcomes = [
            *sorted(each.statuses.items()),
            *(kind for kind in sorted(each.errors.items()) if not _has_status(kind[0])),
        ]
        for place, (outcome, count) in enumerate(outcomes):
            table.add_row("" if place else name, outcome, f"{count:,}")
    return table


def _has_status(kind: str) -> bool:
    """Whether a kind of failure is a status, which is counted among the statuses."""
    return kind.startswith(("status_", "grpc_"))


def _checked(share: float | None, checked: int) -> str:
    return f"{checked:,}" if share is None else f"{checked:,} ({100 * share:.3g}%)"


def _cost_table(run: RunResult) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="memory: resident, shared pages counted once · % of the limit where one is set, else of the machine · "
        "PSS: shared pages counted in proportion",
        caption_justify="left",
    )
    memory = ("memory MB mean", "memory MB peak", "memory % peak", "PSS MB peak")
    for heading in ("cost", "CPU µs/op", "CPU % mean", "CPU % peak", *memory):
        table.add_column(heading, justify="left" if heading == "cost" else "right", no_wrap=True)
    if run.total is not None:
        for part, role, cost in _parts(run.total):
            limit_mb = memory_limit_mb(role, run.environment)
            table.add_row(
                part,
                number(cpu_us_each(cost, run.total.operations), 1),
                number(cost.cpu_percent_mean, 0),
                number(cost.cpu_percent_peak, 0),
                f"{cost.memory_mean_bytes / 1e6:,.1f}",
                f"{cost.memory_peak_bytes / 1e6:,.1f}",
                number(None if limit_mb is None else cost.memory_peak_bytes / 1e4 / limit_mb, 1),
                number(None if cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6, 1),
            )
    return table


def _gauges(run: RunResult) -> list[Table]:
    """What the target shows of itself, by phase; no table where it shows nothing."""
    table = _table("gauge", "phase", "mean", "maximum", "readings", "unit")
    for name, _, measured in _measured(run):
        for label, gauge in measured.gauges.items():
            figures = (three_digits(gauge.mean), three_digits(gauge.maximum), f"{gauge.readings:,}")
            table.add_row(label, name, *figures, gauge.unit)
    return [table] if table.row_count else []


def _parts(total: Measured) -> Iterator[tuple[str, str, Cost]]:
    """Name, role and cost of each role, and below the target of its processes where there are several."""
    for role in ROLES:
        if role in total.costs:
            yield role, role, total.costs[role]
            if role == "target":
                yield from ((f"  {name}", role, cost) for name, cost in total.processes.items())


def _figures(total: Measured | None) -> list[str]:
    if total is None:
        return [NOTHING] * 8
    latency = total.latency
    own = total.costs.get("target")
    percentiles = (latency.percentiles_ms[percentile] for percentile in ("p50", "p99"))
    return [
        f"{total.throughput_per_s:,.0f}",
        *(milliseconds(value) for value in (latency.min_ms, latency.mean_ms, *percentiles)),
        f"{total.failed:,}",
        number(cpu_us_each(own, total.operations), 1),
        NOTHING if own is None else f"{own.memory_peak_bytes / 1e6:,.1f}",
    ]
