"""History in a real PostgreSQL: lists, summaries, references, clean-up, export and import."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from arbitrary_runs import run_results
from bakeoff.cli.runs.compare import compare
from bakeoff.cli.runs.trend import trend
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.history.cleanup import clean_up
from bakeoff.history.comparing import side_by_side
from bakeoff.history.exporting import csv_export, json_export
from bakeoff.history.importing import import_files
from bakeoff.history.judged import judgements_of
from bakeoff.history.listing import RunFilter, known_targets, labelled_targets, list_runs
from bakeoff.history.operation_figures import operations_of
from bakeoff.history.overview import latest_of_each_target, overview
from bakeoff.history.phases import phases_of
from bakeoff.history.run_figures import figures_of
from bakeoff.history.run_references import resolve
from bakeoff.history.run_tables import latest_tables, runs_table
from bakeoff.judging.fastest import store_fastest
from bakeoff.judging.judge import judge
from bakeoff.project import Project
from bakeoff.reporting.run_table import one_line
from bakeoff.results.cost import Gauge, Sample
from bakeoff.results.document import VERSION, Origin, document_of, read_documents, text_of
from bakeoff.results.run import RunResult, Status, file_stem
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.storage.stored_runs import load_comparison, load_runs
from bakeoff.text import table
from made_up import BEGIN, cost, divided, measured, operation, phase, run_of, run_result
from observations import ACTIVITY, STATE

pytestmark = pytest.mark.end_to_end

ORIGIN = Origin(BEGIN, "a name", "events", "quick", "./bakeoff run quick", 2)


def add(store: MetricsStore, *runs: RunResult) -> list[int]:
    comparison_id = store.begin_comparison(ORIGIN, {})
    return [store.add_run(comparison_id, run) for run in runs]


def test_a_schema_that_is_up_to_date_is_left_alone(store: MetricsStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yoyo.get_backend", None)
    store.migrate()


def test_rows_of_figures_are_those_of_the_run(store: MetricsStore) -> None:
    run = run_result(total=measured(123.4, 5.0, failed=7), contender="one · per-request", round=3)
    (run_id,) = add(store, run)
    (found,) = list_runs(store.server, RunFilter(), 10).runs
    assert found == figures_of(run, run_id, 1).readable()
    assert found.database_cpu_us_each == 5e6 / run.total.operations if run.total else None


def test_operations_are_those_of_the_run(store: MetricsStore, project: Project) -> None:
    total = divided({"Read": operation(300, 5.0, checked=3), "Save": operation(100, errors={"status_500": 4})})
    run = run_result(total=total)
    ids = add(store, run, run_result("two"))
    found = resolve(project, store.server, "c1").measurement.operations
    assert found == [replace(each, id=ids[0], comparison_id=1) for each in operations_of(run)]
    assert [(each.operation, each.throughput_per_s, each.failed) for each in found] == [
        ("Read", 30.0, 0),
        ("Save", 10.0, 4),
    ]


def test_a_list_shows_the_load_that_the_table_of_run_shows(store: MetricsStore) -> None:
    run = run_of("rust-rest", [1000, 5000, 3000])
    add(store, run)
    (listed,) = list_runs(store.server, RunFilter(), 10).runs
    (contender,) = judge(load_comparison(store.server, 1)).contenders
    peak = contender.peak_throughput_per_s
    assert peak is not None and listed.best_throughput_per_s == peak.median == 5000
    assert (listed.best_load, listed.throughput_per_s) == ("50 users", 3000.0)
    row = table.text_of(runs_table([listed])).splitlines()[-1].split()
    assert row[-9:-5] == ["completed", "50", "users", "5,000"]
    assert "5,000/s at 50 users" in one_line(run)


def test_the_latest_runs_of_two_workloads_stand_in_two_tables(store: MetricsStore) -> None:
    add(store, run_of("rust-rest", [100]), run_of("go-rest", [9000], workload="users"), run_of("go-grpc", [200]))
    text = table.text_of(*latest_tables(latest_of_each_target(store.server, None, None)))
    lines = [line.split()[0] for line in text.splitlines() if line and line[0] not in "─–"]
    assert lines == ["events", "target", "go-grpc", "rust-rest", "users", "target", "go-rest"]


def test_a_changed_workload_is_compared_only_where_allowed(
    store: MetricsStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("METRICS_DATABASE_URL", store.server.url)
    for digest in ("a", "b"):
        add(store, run_of("go-rest", [100], workload_digest=digest))
    with pytest.raises(UsageError, match="workload events changed"):
        compare(["c1", "c2"])
    compare(["c1", "c2"], allow_changed_workload=True)
    assert "The workload events changed between these runs" in capsys.readouterr().out
    with pytest.raises(UsageError, match="workload events changed"):
        trend("go-rest", metric="mean")
    trend("go-rest", metric="mean", allow_changed_workload=True)
    assert "run 2: the workload changed" in capsys.readouterr().out


def test_a_trend_is_of_one_operation_where_one_is_named(
    store: MetricsStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("METRICS_DATABASE_URL", store.server.url)
    for minute in range(2):
        add(store, run_result("one", minute, divided({"Read": operation(10 + minute), "Save": operation(90)})))
    trend("one", operation="Read", json=True)
    assert [point["value"] for point in json.loads(capsys.readouterr().out)["points"]] == [1.0, 1.1]
    with pytest.raises(UsageError, match='--operation is "Raed": these runs have Read, Save'):
        trend("one", operation="Raed")
    with pytest.raises(UsageError, match=r'No run of --target "on" is stored\. .*Did you mean one\?'):
        trend("on")


def test_phases_are_those_of_the_run(store: MetricsStore, project: Project) -> None:
    rates = [phase(1, 64, measured(1000, 2.0, 5), 1000.0), phase(2, 64, measured(2000), 0.5)]
    runs = [run_of("go-rest", [1000, 2000]), run_of("rust-rest", phases=rates), run_of("java-rest", [500])]
    ids = add(store, *runs)
    found = resolve(project, store.server, "c1").measurement
    expected = [
        replace(each, id=run_id, comparison_id=1)
        for run_id, run in zip(ids, runs, strict=True)
        for each in phases_of(run)
    ]
    assert found.phases == expected
    assert [each.phase for each in found.phases[-2:]] == ["phase 1 at 1,000/s", "phase 2 at 0.5/s"]


def test_a_run_without_figures_is_listed_too(store: MetricsStore) -> None:
    run = replace(run_result(status=Status.FAILED, failure="It died."), total=None, phases=[])
    (run_id,) = add(store, run)
    assert list_runs(store.server, RunFilter(), 10).runs == [figures_of(run, run_id, 1)]


def test_lists_are_newest_first_and_paged(store: MetricsStore) -> None:
    ids = add(store, *(run_result(minute=minute) for minute in (3, 1, 2, 2)))
    by_time = [ids[0], ids[3], ids[2], ids[1]]
    first = list_runs(store.server, RunFilter(), 3)
    assert ([run.id for run in first.runs], first.more) == (by_time[:3], True)
    rest = list_runs(store.server, RunFilter(), 3, before=first.runs[-1].id)
    assert ([run.id for run in rest.runs], rest.more) == (by_time[3:], False)
    with pytest.raises(BakeoffError, match="--before: there is no run 999"):
        list_runs(store.server, RunFilter(), 3, before=999)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (RunFilter(), 4),
        (RunFilter(target="one"), 3),
        (RunFilter(mode="full"), 1),
        (RunFilter(payload="8k"), 1),
        (RunFilter("one", "quick", "default"), 1),
        (RunFilter(target="%"), 0),
        (RunFilter(labelled=["two", "three"]), 1),
    ],
)
def test_filters(store: MetricsStore, wanted: RunFilter, found: int) -> None:
    add(store, run_result(), run_result(mode="full"), run_result(payload="8k"), run_result("two"))
    assert len(list_runs(store.server, wanted, 10).runs) == found
    assert known_targets(store.server) == ["one", "two"]


def test_labels_choose_targets_that_have_runs(store: MetricsStore) -> None:
    run = run_result("two")
    add(store, run_result(), replace(run, environment={**run.environment, "stack": "framework: Fiber 3.0"}))
    assert labelled_targets(store.server, ["framework=fiber"]) == ["two"]
    assert labelled_targets(store.server, [f"language={run.language}"]) == ["one", "two"]
    with pytest.raises(UsageError, match=r"no target here has framework=gin\. framework: Fiber 3\.0\."):
        labelled_targets(store.server, ["framework=gin"])


def test_the_overview_counts(store: MetricsStore) -> None:
    assert overview(store.server).all.runs == 0
    add(store, run_result(minute=1), run_result(minute=2, status=Status.VOID), run_result("two", mode="smoke"))
    found = overview(store.server)
    assert (found.all.runs, found.comparisons, found.modes, found.statuses) == (
        3,
        1,
        {"quick": 2, "smoke": 1},
        {"completed": 2, "void": 1},
    )
    one = found.targets["one"]
    assert (one.runs, one.completed, one.last) == (2, 1, BEGIN + timedelta(minutes=2))


def test_the_latest_of_each_target(store: MetricsStore) -> None:
    ids = add(
        store,
        run_result("one", minute=1),
        run_result("one", minute=2, total=measured(50)),
        run_result("one", minute=3, status=Status.FAILED),
        run_result("two", minute=1, total=measured(80)),
        run_result("two", minute=4, mode="smoke"),
    )
    assert [run.id for run in latest_of_each_target(store.server, None, None)] == [ids[3], ids[1]]
    assert [run.id for run in latest_of_each_target(store.server, "smoke", None)] == [ids[4]]
    assert latest_of_each_target(store.server, None, "8k") == []


def test_references(store: MetricsStore, project: Project, tmp_path: Path) -> None:
    smoke, first, second = add(store, run_result(mode="smoke"), run_result(minute=1), run_result(minute=2))
    (other,) = add(store, run_result(minute=9, environment={"commit": "f" * 40}))
    server = store.server

    def ids(reference: str) -> list[int]:
        return [run.id for run in resolve(project, server, reference).runs]

    assert ids(str(smoke)) == [smoke]
    assert ids("c1") == [first, second]
    assert ids("latest") == [other]
    file = tmp_path / "runs.json"
    file.write_text(json_export(project, server, [first, second]))
    assert [run.p99_ms for run in resolve(project, server, str(file)).runs] == [
        run.p99_ms for run in resolve(project, server, "c1").runs
    ]
    for reference, words in (("99", "no run 99"), ("c9", "no comparison c9"), ("no-such-branch", "is not known here")):
        with pytest.raises(BakeoffError, match=words):
            resolve(project, server, reference)


def test_a_commit_names_what_was_measured_at_it(store: MetricsStore, project: Project) -> None:
    with pytest.raises(BakeoffError, match="Nothing measured at HEAD"):
        resolve(project, store.server, "HEAD")
    import subprocess

    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=project.root, capture_output=True, text=True, check=True
    ).stdout.strip()
    (run_id,) = add(store, run_result(environment={"commit": head}))
    add(store, run_result(minute=9))
    assert [run.id for run in resolve(project, store.server, "HEAD").runs] == [run_id]


def test_comparisons_side_by_side(store: MetricsStore, project: Project) -> None:
    add(store, *(run_result(total=measured(rate), round=rate) for rate in (100, 110, 300)), run_result("two"))
    add(store, run_result(total=measured(55)), run_result("three"))
    (both,) = side_by_side([resolve(project, store.server, name) for name in ("c1", "c2")])
    assert both.title == "one · quick · default · 10 users"
    assert [(column.runs, column.medians["throughput"]) for column in both.columns] == [(3, 110.0), (1, 55.0)]
    assert both.change("throughput", both.columns[1]) == -0.5
    assert both.change("throughput", both.columns[0]) is None


def test_comparisons_are_judged_one_by_one_and_single_runs_together(
    store: MetricsStore, project: Project, tmp_path: Path
) -> None:
    runs = [
        run_of(name, [rate], number) for number in (1, 2, 3) for name, rate in (("go-rest", 500), ("rust-rest", 900))
    ]
    first, second, *_ = add(store, *runs)
    other = add(store, run_of("go-rest", [700]))[0]

    def judged(*names: str) -> dict[str, list[tuple[str, int | None]]]:
        found = judgements_of([resolve(project, store.server, name) for name in names])
        return {name: [(each.label, each.rank) for each in reported.contenders] for name, reported in found.items()}

    assert judged("c1", "c2") == {"c1": [("Rust REST", 1), ("Go REST", 2)], "c2": [("Go REST", 1)]}
    assert judged(str(first), str(second)) == {
        f"{first}, {second}": [(f"Rust REST · run {second}", 1), (f"Go REST · run {first}", 2)]
    }
    # Runs of two comparisons were not measured together.
    assert judged(str(first), str(other)) == {}
    assert judged("c1", str(other)) == {"c1": [("Rust REST", 1), ("Go REST", 2)]}
    file = tmp_path / "run.json"
    file.write_text(json_export(project, store.server, [first]), "utf-8")
    assert judged("c1", str(file)) == {}


def test_a_comparison_as_json_is_judged_as_its_text_is(
    store: MetricsStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("METRICS_DATABASE_URL", store.server.url)
    for rate in (500, 700):
        add(store, *(run_of(name, [rate], number) for number in (1, 2, 3) for name in ("go-rest", "rust-rest")))
    compare(["c1", "c2"], json=True)
    document = json.loads(capsys.readouterr().out)
    assert [each["title"] for each in document["compared"]] == [
        f"{name} · quick · default · 10 users" for name in ("go-rest", "rust-rest")
    ]
    compare(["c1", "c2"])
    text = capsys.readouterr().out
    assert not document["measured_together"]
    first_line, *_ = text.splitlines()
    assert first_line.startswith("Not measured together, so no verdict. Rounds of one comparison differed by up to")
    assert "./bakeoff run quick --against REF --rounds 5." in first_line
    for name in ("c1", "c2"):
        judgement = document["judgements"][name]
        assert f"{name}: {judgement['verdict']}" in text
        assert [each["tied_with"] for each in judgement["contenders"]] == [["rust-rest"], ["go-rest"]]
        assert judgement["contenders"][0]["peak_throughput_per_s"]["values"] == [{"c1": 500, "c2": 700}[name]] * 3
    assert "histogram" not in str(document)


def test_single_runs_are_judged_only_where_they_were_measured_together(
    store: MetricsStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("METRICS_DATABASE_URL", store.server.url)
    for rate in (500, 900):
        add(store, run_of("go-rest", [rate]), run_of("rust-rest", [rate]))
    runs = [run.id for run in list_runs(store.server, RunFilter(), 4).runs]
    compare([str(runs[0]), str(runs[1])], json=True)
    assert json.loads(capsys.readouterr().out)["measured_together"]
    compare([str(runs[0]), str(runs[2])], json=True)
    apart = json.loads(capsys.readouterr().out)
    assert (apart["measured_together"], apart["judgements"]) == (False, {})
    compare([str(runs[0]), str(runs[2])])
    assert "No scatter of this machine is known" in capsys.readouterr().out


def ages(days: int) -> datetime:
    return datetime.now(UTC) - timedelta(days=days)


@pytest.mark.parametrize(
    ("days", "keep", "left"),
    [
        (30, None, [1, 10, 20, 2]),
        (None, 2, [1, 10, 2, 50]),
        (30, 3, [1, 10, 20, 2, 50]),
        (30, 1, [1, 10, 20, 2]),
        (0, None, []),
        (None, 0, []),
    ],
)
def test_clean_up_keeps_what_any_rule_keeps(
    store: MetricsStore, days: float | None, keep: int | None, left: list[int]
) -> None:
    for api, age in (("one", 1), ("one", 10), ("one", 20), ("one", 40), ("two", 2), ("two", 50)):
        run = run_result(api, started_at=ages(age), environment={"age": str(age)})
        add(store, run)
    planned = clean_up(store.server, days, keep, execute=False)
    assert len(list_runs(store.server, RunFilter(), 100).runs) == 6
    done = clean_up(store.server, days, keep, execute=True)
    assert [(api.removed, api.kept) for api in done] == [(api.removed, api.kept) for api in planned]
    with store.server.connect() as connection:
        kept = connection.execute("SELECT environment ->> 'age' FROM test_runs ORDER BY target, id").fetchall()
        comparisons = connection.execute("SELECT count(*) FROM comparisons").fetchone()
        orphans = connection.execute("SELECT count(*) FROM test_phases").fetchone()
    assert [int(age) for (age,) in kept] == left
    assert comparisons == orphans == (len(left),)


def test_clean_up_of_one_target_names_the_files_of_what_it_removes(store: MetricsStore) -> None:
    runs = [run_result(name, started_at=ages(age)) for name, age in (("one", 40), ("one", 1), ("two", 50))]
    for run in runs:
        add(store, run)
    (done,) = clean_up(store.server, 30, None, execute=True, target="one")
    stem = file_stem(runs[0].started_at, runs[0].mode, runs[0].payload)
    assert (done.target, done.removed, done.kept, list(done.file_stems)) == ("one", 1, 1, [stem])
    assert len(list_runs(store.server, RunFilter(), 100).runs) == 2


def fastest(store: MetricsStore) -> list[tuple[str | None, float | None]]:
    with store.server.connect() as connection:
        return connection.execute("SELECT fastest, fastest_per_s FROM comparisons ORDER BY id").fetchall()


def test_import_and_clean_up_store_the_fastest(store: MetricsStore, project: Project, tmp_path: Path) -> None:
    own = replace(ORIGIN, command="one contender")
    runs = [
        run
        for number in (1, 2, 3)
        for run in (
            (run_result("slow", started_at=ages(1), round=number), ORIGIN),
            (run_result("fast", total=measured(200.0), started_at=ages(40), round=number), ORIGIN),
            (run_result("alone", started_at=ages(1), round=number), own),
        )
    ]
    for number, (run, origin) in enumerate(runs):
        (tmp_path / f"{number}.json").write_text(text_of(document_of(run, project, None, origin)))
    assert not import_files(project, store.server, [tmp_path]).problems
    assert fastest(store) == [("fast", 200.0), (None, None)]
    # A comparison that goes on has no verdict yet, and one without a second contender has no fastest.
    store.resume_comparison(1)
    assert fastest(store) == [(None, None), (None, None)]
    store_fastest(store, 1)
    assert fastest(store)[0] == ("fast", 200.0)
    clean_up(store.server, 30, None, execute=True)
    assert fastest(store) == [(None, None), (None, None)]


@given(run=run_results())
@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
def test_export_and_import_lose_nothing(store: MetricsStore, project: Project, tmp_path: Path, run: RunResult) -> None:
    store.server.execute_script("TRUNCATE comparisons CASCADE")
    file = tmp_path / "exported.json"
    file.write_text(text_of(document_of(run, project, None, ORIGIN)))
    ((_, run_id),) = import_files(project, store.server, [file]).stored
    (stored,) = load_runs(store.server, [run_id])
    assert stored.result == run
    exported = json_export(project, store.server, [run_id])
    (back,) = read_documents(exported, "it", project)
    assert (back.run, back.origin) == (run, ORIGIN)


def test_import_goes_on_past_what_it_cannot_read(store: MetricsStore, project: Project, tmp_path: Path) -> None:
    good = text_of(document_of(run_result(), project, None, ORIGIN))
    second = text_of(document_of(run_result("two", minute=1), project, None, ORIGIN))
    files = {
        "a": good[: len(good) // 2],
        "b": good.replace(f'"version": {VERSION}', f'"version": {VERSION + 1}', 1),
        "c": good,
        "d": second,
    }
    paths = []
    for name, text in files.items():
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(text)
    result = import_files(project, store.server, [*paths, tmp_path / "missing.json"])
    assert [path.name for path, _ in result.stored] == ["c.json", "d.json"]
    assert [problem.partition(" is ")[2][:12] for problem in result.problems[:2]] == [
        "truncated or",
        f"of version {VERSION + 1}",
    ]
    assert "missing.json cannot be read" in result.problems[2]
    # Both belong to the comparison that their files name.
    assert {run.comparison_id for run in list_runs(store.server, RunFilter(), 9).runs} == {1}
    again = import_files(project, store.server, paths)
    assert (again.stored, again.present) == ([], 2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contender": "a\0b"}, "NUL"),
        ({"environment": {"host": "a\0b"}}, "\\u0000"),
        ({"round": 2**40}, "out of range"),
        ({"samples": [Sample(10**30, "target", 0.0, 0)]}, "out of range"),
    ],
)
def test_import_goes_on_past_what_cannot_be_stored(
    store: MetricsStore, project: Project, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    refused = text_of(document_of(run_result(**changes), project, None, replace(ORIGIN, command="refused")))
    (tmp_path / "1.json").write_text(refused)
    (tmp_path / "2.json").write_text(text_of(document_of(run_result("two"), project, None, ORIGIN)))
    # A folder is as good as its files.
    result = import_files(project, store.server, [tmp_path])
    assert [path.name for path, _ in result.stored] == ["2.json"]
    (problem,) = result.problems
    assert "1.json cannot be stored: " in problem and words in problem
    # Nor is there a comparison without runs now.
    assert overview(store.server).comparisons == 1


def test_csv_has_a_row_for_each_phase_and_one_for_all(store: MetricsStore) -> None:
    ids = add(store, run_result(total=measured(100, failed=3)))
    rows = list(csv.DictReader(io.StringIO(csv_export(store.server, ids))))
    assert [(row["phase"], row["phase_name"], row["throughput_per_s"], row["failed"]) for row in rows] == [
        ("0", "all", "100.0", "3"),
        ("1", "Baseline", "100.0", "3"),
    ]
    assert rows[0]["engine_cpu_us_each"] == ""


def test_csv_has_a_row_for_each_operation_too(store: MetricsStore) -> None:
    total = divided({"Read": operation(300, checked=3), "Save": operation(100, errors={"status_500": 4})})
    ids = add(store, run_result(total=total))
    rows = list(csv.DictReader(io.StringIO(csv_export(store.server, ids))))
    assert [(row["phase"], row["operation"], row["requests"], row["statuses"]) for row in rows] == [
        (phase, *figures)
        for phase in ("0", "1")
        for figures in (("", "404", "200: 400"), ("Read", "300", "200: 300"), ("Save", "104", "200: 100"))
    ]
    assert [(row["errors"], row["checked"]) for row in rows[:3]] == [
        ("status_500: 4", "3"),
        ("", "3"),
        ("status_500: 4", "0"),
    ]
    assert (rows[1]["throughput_per_s"], rows[0]["sent_bytes_per_s"]) == ("30.0", "20200.0")


def test_csv_has_the_gauges_of_each_phase(store: MetricsStore) -> None:
    gauges = {"in flight": Gauge("requests", 12.5, 20.0, 40), "queue": Gauge("calls", 1 / 3, 123456789.0, 40)}
    total = divided({"Read": operation(300)}, gauges=gauges)
    (run_id,) = add(store, run_result(total=total))
    rows = list(csv.DictReader(io.StringIO(csv_export(store.server, [run_id]))))
    each = {"in flight: mean 12.5, maximum 20 requests", "queue: mean 0.3333333333, maximum 123456789 calls"}
    assert [(row["phase"], row["operation"], set(filter(None, row["gauges"].split("; ")))) for row in rows] == [
        ("0", "", each),
        ("0", "Read", set()),
        ("1", "", each),
        ("1", "Read", set()),
    ]
    assert load_runs(store.server, [run_id])[0].result.total == total
    with store.server.connect() as connection:
        stored = connection.execute("SELECT gauges #>> '{queue,unit}' FROM test_phases").fetchall()
    assert stored == [("calls",)]


def test_csv_tells_proportional_memory_and_once_a_run_what_was_seen_beside(store: MetricsStore) -> None:
    total = measured(costs={"target": replace(cost(60), pss_peak_bytes=15_500_000)})
    seen = run_result(total=total, database_activity=ACTIVITY, machine_state=STATE, environment={"cores": "1"})
    unseen = run_result("two", status=Status.FAILED)
    whole, phase, other, _ = csv.DictReader(io.StringIO(csv_export(store.server, add(store, seen, unseen))))
    assert (whole["target_memory_peak_mb"], whole["target_pss_peak_mb"], phase["target_pss_peak_mb"]) == (
        "20.0",
        "15.5",
        "15.5",
    )
    assert (whole["database_wal_bytes_each"], whole["database_checkpoints"], whole["steal_percent"]) == (
        "400.0",
        "2",
        "0.11",
    )
    assert whole["bottleneck"] == "unknown"
    for row in (phase, other):
        assert row["database_wal_bytes_each"] == row["steal_percent"] == row["bottleneck"] == ""
    assert other["target_pss_peak_mb"] == ""


def test_an_export_of_several_is_one_document(store: MetricsStore, project: Project) -> None:
    ids = add(store, run_result(), run_result("two"))
    assert [run["target"] for run in json.loads(json_export(project, store.server, ids))["runs"]] == ["one", "two"]
