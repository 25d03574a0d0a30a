"""Tables for the terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.judging.limits import limits_in_words, limits_of
from bakeoff.judging.usage import bottleneck_of_run
from bakeoff.reporting.numbers import NOTHING, milliseconds, number
from bakeoff.reporting.observed_tables import database_table, machine_table
from bakeoff.results.observed import database_figures, machine_figures
from bakeoff.results.run import ROLES, Measured, RunResult, Status
from bakeoff.sampling.cost import cpu_us_each


def comparison_table(runs: Sequence[RunResult]) -> Table:
    """One row for each run, in the order in which they were made; fits 80 columns."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="latency in ms · CPU: µs of the API per operation · MB: peak memory of the API",
        caption_justify="left",
    )
    table.add_column("target", overflow="fold")
    for heading in ("ops/s", "p50", "p95", "p99", "failed", "CPU", "MB"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        table.add_row(run.contender or run.target, *_figures(None if was_interrupted(run) else run.total))
    return table


_OF_A_TARGET = {
    "api_settings": "settings",
    "api_replaces": "replaces",
    "api_documented_settings": "differs from defaults",
    "api_artifact_sha256": "artifact",
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
        + "".join(f"\n{words}: {facts}" for name, words in _OF_A_TARGET.items() if (facts := run.environment.get(name)))
    )
    findings = [Text(f"{finding.severity}: {finding.message} {finding.advice}") for finding in run.findings]
    observed = (database_table(database_figures(run)), machine_table(machine_figures(run)))
    return Group(heading, _phases_table(run), _cost_table(run), *observed, *_limits(run), *findings)


def class_of(run: RunResult) -> str:
    """`standard class, core contract`."""
    profile = f", {run.contract_profile} contract" if run.contract_profile else ""
    return f"{run.target_class} class{profile}"


def one_line(run: RunResult) -> str:
    """A run in a line, for the moment it ends."""
    name = run.contender or run.target
    if was_interrupted(run):
        return f"{name}: interrupted, so that it has no figures"
    if run.total is None:
        return f"{name}: nothing was measured"
    percentiles = run.total.latency.percentiles_ms
    return (
        f"{name}: {run.total.throughput_per_s:,.0f}/s · p50 {milliseconds(percentiles['p50'])} ms · "
        f"p99 {milliseconds(percentiles['p99'])} ms · {run.total.failed:,} failed"
    )


def was_interrupted(run: RunResult) -> bool:
    """Whether it was ended before its phases were: a rate over what is left of them would mean nothing."""
    return run.status is Status.INTERRUPTED


def _limits(run: RunResult) -> list[Text]:
    """The fastest phase: what limited it, and what it is of what this machine can do where somebody calibrated it."""
    peak = max((phase.measured.throughput_per_s for phase in run.phases), default=0.0)
    words = limits_in_words(limits_of(run, peak)) if peak > 0 else ""
    bottleneck = bottleneck_of_run(run)
    shares = [Text(f"fastest phase: {words}")] if words else []
    return [*shares, *([] if bottleneck is None else [Text(bottleneck.words)])]


def _phases_table(run: RunResult) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("phase", no_wrap=True)
    for heading in (
        "VUs",
        "seconds",
        "requests",
        "ops/s",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "p99.9 ms",
        "max ms",
        "failed",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = [(f"{phase.number} {phase.name}", f"{phase.virtual_users:,}", phase.measured) for phase in run.phases]
    if run.total is not None and len(rows) > 1:
        rows.append(("all", "", run.total))
    for name, users, measured in rows:
        latency = measured.latency
        percentiles = [
            milliseconds(latency.percentiles_ms[percentile]) for percentile in ("p50", "p95", "p99", "p99.9")
        ]
        table.add_row(
            name,
            users,
            f"{measured.duration_s:.1f}",
            f"{measured.requests:,}",
            f"{measured.throughput_per_s:,.0f}",
            *percentiles,
            milliseconds(latency.max_ms),
            f"{measured.failed:,}",
        )
    return table


def _cost_table(run: RunResult) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="memory: resident, shared pages counted once · PSS: shared pages counted in proportion",
        caption_justify="left",
    )
    for heading in ("cost", "CPU µs/op", "CPU % mean", "CPU % peak", "memory MB mean", "memory MB peak", "PSS MB peak"):
        table.add_column(heading, justify="left" if heading == "cost" else "right", no_wrap=True)
    if run.total is not None:
        for role in ROLES:
            cost = run.total.costs.get(role)
            if cost is None:
                continue
            table.add_row(
                role,
                number(cpu_us_each(cost, run.total.operations), 1),
                number(cost.cpu_percent_mean, 0),
                number(cost.cpu_percent_peak, 0),
                f"{cost.memory_mean_bytes / 1e6:,.1f}",
                f"{cost.memory_peak_bytes / 1e6:,.1f}",
                number(None if cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6, 1),
            )
    return table


def _figures(total: Measured | None) -> list[str]:
    if total is None:
        return [NOTHING] * 7
    latency = total.latency
    api = total.costs.get("api")
    return [
        f"{total.throughput_per_s:,.0f}",
        *(milliseconds(latency.percentiles_ms[percentile]) for percentile in ("p50", "p95", "p99")),
        f"{total.failed:,}",
        number(cpu_us_each(api, total.operations), 1),
        NOTHING if api is None else f"{api.memory_peak_bytes / 1e6:,.1f}",
    ]
