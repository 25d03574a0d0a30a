"""A lab whose runs are answered by a function: what it measures, stores and says is remembered."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bakeoff.comparing import measurer, proofs, recorder
from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.recorder import Comparison, Recorder
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.comparing.rounds import measure_as_built, measure_rounds
from bakeoff.comparing.schedule import Schedule
from bakeoff.conformance.runner import CaseResult, ConformanceResult
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import COMMIT, Variant
from bakeoff.project import Project
from bakeoff.results import histograms
from bakeoff.results.run import Measured, RunResult, Status
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.running.contender import Contender
from bakeoff.running.modes import PROBE
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.storage.metrics_store import Unfinished
from made_up_manifests import engine, target, workload

Answer = Callable[[RunRequest], RunResult]

EMPTY = histograms.merge([])
MEASURED = Measured(1.0, 10, 10, 0, 10, 0, {}, 0, 0, histograms.summarise(EMPTY), histograms.encode(EMPTY), {})


class Store:
    """Keeps what it is given; `away` makes it lose runs."""

    server: object = None

    def __init__(self, away: bool = False) -> None:
        self.runs: list[RunResult] = []
        self.ended: tuple[str, Mapping[str, str]] | None = None
        self.refused: set[str] = set()
        self.resumed: int | None = None
        self.request: Mapping[str, Any] = {}
        self._away = away

    def begin_comparison(self, *_: object) -> int:
        return 7

    def change_request(self, _comparison_id: int, request: Mapping[str, Any], _rounds: int) -> None:
        if self._away:
            raise BakeoffError("the database is away.")
        self.request = request

    def resume_comparison(self, comparison_id: int) -> None:
        self.resumed = comparison_id

    def add_run(self, _comparison_id: int, run: RunResult) -> int:
        if self._away:
            raise BakeoffError("the database is away.")
        self.runs.append(run)
        return len(self.runs)

    def end_comparison(
        self, _comparison_id: int, status: str, not_measured: Mapping[str, str], refused: Collection[str]
    ) -> None:
        if self._away:
            raise BakeoffError("the database is still away.")
        self.ended = (status, not_measured)
        self.refused = set(refused)


class Silence:
    """A display that shows nothing, and remembers what was said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_: None


def completed(request: RunRequest) -> RunResult:
    contender, now = request.contender, datetime.now(UTC)
    return RunResult(
        contender.target.name, "events", "rust", "rest", request.mode, "default", "native", "1", request.settings, now,
        now, Status.COMPLETED, None, 0.1, [], MEASURED, [], [], {}, contender=contender.key, round=request.round,
        warm_up=WarmUp(steady=True) if request.settling.first_s else None,
    )  # fmt: skip


class Lab:
    """A series whose runs are answered by a function, and whose targets conform unless they are named."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, store: Store | None = None) -> None:
        self.measured: list[RunRequest] = []
        self.conformed: list[tuple[str, Variant]] = []
        self.broken: set[str] = set()
        self.answer: Answer = completed
        self.store = store or Store()
        self.progress = Silence()
        self.comparison = Comparison()
        self.judged: list[int] = []
        self._project = Project(tmp_path)
        monkeypatch.setattr(measurer, "measured_side_by_side", lambda runs: [self._measure(*run) for run in runs])
        monkeypatch.setattr(proofs, "conform", self._conform)
        monkeypatch.setattr(proofs, "_file_of", lambda *_: None)
        monkeypatch.setattr(measurer, "latest_calibrations", lambda *_: [])
        monkeypatch.setattr(recorder, "write_result_files", lambda *_: None)
        monkeypatch.setattr(recorder, "store_fastest", lambda _store, comparison: self.judged.append(comparison))

    def run(
        self,
        request: ComparisonRequest,
        names: str = "ab",
        unfinished: Unfinished | None = None,
        sides: Sequence[str] = (),
    ) -> list[str]:
        """The measured runs, like `a1` for contender a in round 1; smoke runs in capitals.

        Of each contender both `sides` of a comparison of commits, where they are given.
        """
        done = frozenset() if unfinished is None else unfinished.done
        contenders = self._contenders(names)
        if sides:
            contenders = [replace(each, factors={COMMIT: side}) for each in contenders for side in sides]
        with self._recorder(request, unfinished) as recording:
            measure_rounds(self._measurer(recording), Schedule(request, done), contenders)
        return [self._named(run) for run in self.measured]

    def run_as_built(self, request: ComparisonRequest, names: str, arrivals: "Arrivals") -> list[str]:
        """The same, with contenders in the order in which they arrive."""
        arriving: Any = arrivals
        with self._recorder(request, None) as recording:
            measure_as_built(self._measurer(recording), Schedule(request), self._contenders(names), arriving)
        return [f"{run.contender.key}{run.round}" for run in self.measured]

    def _recorder(self, request: ComparisonRequest, unfinished: Unfinished | None) -> Recorder:
        store: Any = self.store
        progress: Any = self.progress
        return Recorder(self._project, store, progress, request, self.comparison, unfinished, "events")

    def _measurer(self, recording: Recorder) -> Measurer:
        progress: Any = self.progress
        return Measurer(Testbed(self._project, None, progress), recording)

    @staticmethod
    def _contenders(names: str) -> list[Contender]:
        return [Contender(target(name), workload(vectors="vectors"), engine("native")) for name in names]

    def _named(self, run: RunRequest) -> str:
        name = run.contender.key
        return name.upper() if run.mode == "smoke" else f"{name}?" if run.mode == PROBE else f"{name}{run.round}"

    def _measure(self, _testbed: Testbed, run: RunRequest) -> RunResult:
        self.measured.append(run)
        return self.answer(run)

    def _conform(self, _testbed: Testbed, conforming: Any, _workload: object, variant: Variant) -> ConformanceResult:
        self.conformed.append((conforming.name, variant))
        differences = ("wrong",) if conforming.name in self.broken else ()
        return ConformanceResult("rest", (CaseResult("case", "subject", "rule", differences),), 0)


class Arrivals:
    """Contenders built in the order of `names`; a build runs until the last one is there."""

    def __init__(self, names: str) -> None:
        self._names = names
        self._left = len(names)

    def as_built(self) -> Iterator[Contender]:
        for name in self._names:
            self._left -= 1
            yield Contender(target(name), workload(vectors="vectors"), engine("native"))

    def building(self) -> str:
        return "some target" if self._left else ""
