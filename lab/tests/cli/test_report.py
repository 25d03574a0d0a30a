"""`bakeoff report`: what it writes where, and what it refuses."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.cli import report
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.judging import judge
from bakeoff.judging.judgement import Judgement
from bakeoff.storage import stored_runs
from judgements import comparison


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where results go, in a checkout whose latest comparison is number 12."""
    judgement, stored = comparison()

    @contextlib.contextmanager
    def history() -> Iterator[None]:
        yield None

    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    monkeypatch.setattr(report, "stored_history", history)
    monkeypatch.setattr(stored_runs, "load_comparison", lambda _server, _id: stored)
    monkeypatch.setattr(judge, "judge", lambda _stored: judgement)
    return tmp_path


@pytest.mark.parametrize(
    ("form", "name"),
    [("html", "comparison-12.html"), ("markdown", "comparison-12.md"), ("json", "comparison-12.json"),
     ("csv", "comparison-12.csv")],
)  # fmt: skip
def test_a_document_lands_in_reports_and_its_path_is_printed(
    results: Path, capsys: pytest.CaptureFixture[str], form: str, name: str
) -> None:
    report.report(None, form, None)
    assert capsys.readouterr().out.strip() == str(results / "reports" / name)
    assert [path.name for path in (results / "reports").iterdir()] == [name]


@pytest.mark.parametrize("form", ["svg", "png"])
def test_pictures_land_in_a_folder(results: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    report.report(None, form, None)
    folder = results / "reports" / "comparison-12"
    assert capsys.readouterr().out.strip() == str(folder)
    assert (folder / f"throughput-payload-default.{form}").is_file()


def test_an_output_of_ones_own(results: Path) -> None:
    wanted = results / "a folder" / "page.html"
    report.report("12", "html", wanted)
    assert wanted.read_text("utf-8").startswith("<!doctype html>")


def test_text_is_printed(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report.report(None, "text", None)
    assert "Rust REST and Rust gRPC tie" in capsys.readouterr().out
    assert not list(results.iterdir())


def test_a_dash_is_standard_output(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report.report(None, "json", Path("-"))
    assert json.loads(capsys.readouterr().out)["judgement"]["comparison_id"] == 12
    assert not list(results.iterdir())


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="html, markdown, json, csv, text, svg, png"):
        report.report(None, "pdf", None)


def test_pictures_do_not_go_to_standard_output() -> None:
    with pytest.raises(UsageError, match="folder of pictures"):
        report.report(None, "png", Path("-"))


def test_a_place_that_cannot_be_written_is_named(results: Path) -> None:
    (results / "taken").write_text("")
    with pytest.raises(BakeoffError, match=r"taken.* cannot be written"):
        report.report(None, "html", results / "taken" / "page.html")
    with pytest.raises(BakeoffError, match="cannot be written"):
        report.report(None, "html", Path("/proc/no-such-folder.html"))
    with pytest.raises(BakeoffError, match="cannot be written"):
        report.report(None, "html", results)


def test_labels_choose_the_runs_that_are_judged(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = []
    judgement, _ = comparison()

    def judge_some(stored: stored_runs.StoredComparison) -> Judgement:
        judged.append(stored)
        return judgement

    monkeypatch.setattr(judge, "judge", judge_some)
    report.report(None, "json", None, ["language=go"])
    (stored,) = judged
    assert {run.result.language for run in stored.runs} == {"go"}
    assert stored.name.endswith(" · language=go")
    assert capsys.readouterr().out.strip() == str(results / "reports" / "comparison-12-language-go.json")
    with pytest.raises(UsageError, match="no target here has language=cobol"):
        report.report(None, "json", None, ["language=cobol"])
