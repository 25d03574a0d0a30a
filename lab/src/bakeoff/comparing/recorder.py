"""Records a comparison: each result in files and in the metrics database, refusals, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import TracebackType

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.judging.fastest import store_fastest
from bakeoff.project import COMMAND, Project, path_here
from bakeoff.reporting.result_files import write_result_files
from bakeoff.reporting.run_table import one_line
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.document import Origin
from bakeoff.results.run import RunResult, Status, file_stem
from bakeoff.running.contender import Contender
from bakeoff.running.environment import machine_name
from bakeoff.running.progress import Progress
from bakeoff.running.run_request import RunRequest
from bakeoff.running.stage_times import StageTimes, mean_in_words
from bakeoff.storage.metrics_store import MetricsStore, Unfinished
from bakeoff.workload.plan import THRESHOLDS

# One failed run may be bad luck; a contender that fails again takes no further turn.
_FAILED_RUNS_ALLOWED = 1


@dataclass
class Comparison:
    """Runs of the mode asked for, and contenders that were not measured, each with the reason.

    `refused` are those of them that this machine can build. `failed`: there are such, or a run failed. `unstored`: runs
    that the metrics database did not take, and that only lie in files. `id` is that of the metrics database, and
    `threshold` the limits that the request sets.
    """

    runs: list[RunResult] = field(default_factory=list)
    not_measured: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    failed: bool = False
    interrupted: bool = False
    threshold: str | None = None
    unstored: int = 0
    id: int | None = None

    def refuse(self, key: str, reason: str, progress: Progress) -> None:
        """Records why a contender, or every one of a target, was not measured although it can be built."""
        reason = _without_target(reason, key.split()[0])
        self.not_measured[key] = f"{key}: {reason}"
        self.refused.add(key)
        self.failed = True
        progress.say(f"{key}: not measured. {reason}")


class Recorder:
    """Begins the comparison in the store on entry, and ends it on exit.

    Ctrl-C only marks the comparison. After any other error too (a full disk, say) --resume continues it.
    """

    def __init__(
        self,
        project: Project,
        store: MetricsStore,
        progress: Progress,
        request: ComparisonRequest,
        comparison: Comparison,
        unfinished: Unfinished | None,
        workload: str,
    ) -> None:
        self.store = store
        self.request = request
        self.comparison = comparison
        self._project = project
        self._progress = progress
        self._unfinished = unfinished
        started_at = datetime.now(UTC) if unfinished is None else unfinished.started_at
        self._origin = Origin(
            started_at, request.name, workload, request.mode, request.command, request.rounds, request.scale or ""
        )
        self._outside_s: list[Mapping[str, float]] = []
        self._failures: dict[str, list[str]] = {}

    def __enter__(self) -> "Recorder":
        if self._unfinished is None:
            self.comparison.id = self.store.begin_comparison(self._origin, self._stored_request())
        else:
            self.store.resume_comparison(self._unfinished.id)
            self.comparison.id = self._unfinished.id
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> bool:
        self.comparison.interrupted |= kind is not None
        if (outside := mean_in_words(self._outside_s)) is not None:
            self._progress.say(outside)
        self._end()
        return kind is KeyboardInterrupt

    @property
    def id(self) -> int:
        """That of the comparison in the metrics database."""
        assert self.comparison.id is not None
        return self.comparison.id

    def refuse(self, contender: Contender, reason: str) -> None:
        self.comparison.refuse(contender.key, reason, self._progress)

    def leave_out(self, key: str, reason: str) -> None:
        """Records what is not measured, which is no failure."""
        self.comparison.not_measured[key] = f"{key}: left out, {reason}"
        self._progress.say(self.comparison.not_measured[key])

    def may_run(self, key: str) -> bool:
        return len(self._failures.get(key, [])) <= _FAILED_RUNS_ALLOWED

    def change_request(self, request: ComparisonRequest) -> None:
        """Stores the request with the rates or rounds that were found, from which a resumed comparison begins."""
        self.request, self._origin = request, replace(self._origin, rounds=request.rounds)
        try:
            self.store.change_request(self.id, self._stored_request(), request.rounds)
        except BakeoffError as error:
            self._progress.say(f"What was found could not be stored: --resume looks for it again. {error.message}")

    def record(self, run: RunRequest, result: RunResult, builds: str) -> RunResult:
        """Stores a result with the proof of its contender and the builds that ran beside it; a turn's counts too."""
        proved = f"proved at {run.contender.proof.proved_at}"
        result = replace(result, environment={**result.environment, "target_conformance": proved})
        if builds:
            result = replace(result, findings=[*result.findings, kinds.CONCURRENT_BUILDS(builds=builds)])
        storing = StageTimes()
        write_result_files(self._project, result, self._origin)
        try:
            self.store.add_run(self.id, result)
        except BakeoffError as error:
            self.comparison.unstored += 1
            self._progress.say(error.message)
        storing.mark("storing")
        if run.mode == self.request.mode:
            if result.machine_state is not None:
                self._outside_s.append({**result.machine_state.outside_phases_s, **storing.seconds})
            self._record_turn(result)
        return result

    def problem_with(self, result: RunResult) -> str | None:
        """Why a run's figures are no result, or why its smoke test forbids a longer one.

        A run that Ctrl-C cut short shows nothing about its target.
        """
        if result.failure:
            return _without_target(result.failure, result.target)
        if result.status is Status.INTERRUPTED:
            return None
        if result.status is Status.VOID:
            return next(finding.message for finding in result.findings if finding.kind in kinds.VOIDING)
        if result.status is Status.COMPLETED and (result.total is None or result.total.requests == 0):
            folder = self._project.results / result.target
            log = folder / f"{file_stem(result.started_at, result.mode, result.payload)}.engine.log"
            return f"its {result.mode} run sent nothing. Read the engine's log, {path_here(log)}."
        if result.mode == "smoke" and result.total is not None and result.total.error_rate >= THRESHOLDS.error_rate:
            return f"its smoke test failed. {result.findings[0].message}"
        return None

    def _record_turn(self, result: RunResult) -> None:
        self.comparison.runs.append(result)
        problem, key = self.problem_with(result), result.contender
        if problem is not None:
            self._failures.setdefault(key, []).append(problem)
            self.comparison.failed = True
            self._progress.say(f"{key}: this run is not used. {problem}")
        elif result.status is not Status.INTERRUPTED:
            self._progress.say(one_line(result))
            self._progress.standing(result)

    def _end(self) -> None:
        comparison = self.comparison
        before = frozenset() if self._unfinished is None else self._unfinished.done
        good = {contender for contender, _ in before}
        good |= {run.contender for run in comparison.runs if run.status in (Status.COMPLETED, Status.INTERRUPTED)}
        failed = {key: problems for key, problems in self._failures.items() if key not in good}
        comparison.not_measured |= {key: f"{key}: {problems[0]}" for key, problems in failed.items()}
        status = "interrupted" if comparison.interrupted else "completed" if comparison.runs or before else "failed"
        try:
            self.store.end_comparison(self.id, status, comparison.not_measured, comparison.refused)
            store_fastest(self.store, self.id)
        except BakeoffError as error:
            first = f"{COMMAND} runs import and then " if comparison.unstored else ""
            self._progress.say(
                f"How the comparison ended could not be stored. {error.message} When the database is available again, "
                f"{first}{COMMAND} run --resume completes it."
            )

    def _stored_request(self) -> dict[str, Json]:
        return {**self.request.as_document(), "machine": machine_name()}


def _without_target(reason: str, name: str) -> str:
    """A reason that is shown after the name of the contender, which begins with the target's."""
    return reason.removeprefix(f"{name}: ")
