"""Several k6 processes divide one load: their streams together are what one would have written, and none may fail."""

import gzip
import io
import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import psutil
import pytest
from k6_engine.phase_book import PhaseBook
from k6_engine.plan import plan_of
from k6_engine.records import Stream
from k6_engine.rows import RowReader
from k6_engine.segment import Segment
from k6_engine.session import Session
from k6_harness import Plan, arrivals, as_text, checked_records, held, iterations, k6_path, plan_for
from k6_servers import http_server

from bakeoff.engines.agents import Agents
from bakeoff.engines.here import Here
from bakeoff.engines.manifest import find_engine
from bakeoff.engines.stream import Counted, End, PhaseEnd, PhaseStart, Record
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.results import histograms
from bakeoff.running import summary
from made_up_records import merged, record_of

# What k6 1.8.1 wrote in a run of this plan, against a server that answered every 40th request with 503 and every 90th
# with another body than the plan expects.
RECORDED = Path(__file__).parent / "recorded" / "k6-rows.csv.gz"
RECORDED_PLAN = plan_for("http", 1, held(4, 1500), held(7, 1500), think_time_ms=20, verify_share=1)


def parts_of(lines: Sequence[str], parts: int) -> list[list[str]]:
    """The rows dealt one by one; every agent has the header, its users' entry into phases, and the count of users."""
    common = ("metric_name,", "phase_entered,", "vus,", "vus_max,")
    divided: list[list[str]] = [[] for _ in range(parts)]
    for number, line in enumerate(lines):
        for part in range(parts):
            if line.startswith(common) or number % parts == part:
                divided[part].append(line)
    return divided


def stream_of(lines: Sequence[str], segment: Segment) -> list[Record]:
    """The engine's records of these rows."""
    output = io.StringIO()
    stream = Stream(output)
    plan = plan_of(as_text(RECORDED_PLAN).encode(), "of a recording", segment)
    Session(plan, Path("k6"), stream, lambda: False).write_start("1.8.1")
    (group,) = plan.groups()
    book = PhaseBook(plan, group, stream)
    book.count(RowReader(book.metrics).read("".join(lines).encode()))
    # As late as no row is.
    book.finish(10**18, interrupted=False)
    stream.end("completed", "")
    return [record_of(each) for each in checked_records(output.getvalue())]


def counted(records: Sequence[Record]) -> list[Any]:
    """All that seconds and phases count, with histograms as what they hold."""

    def decoded(document: Any, name: str = "") -> Any:
        if isinstance(document, dict):
            return {member: decoded(value, member) for member, value in document.items()}
        if name.endswith("_histogram") and document is not None:
            return histograms.summarise(histograms.merge([document]))
        return document

    return [decoded(msgspec.to_builtins(record)) for record in records if isinstance(record, Counted | PhaseStart)]


@pytest.mark.parametrize("parts", [2, 3, 4])
def test_recorded_output_in_parts_has_the_same_figures(parts: int) -> None:
    """To the digit, and record by record."""
    lines = gzip.decompress(RECORDED.read_bytes()).decode().splitlines(keepends=True)
    whole = stream_of(lines, Segment(1, 1))
    own = [stream_of(part, Segment(number, parts)) for number, part in enumerate(parts_of(lines, parts), 1)]
    together = merged(own)
    assert counted(together) == counted(whole)
    assert summary.phase_results(together, []) == summary.phase_results(whole, [])
    assert summary.timeline_of(together) == summary.timeline_of(whole)
    # The recording has what could be lost: seconds, failures of both kinds, and every agent a part of it.
    ends = [record for record in whole if isinstance(record, PhaseEnd)]
    assert all({"status_503", "malformed"} <= end.errors.keys() and end.ok > 100 for end in ends)
    for each in own:
        assert all(0 < end.ok < whole_end.ok for end, whole_end in zip(_ends(each), ends, strict=True))


def _ends(records: Sequence[Record]) -> list[PhaseEnd]:
    return [record for record in records if isinstance(record, PhaseEnd)]


class Given(msgspec.Struct):
    """A plan of the tests' own, as agents send it."""

    document: Plan
    ledger: str | None = None

    @property
    def transport(self) -> Any:
        return SimpleNamespace(timeout_ms=self.document["transport"]["timeout_ms"])

    def encoded(self) -> bytes:
        return json.dumps(self.document).encode()


