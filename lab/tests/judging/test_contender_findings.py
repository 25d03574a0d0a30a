from dataclasses import replace

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import JudgedContender
from bakeoff.options.table import PLACEMENT
from bakeoff.options.variant import Variant
from bakeoff.results.findings import JudgedFinding
from bakeoff.results.run import Measured, RunResult, Status
from bakeoff.results.statements import STATEMENTS, OperationStatements, as_fact
from bakeoff.running.contender import Contender
from bakeoff.running.modes import Phase
from bakeoff.running.run_request import RunRequest
from made_up import comparison_of, finding, measured, phase, rounds_of, run_of, seconds_of
from made_up_manifests import engine, target, workload


def judged(*runs: RunResult) -> JudgedContender:
    return judge(comparison_of(*runs)).contenders[0]


def found(*runs: RunResult) -> dict[str, JudgedFinding]:
    """By kind, without the one that says what limited it."""
    findings = {each.kind: each for each in judged(*runs).findings}
    return {kind: each for kind, each in findings.items() if not kind.endswith("-bound") or kind == "generator-bound"}


def one(part: Measured) -> RunResult:
    return run_of(phases=[phase(1, 10, part)])


@pytest.mark.parametrize(
    ("runs", "kind", "severity", "words", "rounds"),
    [
        ([run_of(number=2, status=Status.FAILED, failure="It died.")], "early-end", "error", "It died.", (2,)),
        ([run_of(status=Status.INTERRUPTED)], "early-end", "warning", "interrupted", (1,)),
        ([run_of(status=Status.VOID)], "audit-failed", "error", "Acknowledged", (1,)),
        ([run_of(phases=[])], "no-successful-requests", "error", "No request got", (1,)),
        ([one(measured(0, requests=3, failed=3))], "no-successful-requests", "error", "No request got", (1,)),
        (
            [one(measured(9000, failed=7, errors={"ports_exhausted": 7, "status_500": 1}))],
            "connection-exhaustion",
            "error",
            "7 × ports_exhausted in one round",
            (1,),
        ),
        (
            [run_of(timeline=seconds_of(range(2000, 900, -100)))],
            "trend",
            "warning",
            "fell by 62% within a window",
            (1,),
        ),
        ([run_of(timeline=seconds_of(range(900, 2000, 100)))], "trend", "warning", "rose by", (1,)),
        (rounds_of("go-rest", [100, 130, 70]), "high-variance", "warning", "by 30%", ()),
        (
            rounds_of("go-rest", [100, 96, 92, 89, 85]),
            "contender-drift",
            "warning",
            "fell by 15% from round 1 to round 5.",
            (),
        ),
        (
            [*rounds_of("go-rest", [100, 105, 110, 113, 118]), *rounds_of("rust-rest", [50, 50.2, 49.9, 50, 50.1])],
            "contender-drift",
            "warning",
            "rose by 18% from round 1 to round 5, relative to the other contenders.",
            (),
        ),
        ([run_of(number=1), run_of(number=3)], "missing-rounds", "warning", "2 of 3 rounds", (2,)),
        ([run_of(throughputs=[400], ceilings={"engine": 1000.0})], "generator-bound", "warning", "40%", ()),
        (
            [run_of(throughputs=[1400], ceilings={"engine": 1000.0}, settings={"agents": "2"})],
            "generator-bound",
            "warning",
            "140% of what one of its 2 engines",
            (),
        ),
    ],
)
def test_a_finding(runs: list[RunResult], kind: str, severity: str, words: str, rounds: tuple[int, ...]) -> None:
    findings = found(*runs)
    # A trend in the window that would rank also costs the rank (test_windows.py).
    assert [each for each in findings if each != "indicative"] == [kind]
    assert (findings[kind].severity, findings[kind].rounds) == (severity, rounds)
    assert words in findings[kind].message
    assert findings[kind].advice


@pytest.mark.parametrize(
    "runs",
    [
        [run_of()],
        rounds_of("go-rest", [100, 105, 95]),
        [run_of(throughputs=[300], ceilings={"engine": 1000.0})],
        [run_of(timeline=seconds_of([100] * 20))],
    ],
)
def test_nothing_to_find(runs: list[RunResult]) -> None:
    assert found(*runs) == {}


