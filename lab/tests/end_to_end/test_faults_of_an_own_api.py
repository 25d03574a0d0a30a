"""A small API of one's own, measured end to end with faults planted in it: each is caught, and named."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.project import Project
from bakeoff.results.run import Durability, RunResult, Status

pytestmark = pytest.mark.end_to_end

BOOKS = Path(__file__).with_name("books")


@pytest.fixture
def checkout(measuring_checkout: Project) -> Project:
    """A checkout that has this workload alone."""
    shutil.copytree(BOOKS / "contract", measuring_checkout.root / "contract" / "books")
    return measuring_checkout


def measured(
    checkout: Project, fault: str = "", mode: str = "quick", seconds: float = 1.5, **options: Any
) -> Comparison:
    """One run of the API with a fault; two users, for a second and a half unless more is needed.

    `options` are those of a request.
    """
    target = checkout.root / "targets" / "books" / "rest"
    target.mkdir(parents=True, exist_ok=True)
    manifest = (BOOKS / "rest" / "target.toml").read_text("utf-8")
    values = {
        "python": sys.executable,
        "api": str(BOOKS / "books_api.py"),
        "schema": str(checkout.root / "contract" / "books" / "schema.sql"),
        "fault": fault,
    }
    for name, value in values.items():
        manifest = manifest.replace(f"{{{name}}}", value)
    (target / "target.toml").write_text(manifest, "utf-8")
    short = {} if mode == "smoke" else {"users": [2], "phase_duration_s": seconds, "warm_up_s": 0}
    request = ComparisonRequest(mode, "a test", **{**short, **options})
    return compare(checkout, request, PlainProgress(Console(quiet=True)))


def only(comparison: Comparison) -> RunResult:
    assert comparison.not_measured == {}
    (run,) = comparison.runs
    return run


def refused(comparison: Comparison) -> str:
    """Why nothing was measured."""
    assert comparison.failed
    return comparison.not_measured["books-rest"]


def test_without_a_fault_every_operation_has_its_figures(checkout: Project) -> None:
    run = only(measured(checkout))
    assert (run.status, run.audit is not None and run.audit.clean) == (Status.COMPLETED, True)
    assert run.total is not None
    assert set(run.total.by_operation) == {"Create", "Read", "List", "Delete", "Search"}
    assert sum(each.requests for each in run.total.by_operation.values()) == run.total.requests
    assert run.total.statuses.keys() == {"200", "201", "204"}
    assert run.total.by_operation["Read"].checked > 0
    assert run.total.failed == 0
    assert (run.checks["Create"], run.checks["Delete"]) == (1.0, 0.0)
    assert len(run.workload_digest) == len(run.vectors_digest) == 64
    # The main thread, one for each user's connection, and the lab's own.
    threads = run.phases[0].measured.gauges["active threads"]
    assert threads.unit == "threads" and threads.readings >= 2 and threads.maximum >= 4
    assert not any(finding.kind == "gauges-unread" for finding in run.findings)


def test_a_gauge_that_is_not_shown_is_a_finding_of_a_run_that_counts(checkout: Project) -> None:
    run = only(measured(checkout, "no-gauges"))
    assert (run.status, run.phases[0].measured.gauges) == (Status.COMPLETED, {})
    (found,) = [finding for finding in run.findings if finding.kind == "gauges-unread"]
    assert "of the gauges of books-rest failed at http://127.0.0.1:" in found.message
    assert found.message.endswith("/metrics: the status was 404.")


def test_smoke_reaches_every_operation(checkout: Project) -> None:
    run = only(measured(checkout, mode="smoke"))
    assert run.total is not None
    assert set(run.total.by_operation) == {"Create", "Read", "List", "Delete", "Search"}


def test_wrong_reads_void_like_lost_writes(checkout: Project) -> None:
    words = refused(measured(checkout, "wrong-reads"))
    assert "Reads showed states that the writes before them exclude" in words
    assert "Read:" in words


def test_lost_writes_are_found(checkout: Project) -> None:
    words = refused(measured(checkout, "lost-writes"))
    assert "lost" in words or "Reads showed states" in words or "Read" in words


def test_an_operation_that_always_fails_is_named(checkout: Project) -> None:
    words = refused(measured(checkout, "failing-deletes"))
    assert "Delete (" in words and "status_500" in words
    assert 'expected status 204, received 500: {"message":"not written yet"}' in words


def test_wrong_content_of_an_unverified_reply_is_named(checkout: Project) -> None:
    words = refused(measured(checkout, "wrong-lists"))
    assert ("List (" in words and "wrong content" in words) or "× body" in words


def test_a_failed_check_names_place_expected_and_received_value(checkout: Project) -> None:
    words = refused(measured(checkout, "deaf-searches"))
    assert "Search" in words
    assert re.search(r'the first at /title expected "(The Trial|Ulysses & Co|Über alles)", received "Emma"', words)


def test_redirects_are_counted_and_not_followed(checkout: Project) -> None:
    words = refused(measured(checkout, "redirected-searches"))
    assert "Search (" in words and "× status_302" in words


def test_a_slow_operation_does_not_hide_among_the_others(checkout: Project) -> None:
    run = only(measured(checkout, "slow-lists", seconds=4))
    assert run.total is not None
    operations = run.total.by_operation
    assert operations["List"].latency.percentiles_ms["p50"] >= 250
    others = max(operations[name].latency.percentiles_ms["p50"] for name in ("Create", "Read", "Delete", "Search"))
    assert others < operations["List"].latency.percentiles_ms["p50"]
    # All together the lists are a tenth, and the median knows nothing of them.
    assert run.total.latency.percentiles_ms["p50"] < operations["List"].latency.percentiles_ms["p50"]
    (finding,) = [each for each in run.findings if each.kind == "slow-operation"]
    assert finding.message.startswith("List took ")
    assert "by operation" in finding.advice


MEMORY: dict[str, Any] = {"settings": {"store": ["memory"]}}


def test_what_is_kept_in_memory_is_audited_by_reads_and_promises_nothing(checkout: Project) -> None:
    run = only(measured(checkout, **MEMORY))
    assert run.status is Status.COMPLETED
    assert run.audit is not None and run.audit.clean and run.audit.through == "Read"
    assert run.audit.checked_entities == run.audit.entities > 0
    assert run.durability is Durability.NONE_PROMISED
    assert (run.environment["storage"], run.environment.get("database")) == ("memory", None)
    assert "audited-by-reads" in {finding.kind for finding in run.findings}


def test_what_memory_loses_is_found_by_the_audit_alone(checkout: Project) -> None:
    (run,) = measured(checkout, "late-losses", operations=["Create"], **MEMORY).runs
    assert run.status is Status.VOID
    assert run.audit is not None and run.audit.lost.count > 5
    assert any("not stored correctly" in finding.message for finding in run.findings)


@pytest.mark.parametrize("settings", [{}, {"store": ["memory"]}])
def test_entities_are_created_before_a_run_where_the_server_assigns_their_ids(
    checkout: Project, settings: dict[str, list[str]]
) -> None:
    run = only(measured(checkout, settings=settings, levels={"preload": [120]}))
    assert run.status is Status.COMPLETED
    assert run.audit is not None and run.audit.clean
    assert not {"unexplained-rows", "audit-failed"} & {finding.kind for finding in run.findings}
    if not settings:
        # A create in flight at the end may have been stored: its id is known to the server alone.
        assert 120 <= run.audit.unexplained_rows.count <= 120 + run.audit.untraceable_operations


def test_entities_created_before_a_run_are_audited_after_it(checkout: Project) -> None:
    words = refused(measured(checkout, "late-losses", operations=["List"], levels={"preload": [120]}))
    assert "Of 120 entities that were created before the run and that no operation updates: 14 lost" in words
