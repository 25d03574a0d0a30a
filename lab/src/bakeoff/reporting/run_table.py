"""Tables of runs."""

from collections.abc import Iterator, Sequence

from bakeoff.judging.ceilings import limits_in_words, limits_of, operations_per_commit
from bakeoff.judging.levels import memory_limit_mb
from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.reporting import observed_columns
from bakeoff.reporting.figures import MEMORY
from bakeoff.reporting.missing_percentiles import explained
from bakeoff.reporting.numbers import NOTHING, number, rate, three_digits, two_places
from bakeoff.reporting.observed_columns import Column, Figures
from bakeoff.results.cost import Cost, cpu_us_each
from bakeoff.results.histograms import Latency
from bakeoff.results.observed import database_figures, machine_figures
from bakeoff.results.run import HOSTILE_CONNECTIONS, ROLES, Durability, Measured, RunResult, Status
from bakeoff.text.table import Table


def comparison_table(runs: Sequence[RunResult]) -> Table:
    """One row for each run, in the order in which they were made."""
    several = "All phases of a run together. " if any(len(run.phases) > 1 for run in runs) else ""
    return Table(
        "",
        ("target", "ops/s", "min", "mean", "p50", "p99", "failed", "CPU", "MB"),
        [(run.name, *_figures(None if was_interrupted(run) else run.total)) for run in runs],
        note=f"{several}Latency in ms. CPU: µs of the target per operation. MB: peak memory of the target.",
        least=("min", "mean", "MB", "CPU"),
    )


_OF_A_TARGET = {
    "storage": "stores in",
    "target_settings": "settings",
    "target_replaces": "replaces",
    "target_documented_settings": "differs from defaults",
    HOSTILE_CONNECTIONS: "hostile connections",
    "target_artifact_sha256": "artifact",
    "overlay_sha256": "overlay",
    "target_log": "log",
}


def run_details(run: RunResult) -> Iterator[Table | str]:
    """Everything about one run: its settings, its phases, its cost, what was observed, its findings."""
    yield (
        f"{run.target} · {class_of(run)}\n"
        f"{run.mode} · payload {run.payload} · engine {run.engine} {run.engine_version}\n"
        f"{run.started_at:%Y-%m-%d %H:%M:%S} UTC · {run.status}"
        + (f" · {run.failure}" if run.failure else "")
        + (f" · healthy after {run.start_to_healthy_s * 1000:.0f} ms" if run.start_to_healthy_s is not None else "")
        + (f" · durability {run.durability}" if run.durability is not Durability.UNKNOWN else "")
    )
    yield from (f"{words}: {facts}" for name, words in _OF_A_TARGET.items() if (facts := run.environment.get(name)))
    if was_interrupted(run):
        # Rates over what is left of the phases would mean nothing, and a limit would be blamed on the target.
        yield "It was interrupted, so that it has no figures."
    else:
        yield explained(_phases_table(run))
        yield from _start(run)
        yield from (_rates_table(run), explained(operations_table(run)), statuses_table(run), _cost_table(run))
        yield _gauges(run)
        database, machine = observed_columns.DATABASE_OF_A_RUN, observed_columns.MACHINE
        yield _observed("PostgreSQL activity", database, database_figures(run), observed_columns.DATABASE_NOTE)
        yield _observed("machine", machine, machine_figures(run), observed_columns.MACHINE_NOTE)
        yield from (*_disk(run), *_limits(run))
    yield from (f"{finding.severity}: {finding.message} {finding.advice}" for finding in run.findings)


def _start(run: RunResult) -> Iterator[str]:
    """The first seconds of the process and its steady state, where they were measured apart."""
    cold = None if run.warm_up is None else run.warm_up.cold_start
    if run.warm_up is not None and cold is not None:
        steady_s = run.warm_up.steady_after_s
        steady = "not steady within the limit" if steady_s is None else f"steady {steady_s} s after the first request"
        yield (
            f"first {cold.duration_s:.0f} s of the process, in no other figure: {rate(cold.throughput_per_s)}/s · p50 "
            f"{two_places(cold.p50_ms or 0.0)} ms · p99 {two_places(cold.p99_ms or 0.0)} ms · {steady}"
        )