def test_a_target_that_serves_all_rounds_is_suspected_of_ageing() -> None:
    rates = [100, 96, 92, 89, 85]
    fresh = found(*rounds_of("go-rest", rates))["contender-drift"]
    attached = found(*rounds_of("go-rest", rates, settings={"attached": "http://there:1"}))["contender-drift"]
    assert "a new process" in fresh.advice
    assert "One process serves all rounds" in attached.advice
    assert "A change of the machine looks the same" in fresh.advice
    beside = found(*rounds_of("go-rest", rates), *rounds_of("rust-rest", [50, 50.2, 49.9, 50, 50.1]))["contender-drift"]
    assert "machine" not in beside.advice


def test_connections_to_a_target_that_died_are_told_as_its_end_alone() -> None:
    refused = [phase(1, 10, measured(9, failed=7, errors={"refused": 7}))]
    died = run_of(number=2, phases=refused, status=Status.FAILED, failure="It died.")
    assert list(found(run_of(), died)) == ["early-end", "missing-rounds"]
    both = found(run_of(phases=refused), died)
    assert both["connection-exhaustion"].rounds == (1,)


def test_what_runs_found_is_told_once_by_its_gravest_with_all_its_rounds() -> None:
    (only,) = found(
        run_of(number=1, findings=[finding("errors", "warning", "3 failed.")]),
        run_of(number=2, findings=[finding("errors", "error", "900 failed.")]),
        run_of(number=3),
        run_of(number=4, findings=[finding("errors", "warning", "5 failed.")]),
    ).values()
    assert (only.severity, only.message, only.rounds) == ("error", "900 failed.", (1, 2, 4))


def test_a_finding_of_several_rounds_has_the_figures_of_all() -> None:
    used = (15, 12, 28)
    words = "During the run other processes used {}% of a core."
    runs = [
        run_of(number=number, findings=[finding("noisy-machine", "warning", words.format(each))])
        for number, each in enumerate(used, start=1)
    ]
    assert found(*runs)["noisy-machine"].message == words.format("12% to 28")


def test_the_gravest_come_first_and_what_the_run_said_itself_stands() -> None:
    own = finding("audit-failed", "error", "2 lost.")
    findings = judged(run_of(status=Status.VOID, findings=[finding("not-calibrated", "info"), own])).findings
    assert [(each.kind, each.message) for each in findings] == [
        ("audit-failed", "2 lost."),
        ("not-calibrated", "It was so."),
    ]


@pytest.mark.parametrize(
    ("sizes", "mismatched"),
    [
        ({"rust-rest": 500, "go-rest": 505, "java-rest": 498}, []),
        ({"rust-rest": 500, "go-rest": 502, "java-rest": 900}, ["java-rest"]),
        # Another protocol may well need another number of bytes.
        ({"rust-rest": 500, "go-rest": 500, "rust-grpc": 300}, []),
        # A server that pings with each call is sent 17 bytes more for each; what is more than that is another message.
        ({"rust-grpc": 300, "go-grpc": 317, "java-grpc": 300}, []),
        ({"rust-grpc": 300, "go-grpc": 333, "java-grpc": 300}, ["go-grpc"]),
        ({"rust-rest": 500}, []),
    ],
)
def test_every_target_is_sent_the_same(sizes: dict[str, int], mismatched: list[str]) -> None:
    assert mismatched_of(*(sent(name, size) for name, size in sizes.items())) == mismatched


def sent(name: str, size: int, variant: Variant | None = None) -> RunResult:
    """A run that was sent so many bytes for each request, with the settings that the lab records of its variant."""
    variant = variant or Variant()
    contender = Contender(target(name), workload(), engine(variant.engine), variant)
    request = RunRequest(contender, "quick", [Phase("Short", 10, 1.0)])
    part = phase(1, 10, measured(100, bytes_sent=size * 1000))
    run = run_of(name, phases=[part], settings=request.settings, contender=f"{name} {variant}")
    return replace(run, payload=variant.payload, engine=variant.engine)


@pytest.mark.parametrize(
    ("own", "others", "words"),
    [
        (3, 1, "for 1 of 1 operations, at most 3 in place of 1."),
        (1, 1, None),
        (1, 3, None),
        (0, None, None),
    ],
)
def test_a_target_that_sends_more_statements_is_found(own: int, others: int | None, words: str | None) -> None:
    runs = [stating("own", own), *([] if others is None else [stating("lean", others)])]
    contenders = {each.target: each for each in judge(comparison_of(*runs)).contenders}
    found = [each.message for each in contenders["own"].findings if each.kind == "more-statements"]
    assert [message.partition("sends: ")[2] for message in found] == ([] if words is None else [words])


