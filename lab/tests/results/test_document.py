"""A run as a document and back; documents that are none."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from arbitrary_runs import run_results
from bakeoff.errors import BakeoffError
from bakeoff.judging.usage_at_peak import described_bottleneck
from bakeoff.project import Project
from bakeoff.reporting.result_files import write_result_files
from bakeoff.results.cost import Sample
from bakeoff.results.document import VERSION, document_of, read_documents, text_of
from bakeoff.results.result_files import REPORTS, read_result_file, result_files
from bakeoff.results.run import RunResult, Status
from made_up import ORIGIN, measured, run_of, run_result
from observations import ACTIVITY, STATE

EARLIER = Path(__file__).with_name("earlier_version.json")


@given(run=run_results())
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_run_survives_its_document(project: Project, run: RunResult) -> None:
    (back,) = read_documents(text_of(document_of(run, project, None, ORIGIN)), "it", project)
    assert back.run == run
    assert back.origin == ORIGIN


def test_the_stream_is_named_as_seen_from_the_checkout(project: Project) -> None:
    run = run_result(stream_file=project.root / "results" / "one" / "a.stream.jsonl")
    document = document_of(run, project, None, ORIGIN)
    assert document["stream_file"] == "results/one/a.stream.jsonl"
    assert read_documents(text_of(document), "it", project)[0].run == run


def test_the_bottleneck_stands_in_the_document(project: Project) -> None:
    run = run_of(environment={"cores": "1"})
    assert document_of(run, project, described_bottleneck(run), ORIGIN)["bottleneck"] == {
        "kind": "target-cpu",
        "words": "The bottleneck was the CPU of the target, on 1 core (shared): the target 60% of a core, PostgreSQL "
        "50%.",
    }
    failed = replace(run, status=Status.FAILED)
    assert document_of(failed, project, described_bottleneck(failed), ORIGIN)["bottleneck"] is None


def test_what_postgresql_and_the_machine_did_stands_in_the_document(project: Project) -> None:
    document = document_of(run_of(database_activity=ACTIVITY, machine_state=STATE), project, None, ORIGIN)
    kept = run_of(database_activity=ACTIVITY, machine_state=STATE)
    assert document["database_activity"] == {**msgspec.to_builtins(kept.database_activity), **ACTIVITY}
    assert document["machine_state"] == {**msgspec.to_builtins(kept.machine_state), **STATE}


def test_the_text_keeps_rows_on_a_line(project: Project) -> None:
    lines = text_of(document_of(run_result(), project, None, ORIGIN)).splitlines()
    assert sum('"target", 0.5, 1000000, null' in line for line in lines) == 1


def test_several_runs_in_one_document(project: Project) -> None:
    runs = [run_result("one"), run_result("two")]
    text = text_of({"version": VERSION, "runs": [document_of(run, project, None, ORIGIN) for run in runs]})
    assert [document.run for document in read_documents(text, "it", project)] == runs


def test_a_file_of_an_earlier_checkout_is_refused(project: Project) -> None:
    with pytest.raises(BakeoffError) as refused:
        read_result_file(project, EARLIER)
    assert refused.value.message.endswith(
        "earlier_version.json is of version 5; this bakeoff reads version 1. Read it with the bakeoff that wrote it, "
        "or measure again."
    )


def test_a_percentile_that_is_missing_is_named(project: Project) -> None:
    text = text_of(document_of(run_result(), project, None, ORIGIN)).replace('"p99":', '"p98":')
    with pytest.raises(BakeoffError, match="it is not a run result: percentiles_ms has no p99"):
        read_documents(text, "it", project)


def _changed(path: str, value: Any) -> str:
    document = json.loads(text_of(document_of(run_result(), Project(Path("/nowhere")), None, ORIGIN)))
    *parents, last = path.split(".")
    place = document
    for parent in parents:
        place = place[int(parent)] if parent.isdecimal() else place[parent]
    place[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is truncated or not JSON"),
        (_changed("status", "completed")[:-200], "it is truncated or not JSON"),
        (_changed("language", "\ud800"), "it is truncated or not JSON"),
        ("[1]", "Expected `object`, got `array`"),
        ("{}", "Object missing required field `version`"),
        (
            _changed("version", 2),
            "is of version 2; this bakeoff reads version 1. Read it with the bakeoff that wrote it",
        ),
        (_changed("status", "splendid"), "Invalid enum value 'splendid' - at `$.status`"),
        (_changed("phases.0.measured.requests", -1), "Expected `int` >= 0 - at `$.phases[0].measured.requests`"),
        (_changed("total.latency.count", "many"), "Expected `int`, got `str` - at `$.total.latency.count`"),
        (_changed("samples", [[1, "target", 0.5]]), "$.samples[0]"),
        (_changed("started_at", "yesterday"), "Invalid RFC3339 encoded datetime - at `$.started_at`"),
        (
            _changed("started_at", "2026-01-01T00:00:00"),
            "Expected `datetime` with a timezone component - at `$.started_at`",
        ),
        ('{"version": 1, "runs": [{}]}', "Object missing required field `target`"),
    ],
)
def test_what_is_no_result_says_so(project: Project, text: str, words: str) -> None:
    with pytest.raises(BakeoffError) as error:
        read_documents(text, "it", project)
    assert error.value.message.startswith("it ")
    assert words in error.value.message


def test_the_csv_of_samples_has_proportional_memory_where_it_was_asked_for(empty_checkout: Project) -> None:
    begin_ns = 1_767_225_600_000_000_000
    samples = [Sample(begin_ns, "target", 0.5, 20_000_000), Sample(begin_ns, "database", 1.25, 90_000_000, 60_440_000)]
    written = write_result_files(empty_checkout, run_result(samples=samples), ORIGIN)
    assert written.with_name(f"{written.stem}-metrics.csv").read_text("utf-8").splitlines() == [
        "sampled_at,role,cpu_s,memory_mb,pss_mb",
        "2026-01-01T00:00:00+00:00,target,0.50,20.0,",
        "2026-01-01T00:00:00+00:00,database,1.25,90.0,60.4",
    ]


def test_files_are_written_whole_and_found_again(empty_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BAKEOFF_RESULTS", raising=False)
    later, earlier = run_result("one", minute=5, total=measured(200)), run_result("two", minute=3)
    for run in (later, earlier):
        write_result_files(empty_checkout, run, ORIGIN)
    report = empty_checkout.results / REPORTS / "comparison-1.json"
    report.parent.mkdir()
    report.write_text("{}")
    found = [read_result_file(empty_checkout, path)[0].run for path in result_files(empty_checkout.results)]
    assert found == [earlier, later]
    # Of one target alone, and what is named for itself.
    assert len(result_files(empty_checkout.results / "one")) == 1
    assert result_files(report.parent) == [report]
    assert not list(empty_checkout.results.rglob("*.partial"))


@pytest.mark.parametrize(
    ("content", "words"), [(None, "cannot be read: No such file"), (b"\xff\xfe", "damaged: not UTF-8 text")]
)
def test_a_file_that_cannot_be_read(empty_checkout: Project, content: bytes | None, words: str) -> None:
    path = empty_checkout.root / "a.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BakeoffError, match=words):
        read_result_file(empty_checkout, path)
