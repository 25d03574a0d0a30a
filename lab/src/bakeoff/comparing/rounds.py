"""The runs of a comparison: every contender proven once, then measured round by round."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bakeoff.comparing.arriving import Arriving, built_beside
from bakeoff.comparing.equal_load import NO_RATE, common_rate, kept_throughput
from bakeoff.comparing.estimate import Estimate
from bakeoff.comparing.proofs import Proof, around_target, durability_proof, prove
from bakeoff.comparing.reference_bracket import WORTH_IT_S, ReferenceBracket
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.schedule import Turn, level_order, turns_of
from bakeoff.comparing.sides import grouped, measured_side_by_side
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.reporting.result_files import write_result_files
from bakeoff.reporting.run_table import one_line
from bakeoff.results.document import Origin
from bakeoff.results.mode_names import SATURATION
from bakeoff.results.run import VOIDING, RunResult, Status, file_stem
from bakeoff.running.contender import Contender
from bakeoff.running.durability_label import DurabilityProof
from bakeoff.running.environment import machine_name, server_in_words
from bakeoff.running.modes import EQUAL, PROBE, SMOKE, Phase, probe_phases
from bakeoff.running.run_request import RunRequest
from bakeoff.running.stage_times import StageTimes, mean_in_words
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration, add_calibration, latest_calibrations
from bakeoff.storage.metrics_store import MetricsStore, Unfinished
from bakeoff.targets.manifest import POSTGRESQL
from bakeoff.workload.plan import THRESHOLDS

# One failed run may be bad luck; a contender that fails again takes no further turn.
_FAILED_RUNS_ALLOWED = 1


@dataclass
class Comparison:
    """What came of it: runs of the mode asked for, and contenders that were not measured, each with the reason.

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

    def refuse(self, key: str, reason: str) -> None:
        """Notes why a contender, or every contender of a target, was not measured that could have been."""
        self.not_measured[key] = f"{key}: {reason}"
        self.refused.add(key)
        self.failed = True