def _observed(title: str, columns: Sequence[Column], figures: Figures | None, note: str) -> Table | str:
    """A row for each figure that was observed of a run; a dash where there are none."""
    if figures is None:
        return f"{title}: {NOTHING}"
    rows = [(column.heading, *observed_columns.cells([column], figures)) for column in columns]
    return Table("", (title, ""), rows, left=2, kept=2, note=note)


def _disk(run: RunResult) -> Iterator[str]:
    """The latency of a flush before and after the run."""
    state = run.machine_state
    if state is not None and state.fsync_before_ms is not None and state.fsync_after_ms is not None:
        yield f"disk probe: a flush took {state.fsync_before_ms:.2f} ms before, {state.fsync_after_ms:.2f} ms after"


def class_of(run: RunResult) -> str:
    """`standard class, core contract`."""
    profile = f", {run.contract_profile} contract" if run.contract_profile else ""
    return f"{run.target_class} class{profile}"


def one_line(run: RunResult) -> str:
    """A run in a line, for the moment it ends: the load at which it did most."""
    name = run.name
    if was_interrupted(run):
        return f"{name}: interrupted, so that it has no figures"
    best = run.best_phase
    if run.total is None or best is None:
        return f"{name}: nothing was measured"
    measured, latency = best.measured, best.measured.latency.shown
    shown = (f"{name} {two_places(latency[name])} ms" for name in ("p50", "p99") if latency[name] is not None)
    figures = (f"{rate(measured.throughput_per_s)}/s at {best.load}", *shown)
    return f"{run.name}: {' · '.join(figures)} · {run.total.failed:,} of {run.total.requests:,} failed"


def was_interrupted(run: RunResult) -> bool:
    """Whether it was ended before its phases were: a rate over what is left of them would mean nothing."""
    return run.status is Status.INTERRUPTED


def _limits(run: RunResult) -> Iterator[str]:
    """The fastest phase as a share of what this machine can do, and the bottleneck."""
    fastest = run.best_phase
    peak = 0.0 if fastest is None else fastest.measured.throughput_per_s
    per_commit = None if fastest is None else operations_per_commit(run, fastest.number)
    words = limits_in_words(limits_of(run, peak, per_commit)) if peak > 0 else ""
    bottleneck = bottleneck_of_run(run)
    yield from [f"fastest phase: {words}"] if words else []
    yield from [] if bottleneck is None else [bottleneck.words]


def _measured(run: RunResult) -> list[tuple[str, str, Measured]]:
    """Each phase, and all together where there are several."""
    rows = [(f"{phase.number} {phase.name}", f"{phase.virtual_users:,}", phase.measured) for phase in run.phases]
    return [*rows, ("all", "", run.total)] if run.total is not None and len(rows) > 1 else rows


_LEAST = ("min ms", "mean ms", "p99.9 ms", "requests", "p95 ms", "max ms")
_LATENCIES = ("min ms", "mean ms", "p50 ms", "p95 ms", "p99 ms", "p99.9 ms", "max ms")


def _latencies(latency: Latency) -> list[str]:
    return [two_places(value) for name, value in latency.shown.items() if f"{name} ms" in _LATENCIES]


def _phases_table(run: RunResult) -> Table:
    rows = [
        (
            name,
            users,
            f"{measured.duration_s:.1f}",
            f"{measured.requests:,}",
            rate(measured.throughput_per_s),
            *_latencies(measured.latency),
            f"{measured.failed:,}",
        )
        for name, users, measured in _measured(run)
    ]
    headings = ("phase", "VUs", "seconds", "requests", "ops/s", *_LATENCIES, "failed")
    return Table("", headings, rows, least=("seconds", "VUs", *_LEAST))


