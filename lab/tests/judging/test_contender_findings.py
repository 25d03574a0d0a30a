import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Contender, JudgedFinding
from bakeoff.running.result import Measured, RunResult, Status
from made_up import comparison_of, finding, measured, phase, rounds_of, run_of, seconds_of


def judged(*runs: RunResult) -> Contender:
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
        ([run_of(status=Status.VOID)], "audit-failed", "error", "acknowledged", (1,)),
        ([run_of(phases=[])], "nothing-answered", "error", "Not one request", (1,)),
        ([one(measured(0, requests=3, failed=3))], "nothing-answered", "error", "Not one request", (1,)),
        (
            [one(measured(9, failed=7, errors={"ports_exhausted": 7, "status_500": 1}))],
            "connection-exhaustion",
            "error",
            "7 × ports_exhausted in one round",
            (1,),
        ),
        ([run_of(timeline=seconds_of(range(2000, 900, -100)))], "trend", "warning", "fell by 62% within phase 1", (1,)),
        ([run_of(timeline=seconds_of(range(900, 2000, 100)))], "trend", "warning", "rose by", (1,)),
        (rounds_of("go-rest", [100, 130, 70]), "noisy", "warning", "by 30%", ()),
        ([run_of(number=1), run_of(number=3)], "missing-rounds", "warning", "2 of 3 rounds", (2,)),
        ([run_of(throughputs=[400], ceilings={"engine": 1000.0})], "generator-bound", "warning", "40%", ()),
    ],
)
def test_a_finding(runs: list[RunResult], kind: str, severity: str, words: str, rounds: tuple[int, ...]) -> None:
    findings = found(*runs)
    assert list(findings) == [kind]
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


def test_what_runs_found_is_told_once_by_its_gravest_with_all_its_rounds() -> None:
    (only,) = found(
        run_of(number=1, findings=[finding("errors", "warning", "3 failed.")]),
        run_of(number=2, findings=[finding("errors", "error", "900 failed.")]),
        run_of(number=3),
        run_of(number=4, findings=[finding("errors", "warning", "5 failed.")]),
    ).values()
    assert (only.severity, only.message, only.rounds) == ("error", "900 failed.", (1, 2, 4))


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
        ({"rust-rest": 500}, []),
    ],
)
def test_everybody_is_sent_the_same(sizes: dict[str, int], mismatched: list[str]) -> None:
    runs = [
        run_of(target, phases=[phase(1, 10, measured(100, bytes_sent=size * 1000))]) for target, size in sizes.items()
    ]
    contenders = judge(comparison_of(*runs)).contenders
    assert [
        each.key for each in contenders if any(finding.kind == "payload-mismatch" for finding in each.findings)
    ] == mismatched


def test_the_bottleneck_is_a_finding_too() -> None:
    contender = judged(run_of())
    assert [(each.kind, each.message) for each in contender.findings] == [("load-bound", contender.bottleneck.words)]