class Series:
    """The runs of one comparison, in order."""

    def __init__(
        self,
        testbed: Testbed,
        store: MetricsStore,
        request: ComparisonRequest,
        comparison: Comparison,
        unfinished: Unfinished | None,
    ) -> None:
        self._testbed = testbed
        self._store = store
        self._request = request
        self._comparison = comparison
        self._unfinished = unfinished
        self._id: int | None = None
        self._origin: Origin | None = None
        self._calibrations: dict[str, list[Calibration]] = {}
        self._proofs: dict[tuple[str, str, Path, bool, bool, tuple[tuple[str, str], ...]], Proof] = {}
        self._durable: dict[str, DurabilityProof | None] = {}
        self._outside_s: list[Mapping[str, float]] = []
        self._failures: dict[str, list[str]] = {}
        self._done: frozenset[tuple[str, int]] = frozenset()
        self._left: set[str] = set()
        self._beside: Callable[[], str] = lambda: ""

    def run(self, contenders: Sequence[Contender]) -> None:
        """Proves every contender, then takes all turns that are left."""
        estimate = self._announced(contenders)
        proven = [each for each in contenders if each.key in self._left and self._proves(each)]
        if self._request.mode == EQUAL and not self._request.rates:
            proven = self._at_one_rate(proven)
        turns = turns_of(proven, self._request.rounds, self._request.seed, self._done)
        lines = self._reference_lines(turns, estimate)
        self._take_all(turns, estimate)
        if lines is not None and not self._comparison.interrupted:
            lines.after()
        self._say_outside()

    def _reference_lines(self, turns: Sequence[Turn], estimate: Estimate) -> ReferenceBracket | None:
        """Drawn before the runs, where they are worth their time."""
        wanted = self._request.reference_lines
        is_worth_it = wanted == "on" or (wanted == "auto" and estimate.left_s(len(turns)) >= WORTH_IT_S)
        if not turns or not is_worth_it:
            return None
        stored = (turn.contender for turn in turns if turn.contender.place == POSTGRESQL)
        workloads = {contender.workload.name: contender.workload for contender in stored}
        if not workloads:
            return None
        lines = ReferenceBracket(
            self._testbed, list(workloads.values()), lambda each: add_calibration(self._store.server, each, self._id)
        )
        for line in lines.before():
            self._calibrations[line.workload].append(line)
        return lines

    def run_as_built(self, contenders: Sequence[Contender], arriving: Arriving) -> None:
        """Proves and measures each contender as soon as its target is built; further rounds follow when all are."""
        estimate = self._announced(contenders)
        proven = []
        for contender in arriving.as_built():
            self._beside = arriving.building
            if contender.key in self._left and self._proves(contender):
                proven.append(contender)
                self._take_all(turns_of([contender], 1, self._request.seed, self._done), estimate)
            if self._comparison.interrupted:
                return
        taken = {(contender.key, 1) for contender in proven}
        turns = turns_of(proven, self._request.rounds, self._request.seed, {*self._done, *taken})
        self._take_all(turns, estimate)
        self._say_outside()

    def _announced(self, contenders: Sequence[Contender]) -> Estimate:
        request, progress = self._request, self._testbed.progress
        self._begin(contenders)
        self._done = frozenset() if self._unfinished is None else frozenset(self._unfinished.done)
        self._left = {turn.contender.key for turn in turns_of(contenders, request.rounds, request.seed, self._done)}
        estimate = Estimate(self._seconds(contenders[0]))
        planned = len(turns_of(contenders, request.rounds, 0, self._done))
        progress.say(estimate.announced(len(self._left), request.rounds, planned))
        return estimate

    def _take_all(self, turns: Sequence[Turn], estimate: Estimate) -> None:
        progress = self._testbed.progress
        taken = 0
        for group in grouped(turns):
            if self._comparison.interrupted:
                return
            progress.run_of(taken + 1, len(turns), estimate.left_s(len(turns) - taken))
            began = time.monotonic()
            self._take(group)
            each_s = (time.monotonic() - began) / len(group)
            for _ in group:
                estimate.learn(each_s)
            taken += len(group)

    def _say_outside(self) -> None:
        outside = mean_in_words(self._outside_s)
        if outside is not None:
            self._testbed.progress.say(outside)

    def end(self) -> None:
        """Notes how the comparison ended."""
        if self._id is None:
            return
        comparison = self._comparison
        before = frozenset() if self._unfinished is None else self._unfinished.done
        good = {contender for contender, _ in before}
        good |= {run.contender for run in comparison.runs if run.status in (Status.COMPLETED, Status.INTERRUPTED)}
        for key, problems in self._failures.items():
            if key not in good:
                comparison.not_measured[key] = f"{key}: {problems[0]}"
        status = "interrupted" if comparison.interrupted else "completed" if comparison.runs or before else "failed"
        try:
            self._store.end_comparison(self._id, status, comparison.not_measured, comparison.refused)
        except BakeoffError as error:
            first = "./bakeoff runs import and then " if comparison.unstored else ""
            self._testbed.progress.say(
                f"How the comparison ended could not be stored. {error.message} When the database is available again, "
                f"{first}./bakeoff run --resume completes it."
            )

    def _begin(self, contenders: Sequence[Contender]) -> None:
        request, unfinished = self._request, self._unfinished
        workload = contenders[0].workload.name
        for name in {contender.workload.name for contender in contenders}:
            server = self._testbed.server
            database = None if server is None else server_in_words(server)
            self._calibrations[name] = latest_calibrations(self._store.server, machine_name(), name, database)
        started_at = datetime.now(UTC) if unfinished is None else unfinished.started_at
        self._origin = Origin(
            started_at, request.name, workload, request.mode, request.command, request.rounds, request.scale or ""
        )
        if unfinished is None:
            self._id = self._store.begin_comparison(self._origin, self._stored_request())
        else:
            self._id = unfinished.id
            self._store.resume_comparison(unfinished.id)
        self._comparison.id = self._id

    def _proves(self, contender: Contender) -> bool:
        """Conformance, and a short look before a long one: who fails five requests need not fail a million."""
        if self._comparison.interrupted:
            return False
        problem = self._proof(contender).problem
        if problem is None and self._request.mode != "smoke":
            problem = self._problem_with(self._measured(self._run_request(contender, "smoke", SMOKE)))
        if problem is None and self._request.mode != "smoke" and not self._comparison.interrupted:
            problem = self._durability_problem(contender)
        if problem is not None:
            self._refuse(contender, problem)
        return problem is None and not self._comparison.interrupted

    def _durability_problem(self, contender: Contender) -> str | None:
        """Why durability could not be tried. A contender that lost writes is measured, and ranked apart."""
        try:
            testbed = self._testbed_of(contender)
            self._durable[contender.key] = durability_proof(testbed, contender, again=self._request.prove)
        except BakeoffError as error:
            return error.message
        return None

    def _proof(self, contender: Contender) -> Proof:
        """What conformance proves, once for each target and its settings: the speed of what fails means nothing."""
        variant, target = contender.variant, contender.target
        settings = (*around_target(variant), *sorted(variant.settings.items()))
        known = (target.name, variant.runs_in, target.directory, variant.tls, variant.token, settings)
        if known not in self._proofs:
            again = self._request.prove
            testbed = self._testbed_of(contender)
            self._proofs[known] = prove(testbed, target, contender.workload, variant, again=again)
        return self._proofs[known]

    def _take(self, group: Sequence[Turn]) -> None:
        """Takes turns that are measured side by side, or one alone."""
        left = [turn for turn in group if len(self._failures.get(turn.contender.key, [])) <= _FAILED_RUNS_ALLOWED]
        runs = [self._run_of(turn, in_slices=len(left) > 1) for turn in left]
        for result in self._all_measured(runs):
            self._note(result)

    def _run_of(self, turn: Turn, *, in_slices: bool) -> RunRequest:
        request = self._request
        run = self._run_request(turn.contender, request.mode, request.phases)
        order = self._level_order(turn.round)
        # A run to saturation ends after a level, not within one.
        in_slices = in_slices and request.mode != SATURATION
        return replace(run, round=turn.round, settling=request.settling, level_order=order, in_slices=in_slices)

    def _note(self, result: RunResult) -> None:
        """What came of a turn."""
        self._comparison.runs.append(result)
        problem, key = self._problem_with(result), result.contender
        if problem is not None:
            self._failures[key] = [*self._failures.get(key, []), problem]
            self._comparison.failed = True
            self._testbed.progress.say(f"{key}: this run is not used. {problem}")
        elif not self._comparison.interrupted:
            self._testbed.progress.say(one_line(result))
            self._testbed.progress.standing(result)

    def _level_order(self, round_number: int) -> list[int]:
        """The order in which a round measures its levels."""
        request, levels = self._request, len(self._request.phases)
        if request.mode == EQUAL:
            # The maximum is last: how much each contender does there must not change what its other loads meet.
            return [*level_order(levels - 1, round_number, request.rounds, request.seed), levels - 1]
        # A run to saturation ends where too many requests fail: it climbs in every round.
        rounds = 1 if request.mode == SATURATION else request.rounds
        return level_order(levels, round_number, rounds, request.seed)

    def _at_one_rate(self, contenders: Sequence[Contender]) -> list[Contender]:
        """Finds the rate of all rounds from a short probe of each contender, and stores it with the request.

        Returns the contenders that have come through theirs.
        """
        kept: dict[str, float] = {}
        for contender in contenders:
            if self._comparison.interrupted:
                return []
            run = replace(
                self._run_request(contender, PROBE, probe_phases(self._request.users)),
                settling=self._request.settling.once,
            )
            result = self._measured(run)
            problem = self._problem_with(result)
            throughput = kept_throughput(result)
            if self._comparison.interrupted:
                return []
            if problem is not None or throughput is None:
                self._refuse(contender, problem or NO_RATE)
            else:
                kept[contender.key] = throughput
        if kept:
            rate, words = common_rate(kept)
            self._request = replace(self._request, rates=(rate,))
            self._testbed.progress.say(words)
            self._keep_request()
        return [each for each in contenders if each.key in kept]

    def _keep_request(self) -> None:
        """Stores the request with what has been found out, so that a resumed comparison begins from it."""
        assert self._id is not None
        try:
            self._store.change_request(self._id, self._stored_request())
        except BakeoffError as error:
            rate = ",".join(f"{each:g}" for each in self._request.rates)
            self._testbed.progress.say(
                f"The rate could not be stored: to repeat it, give --rate {rate}. {error.message}"
            )

    def _stored_request(self) -> dict[str, Json]:
        return {**self._request.as_document(), "machine": machine_name()}

    def _run_request(self, contender: Contender, mode: str, phases: Sequence[Phase]) -> RunRequest:
        return RunRequest(
            contender,
            mode,
            phases,
            options=self._request,
            calibrations=self._calibrations.get(contender.workload.name, ()),
            attached=self._testbed.attached.get(contender.target.name),
            contract_profile=self._proof(contender).profile,
            durability_proof=self._durable.get(contender.key),
        )

    def _measured(self, run: RunRequest) -> RunResult:
        return self._all_measured([run])[0]

    def _all_measured(self, runs: Sequence[RunRequest]) -> list[RunResult]:
        """Measures side by side, and keeps each result: first in files, then in the metrics database."""
        if not runs:
            return []
        words = f"{' and '.join(run.contender.key for run in runs)}: {runs[0].mode}"
        if self._request.rounds > 1 and runs[0].mode == self._request.mode:
            words += f", round {runs[0].round} of {self._request.rounds}"
        planned = [run.planned_s for run in runs if run.planned_s is not None]
        self._testbed.progress.step(words, sum(planned) or None)
        beside = self._beside()
        results = measured_side_by_side([(self._testbed_of(run.contender), run) for run in runs])
        return [self._kept(run, result, beside) for run, result in zip(runs, results, strict=True)]

    def _kept(self, run: RunRequest, result: RunResult, beside: str) -> RunResult:
        """The result with what is known of the contender, in files and in the metrics database, which may be away."""
        proved = f"proved at {self._proof(run.contender).proved_at}"
        result = replace(result, environment={**result.environment, "api_conformance": proved})
        if beside:
            result = replace(result, findings=[*result.findings, built_beside(beside)])
        storing = StageTimes()
        write_result_files(self._testbed.project, result, self._origin)
        assert self._id is not None
        try:
            self._store.add_run(self._id, result)
        except BakeoffError as error:
            self._comparison.unstored += 1
            self._testbed.progress.say(error.message)
        storing.mark("storing")
        if run.mode == self._request.mode and result.machine_state is not None:
            self._outside_s.append({**result.machine_state.outside_phases_s, **storing.seconds})
        self._comparison.interrupted |= result.status is Status.INTERRUPTED
        return result

    def _testbed_of(self, contender: Contender) -> Testbed:
        return self._testbed.running_in(contender.variant.runs_in).storing_in(contender.place)

    def _problem_with(self, result: RunResult) -> str | None:
        """Why a run's figures are no result, or why its smoke test forbids a longer one.

        A run that Ctrl-C cut short shows nothing about its target.
        """
        if result.failure:
            return result.failure
        if result.status is Status.INTERRUPTED:
            return None
        if result.status is Status.VOID:
            return next(finding.message for finding in result.findings if finding.kind in VOIDING)
        if result.status is Status.COMPLETED and (result.total is None or result.total.requests == 0):
            folder = self._testbed.project.results / result.target
            log = folder / f"{file_stem(result.started_at, result.mode, result.payload)}.engine.log"
            return f"its {result.mode} run sent nothing. Read the engine's log, {self._testbed.project.relative(log)}."
        if result.mode == "smoke" and result.total is not None and result.total.error_rate >= THRESHOLDS.error_rate:
            return f"its smoke test failed. {result.findings[0].message}"
        return None

    def _refuse(self, contender: Contender, reason: str) -> None:
        self._comparison.refuse(contender.key, reason)
        self._testbed.progress.say(f"{contender.key}: not measured. {reason}")

    def _seconds(self, contender: Contender) -> float:
        """How long the phases of a turn take."""
        run = RunRequest(contender, self._request.mode, self._request.phases, settling=self._request.settling)
        return run.planned_s or 0.0
