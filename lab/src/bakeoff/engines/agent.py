"""One agent: an engine with its part of a plan, wherever it runs, and the stream that it writes."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from bakeoff.engines.stream import End, Record, StreamError, read_records
from bakeoff.engines.transport import Assignment, StartedEngine, Transport
from bakeoff.errors import BakeoffError


class Agent:
    """Its `engine` is started on entry and ended on exit. Its stream is kept in `stream_file` as it comes."""

    def __init__(self, place: Transport, assignment: Assignment, stream_file: Path) -> None:
        self.place = place
        self.assignment = assignment
        self._stream_file = stream_file

    def __enter__(self) -> "Agent":
        self.engine: StartedEngine = self.place.start(self.assignment)
        plan = self.assignment.plan
        try:
            if self.is_instructed:
                own = plan if self.engine.ledger == plan.ledger else replace(plan, ledger=self.engine.ledger)
                self.engine.send(own.encoded())
        except BaseException:
            self.engine.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.end()

    @property
    def name(self) -> str:
        """Its number and its place; the engine where it is the only one, and here."""
        if self.is_here and self.assignment.of == 1:
            return "the engine"
        number = f"agent {self.assignment.number} of {self.assignment.of}"
        return f"{number} ({self.place.name})" if self.place.name else number

    @property
    def is_instructed(self) -> bool:
        return self.assignment.is_instructed

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine, as a child of the lab."""
        return not self.place.name

    def read(self, on_record: Callable[[Record], None]) -> None:
        """Hands on each record as it arrives, until the engine has ended; then its ledger is where it is wanted.

        Raises BakeoffError when the engine ends badly: such a stream is not to be trusted.
        """
        engine, name = self.engine, self.assignment.engine.name
        last: Record | None = None
        self._stream_file.parent.mkdir(parents=True, exist_ok=True)
        with self._stream_file.open("wb") as copy:

            def copied() -> Iterator[bytes]:
                for line in engine.lines():
                    copy.write(line)
                    yield line

            for record in read_records(copied(), f"the stream of {name}"):
                last = record
                on_record(record)
        status = engine.status()
        if status != 0 or not isinstance(last, End):
            raise BakeoffError(
                f"The engine {name} ended with status {status} and "
                f"{'an end record' if isinstance(last, End) else 'no end record'}. {engine.last_lines()}"
            )
        if last.reason == "failed":
            raise StreamError(f"The engine {name} could not follow the plan: {last.message}")
        engine.fetch_ledger()