def _rates_table(run: RunResult) -> Table:
    """Data over the network."""
    rows = [
        (
            name,
            *(f"{count / 1e6:,.2f}" for count in (measured.bytes_sent, measured.bytes_received)),
            *(f"{rate / 1e6:,.2f}" for rate in (measured.sent_bytes_per_s, measured.received_bytes_per_s)),
            *(f"{count / max(1, measured.requests):,.0f}" for count in (measured.bytes_sent, measured.bytes_received)),
        )
        for name, _, measured in _measured(run)
    ]
    headings = ("data", "sent MB", "received MB", "sent MB/s", "received MB/s", "sent/request", "received/request")
    return Table("", headings, rows, least=("sent MB", "received MB"))


def operations_table(run: RunResult) -> Table:
    """Each operation over all phases; without rows where the engine did not divide them."""
    total = run.total
    rows = [
        (
            name,
            f"{each.requests:,}",
            rate(total.operation_throughput_per_s(name)),
            *_latencies(each.latency),
            f"{each.failed:,}",
            f"{each.checked:,}" + (f" ({100 * run.checks[name]:.3g}%)" if name in run.checks else ""),
            f"{each.checks_failed:,}" if each.checked else NOTHING,
        )
        for name, each in ({} if total is None else total.by_operation).items()
        if total is not None
    ]
    headings = ("operation", "requests", "req/s", *_LATENCIES, "failed", "checked", "wrong")
    note = "checked: replies whose content was checked, and the rate. wrong: those whose content was wrong."
    return Table("", headings, rows, note=note, least=_LEAST)


def statuses_table(run: RunResult) -> Table:
    """Replies by status, and what failed by kind, of each operation."""
    rows = []
    for name, each in ({} if run.total is None else run.total.by_operation).items():
        # A failure that is a status is counted among the statuses.
        failures = [kind for kind in sorted(each.errors.items()) if not kind[0].startswith(("status_", "grpc_"))]
        outcomes = [*sorted(each.statuses.items()), *failures]
        rows += [("" if place else name, kind, f"{count:,}") for place, (kind, count) in enumerate(outcomes)]
    return Table("", ("operation", "outcome", "count"), rows, left=2)


def _cost_table(run: RunResult) -> Table:
    rows = [
        (
            part,
            number(cpu_us_each(cost, run.total.operations), 1),
            number(cost.cpu_percent_mean, 0),
            number(cost.cpu_percent_peak, 0),
            f"{cost.memory_mean_bytes / 1e6:,.1f}",
            f"{cost.memory_peak_bytes / 1e6:,.1f}",
            number(None if limit_mb is None else cost.memory_peak_bytes / 1e4 / limit_mb, 1),
            number(None if cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6, 1),
        )
        for part, role, cost in ([] if run.total is None else _parts(run.total))
        for limit_mb in [memory_limit_mb(role, run.environment)]
        if run.total is not None
    ]
    memory = ("memory MB mean", "memory MB peak", "memory % peak", "PSS MB peak")
    note = f"{MEMORY} memory %: of the limit where one is set, else of the machine."
    return Table("", ("cost", "CPU µs/op", "CPU % mean", "CPU % peak", *memory), rows, note=note)


def _gauges(run: RunResult) -> Table:
    """The target's gauges by phase."""
    rows = [
        (label, name, three_digits(gauge.mean), three_digits(gauge.maximum), f"{gauge.readings:,}", gauge.unit)
        for name, _, measured in _measured(run)
        for label, gauge in measured.gauges.items()
    ]
    headings = ("gauge", "phase", "mean", "maximum", "readings", "unit")
    return Table("", headings, rows, left=2, words_last=True, least=("readings",))


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
    return [
        rate(total.throughput_per_s),
        *(two_places(latency.shown[name]) for name in ("min", "mean", "p50", "p99")),
        f"{total.failed:,}",
        number(cpu_us_each(own, total.operations), 1),
        NOTHING if own is None else f"{own.memory_peak_bytes / 1e6:,.1f}",
    ]
