"""Every kind of finding. A function that detects one refers to its entry and gives the measured values."""

from functools import partial

from bakeoff.project import COMMAND
from bakeoff.results.findings import FindingKind, KindLimits

_VOID = "all of the run, which is void"
_RUN = "all of the run"
_ROUNDS = "all of these rounds"
_RANKS = "throughput and ranks"
_INTERVALS = "intervals and ranks"
_ABSOLUTE = "absolute figures; ratios within a round are valid"
_NONE = "none"

_info = partial(FindingKind, "info")
_warning = partial(FindingKind, "warning")
_error = partial(FindingKind, "error")

# Of the requests of a run.

ERRORS = _warning(
    "errors",
    "Requests failed; an error where more failed than the threshold of the run allows.",
    _RUN,
    "{failed:,} of {requests:,} requests failed ({share:.2%}): {kinds}.",
    "Read {log}. Figures of a run with errors do not show the target's speed.",
)
MANY_ERRORS = ERRORS.worded(ERRORS.message, ERRORS.advice, "error")
THRESHOLD = _warning(
    "threshold",
    "A latency percentile of the run crossed its threshold.",
    _NONE,
    "{percentile} was {latency_ms:,.0f} ms, and the threshold is {threshold_ms:,.0f} ms.",
    "Look at the phases: the first one above the threshold has more load than this target can handle.",
)
STOPPED_EARLY = _warning(
    "stopped-early",
    "A saturation run ended because too many requests failed.",
    "loads that were not measured",
    "The run ended after {phase}: {share:.1%} of its requests failed, more than {0:.0%}. Not measured: {left}.",
    "The highest load that it holds is below that: read the phases before. --users measures other loads.",
    KindLimits("{0:.0%} of the requests of a phase", 0.10),
)
NOT_SUSTAINED = _warning(
    "not-sustained",
    "A window of mode sustained contained too little of PostgreSQL's upkeep, or the table fitted into its buffers.",
    "what the window says of lasting load",
    "In phase {phase} {problems}.",
    "Take longer windows (--phase-duration) or more rows (--preload). A server of your own needs PostgreSQL's default "
    "checkpoint settings.",
    KindLimits("{0:g} checkpoints, {1:g} autovacuum", 2, 1),
)
WRONG_READS = _error(
    "wrong-reads",
    "Reads returned a state that the acknowledged writes exclude.",
    _VOID,
    "Reads showed states that the writes before them exclude. {replies}.",
    "This run is void, like one that loses writes. Read one document by hand after writing it: the target may answer "
    "with another one, or from a cache.",
)
CHECKS_FAILED = _error(
    "checks-failed",
    "Replies of an operation had wrong content.",
    _RUN,
    "Replies had wrong content. {replies}.",
    f"{COMMAND} conform checks every reply of its cases. Unchecked replies are taken to fail as often as checked ones.",
    KindLimits("{0:.1%} of the checked replies", 0.001),
)
SLOW_OPERATION = _info(
    "slow-operation",
    "One operation is much slower than all others.",
    "latency percentiles of all operations together",
    "{operation} took {median_ms:,.3g} ms (p50), the slowest of the other operations {next_ms:,.3g} ms. It is "
    "{share:.0%} of the requests, so percentiles of all operations together show only one of them.",
    "Judge it by its own figures: every table has them by operation, and --operation {quoted} sends it alone.",
    KindLimits("{0:g} times the p50 of the next one, and {1:g} ms, each of {2:g} requests or more", 5.0, 10.0, 5),
)

# Of the load generator.

