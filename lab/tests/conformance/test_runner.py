from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.conformance.case import Call, Case, Differences, Exchange, HttpExpectation, HttpSide, Profile, Row
from bakeoff.conformance.exchange import NoReplyError
from bakeoff.conformance.runner import CaseResult, ConformanceResult, applicable, run_cases, run_conformance
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload, load_workload

SIDE = HttpSide(HttpExpectation(200), "GET", "/")


def case(name: str, *, given: tuple[Any, ...] = (), rows: tuple[Row, ...] | None = None, http: bool = True) -> Case:
    return Case(name, "subject", "rule", Call.SINGLE, given, None, SIDE if http else None, None, rows)


class Target:
    """Performs cases by a function of the test, and keeps the requests."""

    side = "http"

    def __init__(self, perform: Callable[[str], list[str]] = lambda _: [], refused: list[str] | None = None) -> None:
        self._perform = perform
        self._refused = refused or []
        self.received: list[Any] = []

    def store(self, message: Any) -> list[str]:
        self.received.append(message)
        return self._refused

    def exchange(self, case: Case) -> Exchange:
        self.received.append(case.name)
        return Exchange(Differences().with_both(*self._perform(case.name)))


class Table:
    def __init__(self, *rows: Row) -> None:
        self._rows = rows

    def of(self, case: Case) -> list[Row]:
        return [row for row in self._rows if case.owns(row.key)]

    def at(self, key: Sequence[str]) -> str | None:
        return next((str(row.document) for row in self._rows if row.key == tuple(key)), None)


def test_given_messages_come_before_the_request() -> None:
    target = Target()

    (result,) = run_cases([case("a", given=(1, 2))], target, None)

    assert result.passed
    assert target.received == [1, 2, "a"]


def test_a_case_whose_given_message_is_refused_fails_without_its_request() -> None:
    target = Target(refused=["status: expected 200, got 500"])

    (result,) = run_cases([case("a", given=(1,))], target, None)

    assert result.differences == ("given[0] was not stored: status: expected 200, got 500",)
    assert target.received == [1]


def test_rows_are_compared_after_the_reply() -> None:
    cases = [case("a", rows=(Row(("a",), "1"),)), case("b", rows=()), case("c")]

    results = run_cases(cases, Target(), Table(Row(("a",), "2"), Row(("b",), "{}"), Row(("c",), "{}")))

    assert [result.case for result in results if not result.passed] == ["a", "b"]


def test_cases_that_the_protocol_cannot_express_are_left_out() -> None:
    assert [result.case for result in run_cases([case("a"), case("b", http=False)], Target(), None)] == ["a"]


def test_every_result_is_announced() -> None:
    announced: list[CaseResult] = []

    results = run_cases([case("a"), case("b")], Target(), None, announced.append)

    assert tuple(announced) == results


def test_a_target_that_stays_silent_is_given_up() -> None:
    def silent(_: str) -> list[str]:
        raise NoReplyError("the connection was refused")

    target = Target(silent)

    results = run_cases([case(name) for name in "abcde"], target, None)

    assert target.received == ["a", "b", "c"]
    assert [result.differences[0].split(":")[0] for result in results] == ["the connection was refused"] * 3 + [
        "not sent"
    ] * 2


def test_a_target_that_is_silent_now_and_then_is_not_given_up() -> None:
    def moody(name: str) -> list[str]:
        if name in "abde":
            raise NoReplyError("no reply")
        return []

    results = run_cases([case(name) for name in "abcdef"], Target(moody), None)

    assert [result.case for result in results if result.passed] == ["c", "f"]


def test_only_a_target_that_passed_every_case_conforms() -> None:
    passed = CaseResult("a", "s", "r", ())
    failed = CaseResult("b", "s", "r", ("status: expected 200, got 500",))

    assert ConformanceResult("rest", (passed,), 3).conforms(Profile.STRICT)
    assert not ConformanceResult("rest", (passed, failed), 0).conforms(Profile.STRICT)
    assert not ConformanceResult("rest", (), 3).conforms(Profile.CORE)
    assert ConformanceResult("rest", (passed, failed), 0).failures == (failed,)


def test_cases_that_need_a_token_apply_where_one_is_asked_for() -> None:
    secured = replace(case("b"), token=True, http=replace(SIDE, headers={"authorization": ("Bearer ${token}",)}))

    assert applicable([case("a"), secured], None) == (case("a"),)
    (_, filled) = applicable([case("a"), secured], "t")
    assert filled.http is not None
    assert filled.http.headers == {"authorization": ("Bearer t",)}


def test_cases_that_did_not_apply_are_counted_once_they_have_run() -> None:
    first, more = CaseResult("a", "s", "r", ()), CaseResult("b", "s", "r", ("no",))

    whole = ConformanceResult("rest", (first,), 3).together_with(ConformanceResult("rest", (more,), 3))

    assert (whole.results, whole.not_applicable, whole.proved) == ((first, more), 2, Profile.CORE)


@pytest.fixture
def events(project: Project) -> Workload:
    return load_workload(project, "events")


def test_a_target_that_stores_elsewhere_is_checked_without_the_database(events: Workload) -> None:
    with pytest.raises(BakeoffError, match=r"127\.0\.0\.1:1"):
        run_conformance(events, "rest", Access("127.0.0.1", 1), None)


def test_a_database_that_is_away_is_said_so(events: Workload) -> None:
    server = Server(f"postgresql://unknown@127.0.0.1:{ports.free_port()}/none", None, embedded=False)

    with pytest.raises(BakeoffError, match="cannot be reached"):
        run_conformance(events, "rest", Access("127.0.0.1", 1), server)
