"""The one table of factors and options: each entry is declared here and nowhere else.

From it are made the options of `./bakeoff run`, the keys of experiments and their JSON Schema, contenders' names, the
stored request, what a run's record says of it, and docs/REFERENCE.md. `./bakeoff generate` writes the generated files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.documents.checked import Json
from bakeoff.options import kinds
from bakeoff.options.kinds import ValueKind, planned_ping
from bakeoff.options.option import Excludes, Requires, Suits, option

CLASSES = ("standard", "tuned", "all")
# The programs of a run.
IN_PROCESSES, DOCKER, KUBERNETES = "processes", "docker", "kubernetes"
# As many as bakeoff/targets/replicas.cfg names.
MOST_REPLICAS = 8
MOST_ROUNDS = 1000
# Factors that decide what stands before and behind a target's processes.
AROUND_TARGET = ("replicas", "pgbouncer", "pgbouncer_connections", "read_replica", "overlay")
# Factors that change no message: where programs run, how many of them, and how tables are laid out.
PLACEMENT = ("agents", "runs_in", *AROUND_TARGET)
MODES = ("smoke", "quick", "full", "saturation", "sustained", "rate", "equal", "count")
# Variables that options need or exclude, as if they were options.
DATABASE_URL = "DATABASE_URL"
ENVIRONMENT = (DATABASE_URL,)
_BESIDE_PHASES = Excludes("own_phases", "phases declare every load and its duration")
_OF_STARTED_TARGETS = Excludes("attached", "the lab cannot configure, pin or limit a target that it did not start")
_OF_TRIALS = Excludes("slo", "the search makes trials, which --json prints")
_OF_PROCESSES = Suits("is for targets that the lab starts as processes", lambda it: it.is_process)
_IN_POSTGRESQL = Suits("is for targets that store in PostgreSQL", lambda it: it.stores_in_postgresql)
_OVER_HTTP2 = Suits("is for gRPC, and for --http-version 2", lambda it: it.is_http2)


def _on_hosts(agents: int | str) -> bool:
    return isinstance(agents, str)


def _is(place: str) -> Callable[[str], bool]:
    return place.__eq__


@dataclass(frozen=True, kw_only=True)
class FactorTable:
    """The factors: a comparison can measure several levels of each, and a contender has one."""

    settings: Mapping[str, str] = option(
        {},
        kinds.assignments("NAME=VALUE", "name=value, such as pool_size=20"),
        "Setting of the target, such as pool_size=20; may be repeated",
        flag="set",
        unset="the target's own",
        excludes=(_OF_STARTED_TARGETS,),
    )
    payload: str = option(
        "default",
        kinds.text("SIZE"),
        "Message size, such as default or 4k; several as 4k,8k, and all for every size in bytes",
        plan="payload",
    )
    transport_mode: str = option(
        "unary",
        kinds.TRANSPORT_MODE,
        "Transport mode: unary, batch-N (N messages in a request), stream, or stream-N (N messages in flight per user)",
        flag="",
    )
    connections: int | None = option(
        None, kinds.whole(1), "Connections that the virtual users share", unset="one-each", plan="connections"
    )
    update_share: float | None = option(
        None, kinds.number(0, 1), "Fraction of operations that update an existing key", unset="as-declared"
    )
    key_pick: str | None = option(
        None,
        kinds.KEY_PICK,
        "Distribution of the keys that are updated: uniform, or zipf:EXPONENT, where the oldest are the most frequent",
        flag="",
        unset="as-declared",
    )
    shared_keys: int | None = option(
        None, kinds.whole(1, 1_000_000), "Number of keys that all virtual users share and contend for"
    )
    preload: int = option(
        0,
        kinds.whole(0),
        "Rows inserted before the run",
        unit="rows",
        plan="preload",
        suits=(Suits("needs an operation that creates what is stored", lambda it: it.creates),),
    )
    no_keep_alive: bool = option(
        False,
        kinds.SWITCH,
        "HTTP: open a connection for each request",
        plan="keep_alive",
        in_plan=lambda is_off: not is_off,
        suits=(Suits("is for HTTP/1.1, as HTTP/2 and gRPC keep their connections", lambda it: not it.is_http2),),
    )
    http_version: str = option(
        "1.1",
        kinds.choice("1.1", "2"),
        "HTTP: version of the protocol; 2 by ALPN with TLS, and with prior knowledge without",
        plan="http_version",
        suits=(Suits("is for REST, as gRPC is HTTP/2 always", lambda it: it.protocol != "grpc"),),
    )
    gzip: bool = option(
        False,
        kinds.SWITCH,
        "gRPC: compress messages",
        plan="gzip",
        suits=(Suits("compresses the messages of gRPC targets", lambda it: it.protocol == "grpc"),),
    )
    ping: str | None = option(
        None,
        kinds.PING,
        "gRPC and HTTP/2: keepalive ping after INTERVAL, answered within TIMEOUT, such as 10s,3s; 10s,3s,idle also "
        "without calls",
        plan="ping",
        in_plan=planned_ping,
        suits=(_OVER_HTTP2,),
    )
    tls: bool = option(
        False,
        kinds.SWITCH,
        "Encrypt connections with TLS, using a certificate made by the lab",
        excludes=(
            Excludes("runs_in", "only the lab's own user can read the key of its certificate", DOCKER),
            Excludes("attached", "an https:// address of an attached target uses TLS"),
        ),
    )
    token: bool = option(
        False,
        kinds.SWITCH,
        "Require a bearer token, which is generated for the run",
        excludes=(Excludes("attached", "the token of attached targets is read from BAKEOFF_API_TOKEN"),),
    )
    engine: str = option("native", kinds.text(), "Load generator: native or k6")
    agents: int | str = option(
        1,
        kinds.AGENTS,
        "Number of engines that share the virtual users, or on the command line hosts that run one each: "
        "ssh://host1,ssh://user@host2",
        excludes=(
            Excludes("runs_in", "hosts cannot reach the network of containers", DOCKER, among=_on_hosts),
            Excludes("runs_in", "pods are given as a number, such as --agents 4", KUBERNETES, among=_on_hosts),
            Excludes("tls", "the certificate is for loopback, which hosts cannot reach", among=_on_hosts),
        ),
    )
    replicas: int | None = option(
        None,
        kinds.whole(1, MOST_REPLICAS),
        "REST: processes of the target behind HAProxy; 1 is one process behind it",
        unset="no-proxy",
        excludes=(_OF_STARTED_TARGETS,),
        suits=(
            _OF_PROCESSES,
            Suits("puts HAProxy before REST over HTTP/1.1 without TLS", lambda it: not it.is_http2 and not it.uses_tls),
        ),
    )
    pgbouncer: str | None = option(
        None,
        kinds.choice("session", "transaction"),
        "PgBouncer between target and embedded database, by its pool mode; transaction needs version 1.21",
        unset="no-pooler",
        excludes=(_OF_STARTED_TARGETS, Excludes(DATABASE_URL, "it stands before the embedded PostgreSQL")),
        suits=(_OF_PROCESSES, _IN_POSTGRESQL),
    )
    pgbouncer_connections: int = option(
        20,
        kinds.whole(1, 150),
        "Connections that PgBouncer opens to the database at the most",
        unit="connections",
        suits=(Suits("needs --pgbouncer session or transaction", lambda it: it.uses_pooler),),
    )
    read_replica: bool = option(
        False,
        kinds.SWITCH,
        "Let targets that support it read from a streaming replica of the embedded database; a commit is acknowledged "
        "when the replica has applied it",
        excludes=(_OF_STARTED_TARGETS, Excludes(DATABASE_URL, "it follows the embedded PostgreSQL")),
        suits=(
            _OF_PROCESSES,
            _IN_POSTGRESQL,
            Suits("is for targets that name a read_url_variable", lambda it: it.reads_from_replica),
        ),
    )
    overlay: str | None = option(
        None,
        kinds.text(),
        "Overlay of the workload's schema, such as partitioned: the same tables, laid out in another way",
        unset="no-overlay",
        suits=(
            _IN_POSTGRESQL,
            Suits("is for tables that no prepare command of the target makes", lambda it: not it.prepares_itself),
        ),
    )
    runs_in: str = option(
        IN_PROCESSES,
        kinds.choice(IN_PROCESSES, DOCKER, KUBERNETES),
        "Place of target, database and engine: processes of this machine; docker: containers that the lab starts; "
        "kubernetes: agents in pods, with attached targets that run there already",
        flag="in",
        excludes=(Excludes(DATABASE_URL, "the database is a container too", among=_is(DOCKER)),),
        requires=(
            Requires(
                "attached",
                "kubectl apply --kustomize deploy/kubernetes/overlays/several-nodes starts targets there; then name "
                "each with --attach NAME=http://SERVICE:PORT",
                among=_is(KUBERNETES),
            ),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class EveryRunTable:
    """The options that hold for every run of a comparison."""

    seed: int = option(
        1,
        kinds.whole(0),
        "Seed of the generated data and of the order of runs",
        unset="a new one for each comparison",
        plan="seed",
    )
    mix: str | None = option(
        None,
        kinds.text(),
        "Mix of operations that the workload names, such as read-heavy",
        unset="as-declared",
        plan="mix",
    )
    operations: Sequence[str] = option(
        (),
        kinds.NAMES,
        "Operation to send, of the workload's; separate several with commas, or repeat the option",
        flag="operation",
        unset="all",
        plan="operations",
    )
    think_time_s: float = option(
        0.0,
        kinds.duration(0),
        "Pause of each virtual user after a response, such as 100ms",
        name="think_time",
        unit="s",
        unset="none",
        plan="think_time_ms",
        in_plan=lambda seconds: seconds * 1000,
        excludes=(Excludes("mode", "its requests come at a rate", "equal"),),
    )
    timeout_s: float = option(
        30.0,
        kinds.duration(0.1),
        "Timeout of a request, such as 30s",
        name="timeout",
        unit="s",
        unset="30s",
        plan="timeout_ms",
        in_plan=lambda seconds: round(seconds * 1000),
    )
    pin: kinds.Pins = option(  # noqa: RUF009 — makes a field
        {},
        kinds.PINS,
        "CPUs of each role, such as target=0-1,database=2,engine=3",
        in_file=False,
        excludes=(_OF_STARTED_TARGETS,),
    )
    limit_cpus: Mapping[str, float] = option(
        {},
        kinds.CPUS_BY_ROLE,
        "CPU limit of a target, such as 2; in containers of each role, such as target=2,database=4,engine=2",
        in_file=False,
        unit="CPUs",
        excludes=(_OF_STARTED_TARGETS,),
    )
    limit_memory_bytes: Mapping[str, int] = option(
        {},
        kinds.MEMORY_BY_ROLE,
        "Memory limit of a target, such as 2G; in containers of each role, such as target=2G,database=4G,engine=2G",
        name="limit_memory",
        in_file=False,
        unit="bytes",
        excludes=(_OF_STARTED_TARGETS,),
    )

    @property
    def memory_limit_mib(self) -> str:
        """The target's, for a run's record; empty without a limit."""
        limit = self.limit_memory_bytes.get("target")
        return "" if limit is None else f"{limit / 2**20:.12g}"


@dataclass(frozen=True, kw_only=True)
class ComparisonTable(EveryRunTable):
    """The options of a comparison as a whole."""

    targets: Sequence[str] = option(
        (),
        kinds.NAMES,
        "Target to measure, or a pattern such as '*-rest'; several with commas, or repeated",
        flag="target",
        short="t",
        unset="all that this machine can build",
    )
    workload: str | None = option(
        None, kinds.text("NAME"), "Workload of the targets to measure, if none is named", unset="the usual ones"
    )
    target_class: str = option(
        "standard",
        kinds.choice(*CLASSES),
        "Class of the targets to measure, if none is named: standard, tuned or all",
        name="class",
    )
    where: Sequence[str] = option(
        (),
        kinds.CONDITIONS,
        "Label of the targets to measure, such as language=go, or a part of their stack, such as framework='Spring*'; "
        "several with commas, or repeated: one of each name must hold",
    )
    rounds: int = option(1, kinds.whole(1, MOST_ROUNDS), "Runs of each contender, interleaved in random order")
    spend_s: float | None = option(
        None,
        kinds.duration(1),
        "Time for builds and rounds together, such as 6m: as many rounds as fit, three at least",
        name="for",
        unit="s",
        excludes=(
            Excludes("rounds", "the time decides how many rounds there are"),
            Excludes("slo", "the search for a rate has no rounds"),
            Excludes("mode", "a smoke test has one short round", "smoke"),
        ),
    )
    phase_duration_s: float | None = option(
        None,
        kinds.duration(0.1),
        "Duration of the shortest phases, such as 10s or 2m; longer phases scale with it",
        name="phase_duration",
        unit="s",
        unset="the mode's",
        excludes=(_BESIDE_PHASES,),
    )
    users: Sequence[int] = option(
        (),
        kinds.several(kinds.whole(1, 100_000), "N,...", "write numbers from 1 to 100,000 with commas, such as 64,256."),
        "Virtual users of each phase, such as 64,256. Mode equal: the connections",
        unset="the mode's",
        excludes=(_BESIDE_PHASES,),
    )
    own_phases: Sequence[Mapping[str, Json]] = option(
        (),
        kinds.PHASES,
        "Own phases, in order, instead of the mode's: users or rate, duration, name; from_users makes a ramp in steps",
        name="phases",
        flag="",
        unset="the mode's",
        excludes=(Excludes("mode", "its phases are half of the rate, the rate, and the maximum", "equal"),),
    )
    rates: Sequence[float] = option(
        (),
        kinds.several(
            kinds.number(0.001, 10_000_000), "N,...", "write arrivals per second with commas, such as 1000,5000."
        ),
        "Arrivals per second of each phase, such as 1000,5000. Mode equal: one rate, in place of a probe",
        flag="rate",
        unit="1/s",
        modes=("rate", "equal"),
        example="rate --rate 1000,5000",
        excludes=(_BESIDE_PHASES,),
    )
    equal_load: bool = option(
        False,
        kinds.SWITCH,
        "Modes quick and full: first hold one rate for all targets of a class, to compare latency and CPU",
        modes=("quick", "full"),
        example="quick --equal-load",
        excludes=(_BESIDE_PHASES,),
    )
    requests: int | None = option(
        None,
        kinds.whole(1, 1_000_000_000),
        "Mode count: requests of each phase, sent by as many virtual users as --connections or --users names",
        modes=("count",),
        example="--requests 25000 --connections 100",
        excludes=(_BESIDE_PHASES,),
    )
    arrivals: str = option(
        "constant",
        kinds.choice("constant", "poisson"),
        "Modes rate and equal: distribution of arrivals over time",
        modes=("rate", "equal"),
        example="rate --rate 1000 --arrivals poisson",
    )
    warm_up_s: float | None = option(
        None,
        kinds.duration(0),
        "Longest warm-up before the first level, which ends when throughput is steady; 0 for none",
        name="warm_up",
        unit="s",
        unset="three times the shortest phase, 10s to 60s",
    )
    settle_s: float | None = option(
        None,
        kinds.duration(0),
        "Longest time to settle before each later level, which ends when throughput is steady; 0 for none",
        name="settle",
        unit="s",
        unset="the shortest phase, at most the warm-up",
    )
    until_steady: bool = option(
        False,
        kinds.SWITCH,
        "Report the first 30 s of each process separately, then warm up until throughput is steady, at most 5 minutes",
        excludes=(Excludes("mode", "its levels settle for all of --warm-up and --settle", "equal"),),
    )
    threshold: str | None = option(
        None,
        kinds.text("LIMITS"),
        "Limits that every phase must keep for exit status 0, such as 'p95<2s,p99<5s,errors<5%'",
        excludes=(Excludes("slo", "the search has its own limits"),),
    )
    attached: Mapping[str, str] = option(
        {},
        kinds.assignments("TARGET=URL", "TARGET=http://host:port"),
        "Target that is already running, such as NAME=http://host:8081",
        flag="attach",
        in_file=False,
        excludes=(
            Excludes("runs_in", "the lab starts the containers itself", DOCKER),
            Excludes("against", "the lab builds both commits itself"),
        ),
    )
    agents_reach: str | None = option(
        None,
        kinds.ADDRESS,
        "IP address of this machine at which --agents on other hosts reach the targets that the lab starts",
        in_file=False,
        unset="loopback",
        requires=(Requires("agents", "name other hosts, such as --agents ssh://host1,ssh://host2", enough=_on_hosts),),
    )
    containers: Mapping[str, str] = option(
        {},
        kinds.assignments("TARGET=CONTAINER", "TARGET=container or database=container"),
        "Docker container of an attached target, or of the database: its CPU and memory are sampled",
        flag="container",
        in_file=False,
    )
    against: str | None = option(
        None,
        kinds.text("REF"),
        "Measure the targets of this commit too, built from a git worktree, interleaved with those here",
        in_file=False,
        excludes=(Excludes("slo", "the search finds one rate for each target"),),
    )
    turns: bool = option(
        False,
        kinds.SWITCH,
        "Let all targets take turns of a second, each with its own PostgreSQL: disturbances affect all alike",
        modes=("quick", "full", "rate", "equal", "sustained"),
        example="quick --turns",
        excludes=(
            Excludes("slo", "the search has turns of its own"),
            Excludes("against", "two commits take turns anyway"),
            Excludes(DATABASE_URL, "each target needs a server to itself, which the lab starts"),
        ),
    )
    reference_lines: str = option(
        "auto",
        kinds.choice("auto", "on", "off"),
        "Measure PostgreSQL alone before and after the runs; auto: if these take five minutes or more",
        in_file=False,
    )
    scale: str | None = option(
        None,
        kinds.text("NAME"),
        "Factor or setting with counts as levels, such as connections or pool_size, or users for the load levels: "
        "the report shows throughput and cost along it, with the Universal Scalability Law fitted",
    )
    aa: bool = option(False, kinds.SWITCH, "Run each contender twice (A/A test) to measure the noise floor")
    prove: bool = option(
        False, kinds.SWITCH, "Run every conformance case again, also for targets that passed before", in_file=False
    )


@dataclass(frozen=True)
class Shorthand:
    """A flag that gives a factor its level in another form: `level` makes it from the flag's value."""

    flag: str
    kind: ValueKind[int] | ValueKind[float] | ValueKind[str] | ValueKind[bool]
    help: str
    factor: str
    level: Callable[[Json], Json]


