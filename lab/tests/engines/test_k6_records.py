"""From rows of k6 to records, without k6: every row counts once, in its phase, and in time."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from k6_engine.histogram import HIGHEST_NS, Histogram
from k6_engine.phase_book import GRACE_US, HOLD_US, PhaseBook
from k6_engine.plan import Plan, read_plan
from k6_engine.records import Stream
from k6_engine.rows import HEADER, RowReader
from k6_harness import Record, arrivals, checked_records, held, iterations, plan_for

START_US = 1_800_000_000_000_000
SECOND_US = 1_000_000


class Book:
    """A phase book that is fed text, with the records it wrote."""

    def __init__(self, folder: Path, *phases: Record, protocol: str = "http") -> None:
        self.plan = _plan(folder, protocol, *phases)
        self._output = io.StringIO()
        [group] = self.plan.groups()
        self.book = PhaseBook(self.plan, group, Stream(self._output))
        self._reader = RowReader(self.book.metrics)
        self.feed(HEADER.decode())

    def feed(self, *lines: str) -> None:
        self.book.count(self._reader.read("".join(f"{line}\n" for line in lines).encode()))

    @property
    def records(self) -> list[Record]:
        return checked_records(self._output.getvalue())

    def seconds(self, phase: int) -> list[Record]:
        return [record for record in self.records if record["type"] == "second" and record["phase"] == phase]

    def kinds(self) -> list[tuple[str, int]]:
        return [(record["type"], record["phase"]) for record in self.records]


def entered(after_us: int, phase: int = 0) -> str:
    return f"phase_entered,{START_US + after_us},{START_US / 1000:f},,,,phase={phase},"


def request(ended_us: int, duration_ms: float, phase: int = 0, status: str = "200", error_code: str = "") -> str:
    return f"http_req_duration,{START_US + ended_us},{duration_ms:f},{error_code},0,{status},phase={phase},"


def row(metric: str, at_us: int, value: float, tags: str = "phase=0", call: str = "0") -> str:
    return f"{metric},{START_US + at_us},{value:f},,{call},,{tags},"


def test_a_request_is_sent_in_one_second_and_answered_in_the_next(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 3000))
    book.feed(entered(0), request(1_200_000, 500), request(1_300_000, 50))
    book.book.advance(START_US + 2 * SECOND_US + GRACE_US)
    assert [(second["sent"], second["ok"]) for second in book.seconds(0)] == [(1, 0), (1, 2)]


def test_lines_may_come_in_pieces(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 1000))
    text = "\n".join([entered(0), *(request(1000 * number, 1) for number in range(1, 50))]) + "\n"
    reader = RowReader(book.book.metrics)
    for piece in (text[at : at + 7] for at in range(0, len(text), 7)):
        book.book.count(reader.read(piece.encode()))
    book.book.finish(START_US + SECOND_US, interrupted=False)
    assert book.records[-1]["ok"] == 49


def test_a_second_is_written_when_its_rows_have_had_time_to_come(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 5000))
    book.feed(entered(0), request(500_000, 1))
    book.book.advance(START_US + SECOND_US + GRACE_US - 1)
    assert book.seconds(0) == []
    book.book.advance(START_US + SECOND_US + GRACE_US)
    assert [second["ok"] for second in book.seconds(0)] == [1]


def test_a_late_row_counts_in_the_next_second_that_is_not_written(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 3000))
    book.feed(entered(0))
    book.book.advance(START_US + SECOND_US + GRACE_US)
    book.feed(request(900_000, 1))
    book.book.finish(START_US + 3 * SECOND_US, interrupted=False)
    assert [(second["second"], second["ok"]) for second in book.seconds(0)] == [(0, 0), (1, 1), (2, 0)]


def test_a_reply_soon_after_the_end_counts_in_the_last_second(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 1500))
    book.feed(entered(0), request(2_100_000, 700))
    book.book.finish(START_US + 2_200_000, interrupted=False)
    assert [(second["second"], second["sent"], second["ok"]) for second in book.seconds(0)] == [(0, 0, 0), (1, 1, 1)]
    assert book.records[-1]["duration_ns"] == 2_100_000_000


@pytest.mark.parametrize(
    ("phase", "ended_s", "lost", "duration_s"),
    [
        # What timed out after the planned end leaves the duration as it was.
        (held(2, 3000), 2.9, ("0", "1050"), 3.0),
        (held(2, 3000), 3.2, ("0", "1050"), 3.2),
        # A server that hung up is no reply either, one that refuses late is.
        (held(2, 3000), 2.9, ("0", "1000"), 3.0),
        (held(2, 3000), 2.9, ("500", ""), 33.0),
        # Nothing says when counted requests should have been done.
        (iterations(2), 2.9, ("0", "1050"), 33.0),
    ],
)
def test_a_reply_that_never_came_does_not_stretch_its_phase(
    tmp_path: Path, phase: Record, ended_s: float, lost: tuple[str, str], duration_s: float
) -> None:
    book = Book(tmp_path, phase)
    status, error_code = lost
    book.feed(entered(0), request(round(ended_s * SECOND_US), 1))
    book.feed(request(33 * SECOND_US, 30_000, status=status, error_code=error_code))
    book.book.finish(START_US + 34 * SECOND_US, interrupted=False)
    end = book.records[-1]
    assert (end["sent"], end["failed"], end["duration_ns"]) == (2, 1, round(duration_s * 1e9))


def test_a_second_without_any_row_is_written_too(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 4000))
    book.feed(entered(0), request(100_000, 1), request(3_100_000, 1))
    book.book.finish(START_US + 4 * SECOND_US, interrupted=False)
    assert [second["ok"] for second in book.seconds(0)] == [1, 0, 0, 1]


def test_seconds_go_on_while_the_last_replies_are_awaited(tmp_path: Path) -> None:
    """An engine that is silent has stalled, and a reply may take as long as its timeout."""
    book = Book(tmp_path, held(1, 2000))
    book.feed(entered(0), request(500_000, 1))
    book.book.advance(START_US + 5 * SECOND_US + GRACE_US)
    assert [second["ok"] for second in book.seconds(0)] == [1, 0, 0, 0, 0]
    book.feed(request(5_900_000, 4000))
    book.book.finish(START_US + 7 * SECOND_US, interrupted=False)
    end = book.records[-1]
    assert (end["ok"], end["operations_late"], end["duration_ns"]) == (2, 1, 5_900_000_000)
    assert sum(second["ok"] for second in book.seconds(0)) == sum(second["sent"] for second in book.seconds(0)) == 2


def test_a_phase_ends_before_the_next_is_announced(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 1000), held(2, 1000))
    book.feed(entered(0), request(500_000, 1))
    book.book.advance(START_US + SECOND_US + 1000)
    book.feed(entered(SECOND_US + 1, 1), entered(SECOND_US + 2, 1), request(SECOND_US + 3000, 1, phase=1))
    book.book.advance(START_US + SECOND_US + 4000)
    book.book.advance(START_US + SECOND_US + 5000)
    assert book.kinds() == [("phase_start", 0), ("second", 0), ("phase_end", 0), ("phase_start", 1)]


def test_a_phase_that_shrinks_waits_for_the_users_that_leave(tmp_path: Path) -> None:
    book = Book(tmp_path, held(2, 1000), held(1, 5000))
    book.feed(entered(0), entered(0), request(500_000, 1), entered(SECOND_US, 1))
    book.feed(row("vus", SECOND_US + 100_000, 2, ""))
    book.book.advance(START_US + SECOND_US + HOLD_US)
    assert ("phase_end", 0) not in book.kinds()
    assert book.kinds()[-1] == ("phase_start", 1), "the next is not held back for ever"
    book.feed(request(2_600_000, 2000), row("vus", 2_700_000, 1, ""))
    book.book.advance(START_US + 2_800_000)
    [end] = [record for record in book.records if record["type"] == "phase_end"]
    assert (end["phase"], end["sent"], end["ok"]) == (0, 2, 2)


def test_an_interrupted_run_ends_what_began_and_nothing_else(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 3000), held(1, 3000))
    book.feed(entered(0), request(500_000, 1))
    book.book.finish(START_US + 1_500_000, interrupted=True)
    assert book.kinds() == [("phase_start", 0), ("second", 0), ("second", 0), ("phase_end", 0)]
    assert book.records[-1]["interrupted"]


def test_a_malformed_is_taken_from_the_second_of_its_reply(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 2000))
    book.feed(entered(0), request(999_999, 1), row("malformed_replies", SECOND_US + 1, 1))
    book.book.finish(START_US + 2 * SECOND_US, interrupted=False)
    assert [(second["ok"], second["errors"]) for second in book.seconds(0)] == [(0, {"malformed": 1}), (0, {})]


@pytest.mark.parametrize(
    ("status", "error_code", "kind", "timed"),
    [
        ("500", "1500", "status_500", True),
        ("201", "", "status_201", True),
        ("0", "1050", "timeout", True),
        ("0", "1211", "timeout", True),
        ("0", "1212", "refused", False),
        ("0", "1213", "ports_exhausted", False),
        ("0", "1220", "reset", False),
        ("0", "1201", "reset", False),
        ("0", "1000", "other", False),
    ],
)
def test_outcomes_of_http(tmp_path: Path, status: str, error_code: str, kind: str, timed: bool) -> None:
    book = Book(tmp_path, iterations(1))
    book.feed(entered(0), request(1000, 1, status=status, error_code=error_code))
    book.book.finish(START_US + 2000, interrupted=False)
    end = book.records[-1]
    assert (end["ok"], end["failed"], end["errors"]) == (0, 1, {kind: 1})
    assert (end["service_histogram"] is not None) == timed


def test_a_timed_out_call_counts_once_whether_or_not_k6_wrote_its_row(tmp_path: Path) -> None:
    book = Book(tmp_path, iterations(2), protocol="grpc")
    book.feed(entered(0), f"grpc_req_duration,{START_US + 400_000},300.1,,0,4,phase=0,")
    book.feed(*(row("unmeasured_failures", at, 300, "kind=timeout&phase=0") for at in (400_000, 800_000)))
    book.book.finish(START_US + SECOND_US, interrupted=False)
    end = book.records[-1]
    assert (end["sent"], end["errors"]) == (2, {"timeout": 2})


def test_dropped_arrivals_belong_to_the_phase_of_their_time(tmp_path: Path) -> None:
    book = Book(tmp_path, arrivals(10, 1, 1000), arrivals(10, 1, 1000))
    book.feed(entered(0), *(row("dropped_iterations", at, 1, "") for at in (500_000, 1_500_000, 1_600_000, 2_000_001)))
    book.book.finish(START_US + 2 * SECOND_US, interrupted=False)
    assert [record["unsent"] for record in book.records if record["type"] == "phase_end"] == [1, 3]


def test_seconds_add_up_to_their_phase(tmp_path: Path) -> None:
    book = Book(tmp_path, held(4, 5000))
    rows = [request(7919 * number % 5_000_000 + 60_000, number % 50 + 0.25) for number in range(1, 900)]
    rows += [row("data_sent", 5321 * number, 100 + number) for number in range(900)]
    book.feed(entered(0), *rows)
    for second in range(8):
        book.book.advance(START_US + second * SECOND_US)
    book.book.finish(START_US + 9 * SECOND_US, interrupted=False)
    end = book.records[-1]
    for member in ("sent", "ok", "bytes_sent"):
        assert sum(second[member] for second in book.seconds(0)) == end[member] > 0


def test_histograms_hold_what_hdr_itself_would_have_recorded() -> None:
    numbers = np.random.default_rng(7)
    durations = np.concatenate([np.arange(5000), (10 ** numbers.uniform(0, 13, 5000)).astype(np.int64)])
    mine = Histogram()
    for part in np.array_split(durations, 3):
        mine.add(part)
    encoded = mine.encode()
    assert encoded is not None
    direct = HdrHistogram(1, HIGHEST_NS, 3)
    for duration in durations.tolist():
        direct.record_value(min(max(duration, 1), HIGHEST_NS))
    decoded = HdrHistogram.decode(encoded)
    assert decoded.get_total_count() == 10_000
    for percentile in (0.1, 1, 10, 50, 90, 99, 99.9, 100):
        assert decoded.get_value_at_percentile(percentile) == direct.get_value_at_percentile(percentile)


def test_an_empty_histogram_is_none() -> None:
    assert Histogram().encode() is None


def test_groups_keep_consecutive_phases_together_and_users_apart(tmp_path: Path) -> None:
    phases = (iterations(2, users=2), iterations(3), held(5, 100), held(9, 100), arrivals(5, 4, 100), held(1, 100))
    groups = list(_plan(tmp_path, "http", *phases).groups())
    assert [[phase.index for phase in group.phases] for group in groups] == [[0], [1], [2, 3], [4], [5]]
    assert [group.first_user for group in groups] == [0, 2, 3, 12, 16]


def _plan(folder: Path, protocol: str, *phases: Record) -> Plan:
    path = folder / "plan.json"
    path.write_text(json.dumps(plan_for(protocol, 1, *phases)))
    return read_plan(path)


def test_outcomes_are_counted_by_operation(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 1000))
    book.feed(entered(0), request(100_000, 1), request(200_000, 2), request(300_000, 3, status="503"))
    book.feed(
        row("checked_replies", 100_500, 1), row("checked_replies", 200_500, 1), row("malformed_replies", 200_500, 1)
    )
    book.book.finish(START_US + SECOND_US, interrupted=False)
    end = book.records[-1]
    put = end["by_operation"]["put"]
    assert {name: put[name] for name in ("sent", "ok", "failed")} == {"sent": 3, "ok": 1, "failed": 2}
    assert put["errors"] == {"malformed": 1, "status_503": 1} == end["errors"]
    assert put["statuses"] == {"200": 2, "503": 1}
    assert (put["checked"], put["checks_failed"]) == (2, 1)
    assert put["service_histogram"] == end["service_histogram"]


def test_a_reply_after_the_planned_end_is_late_and_a_failure_is_not(tmp_path: Path) -> None:
    book = Book(tmp_path, held(1, 2000))
    book.feed(entered(0), request(1_900_000, 1), request(2_100_000, 700), request(2_200_000, 700, status="500"))
    book.book.finish(START_US + 2_300_000, interrupted=False)
    end = book.records[-1]
    assert (end["ok"], end["operations"], end["operations_late"], end["planned_ns"]) == (2, 2, 1, 2_000_000_000)


def test_a_number_of_requests_has_no_planned_end(tmp_path: Path) -> None:
    book = Book(tmp_path, iterations(1))
    book.feed(entered(0), request(2_100_000, 700))
    book.book.finish(START_US + 2_300_000, interrupted=False)
    assert (book.records[-1]["operations_late"], book.records[-1]["planned_ns"]) == (0, None)