NOT_CALIBRATED = _info(
    "not-calibrated",
    "The capacity of the engine is not measured on this machine for this load.",
    _RANKS,
    "The capacity of this build of the engine {engine} is not measured on this machine for this kind of load.",
    "{calibrate} measures it; until then a limit of the engine can look like a limit of the target.",
)
GENERATOR_BOUND = _warning(
    "generator-bound",
    "Throughput is near the capacity of the load generator, so the target may be faster.",
    _RANKS,
    "The fastest phase reached {peak_per_s:,.0f}/s, {share:.0%} of the {ceiling_per_s:,.0f}/s that {engine} can do "
    "here.",
    "The target may be faster than this figure. Use a more efficient engine, or larger messages.",
    KindLimits("{0:.0%} of the engine's capacity", 1 / 3),
)
PEAK_GENERATOR_BOUND = GENERATOR_BOUND.worded(
    "Its peak is {share:.0%} of what {engine} can do here.", GENERATOR_BOUND.advice
)
GENERATOR_LAGGED = _warning(
    "generator-lagged",
    "The engine sent requests late.",
    "latency of the level, and ranks by it",
    "At {load} the generator ran late ({quantile} {lag_ms:.2g} ms): distrust latency there.",
    "The engine lacked CPU, so part of the latency is its own; a rank by throughput stays. Give it its own core "
    "(--pin engine=1), or lower the load.",
    KindLimits("{0:.0%} of the latency at p50 or at p99, and {1:g} ms", 0.1, 0.1),
)
UNSENT = _warning(
    "unsent",
    "Scheduled requests found no free virtual user.",
    "throughput and latency: the load was lower than planned",
    "{unsent:,} scheduled requests could not be sent in time.",
    "The load was lower than planned: allow more virtual users, or lower the rate.",
)
AGENTS_NOT_SYNCHRONIZED = _warning(
    "agents-not-synchronized",
    "Agents started a phase at different times.",
    "figures per second, and throughput of short phases",
    "The agents started a phase {apart_ms:,.0f} ms apart.",
    "The load was lower than planned at the start and end of each phase, and figures per second are imprecise. Give "
    "the agents more CPU, or a better network.",
    KindLimits("{0:g} ms", 50.0),
)
COUNTS_DISAGREE = _error(
    "counts-disagree",
    "Agents, merged stream, ledgers and table disagree on the number of acknowledged operations.",
    _VOID,
    "The counts of this run disagree: {problem}.",
    "This run is void: a part of the load was lost or counted twice. Compare the streams of the agents, which are "
    "in the folder of the run's stream.",
)

# Of what was stored.

AUDIT_FAILED = _error(
    "audit-failed",
    "Acknowledged writes are missing, wrong or stale, or rows changed that no request names.",
    _VOID,
    "The audit found acknowledged writes that are not stored correctly: {broken}.",
    "This run is void: throughput without durability does not count. The run's JSON file lists examples.",
)
PRELOADED_ROWS_CHANGED = AUDIT_FAILED.worded(
    "Of {rows:,} rows that were inserted before the run and that no operation updates, {changed}.",
    "This run is void: the target changes rows that no request names, or another process writes to the table.",
)
PRELOADED_ENTITIES_CHANGED = AUDIT_FAILED.worded(
    "Of {count:,} entities that were created before the run and that no operation updates: {broken}.",
    "This run is void: the target changes entities that no request names, or another process does.",
)
VOID_ROUNDS = AUDIT_FAILED.worded(
    "Acknowledged writes are missing from the database.",
    "These rounds are void: throughput without durability does not count.",
)
NOT_AUDITED = _info(
    "not-audited",
    "The stored state was not compared with the acknowledged writes.",
    "correctness of what is stored: it is not known",
    "Acknowledged writes were not audited: the workload has no audit query, and names no operation that reads entities "
    "back.",
    'Add one to the workload: read_back = "GetThing", an operation with a reads table; or audit = "audit.sql", '
    "which returns (key, document) of every row.",
)
NOT_AUDITED_BY_READS = NOT_AUDITED.worded(
    "Acknowledged writes were not audited: the target stores in no PostgreSQL that the lab could ask, and the workload "
    "names no operation that reads entities back.",
    'Add one to the workload: read_back = "GetThing", an operation with a reads table.',
)
NOT_AUDITED_WITHOUT_LEDGER = NOT_AUDITED.worded(
    "The engine {engine} keeps no ledger, so the stored state could not be audited.",
    "Use the native engine for audited runs: --engine native.",
)
NOT_AUDITED_AFTER_FAILURE = NOT_AUDITED.worded(
    "The run failed before its stored state could be audited.",
    "Its figures are not used. Find the cause of the failure, then run it again.",
)
AUDIT_INCOMPLETE = _warning(
    "audit-incomplete",
    "The ledger of acknowledged writes is truncated.",
    "correctness of what is stored: a part is not known",
    "The ledger of acknowledged writes is truncated, so the audit covers only part of the run.",
    "Run it again: an engine that ends normally writes a complete ledger.",
)
AUDITED_BY_READS = _info(
    "audited-by-reads",
    "The stored state was read through the target, not from a database.",
    _NONE,
    "The stored state was read back through {operation}: {checked} of {entities:,} entities.",
    "An audit of a database reads every row; this one reads the acknowledged entities through the target, of many "
    "entities a random sample.",
)
UNEXPLAINED_ROWS = _warning(
    "unexplained-rows",
    "The database contains rows that no request sent.",
    "correctness of what is stored",
    "The database contains {rows:,} entities that no request sent.",
    "Either another process writes to the table, or the target stores data that it did not receive.",
)
NOT_DURABLE = _error(
    "not-durable",
    "A crash lost acknowledged writes, or settings, tables or flushes show that one can.",
    "comparisons with durable runs",
    "{problems}",
    "Its figures are not comparable with durable ones, and it is ranked apart. Switch durability on in the target and "
    "the server, or declare a contender that promises no storage.",
)
READ_REPLICA = _info(
    "read-replica",
    "Reads were served by a streaming replica.",
    _NONE,
    "A streaming replica served {transactions:,} transactions of the target. Commits waited until it had applied "
    "them, so reads show every change that was acknowledged before.",
    "Its cost counts as the database's, and it raises the latency of writes: compare with the same target without "
    "--read-replica. A replica that applies changes later is faster to write to and breaks the contract.",
)