# Of several for one factor the last one counts: --stream over --batch, --window over --stream.
SHORTHANDS = (
    Shorthand(
        "write-mode",
        kinds.choice("group-commit", "per-request"),
        "Setting write_mode of the target",
        "settings",
        lambda mode: {"write_mode": mode},
    ),
    Shorthand(
        "batch", kinds.whole(1, 10_000), "Messages in one request", "transport_mode", lambda size: f"batch-{size}"
    ),
    Shorthand(
        "stream", kinds.SWITCH, "gRPC: one long stream for each virtual user", "transport_mode", lambda _: "stream"
    ),
    Shorthand(
        "window",
        kinds.whole(1, 4096),
        "Like --stream, with this number of messages in flight per virtual user",
        "transport_mode",
        lambda size: f"stream-{size}",
    ),
    Shorthand(
        "zipf",
        kinds.number(0, 3),
        "Update keys by a Zipf distribution with this exponent, such as 0.99",
        "key_pick",
        lambda exponent: f"zipf:{kinds.in_words(exponent)}",
    ),
)


@dataclass(frozen=True, kw_only=True)
class InvocationTable:
    """The options of one call of `./bakeoff run`; not stored."""

    slo: str | None = option(
        None,
        kinds.text("OBJECTIVES"),
        "Mode rate: search for the highest rate that meets these objectives, such as 'p99<50ms'",
        in_file=False,
        modes=("rate",),
        example="rate --slo 'p99<50ms,errors<0.1%'",
    )
    resume: bool = option(
        False, kinds.SWITCH, "Continue the latest comparison that has runs left, with its own options", in_file=False
    )
    profile: bool = option(
        False,
        kinds.SWITCH,
        "After the comparison, sample the CPU of both contenders and draw a differential flame graph",
        in_file=False,
        excludes=(Excludes("slo", "the search for a rate has no two contenders"),),
    )
    prometheus: str | None = option(
        None,
        kinds.OUTPUT_FILE,
        "After the comparison, write the figures of each run to this file in the text format of Prometheus",
        in_file=False,
        excludes=(_OF_TRIALS,),
    )
    otlp: str | None = option(
        None,
        kinds.OTLP_URL,
        "After the comparison, send the figures of each run to this OpenTelemetry collector by OTLP over HTTP, such as "
        "http://127.0.0.1:4318; needs bakeoff[otlp]",
        in_file=False,
        excludes=(_OF_TRIALS,),
    )
    as_json: bool = option(False, kinds.SWITCH, "Print JSON", name="json", in_file=False)