@contextmanager
def agents(project: Project, folder: Path, plan: Plan, count: int) -> Iterator[Agents]:
    """Real ones, each with its own k6."""
    engine = find_engine("k6")
    own = replace(engine, build=replace(engine.build, artifact=k6_path()))
    given: Any = Given(plan)
    files = folder / "plan.json", folder / "x.stream.jsonl", folder / "x.engine.log"
    with Agents(own, given, *files, [Here()] * count) as started:
        yield started


def nothing(_: Record) -> None:
    """Of records nothing is made."""


@pytest.mark.parametrize("count", [1, 2, 3])
def test_agents_send_what_one_k6_would(project: Project, tmp_path: Path, count: int) -> None:
    k6_path()
    with http_server() as server:
        plan = plan_for("http", server.port, held(5, 1500), held(8, 1500), think_time_ms=20)
        with agents(project, tmp_path, plan, count) as several:
            records = several.records(nothing)
    assert isinstance(records[-1], End) and records[-1].reason == "completed"
    assert [record.virtual_users for record in records if isinstance(record, PhaseStart)] == [5, 8]
    ends = _ends(records)
    assert len(several.tallies.acknowledged) == count and all(several.tallies.acknowledged)
    assert sum(several.tallies.acknowledged) == sum(end.operations for end in ends) == len(server.seen)
    assert sum(end.connections_opened for end in ends) == server.connections == 8
    keys = [seen.path.removeprefix("/items/") for seen in server.seen]
    assert len(keys) == len(set(keys)), "no message is sent twice"
    assert {key.split("-")[1] for key in keys} == {str(user) for user in range(8)}


def test_arrivals_and_iterations_are_divided_without_a_rest(project: Project, tmp_path: Path) -> None:
    k6_path()
    with http_server() as server:
        plan = plan_for("http", server.port, iterations(7, users=3), arrivals(101, 5, 1000))
        with agents(project, tmp_path, plan, 2) as several:
            counts = [(end.sent, end.unsent) for end in _ends(several.records(nothing))]
    assert counts[0] == (7, 0)
    # k6 begins the last of 101 arrivals at the very end, or not at all.
    assert sum(counts[1]) in (100, 101)
    keys = [seen.path for seen in server.seen]
    assert len(keys) == len(set(keys)) == sum(sent for sent, _ in counts)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGKILL, r"Agent 2 of 2: The engine k6 ended with status 1[\s\S]*k6 ended with status -9"),
        (signal.SIGSTOP, r"Agent 2 of 2: The engine k6 ended with status 1[\s\S]*k6 stalled: it wrote nothing for 4 s"),
    ],
)
def test_a_k6_that_dies_or_stalls_makes_the_run_invalid(
    project: Project, tmp_path: Path, number: signal.Signals, words: str
) -> None:
    k6_path()
    with (
        http_server() as server,
        agents(project, tmp_path, plan_for("http", server.port, held(4, 60_000), think_time_ms=20), 2) as both,
        pytest.raises(BakeoffError, match=words),
    ):
        both.records(when_begun(lambda: os.kill(_k6_of(both.pids[1]), number)))


def when_begun(does: Callable[[], None]) -> Callable[[Record], None]:
    """Does something at the start of a phase."""

    def take(record: Record) -> None:
        if isinstance(record, PhaseStart):
            does()

    return take


def _k6_of(engine: int) -> int:
    (k6,) = psutil.Process(engine).children()
    return k6.pid


def test_an_interruption_ends_all_and_leaves_no_k6(project: Project, tmp_path: Path) -> None:
    k6_path()
    with http_server() as server:
        plan = plan_for("http", server.port, held(4, 60_000), think_time_ms=20)
        with agents(project, tmp_path, plan, 2) as both:
            left: list[int] = []

            def stop() -> None:
                left.extend(_k6_of(engine) for engine in both.pids)
                both.interrupt()

            records = both.records(when_begun(stop))
    assert isinstance(records[-1], End) and records[-1].reason == "interrupted"
    assert len(left) == 2 and not any(psutil.pid_exists(pid) for pid in left)
