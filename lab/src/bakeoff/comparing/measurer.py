"""Measures the runs of a comparison, one by one or both sides of a commit in turns, and has the results recorded."""

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from bakeoff.comparing.recorder import Recorder
from bakeoff.comparing.schedule import Schedule, TimeLeft, Turn
from bakeoff.options.variant import COMMIT
from bakeoff.results.mode_names import SMOKE_MODE
from bakeoff.results.run import RunResult, Status
from bakeoff.running.alternation import Alternation
from bakeoff.running.contender import Contender, can_alternate
from bakeoff.running.crash import can_be_crashed
from bakeoff.running.environment import machine_name, server_in_words
from bakeoff.running.measured_run import measure
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration, latest_calibrations


def grouped(
    turns: Sequence[Turn], has_own_server: Callable[[Contender], bool] = lambda _contender: False
) -> list[list[Turn]]:
    """The turns in groups that are measured side by side, in the order in which each group is first met.

    Of a round the two sides of a contender are a group; a turn without another side is alone. `has_own_server`: whether
    a contender's side has its own PostgreSQL.
    """
    groups: dict[tuple[int, str, int], list[Turn]] = {}
    for place, turn in enumerate(turns):
        contender = turn.contender
        has_sides = COMMIT in contender.factors and can_alternate(contender, has_own_server=has_own_server(contender))
        others = {name: level for name, level in contender.factors.items() if name != COMMIT}
        key = (turn.round, replace(contender, factors=others).key, 0 if has_sides else 1 + place)
        groups.setdefault(key, []).append(turn)
    return list(groups.values())


def measured_side_by_side(runs: Sequence[tuple[Testbed, RunRequest]]) -> list[RunResult]:
    """The results of runs that take turns, in the order given. The first one works in this thread, alone if it is."""
    if len(runs) == 1:
        return [measure(*runs[0])]
    alternation = Alternation(len(runs), runs[0][1].steps)

    def work(number: int) -> RunResult:
        try:
            return measure(*runs[number], alternation.sides[number])
        except BaseException:
            alternation.interrupt()
            raise

    with ThreadPoolExecutor(len(runs) - 1, thread_name_prefix="side") as pool:
        try:
            others = [pool.submit(work, number) for number in range(1, len(runs))]
            first = work(0)
        except BaseException:
            # Ctrl-C may come before this side works: no other may wait for it then.
            alternation.interrupt()
            alternation.leave(0)
            raise
    return [first, *(each.result() for each in others)]


@dataclass
class Measurer:
    """Measures runs on a testbed and records their results. `builds` names the builds that are running.

    `began` is when the comparison began, in seconds of the monotonic clock.
    """

    testbed: Testbed
    recorder: Recorder
    began: float = 0.0
    builds: Callable[[], str] = lambda: ""
    calibrations: dict[str, list[Calibration]] = field(default_factory=dict)

    def load_calibrations(self, contenders: Sequence[Contender]) -> None:
        """Those of this machine and its database that are stored."""
        server = self.testbed.server
        database = None if server is None else server_in_words(server)
        for name in {contender.workload.name for contender in contenders}:
            self.calibrations[name] = latest_calibrations(self.recorder.store.server, machine_name(), name, database)

    def measure(self, *runs: RunRequest) -> list[RunResult]:
        """Measures runs side by side, or one alone. Raises KeyboardInterrupt once what Ctrl-C cut short is stored."""
        request, builds = self.recorder.request, self.builds()
        words = f"{' and '.join(run.contender.key for run in runs)}: {runs[0].mode}"
        if request.rounds > 1 and runs[0].mode == request.mode:
            words += f", round {runs[0].round} of {request.rounds}"
        self.testbed.progress.step(words, sum(run.planned_s or 0.0 for run in runs) or None)
        completed = [
            replace(
                run,
                calibrations=self.calibrations.get(run.contender.workload.name, ()),
                attached=self.testbed.attached.get(run.contender.target.name),
            )
            for run in runs
        ]
        results = measured_side_by_side([(self.testbed.of(run.contender, run.round), run) for run in completed])
        results = [self.recorder.record(run, result, builds) for run, result in zip(runs, results, strict=True)]
        if any(result.status is Status.INTERRUPTED for result in results):
            raise KeyboardInterrupt
        return results

    def measure_turns(self, schedule: Schedule, turns: Sequence[Turn], left: TimeLeft, *, crashes: bool = True) -> None:
        """Measures turns in their order, both sides of a commit side by side; `crashes` each contender once."""
        groups = grouped(turns, self._has_own_server)
        taken, crashed = 0, self._drawn(groups) if crashes else {}
        for group in groups:
            self.testbed.progress.run_of(taken + 1, len(turns), left.seconds(len(turns) - taken))
            began = time.monotonic()
            able = [turn for turn in group if self.recorder.may_run(turn.contender.key)]
            if able:
                runs = (schedule.run_of(turn, in_slices=len(able) > 1) for turn in able)
                # Sides that take turns have the same steps.
                now = all(crashed.get(turn.contender.key) == turn.round for turn in able)
                self.measure(*(replace(run, crashes=now) for run in runs))
            left.learn((time.monotonic() - began) / len(group), len(group))
            taken += len(group)

    def _has_own_server(self, contender: Contender) -> bool:
        return self.testbed.running_in(contender.variant.runs_in).opposite is not None

    def _drawn(self, groups: Sequence[Sequence[Turn]]) -> dict[str, int]:
        """The round after which each contender is crashed, by its key, where it can be; no seed determines it.

        Sides that take turns are crashed after the same round, one after the other.
        """
        if self.recorder.request.mode == SMOKE_MODE or not self.recorder.request.crashes:
            return {}
        rounds: dict[frozenset[str], list[int]] = {}
        for group in groups:
            if all(can_be_crashed(self.testbed.of(turn.contender, turn.round), turn.contender) for turn in group):
                rounds.setdefault(frozenset(turn.contender.key for turn in group), []).append(group[0].round)
        drawn = {keys: secrets.choice(of_group) for keys, of_group in rounds.items()}
        return {key: number for keys, number in drawn.items() for key in keys}
