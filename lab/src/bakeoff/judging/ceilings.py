"""A throughput against what this machine can do: the load generator's ceiling and the database's reference lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from bakeoff.judging.contender_runs import level_name
from bakeoff.judging.judgement import ReferenceLine
from bakeoff.results.reference_lines import BATCHES, LARGE_ROWS, ONE_EACH, line_that_commits_like, rows_per_commit
from bakeoff.results.run import RunResult
from bakeoff.storage.stored_runs import StoredRun

# A line further off than this share of it shows nothing.
_NEAR = 0.2
# In a run's ceilings; every other name there is a reference line.
_ENGINE = "engine"
# Reference lines are drawn with messages of this size.
_LINES_PAYLOAD = "default"


@dataclass(frozen=True)
class CeilingShares:
    """Shares of a throughput: of the engine's ceiling, None without a calibration, and of each reference line.

    Messages of a size that no line was drawn with have no shares of lines. The ceiling is that of one engine, however
    many `agents` shared the load: they may share its cores too.
    `operations_per_commit` are those at this throughput.
    """

    ceiling_share: float | None
    reference_shares: Mapping[str, float]
    agents: int = 1
    operations_per_commit: float | None = None


def operations_per_commit(run: RunResult, phase: int | None) -> float | None:
    """Operations in each commit that wrote, in one phase; None where that is not counted."""
    activity, number = run.database_activity, str(phase)
    if activity is None or activity.phases is None or number not in activity.phases:
        return None
    commits = activity.phases[number].commits
    operations = sum(each.measured.operations for each in run.phases if each.number == phase)
    return operations / commits if commits and operations else None


def limits_of(run: RunResult, throughput_per_s: float, per_commit: float | None = None) -> CeilingShares:
    """The shares, by the calibrations that the run was compared with; `per_commit` are operations."""
    shares = {name: throughput_per_s / rate for name, rate in run.ceilings.items() if rate > 0}
    ceiling_share = shares.pop(_ENGINE, None)
    of_lines = shares if run.payload == _LINES_PAYLOAD else {}
    return CeilingShares(ceiling_share, of_lines, agents_of(run.settings), per_commit)


def agents_of(settings: Mapping[str, str]) -> int:
    """How many engines shared the load, by the settings of a run."""
    count = settings.get("agents", "")
    return int(count) if count.isdecimal() else 1


def with_own_lines(runs: Sequence[StoredRun], draws: Mapping[str, Sequence[float]]) -> list[StoredRun]:
    """The runs compared with the median of what was measured before and after them, in the place of any other lines."""
    if not draws:
        return list(runs)
    lines = {name: median(rates) for name, rates in draws.items()}
    return [
        replace(run, result=replace(run.result, ceilings={**own, **lines}))
        for run in runs
        for own in [{name: rate for name, rate in run.result.ceilings.items() if name == _ENGINE}]
    ]


def reference_lines(runs: Sequence[RunResult], draws: Mapping[str, Sequence[float]]) -> list[ReferenceLine]:
    """PostgreSQL alone, and the generator over each protocol, as the newest run knows them; the lowest first."""
    alone = {name: rate for run in runs for name, rate in run.ceilings.items() if name != _ENGINE}
    # How far the draws of a line lie apart; nothing where it was not drawn for this comparison.
    apart = {
        name: f" ({min(each):,.0f} to {max(each):,.0f}, measured before and after)" for name, each in draws.items()
    }
    lines = [
        ReferenceLine(name, None, f"PostgreSQL alone, {name}{apart.get(name, '')}", rate)
        for name, rate in alone.items()
    ]
    engines = {
        (run.protocol, run.settings.get("tls") == "on", run.payload): run.ceilings[_ENGINE]
        for run in runs
        if _ENGINE in run.ceilings
    }
    lines += [
        ReferenceLine(
            f"{_ENGINE} {protocol}{' tls' if encrypted else ''}",
            payload,
            f"generator capacity, {level_name(protocol)}{' with TLS' if encrypted else ''}",
            rate,
        )
        for (protocol, encrypted, payload), rate in engines.items()
    ]
    return sorted(lines, key=lambda line: line.per_s)


def limits_in_words(limits: CeilingShares) -> str:
    """For people; empty where nothing was calibrated."""
    shares = limits.reference_shares
    alike = line_that_commits_like(shares, limits.operations_per_commit)
    words = []
    if alike is not None and alike != ONE_EACH:
        words.append(f"{shares[alike]:.2f}× PostgreSQL alone with as many operations per commit ({alike})")
    if ONE_EACH in shares:
        words.append(f"{shares[ONE_EACH]:.2f}× PostgreSQL alone ({ONE_EACH})")
    if limits.ceiling_share:
        who = "the engine" if limits.agents == 1 else "one engine"
        words.append(f"{who} can send {1 / limits.ceiling_share:.1f} times as much")
    return " · ".join(words)


def limiting_lines(shares: Mapping[str, float], operations_per_commit: float | None) -> dict[str, float]:
    """The shares that may be a limit: of lines that the run is near to and that commit as it did.

    Shares are costs of an operation too: the line's time for one, in units of the run's. Two lines show what a commit
    costs PostgreSQL and what a row does, and so what it could do with as many operations in a commit as the run had. A
    line stands for that where the two are near each other; without both lines, or the database's own count of
    commits, none does.
    """
    if operations_per_commit is None or not shares.keys() >= {ONE_EACH, BATCHES}:
        return {}
    attainable = _attainable(shares[ONE_EACH], shares[BATCHES], max(1.0, operations_per_commit))
    return {
        name: share
        for name, share in shares.items()
        if rows_per_commit(name) is not None and _near(share, 1.0) and _near(attainable, share)
    }


def _attainable(one_each: float, batches: float, operations_per_commit: float) -> float:
    """The share that a line with so many operations in a commit would have."""
    commit = (one_each - batches) / (1 - 1 / LARGE_ROWS)
    row = one_each - commit
    return row + commit / operations_per_commit


def _near(value: float, other: float) -> bool:
    return abs(value / other - 1) <= _NEAR
