"""Publishes the decision of a gate where people and pipelines read it."""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bakeoff.cli.gate.judge_stored import Decision
from bakeoff.cli.output import say
from bakeoff.errors import BakeoffError
from bakeoff.forges.api import ForgeError, PermissionDeniedError
from bakeoff.forges.comments import put_comment
from bakeoff.forges.pipeline import NoDiscussionError, pipeline_address, pipeline_of
from bakeoff.gating.annotations import annotations_of
from bakeoff.gating.check import Gate
from bakeoff.gating.circumstances import circumstances_of
from bakeoff.gating.code_quality import code_quality_of
from bakeoff.gating.junit import junit_of
from bakeoff.gating.pull_request import Summary, markdown_of, short_markdown
from bakeoff.gating.sentence import change_of, verdict_of
from bakeoff.project import PROJECT_FILE, Project
from bakeoff.reporting.reasons import Reasons
from bakeoff.reporting.report_files import write_comparison_reports

_SUMMARY_VARIABLE, _OUTPUT_VARIABLE = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


@dataclass(frozen=True)
class Destinations:
    """Where a gate is published: files, GitHub Actions, and the comment on the pull request with its title."""

    junit: Path | None = None
    code_quality: Path | None = None
    github: bool = False
    comment: bool = False
    title: str | None = None


class Publication:
    """The publication of one gate of a project."""

    def __init__(self, project: Project, to: Destinations) -> None:
        self._project = project
        self._to = to
        self._title = to.title or _title_of(project)
        self._link = pipeline_address(os.environ)

    def decided(self, decision: Decision) -> None:
        """Publishes a decision with its report."""
        gate, to = decision.gate, self._to
        place = self._project.root.resolve().relative_to(self._project.repository.resolve()) / PROJECT_FILE
        _write(to.junit, lambda: junit_of(gate))
        _write(to.code_quality, lambda: code_quality_of(gate, place.as_posix()))
        if not to.github and not to.comment:
            return
        report = self._report(decision)
        circumstances = circumstances_of(decision.candidate, decision.baseline)
        text = markdown_of(Summary(gate, circumstances, self._title, decision.reasons_in_words, self._link))
        if to.github:
            for line in annotations_of(gate):
                say(line)
            _append(_OUTPUT_VARIABLE, _outputs(gate, report))
        self._show(text)

    @contextlib.contextmanager
    def of_failures(self) -> Iterator[None]:
        """Publishes why there is no decision, where the block fails or is interrupted."""
        try:
            yield
        except BakeoffError as error:
            self._undecided(f"The gate could not decide. {error.message}")
            raise
        except KeyboardInterrupt:
            self._undecided("The gate was cancelled before it could decide.")
            raise

    def _undecided(self, sentence: str) -> None:
        if self._to.github or self._to.comment:
            self._show(short_markdown(self._title, "⚠️", sentence, self._link))

    def _report(self, decision: Decision) -> Path | None:
        """The web page of what was measured; None where nothing was."""
        stored = decision.candidate.comparison
        if stored is None or not stored.runs:
            return None
        written = write_comparison_reports(self._project.results, stored, Reasons(decision.reasons))
        return next(path for path in written if path.suffix == ".html")

    def _show(self, text: str) -> None:
        """In the summary of the job, and as the comment. What keeps the comment from being written fails no gate."""
        _append(_SUMMARY_VARIABLE, text)
        if not self._to.comment:
            return
        try:
            pipeline = pipeline_of(os.environ)
            say(f"Comment: {put_comment(pipeline.discussion, self._title, text)}")
        except NoDiscussionError as error:
            say(error.message)
        except PermissionDeniedError as error:
            reason = (
                "The pull request comes from a fork, of which the token may only read. The job's summary has the text."
                if pipeline.from_fork
                else pipeline.advice
            )
            say(f"The comment could not be written. {error.message} {reason}")
        except ForgeError as error:
            say(f"The comment could not be written. {error.message}")


def _title_of(project: Project) -> str:
    """Names the folder of a project that is not the whole repository, so that each project has its own comment."""
    root, repository = project.root.resolve(), project.repository.resolve()
    return "Performance" if root == repository else f"Performance of {root.relative_to(repository).as_posix()}"


def _outputs(gate: Gate, report: Path | None) -> str:
    change = change_of(gate)
    outputs = {
        "verdict": verdict_of(gate),
        "change": "" if change is None else f"{change:+.1%}",
        "report": "" if report is None else str(report),
    }
    return "\n".join(f"{name}={value}" for name, value in outputs.items())


def _append(variable: str, text: str) -> None:
    """To the file that GitHub Actions names in a variable, if it does."""
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except OSError as error:
        say(f"{path} of {variable} cannot be written: {error.strerror}.")


def _write(path: Path | None, text: Callable[[], str]) -> None:
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), "utf-8")
    except OSError as error:
        raise BakeoffError(f"{path} cannot be written: {error.strerror}.") from error