def test_the_operation_that_differs_most_is_said() -> None:
    runs = [stating("own", 4, 3, 1), stating("lean", 3, 1, 1)]
    contenders = {each.target: each for each in judge(comparison_of(*runs)).contenders}
    (found,) = [each for each in contenders["own"].findings if each.kind == "more-statements"]
    assert found.message.endswith("for 2 of 3 operations, at most 3 in place of 1.")


def stating(name: str, *statements: int) -> RunResult:
    """A run of a target that sends so many statements for each of its operations."""
    stated = {
        f"Get{place}": OperationStatements(statements=each, round_trips=each, rows=1)
        for place, each in enumerate(statements)
    }
    run = run_of(name, phases=[phase(1, 10, measured(100))], contender=name)
    return replace(run, environment={**run.environment, STATEMENTS: as_fact(stated)})


def mismatched_of(*runs: RunResult) -> list[str]:
    contenders = judge(comparison_of(*runs)).contenders
    return [each.target for each in contenders if any(finding.kind == "payload-mismatch" for finding in each.findings)]


# A level of each factor that changes what is sent.
OTHER_LOADS = {
    "payload": Variant(payload="8k"),
    "engine": Variant(engine="k6"),
    "transport_mode": Variant(transport_mode="batch-100"),
    "connections": Variant(connections=4),
    "update_share": Variant(update_share=0.1),
    "key_pick": Variant(key_pick="zipf:1.1"),
    "shared_keys": Variant(shared_keys=100),
    "preload": Variant(preload=1000),
    "tls": Variant(tls=True),
    "token": Variant(token=True),
    "no_keep_alive": Variant(no_keep_alive=True),
    "http_version": Variant(http_version="2"),
    "gzip": Variant(gzip=True),
    "ping": Variant(ping="10s,3s"),
}


def test_every_factor_of_the_load_is_known_here() -> None:
    assert OTHER_LOADS.keys() == Variant().levels().keys() - {"aa", *PLACEMENT}


@pytest.mark.parametrize("variant", OTHER_LOADS.values(), ids=OTHER_LOADS)
def test_only_those_of_one_load_are_held_against_each_other(variant: Variant) -> None:
    usual = [sent(name, 500) for name in ("rust-rest", "go-rest", "java-rest")]
    assert mismatched_of(*usual, sent("rust-rest", 900, variant), sent("go-rest", 900, variant)) == []
    others = [sent("rust-rest", 900, variant), sent("go-rest", 900, variant), sent("java-rest", 1300, variant)]
    assert mismatched_of(*usual, *others) == ["java-rest"]


@pytest.mark.parametrize(
    "variant",
    [
        Variant(settings={"write_mode": "per-request"}),
        Variant(repetition=2),
        Variant(agents=2),
        Variant(replicas=2),
        Variant(runs_in="docker"),
        Variant(pgbouncer="session", pgbouncer_connections=8),
    ],
)
def test_what_changes_no_message_is_sent_the_same(variant: Variant) -> None:
    usual = [sent("rust-rest", 500), sent("rust-rest", 500, variant), sent("java-rest", 500, variant)]
    assert mismatched_of(*usual, sent("go-rest", 900, variant)) == ["go-rest"]


def test_requests_without_a_connection_sent_nothing() -> None:
    part = measured(90, failed=100, errors={"refused": 100}, bytes_sent=900 * 500)
    refused = replace(sent("go-rest", 500), phases=[phase(1, 10, part)], total=part)
    assert mismatched_of(refused, sent("rust-rest", 500), sent("java-rest", 500)) == []


def test_a_token_for_targets_that_run_elsewhere_is_no_mismatch() -> None:
    elsewhere = sent("go-rest", 560)
    settings = {**elsewhere.settings, "attached": "http://elsewhere:1"}
    here = [sent("rust-rest", 500), sent("java-rest", 500)]
    assert mismatched_of(*here, replace(elsewhere, settings=settings)) == []


def test_the_bottleneck_is_a_finding_too() -> None:
    contender = judged(run_of(throughputs=[500, 1000]))
    assert [(each.kind, each.message) for each in contender.findings] == [("load-bound", contender.bottleneck.words)]


def test_failed_runs_name_the_logs_to_read() -> None:
    log = "results/go-rest/20260101T000000.000-quick-8k.log"
    failed = run_of(status=Status.FAILED, failure="It died.")
    failed = replace(failed, environment={**failed.environment, "target_log": log})
    assert f"Read the target's log, {log}" in found(failed)["early-end"].advice
    silent = run_of(phases=[], total=None)
    silent = replace(silent, environment={**silent.environment, "target_log": log})
    assert f"Read the target's log, {log}" in found(silent)["no-successful-requests"].advice