# Of target and machine during a run.

NOT_STEADY = _warning(
    "not-steady",
    "Throughput was still changing when a level was measured.",
    _RANKS,
    "At {loads} throughput was still changing after {longest_s:.0f} s of warm-up.",
    "The target may still have been warming up when it was measured, or other processes disturbed it. A longer "
    "--warm-up or --settle allows more time. For a target that compiles while it runs, state warm_up_s in its "
    "description.",
)
STATED_WARM_UP = _info(
    "stated-warm-up",
    "The target was driven for as long as its description says that it warms up.",
    _NONE,
    "Under load for {loaded_s:.0f} s before the first window, as the target's description states (warm_up_s).",
    "Throughput may look steady sooner, while a runtime still compiles. Targets that state nothing are measured once "
    "throughput is steady.",
)
NOISY_MACHINE = _warning(
    "noisy-machine",
    "Other processes or the hypervisor used the CPU.",
    _RUN,
    "During the run {used} of a core.",
    "Stop other work on this machine, or compare only contenders that ran interleaved in many rounds.",
    KindLimits("{0:g}% of a core (other processes), {1:g}% (hypervisor)", 10.0, 2.0),
)
SAMPLING_OVERHEAD = _warning(
    "sampling-overhead",
    "The lab's own sampling used CPU.",
    "throughput, latency and CPU",
    "The lab's sampling used {used_percent}% of a core; above {0:g}% it disturbs the measurement.",
    "Every process of target and database is sampled: fewer workers and connections make sampling cheaper. On a "
    "machine with spare cores, --pin keeps the lab off the target's cores.",
    KindLimits("{0:g}% of a core, in a run of {1:g} s or more", 1.0, 5.0),
)
BUSY_WHILE_WAITING = _warning(
    "busy-while-waiting",
    "With --against, the target used CPU while the other side was measured.",
    "the difference between both sides",
    "The target used {cpu_percent:.0f}% of a core while the other side was measured; above {0:g}% that slows the "
    "other side, and flatters this one.",
    "Work that it defers until it has no load (garbage collection, compilation, a flush) is part of its cost: compare "
    "the CPU per operation, which includes it, or measure both commits in separate comparisons.",
    KindLimits("{0:g}% of a core", 5.0),
)
DATABASE_BUSY_WHILE_WAITING = _warning(
    "database-busy-while-waiting",
    "With --against, the database of one side worked while the other side was measured.",
    "the difference between both sides",
    "While the other side was measured, the database used {cpu_percent:.0f}% of a core (limit {0:g}%), and vacuumed or "
    "wrote a checkpoint for {maintained_s:.1f} s. That slows the other side.",
    "Such work is a cost of what was written before. Measure longer rounds, in which both sides pay for their own, or "
    "both commits in separate comparisons.",
    KindLimits("{0:g}% of a core, any vacuum, any checkpoint", 5.0),
)
MEMORY_GROWING = _warning(
    "memory-growing",
    "The target's memory grew during all of the longest phase.",
    "memory",
    "The target's memory grew during all of phase {phase}, {seconds:.0f} s of one load: from {first_mb:.0f} to "
    "{last_mb:.0f} MB.",
    "It may leak memory, or its garbage collector has not settled. A longer phase shows which: --phase-duration 5m.",
    KindLimits("{0:.0%} and {1:g} MiB after the first quarter of a phase of {2:g} s or more", 0.10, 8.0, 20.0),
)
GAUGES_UNREAD = _warning(
    "gauges-unread",
    "A target did not show a gauge that it declares.",
    "its gauges",
    "{failed:,} of {attempts:,} readings of the gauges of {process} failed at {address}: {reason}.",
    "Its gauges are unknown or incomplete; everything else was measured. Correct path, port and names of its gauges. "
    "A process must answer within a second.",
    KindLimits("{0:.0%} of the readings", 0.1),
)
CLOCK_ADJUSTED = _warning(
    "clock-adjusted",
    "The wall clock jumped during the run.",
    "CPU and memory of each phase",
    "The wall clock was adjusted by {jump_s:+.1f} s during the run. Throughput and latency use a monotonic clock and "
    "are valid; CPU and memory of each phase are unknown.",
    "Wait until the clock is synchronised, then run it again to measure the costs.",
)
CONCURRENT_BUILDS = _info(
    "concurrent-builds",
    "Targets were built during the run.",
    _RUN,
    "Builds ran at the same time ({builds}): the figures are those of a busy machine.",
    "Run it again for figures without builds.",
)

