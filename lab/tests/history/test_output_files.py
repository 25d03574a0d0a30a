"""Which files go with the runs that `runs cleanup --files` removes."""

from pathlib import Path

import pytest

from bakeoff.history.cleanup import files_of, size_of
from bakeoff.project import Project

OLD, NEW = "20260101T000000.000-quick-8k", "20260201T000000.000-quick-8k"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path / "results"))
    project = Project(tmp_path)
    (project.results / "a").mkdir(parents=True)
    project.logs.mkdir(parents=True)
    (project.logs / "a-conformance.log").write_text("log")
    for name in (
        f"{OLD}.json",
        f"{OLD}.log",
        f"{OLD}.engine.log",
        f"{OLD}-metrics.csv",
        f"{OLD}.stream.jsonl",
        f"{OLD}-nested.json",
        f"{NEW}.json",
    ):
        (project.results / "a" / name).write_text("12345")
    return project


def test_all_files_of_a_removed_run_go_and_no_others(checkout: Project) -> None:
    files = files_of(checkout, {"a": [OLD], "b": [NEW]})
    kinds = (".json", ".log", ".engine.log", "-metrics.csv", ".stream.jsonl")
    assert {path.name for path in files} == {f"{OLD}{kind}" for kind in kinds}
    assert size_of(files) == 25


def test_logs_go_with_the_last_files_of_a_target(checkout: Project) -> None:
    files = files_of(checkout, {"a": [OLD, f"{OLD}-nested", NEW]})
    assert len(files) == 8
    assert checkout.logs / "a-conformance.log" in files


def test_no_run_no_file(checkout: Project) -> None:
    assert files_of(checkout, {"a": []}) == []
