"""`bakeoff gate` over a stored history: what is judged against what, and the exit status."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import typer
from rich.console import Console

from bakeoff.builds.build import Build
from bakeoff.cli.gate import gate as command
from bakeoff.cli.output import typed_command
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing import comparison as comparing
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.results.document import Origin
from bakeoff.results.run import RunResult
from bakeoff.running.contender import Contender
from bakeoff.storage.metrics_store import MetricsStore
from made_up import BEGIN, ORIGIN, measured, run_result
from made_up_manifests import engine, target, workload

pytestmark = pytest.mark.end_to_end

TYPED = ["bakeoff", "gate", "--baseline", "c1"]


@pytest.fixture(autouse=True)
def read_by_the_command(store: MetricsStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_DATABASE_URL", store.server.url)
    monkeypatch.setattr("sys.argv", TYPED)


@pytest.fixture
def gate(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, str]]]:
    """Runs the command; gives its exit status, and the words of what is not simply well by contender and metric."""

    def run(baseline: str, *, rerun: bool = False) -> tuple[int, dict[str, str]]:
        with pytest.raises(typer.Exit) as left:
            command(baseline, rerun=rerun, json=True)
        checks = json.loads(capsys.readouterr().out)["checks"]
        found = [check for check in checks if check["outcome"] != "passed"]
        return left.value.exit_code, {
            f"{each['series']['contender']} {each['metric']}": each["words"] for each in found
        }

    return run


def rounds(rate: float, *targets: str) -> list[RunResult]:
    return [
        run_result(name, minute=minute, total=measured(rate + minute), round=minute + 1)
        for name in targets
        for minute in range(3)
    ]


def add(
    store: MetricsStore,
    runs: Sequence[RunResult],
    command: str = "./bakeoff run quick",
    refused: Mapping[str, str] | None = None,
) -> Comparison:
    with store.server.connect() as connection:
        (count,) = connection.execute("SELECT count(*) FROM comparisons").fetchone() or (0,)
    origin = Origin(BEGIN + timedelta(hours=count), "", "events", "quick", command, 3)
    comparison_id = store.begin_comparison(origin, ComparisonRequest("quick", command).as_document())
    for run in runs:
        store.add_run(comparison_id, run)
    status = "completed" if runs else "failed"
    store.end_comparison(comparison_id, status, refused or {}, list(refused or {}))
    return Comparison(list(runs), id=comparison_id)


BOTH = ("go-rest", "rust-rest")
NO_CONFORMANCE = {"go-rest": "go-rest: 3 of 80 conformance cases failed."}


def test_a_contender_that_was_refused_fails(store: MetricsStore, gate: Callable[..., tuple[int, object]]) -> None:
    add(store, rounds(1000, *BOTH))
    add(store, rounds(1000, "rust-rest"), refused=NO_CONFORMANCE)
    assert gate("c1") == (1, {"go-rest validity": f"not measured: {NO_CONFORMANCE['go-rest']}"})


def test_without_anything_to_compare_with_the_options_are_named(store: MetricsStore) -> None:
    add(store, rounds(1000, "go-rest"))
    with pytest.raises(BakeoffError, match=r"--against REF \(recommended\), --baseline REF or --goals FILE.toml"):
        command()


def test_where_all_were_refused_no_older_measurement_is_judged(
    store: MetricsStore, gate: Callable[..., tuple[int, Mapping[str, str]]]
) -> None:
    add(store, rounds(1000, *BOTH))
    add(store, rounds(1000, *BOTH))
    add(store, [], refused={name: f"{name}: it does not build." for name in BOTH})
    status, reported = gate("c1")
    assert (status, sorted(reported)) == (1, ["go-rest validity", "rust-rest validity"])


def test_where_nothing_builds_no_older_measurement_is_judged_either(
    store: MetricsStore,
    gate: Callable[..., tuple[int, Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    empty_checkout: Project,
) -> None:
    def build(what: Build, *_: object) -> None:
        if what.name == "broken":
            raise BakeoffError("the compiler says no.")

    broken = replace(target("go-rest"), build=replace(target("go-rest").build, name="broken"))
    contender = Contender(broken, workload(), replace(engine("native"), build=target("engine").build))
    monkeypatch.setattr(comparing, "choose", lambda *_: [contender])
    monkeypatch.setattr(Build, "run", build)
    add(store, rounds(1000, "go-rest"))
    add(store, rounds(1000, "go-rest"))
    comparing.compare(
        empty_checkout, ComparisonRequest("quick", "./bakeoff run quick"), PlainProgress(Console(stderr=True))
    )
    assert gate("c1") == (1, {"go-rest validity": "not measured: go-rest: the compiler says no."})


def test_a_rerun_is_neither_judged_nor_held_against_later(
    store: MetricsStore,
    gate: Callable[..., tuple[int, Mapping[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requested: list[ComparisonRequest] = []

    def compare(_project: Project, request: ComparisonRequest, _progress: object) -> Comparison:
        requested.append(request)
        return add(store, rounds(1000, *request.targets), request.command)

    monkeypatch.setattr(comparing, "compare", compare)
    add(store, rounds(1000, *BOTH))
    add(store, [*rounds(1000, "rust-rest"), *rounds(500, "go-rest")])
    status, reported = gate("c1", rerun=True)
    assert status == 3, "unclear: the first comparison speaks against the rerun"
    assert "not confirmed by a rerun" in reported["go-rest throughput"]
    assert [(request.targets, request.command) for request in requested] == [(("go-rest",), typed_command())]
    # The next judgement is of both, not of the rerun of one.
    assert gate("c1")[0] == 1


def test_what_was_not_asked_for_in_a_way_that_is_known_cannot_be_repeated(store: MetricsStore, tmp_path: Path) -> None:
    from bakeoff.project import find_project
    from bakeoff.results.document import document_of, text_of

    add(store, rounds(1000, "go-rest"))
    file = tmp_path / "run.json"
    file.write_text(text_of(document_of(rounds(1, "go-rest")[0], find_project(), None, ORIGIN)))
    with pytest.raises(BakeoffError, match="has no stored request"):
        command("c1", str(file))