# Of a contender.

EARLY_END = _error(
    "early-end",
    "A run failed, or was interrupted (a warning).",
    _ROUNDS,
    "A run ended early: {reason}",
    "Its figures are not used. Read the target's log{logs}, then run it again.",
)
INTERRUPTED = EARLY_END.worded(EARLY_END.message, "Its figures are not used. Run it again.", "warning")
NO_SUCCESSFUL_REQUESTS = _error(
    "no-successful-requests",
    "No request of a run got the expected reply.",
    _ROUNDS,
    "No request got the expected reply.",
    "These rounds are not used. Read the target's log{logs}.",
)
NO_LEVEL_KEPT = _error(
    "no-level-kept",
    "The contender has no rank: no load level kept the thresholds of a rank.",
    "ranks",
    "No load level kept the thresholds of a rank ({objectives}), so it has none.{failing}",
    f"Read its errors with {COMMAND} runs show, or measure lower loads (--users).",
)
CONNECTION_EXHAUSTION = _error(
    "connection-exhaustion",
    "The machine or the target's backlog refused connections.",
    _ROUNDS,
    "Connections failed: {kinds} in one round.",
    f"This measured limits of the machine or of the target's backlog, not its speed: {COMMAND} doctor shows them.",
)
TABLE_GROWTH = _warning(
    "table-growth",
    "Throughput fell within phases of constant load while the table grew.",
    "the breaking point, and higher loads",
    "Throughput fell by {fall:.0%} while {rows:,} rows were inserted, {within:.0%} of it within phases, at constant "
    "load: the growing table explains it, not the load.",
    "No breaking point is reported. Start with a full table (--preload 100000), shorten the phases, or add an index "
    "for the columns that reads search.",
    KindLimits(
        "a fall of {0:.0%}, {1:.0%} of it within phases, while {2:,.0f} rows or more were inserted", 0.10, 0.5, 1000
    ),
)
TREND = _warning(
    "trend",
    "Throughput rose or fell within the windows that rank, so these rounds are compared with no other.",
    _RANKS,
    "Throughput {direction} by {change:.0%} within a window, so these rounds are in no comparison.",
    "There was no steady state. If throughput rose, let levels settle for longer (--settle) or use longer phases "
    "(--phase-duration); if it fell, look for a table, log or heap that grows.",
    KindLimits(
        "{0:.0%} in one window, or {1:.0%} in all windows of a contender on average; noise that remembers {3:g} s "
        "does as much for {2:.0%} of contenders",
        0.10,
        0.05,
        0.05,
        3.0,
    ),
)
INDICATIVE = _warning(
    "indicative",
    "The contender has no rank: its windows are too short, or throughput was not steady.",
    "ranks",
    "It has no rank: it {reasons}.",
    "Use windows of at least {0:.0f} s (--phase-duration 10s), and let levels settle (--warm-up, --settle); where "
    "throughput was not steady, other findings may show the cause.",
    KindLimits("windows of {0:g} s", 10.0),
)
CONTENDER_DRIFT = _warning(
    "contender-drift",
    "Throughput of one contender changed steadily from round to round.",
    _INTERVALS,
    "Throughput {direction} by {change:.0%} from round {first} to round {last}{others}.",
    "Each round has a new process and a fresh table: look for effects that last between rounds, such as "
    "heat.{if_alone}",
    KindLimits("{0:.0%}, and more than chance", 0.10),
)
ATTACHED_DRIFT = CONTENDER_DRIFT.worded(
    CONTENDER_DRIFT.message,
    "One process serves all rounds and may change with age: restart it and measure again.{if_alone}",
)
MISSING_ROUNDS = _warning(
    "missing-rounds",
    "A contender has fewer valid rounds than planned.",
    _INTERVALS,
    "Only {valid} of {rounds} rounds are valid.",
    f"Its intervals are wider than necessary; {COMMAND} run --resume runs what is missing.",
)
HIGH_VARIANCE = _warning(
    "high-variance",
    "Throughput differs between rounds.",
    _INTERVALS,
    "Throughput differs between rounds by {spread:.0%} (standard deviation), from {lowest} to {highest} operations/s.",
    "Stop other work on the machine, or add rounds: the interval shrinks with the square root of their number.",
    KindLimits("a standard deviation of {0:.0%}", 0.10),
)
PAYLOAD_MISMATCH = _error(
    "payload-mismatch",
    "A contender was sent more or fewer bytes per request than others with the same load.",
    "comparisons with the other contenders",
    "{own:,.0f} bytes were sent per request, but {usual:,.0f} by other contenders with the same load.",
    "The contenders did not get the same work: compare the engines' versions and the seeds of the runs.",
    KindLimits("{0:.0%} of the median", 0.05),
)
MORE_STATEMENTS = _info(
    "more-statements",
    "A target sends more statements to PostgreSQL for an operation than another target of the workload.",
    _NONE,
    "More statements to PostgreSQL than the leanest target sends: for {more} of {operations} operations, at most "
    "{most} in place of {least}.",
    "A difference to that target includes these statements and round trips: it is not that of the frameworks alone. "
    "statements.toml in the target's folder has the counts of every operation.",
)
SATURATION_POINT = _info(
    "saturation-point",
    "The load at which throughput reaches its plateau or errors spike.",
    _NONE,
    "It is saturated at {users}: throughput reaches its plateau with {per_s}, and {beyond} change that by {gain:+.1%}.",
    "Beyond its plateau more users only wait longer.",
    KindLimits("plateau: a gain below {0:.0%}; spike: {1:.0%} of the requests fail", 0.05, 0.10),
)
NOT_SATURATED = SATURATION_POINT.worded(
    "It is not saturated: {users} reach {per_s}, more than fewer users do.",
    "--users 2000,4000 measures higher loads.",
)
ERRORS_SPIKE = SATURATION_POINT.worded(
    "It is saturated at {users} ({per_s}): at {beyond} errors spike.",
    "Plan for fewer users than that, and look at what fails first.",
)
CPU_BOUND = _info(
    "cpu-bound",
    "The CPU of the target limits its throughput.",
    _NONE,
    "{evidence}",
    "Profile the target: its CPU per operation limits its throughput here.",
)
DATABASE_BOUND = _info(
    "database-bound",
    "PostgreSQL limits throughput.",
    _NONE,
    "{evidence}",
    "Fewer or cheaper statements per operation would raise this limit. Where sessions wait for the log, so would a "
    "faster disk or larger batches.",
)
POOL_BOUND = _info(
    "pool-bound",
    "The target's connection pool limits throughput.",
    _NONE,
    "{evidence}",
    "If the database has CPU available, raise pool_size: --set pool_size=32.",
)
MACHINE_BOUND = _info(
    "machine-bound",
    "Target, database and engine together use all cores.",
    _ABSOLUTE,
    "{evidence}",
    "Target, database and engine share these cores: ratios are valid, absolute figures apply to this machine only.",
)
LOAD_BOUND = _info(
    "load-bound",
    "The highest load that was measured gave the most throughput, and more than the one before it.",
    "the maximum",
    "{evidence}",
    "It may be able to do more: use more virtual users (--users).",
    KindLimits("{0:.0%} more than the level before it", 0.10),
)