@dataclass(frozen=True)
class HelpGroup:
    """Options of one purpose by their flags: those that --help shows, and those that --help-all adds."""

    usual: Sequence[str] = ()
    others: Sequence[str] = ()


HELP_GROUPS = {
    "Targets": HelpGroup(
        ("target", "attach", "against", "set"), ("workload", "where", "class", "write-mode", "container")
    ),
    "Load": HelpGroup(
        ("users", "rate", "payload", "phase-duration", "rounds"),
        (
            "equal-load",
            "for",
            "requests",
            "slo",
            "arrivals",
            "think-time",
            "timeout",
            "warm-up",
            "settle",
            "until-steady",
        ),
    ),
    "Messages": HelpGroup(
        others=("mix", "operation", "batch", "stream", "window", "update-share", "shared-keys", "zipf", "seed")
    ),
    "Connections": HelpGroup(
        others=("connections", "no-keep-alive", "http-version", "gzip", "ping", "tls", "token", "replicas")
    ),
    "Database": HelpGroup(others=("preload", "overlay", "pgbouncer", "pgbouncer-connections", "read-replica")),
    "Placement": HelpGroup(others=("engine", "agents", "agents-reach", "in", "pin", "limit-cpus", "limit-memory")),
    "Results": HelpGroup(
        ("threshold",),
        ("json", "prometheus", "otlp", "scale", "aa", "turns", "reference-lines", "prove", "profile", "resume"),
    ),
}
