"""The gate's reports for pipelines: JUnit XML and GitHub's annotations; and the second look before a failure."""

from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree as Xml

from bakeoff.gating.annotations import annotations_of
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.confirmation import confirmed
from bakeoff.gating.junit import junit_of
from bakeoff.gating.regressions import Limits, check_regressions
from bakeoff.gating.validity import broken
from bakeoff.history.phases import Measurement, measurement_of
from bakeoff.history.run_figures import figures_of
from bakeoff.results.run import Status
from made_up import measured, run_result

SERIES = figures_of(run_result()).series
GATE = Gate(
    [
        Check(SERIES, "throughput", Outcome.FAILED, "50% <less>\nthan before"),
        Check(SERIES, "p99", Outcome.UNCLEAR, "noisy"),
        Check(replace(SERIES, phase="phase 2 at 50 users"), "errors", Outcome.PASSED, "none"),
    ],
    ["two: not in the baseline."],
)


def test_junit_counts_and_escapes() -> None:
    suite = Xml.fromstring(junit_of(GATE)).find("testsuite")  # noqa: S314 — our own
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "skipped": "2",
    }
    assert [case.get("classname") for case in suite.iterfind("testcase")] == [
        "one · quick · default · 10 users",
        "one · quick · default · 10 users",
        "one · quick · default · 10 users · phase 2 at 50 users",
        "left out",
    ]
    failure = suite.find("testcase/failure")
    assert failure is not None and failure.text == "50% <less>\nthan before"


def test_annotations_are_one_line_each() -> None:
    assert list(annotations_of(GATE)) == [
        "::error title=throughput of one · quick · default · 10 users::50%25 <less>%0Athan before",
        "::warning title=p99 of one · quick · default · 10 users::noisy",
        "::notice title=bakeoff gate::two: not in the baseline.",
    ]


def runs(throughput: float) -> Measurement:
    return measurement_of([run_result(total=measured(throughput))])


def judge(candidate: Measurement) -> Gate:
    return check_regressions(runs(1000), candidate, Limits())


def second_look(first: float, second: float) -> tuple[Gate, list[Sequence[str]]]:
    requested: list[Sequence[str]] = []

    def measure(names: Sequence[str]) -> Measurement:
        requested.append(names)
        return runs(second)

    return confirmed(judge(runs(first)), runs(first), measure, judge), requested


def test_a_failure_that_comes_up_again_is_one() -> None:
    gate, requested = second_look(500, 510)
    assert requested == [["one"]]
    assert [check.confirmed for check in gate.failed] == [True]
    assert "confirmed by a rerun" in gate.failed[0].words


def test_a_failure_that_does_not_come_up_again_is_unclear() -> None:
    gate, _ = second_look(500, 1000)
    assert (gate.exit_status, gate.with_unclear("pass").exit_status) == (3, 0)
    assert [check.outcome for check in gate.checks if check.metric == "throughput"] == [Outcome.UNCLEAR]


def test_nothing_is_measured_again_without_need() -> None:
    gate, requested = second_look(1000, 1)
    assert (gate.exit_status, requested) == (0, [])


def test_lost_writes_stay_lost() -> None:
    lost = Gate(broken([figures_of(run_result(status=Status.VOID))]), [])

    def measure(_names: Sequence[str]) -> Measurement:
        raise AssertionError("there is nothing to confirm")

    assert confirmed(lost, runs(1), measure, judge).exit_status == 1