# Of a comparison.

TOO_FEW_ROUNDS = _warning(
    "too-few-rounds",
    "The comparison has too few rounds for an interval.",
    _INTERVALS,
    "{rounds} cannot separate a difference from chance.",
    "Intervals need {fewest} rounds and become narrower with more: --rounds 5.",
)
DRIFT = _warning(
    "drift",
    "The contenders together were faster in one round than in another.",
    _ABSOLUTE,
    "In round {fastest} the contenders together were {change:.0%} faster than in round {slowest}.",
    "Other processes used the machine, or its CPU throttled. Ratios are computed within rounds and remain valid; "
    f"absolute figures do not. {COMMAND} doctor looks for the cause.",
    KindLimits("{0:.0%}", 0.10),
)
THROTTLED = _warning(
    "throttled",
    "A core was slower before one run than before another.",
    _ABSOLUTE,
    "A core was {slower:.0%} slower {where}.",
    "Possible causes: heat, power saving, other virtual machines. Set the governor to performance, let the machine "
    "cool down, or add rounds.",
    KindLimits("{0:.0%}", 0.10),
)
# A disk's latency varies more than a core's speed.
UNEVEN_DISK = _warning(
    "uneven-disk",
    "A flush of the database's disk took longer around one run than around another.",
    "writes of these rounds",
    "A flush of the database's disk took {slowest:.2f} ms around a run of round {slow}, and {fastest:.2f} ms around "
    "one of round {fast}.",
    "Another process or virtual machine uses the disk, or it throttles. Stop other work, or add rounds: durable writes "
    "cannot be faster than flushes.",
    KindLimits("{0:g} times as long", 2.0),
)
UNEVEN_MAINTENANCE = _warning(
    "uneven-maintenance",
    "A vacuum or a checkpoint ran in the windows of some contenders only.",
    "ranks of these rounds",
    "A vacuum or a checkpoint ran in the windows of some contenders only: {windows}.",
    "It used CPU and disk in these windows only. Add rounds, or use longer phases, so that every contender has one.",
)
UNEVEN_FLUSHES = _warning(
    "uneven-flushes",
    "Flushes of the write-ahead log were slow in the windows of some contenders only.",
    "ranks of these rounds",
    "Flushes of the write-ahead log took {0:g} times as long as usual in some windows: {windows}.",
    "The disk was slower there than for the others of the round. Stop other work on it, or add rounds.",
    KindLimits("{0:g} times the contender's median over rounds", 2.0),
)
AA_DIFFERENCE = _error(
    "aa-difference",
    "The two contenders of an A/A pair differ.",
    "differences of this size",
    "The two contenders of an A/A pair differ: {ratio}.",
    "Either the lab favours one of them, or it is chance (one comparison of equals in twenty). Run it again with more "
    "rounds before you trust a difference of this size.",
)
ENVIRONMENT_CHANGED = _warning(
    "environment-changed",
    "Commit, machine, kernel, database or lab differ between runs.",
    "comparisons between these runs",
    "Different between runs: {changed}.",
    "Compare only runs of one commit on one machine.",
)
UNCOMMITTED_CHANGES = _info(
    "uncommitted-changes",
    "The project had uncommitted changes.",
    _NONE,
    "The project had uncommitted changes.",
    "These figures cannot be reproduced exactly: commit, then run it again for figures to keep.",
)
INCOMPLETE = _warning(
    "incomplete",
    "The comparison was interrupted, has failed or is running.",
    _INTERVALS,
    "The comparison is {status}: some contenders lack runs.",
    f"{COMMAND} run --resume runs what is missing.",
)

KINDS: dict[str, FindingKind] = {}
"""By name; the first entry of a name describes it, the others are worded for another way to find it."""
for _each in [*globals().values()]:
    if isinstance(_each, FindingKind):
        KINDS.setdefault(_each.name, _each)

VOIDING = tuple(_name for _name, _kind in KINDS.items() if _kind.affects == _VOID)
"""Kinds that void a run: its writes were lost, its reads were wrong, or its counts disagree."""
LOSING = tuple(name for name in VOIDING if name != COUNTS_DISAGREE.name)
"""Those that show that the contender lost data, or answered wrongly."""
