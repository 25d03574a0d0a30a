"""Findings about the operations of a run: wrong reads void it, checks are judged by their own failure rate."""

from pathlib import Path

from bakeoff.project import Project
from bakeoff.results.operations import FailedCheck, FailedReply
from bakeoff.running.findings import always_failing, findings_of, operation_findings, wrong_reads
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import THRESHOLDS
from made_up import divided, operation

RIGHT = operation(ok=1000, checked=10)
WRONG = operation(ok=990, errors={"body": 10}, checked=10, checks_failed=10)


def test_an_operation_whose_every_checked_reply_is_wrong_is_no_fifth_of_a_per_cent() -> None:
    total = divided({"Save": operation(ok=4000), "Read": WRONG})
    (finding,) = operation_findings(total, {"Save": 0.0, "Read": 0.01})
    assert (finding.kind, finding.severity) == ("checks-failed", "error")
    assert "Read: 10 of 10 checked replies (1% of its replies are), so about 1,000 of 1,000" in finding.message
    assert total.error_rate == 0.2
    (errors,) = findings_of(total, THRESHOLDS, None)
    assert (errors.severity, "10 × Read body" in errors.message) == ("error", True)


def test_right_replies_say_nothing() -> None:
    assert operation_findings(divided({"Save": RIGHT, "Read": RIGHT}), {}) == []
    assert always_failing(divided({"Save": RIGHT})) is None


def test_wrong_reads_are_named_with_their_operation() -> None:
    read = operation(ok=97, errors={"wrong_read": 3}, checked=50, checks_failed=3)
    total = divided({"Save": RIGHT, "Read": read})
    (finding,) = operation_findings(total, {})
    assert (finding.kind, finding.severity) == ("wrong-reads", "error")
    assert "Read: 3 of 50 checked replies" in finding.message
    assert wrong_reads(divided({"Save": RIGHT})) == []


def test_errors_name_their_operation() -> None:
    total = divided({"Save": RIGHT, "Delete": operation(ok=1, errors={"status_500": 2, "timeout": 3})})
    (finding,) = findings_of(total, THRESHOLDS, None)
    assert "3 × Delete timeout, 2 × Delete status_500" in finding.message


def test_an_operation_that_always_fails_says_how() -> None:
    total = divided({"Save": RIGHT, "Delete": operation(ok=0, errors={"status_500": 12}), "Read": WRONG})
    assert always_failing(total) == (
        "2 operations failed every time: Delete (12 of 12 requests: 12 × status_500), "
        "Read (10 of 10 checked replies had wrong content)."
    )


def test_three_operations_that_always_fail_are_named_and_the_rest_is_counted() -> None:
    failing = {f"Op{number}": operation(ok=0, errors={"status_500": number}) for number in range(1, 6)}
    assert str(always_failing(divided(failing))).endswith("Op3 (3 of 3 requests: 3 × status_500), 2 more.")


def test_a_failed_reply_is_shown_with_its_statuses_and_its_secrets_hidden() -> None:
    reply = FailedReply("201 or 200", "422", '{"detail":"name: too long","token":"t-1234"}')
    create = operation(ok=0, errors={"status_422": 5}, failed_reply=reply)
    shown = 'expected status 201 or 200, received 422: {"detail":"name: too long","token":***}'
    assert always_failing(divided({"Create": create})) == (
        f"an operation failed every time: Create (5 of 5 requests: 5 × status_422; the first failed reply: {shown})."
    )
    total = divided({"Create": create, "Read": operation(ok=9, errors={"timeout": 9})})
    (finding,) = findings_of(total, THRESHOLDS, None)
    assert f"9 × Read timeout, 5 × Create status_422; the first failed reply of Create: {shown}" in finding.message


def test_a_reply_with_wrong_content_is_shown_with_it() -> None:
    wrong = FailedCheck("/id", "a plain value to capture as id", "nothing")
    reply = FailedReply("201", "201", '{"_id":7}')
    create = operation(ok=0, errors={"body": 5}, checked=5, checks_failed=5, failed_check=wrong, failed_reply=reply)
    assert 'received nothing; the first failed reply: status 201: {"_id":7}' in str(
        always_failing(divided({"Create": create}))
    )


def test_the_first_wrong_reply_is_named_with_its_place_and_its_secrets_hidden() -> None:
    wrong = FailedCheck("/name", '"Ada"', '"Bob at https://bob:secret@example.org"')
    read = operation(ok=99, errors={"body": 1}, checked=10, checks_failed=1, failed_check=wrong)
    (finding,) = operation_findings(divided({"Read": read}), {})
    assert 'requests failed, the first at /name expected "Ada", received "Bob at https://bob@' in finding.message
    assert "secret" not in finding.message
    read = operation(ok=9, errors={"wrong_read": 1}, checked=1, checks_failed=1, failed_check=wrong)
    (void,) = operation_findings(divided({"Read": read}), {})
    assert 'Read: 1 of 1 checked replies, the first at /name expected "Ada"' in void.message
    assert 'the first at /name expected "Ada"' in str(always_failing(divided({"Read": read})))


def test_an_operation_that_is_much_slower_than_all_others_is_named() -> None:
    def kinds(**medians_ms: float) -> list[str]:
        return [
            each.kind
            for each in operation_findings(
                divided({name: operation(latency_ms=ms) for name, ms in medians_ms.items()}), {}
            )
        ]

    total = divided({"Save": operation(ok=900, latency_ms=2), "List": operation(ok=100, latency_ms=50)})
    (finding,) = operation_findings(total, {})
    assert (finding.kind, finding.severity) == ("slow-operation", "info")
    assert finding.message.startswith("List took 50") and "the slowest of the other operations 2" in finding.message
    assert "It is 10% of the requests" in finding.message and "--operation List" in finding.advice
    assert kinds(Save=2, Read=3, List=14) == [], "less than five times the next"
    assert kinds(Save=1, List=9) == [], "nine milliseconds keep no one waiting"
    assert kinds(List=900) == [], "there is nothing to hide"
    few = divided({"Save": operation(ok=900), "List": operation(ok=4, latency_ms=900)})
    assert operation_findings(few, {}) == []


def test_a_login_that_always_fails_needs_a_user_in_the_state_of_each_run(tmp_path: Path) -> None:
    (tmp_path / "bakeoff.toml").write_text(
        """[[workloads.shop.operations]]
name = "Create"
login = true
http = { method = "POST", path = "/login", expect = 200, capture = { token = "/token" } }
""",
        "utf-8",
    )
    refused = operation(ok=0, errors={"status_401": 2})

    words = str(always_failing(divided({"Create": refused}), load_workload(Project(tmp_path), "shop")))

    assert words.endswith("prepare of [storage] makes it.")
