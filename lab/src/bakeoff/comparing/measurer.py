"""Measures the runs of a comparison, one by one or several in turns, and has the results recorded."""

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from bakeoff.comparing.new_operations import candidate_of
from bakeoff.comparing.recorder import Recorder
from bakeoff.comparing.schedule import Schedule, TimeLeft, Turn
from bakeoff.comparing.sides import grouped
from bakeoff.results.mode_names import SMOKE_MODE
from bakeoff.results.run import RunResult, Status
from bakeoff.running.alternation import Alternation
from bakeoff.running.contender import Contender
from bakeoff.running.crash import can_be_crashed
from bakeoff.running.environment import machine_name, server_in_words
from bakeoff.running.measured_run import measure
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration, latest_calibrations


def measured_side_by_side(runs: Sequence[tuple[Testbed, RunRequest]]) -> list[RunResult]:
    """The results of runs that take turns, in the order given. The first one works in this thread, alone if it is."""
    if len(runs) == 1:
        return [measure(*runs[0])]
    # A crash is one step more, for sides that can be crashed.
    alternation = Alternation(len(runs), max((run.steps for _, run in runs), key=len))

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
        names = " and ".join(run.contender.key for run in runs) if len(runs) < 3 else f"{len(runs)} contenders in turns"
        words = f"{names}: {runs[0].mode}"
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
        """Measures turns in their order, those of a group side by side; `crashes` each contender once."""
        place = self.testbed.running_in
        together = schedule.request.turns
        groups = grouped(turns, lambda each: place(each.variant.runs_in).has_turns(each), together=together)
        taken, crashed = 0, self._drawn(groups) if crashes else {}
        for group in groups:
            self.testbed.progress.run_of(taken + 1, len(turns), left.seconds(len(turns) - taken))
            began = time.monotonic()
            able = [turn for turn in group if self._may_run(turn.contender)]
            if able:
                runs = (schedule.run_of(turn, in_slices=len(able) > 1) for turn in able)
                self.measure(*(replace(run, crashes=crashed.get(run.contender.key) == run.round) for run in runs))
            left.learn((time.monotonic() - began) / len(group), len(group))
            taken += len(group)

    def _may_run(self, contender: Contender) -> bool:
        return all(self.recorder.may_run(each.key) for each in (contender, candidate_of(contender)))

    def _drawn(self, groups: Sequence[Sequence[Turn]]) -> dict[str, int]:
        """The round after which each contender is crashed, by its key, where it can be; no seed determines it.

        Sides that take turns are crashed after the same round, one after the other.
        """
        if self.recorder.request.mode == SMOKE_MODE or not self.recorder.request.crashes:
            return {}
        rounds: dict[frozenset[str], list[int]] = {}
        for group in groups:
            found = [(turn.contender, self.testbed.of(turn.contender, turn.round)) for turn in group]
            able = frozenset(contender.key for contender, testbed in found if can_be_crashed(testbed, contender))
            rounds.setdefault(able, []).append(group[0].round)
        drawn = {keys: secrets.choice(of_group) for keys, of_group in rounds.items()}
        return {key: number for keys, number in drawn.items() for key in keys}
