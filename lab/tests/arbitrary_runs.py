"""Any run that the lab could have made, for tests of what must hold of all of them."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from bakeoff.results.audit import Audit, Violations
from bakeoff.results.cost import Cost, Gauge, Sample
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity
from bakeoff.results.findings import Finding
from bakeoff.results.machine_state import MachineState
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import ROLES, Measured, PhaseResult, RunResult, Second, Status
from bakeoff.results.warm_up_record import ColdStart, Settled, WarmUp
from made_up import histogram_around, latency_of

_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
_counts = st.integers(0, 2**40)
_positive = st.floats(0, 1e9, allow_nan=False)
# Clocks count nanoseconds: nothing lasts so short that a rate becomes infinite.
_durations = st.integers(0, 10**18).map(lambda nanoseconds: nanoseconds / 1e9)
_maps = st.dictionaries(_names, _texts, max_size=3)
# Microseconds: what a database keeps of a moment.
_moments_ns = st.integers(1_600_000_000_000_000, 1_900_000_000_000_000).map(lambda microseconds: microseconds * 1000)
_moments = _moments_ns.map(lambda ns: datetime.fromtimestamp(0, UTC) + timedelta(microseconds=ns // 1000))

_costs = st.builds(
    Cost,
    cpu_s=st.none() | _positive,
    cpu_percent_mean=st.none() | _positive,
    cpu_percent_peak=st.none() | _positive,
    memory_mean_bytes=_positive,
    memory_peak_bytes=st.integers(0, 2**40),
    pss_peak_bytes=st.none() | st.integers(0, 2**40),
)

_gauges = st.builds(Gauge, unit=_texts, mean=_positive, maximum=_positive, readings=st.integers(1, 2**40))


_shares = st.dictionaries(_names, _positive, max_size=3)
_violations = st.builds(Violations, _counts, st.lists(_maps, max_size=2))
_audits = st.builds(
    Audit, clean=st.booleans(), entities=_counts, lost=_violations, checked_entities=st.none() | _counts
)
_settled = st.builds(Settled, phase=_counts, steady=st.none() | st.booleans())
_warm_ups = st.builds(
    WarmUp,
    duration_s=_positive,
    rule=_texts,
    operations_per_s=st.lists(_counts, max_size=3),
    later=st.lists(_settled, max_size=2),
    cold_start=st.none() | st.builds(ColdStart, p50_ms=st.none() | _positive),
)
_phase_activities = st.builds(PhaseActivity, looks=st.none() | _counts, vacuum_s=_positive, wait_shares=_shares)
_activities = st.builds(
    DatabaseActivity,
    commits=st.none() | _counts,
    wait_shares=_shares,
    phases=st.none() | st.dictionaries(_names, _phase_activities, max_size=2),
)
_machine_states = st.builds(MachineState, steal_percent=st.none() | _positive, outside_phases_s=_shares)


@st.composite
def _operations(draw: st.DrawFn) -> MeasuredOperation:
    encoded = histogram_around(draw(st.sampled_from([0.1, 1.0, 250.0])))
    kinds = st.dictionaries(_names, _counts, max_size=2)
    return MeasuredOperation(
        requests=draw(_counts),
        ok=draw(_counts),
        failed=draw(_counts),
        errors=draw(kinds),
        statuses=draw(kinds),
        checked=draw(_counts),
        checks_failed=draw(_counts),
        latency=latency_of(encoded),
        histogram=encoded,
    )


@st.composite
def _measured(draw: st.DrawFn, duration_s: float | None = None) -> Measured:
    encoded = histogram_around(draw(st.sampled_from([0.1, 1.0, 250.0])))
    return Measured(
        duration_s=draw(_durations) if duration_s is None else duration_s,
        requests=draw(_counts),
        ok=draw(_counts),
        failed=draw(_counts),
        operations=draw(_counts),
        unsent=draw(_counts),
        errors=draw(st.dictionaries(_names, _counts, max_size=3)),
        bytes_sent=draw(_counts),
        bytes_received=draw(_counts),
        latency=latency_of(encoded),
        histogram=encoded,
        costs=draw(st.dictionaries(st.sampled_from(ROLES), _costs, max_size=3)),
        by_operation=draw(st.dictionaries(_names, _operations(), max_size=2)),
        gauges=draw(st.dictionaries(_names, _gauges, max_size=2)),
    )


@st.composite
def _phases(draw: st.DrawFn) -> list[PhaseResult]:
    phases = []
    for number in range(1, draw(st.integers(0, 3)) + 1):
        begin_ns, milliseconds = draw(_moments_ns), draw(st.integers(1, 1_000_000))
        result = draw(_measured(milliseconds / 1000))
        rate = draw(st.none() | st.floats(0.001, 1e6))
        users = draw(st.integers(0, 100_000))
        end_ns = begin_ns + round(milliseconds / 1000 * 1e9)
        phases.append(PhaseResult(number, draw(_names), users, begin_ns, end_ns, result, rate))
    return phases


@st.composite
def run_results(draw: st.DrawFn) -> RunResult:
    """Any run, its moments in whole microseconds."""
    samples = [
        Sample(
            at_ns,
            draw(st.sampled_from(ROLES)),
            draw(_positive),
            draw(st.integers(0, 2**40)),
            draw(st.none() | st.integers(0, 2**40)),
        )
        for at_ns in sorted(draw(st.sets(_moments_ns, max_size=5)))
    ]
    seconds = st.builds(Second, _positive, st.integers(0, 9), _counts, _counts, st.none() | _positive, _positive)
    severity = st.sampled_from(["info", "warning", "error"])
    return RunResult(
        target=draw(_names),
        workload=draw(_names),
        language=draw(_names),
        protocol=draw(_names),
        mode=draw(_names),
        payload=draw(_names),
        engine=draw(_names),
        engine_version=draw(_texts),
        settings=draw(_maps),
        started_at=draw(_moments),
        finished_at=draw(_moments),
        status=draw(st.sampled_from(Status)),
        failure=draw(st.none() | _texts),
        start_to_healthy_s=draw(st.none() | _positive),
        phases=draw(_phases()),
        total=draw(st.none() | _measured()),
        samples=samples,
        findings=draw(st.lists(st.builds(Finding, _names, severity, _texts, _texts), max_size=3)),
        environment=draw(_maps),
        audit=draw(st.none() | _audits),
        ceilings=draw(st.dictionaries(_names, _positive, max_size=3)),
        stream_file=None,
        contender=draw(_names),
        factors=draw(_maps),
        round=draw(st.integers(1, 1000)),
        timeline=draw(st.lists(seconds, max_size=3)),
        warm_up=draw(st.none() | _warm_ups),
        database_activity=draw(st.none() | _activities),
        machine_state=draw(st.none() | _machine_states),
        checks=draw(st.dictionaries(_names, st.floats(0, 1), max_size=3)),
        workload_digest=draw(_texts),
        vectors_digest=draw(_texts),
    )
