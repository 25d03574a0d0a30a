"""Where a gate is published: the job's summary, outputs and annotations, and the comment, whatever keeps it away."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.cli.gate.judge_stored import Decision, print_gate
from bakeoff.cli.gate.publish import Destinations, Publication
from bakeoff.errors import BakeoffError
from bakeoff.forges import comments
from bakeoff.gating.check import Change, Check, Gate, Outcome
from bakeoff.history.run_figures import figures_of
from bakeoff.history.run_references import Referenced
from bakeoff.project import Project
from bakeoff.reporting.reasons import Reason, RequestCost
from bakeoff.storage.stored_runs import StoredRun
from fake_forge import FakeForge, Refusal
from made_up import run_result

RUN = run_result("shop")
FEWER = Change(1000.0, 890.0, "ops/s", 0.89, 0.87, 0.91, more_is_better=True, limit=0.95, confidence=0.99)
DECISION = Decision(
    Gate([Check(figures_of(RUN).series, "throughput", Outcome.FAILED, "11% fewer", change=FEWER)], []),
    Referenced("c1", [StoredRun(1, 1, RUN)]),
    reasons=[
        Reason(
            "list sends 21 statements to PostgreSQL instead of 1.",
            [RequestCost("list", "statements", 1, 21), RequestCost("shop", "allocated", 4_100, 8_200)],
        )
    ],
)
SENTENCE = "shop serves 11.0% fewer requests per second."


@pytest.fixture
def job(tmp_path: Path, forge: FakeForge, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a job of GitHub Actions, of a pull request from a branch of the repository."""
    monkeypatch.setattr(comments, "_WAITS_S", (0.0, 0.0))
    pull = {"number": 7, "head": {"repo": {"full_name": "shop/api"}}, "base": {"repo": {"full_name": "shop/api"}}}
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": pull}), "utf-8")
    environment = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_REPOSITORY": "shop/api",
        "GITHUB_RUN_ID": "5",
        "GITHUB_TOKEN": "secret",
        "GITHUB_API_URL": forge.url,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "outputs"),
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def publication(job: Path, **to: object) -> Publication:
    return Publication(Project(job), Destinations(**to))  # type: ignore[arg-type]


def test_in_github_actions(job: Path, forge: FakeForge, capsys: pytest.CaptureFixture[str]) -> None:
    publication(job, github=True, comment=True).decided(DECISION)
    summary = (job / "summary.md").read_text("utf-8")
    assert (
        f"**{SENTENCE}**\n\n- list sends 21 statements" in summary
        and "https://github.example/shop/api/actions/runs/5" in summary
    )
    assert (job / "outputs").read_text("utf-8") == "verdict=failed\nchange=-11.0%\nreport=\n"
    assert forge.bodies == [f"<!-- bakeoff gate: Performance -->\n{summary.rstrip()}"]
    said = capsys.readouterr()
    assert "::error title=throughput of shop" in said.err and "Comment: https://forge.example/comments/1" in said.err
    assert not said.out


@pytest.mark.parametrize(("cores", "is_said"), [("1", True), ("2", False)])
def test_a_machine_with_one_core_is_said(
    job: Path, capsys: pytest.CaptureFixture[str], cores: str, is_said: bool
) -> None:
    run = replace(RUN, environment={**RUN.environment, "cores": cores})
    decision = replace(DECISION, candidate=Referenced("c1", [StoredRun(1, 1, run)]))
    print_gate(decision, as_json=False)
    publication(job, github=True).decided(decision)
    for text in (capsys.readouterr().out, (job / "summary.md").read_text("utf-8")):
        assert ("one core for target, database and load generator" in text) == is_said


def test_without_its_options_a_pipeline_gets_nothing(job: Path, forge: FakeForge) -> None:
    publication(job).decided(DECISION)
    assert not (job / "summary.md").exists() and not (job / "outputs").exists() and not forge.asked


@pytest.mark.parametrize(
    ("fork", "refusals", "words"),
    [
        (True, [Refusal("POST", 403, "Resource not accessible by integration")], "comes from a fork"),
        (False, [Refusal("POST", 403, "Resource not accessible by integration")], "pull-requests: write"),
        (False, [Refusal("GET", 404)], "replied 404"),
        (False, [Refusal("GET", 429, headers={"Retry-After": "3600"})], "rate limit is lifted in 3,600 s"),
        (False, [Refusal("GET", None)] * 3, "gave no usable reply"),
    ],
)
def test_where_the_comment_cannot_be_written_the_summary_has_the_text(
    job: Path, forge: FakeForge, capsys: pytest.CaptureFixture[str], fork: bool, refusals: list[Refusal], words: str
) -> None:
    if fork:
        event = job / "event.json"
        event.write_text(event.read_text("utf-8").replace("shop/api", "stranger/api", 1), "utf-8")
    forge.refusals += refusals
    publication(job, comment=True).decided(DECISION)
    assert SENTENCE in (job / "summary.md").read_text("utf-8")
    said = capsys.readouterr().err
    assert "The comment could not be written" in said and words in said and "secret" not in said


def test_outside_of_a_pipeline_a_line_says_so(
    job: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS")
    publication(job, comment=True).decided(DECISION)
    assert "neither GitHub Actions nor GitLab CI" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyboardInterrupt(), "The gate was cancelled before it could decide."),
        (BakeoffError("The commit abc has no bakeoff.toml."), "could not decide. The commit abc has no bakeoff.toml."),
    ],
)
def test_the_comment_of_an_earlier_commit_does_not_outlive_a_gate_that_ends_early(
    job: Path, forge: FakeForge, error: BaseException, words: str
) -> None:
    made = publication(job, comment=True)
    made.decided(DECISION)
    with pytest.raises(type(error)), made.of_failures():
        raise error
    (body,) = forge.bodies
    assert words in body and SENTENCE not in body


def test_files(job: Path) -> None:
    publication(job, junit=job / "new" / "gate.xml", code_quality=job / "quality.json").decided(DECISION)
    assert "11% fewer" in (job / "new" / "gate.xml").read_text("utf-8")
    (issue,) = json.loads((job / "quality.json").read_text("utf-8"))
    assert issue["location"]["path"] == "bakeoff.toml"


def test_a_file_that_cannot_be_written_is_an_error(job: Path) -> None:
    with pytest.raises(BakeoffError, match="cannot be written: Is a directory"):
        publication(job, junit=job).decided(DECISION)


def test_a_project_in_a_folder_has_its_own_comment(job: Path, forge: FakeForge) -> None:
    subprocess.run(["git", "init", "-q"], cwd=job, check=True)
    folder = job / "services" / "shop"
    folder.mkdir(parents=True)
    Publication(Project(folder), Destinations(comment=True)).decided(DECISION)
    publication(job, comment=True, title="Mine").decided(DECISION)
    assert [body.splitlines()[1] for body in forge.bodies] == ["### ❌ Performance of services/shop", "### ❌ Mine"]
