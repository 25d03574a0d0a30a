"""One run of a plan: k6 process after k6 process, from the start record to the end record."""

import base64
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from k6_engine.k6_process import THRESHOLDS_CROSSED, K6Error, K6Process, k6_version, raise_open_files_limit
from k6_engine.phase_book import PhaseBook
from k6_engine.plan import Group, Plan
from k6_engine.records import Stream
from k6_engine.rows import RowReader
from k6_engine.start import AtOnce, Start

SCRIPTS = Path(__file__).resolve().parents[1]
SCRIPT_NAMES = {"http": "rest-api-test.js", "grpc": "grpc-api-test.js"}
POLL_SECONDS = 0.25
# k6 writes its number of users every second, whatever the target does.
SILENT_SECONDS = 4.0
FILES_BESIDE_CONNECTIONS = 100

RESPONSE_TIME_NOTE = (
    "k6 begins an arrival at once or drops it: response time counts from the instant k6 began it, "
    "and what found no free virtual user is unsent"
)


class Session:
    """Runs a plan with k6 and writes the stream. `interrupted` is asked often and says when to stop.

    `start` says when each k6 process begins.
    """

    def __init__(
        self, plan: Plan, k6: Path, stream: Stream, interrupted: Callable[[], bool], start: Start | None = None
    ) -> None:
        self._plan = plan
        self._k6 = k6
        self._stream = stream
        self._interrupted = interrupted
        self._start = start or AtOnce()

    def run(self) -> None:
        """Writes everything but the end record. Raises K6Error when k6 fails."""
        self.write_start(k6_version(self._k6))
        self._write_notes(raise_open_files_limit())
        with tempfile.TemporaryDirectory(prefix="bakeoff-k6-") as folder:
            for group in self._plan.groups():
                if self._interrupted():
                    return
                self._run_group(group, self._settings(group, Path(folder)))

    def write_start(self, version: str) -> None:
        """Writes the start record."""
        document = self._plan.document
        self._stream.write(
            "start",
            version=1,
            engine={"name": "k6", "version": version},
            workload=document["workload"],
            target=document["target"],
            protocol=self._plan.protocol,
            connections=self._plan.virtual_users,
            checks=self._plan.check_rates(),
            time_unix_ns=time.time_ns(),
        )

    def _write_notes(self, open_files: int) -> None:
        if any(phase.kind == "rate" for phase in self._plan.phases):
            self._stream.note("info", RESPONSE_TIME_NOTE)
        needed = self._plan.virtual_users + FILES_BESIDE_CONNECTIONS
        if open_files < needed:
            self._stream.note("warning", f"{needed} open files are needed and {open_files} allowed: raise `ulimit -Hn`")

    def _settings(self, group: Group, folder: Path) -> dict[str, str]:
        """Lays down the files that the script reads, and names them."""
        plan_file = folder / "plan.json"
        plan_file.write_text(json.dumps(self._plan.document_of(group)), encoding="utf-8")
        settings = {
            "BAKEOFF_PLAN": str(plan_file),
            "BAKEOFF_FIRST_PHASE": str(group.phases[0].index),
            "BAKEOFF_FIRST_USER": str(group.first_user),
        }
        if self._plan.protocol == "grpc":
            descriptor_set = folder / "services.protoset"
            descriptor_set.write_bytes(base64.b64decode(self._plan.document["proto"]["descriptor_set"]))
            settings["BAKEOFF_DESCRIPTOR_SET"] = str(descriptor_set)
        return settings

    def _run_group(self, group: Group, settings: dict[str, str]) -> None:
        book = PhaseBook(self._plan, group, self._stream)
        tls = self._plan.document["transport"].get("tls", {})
        script = SCRIPTS / SCRIPT_NAMES[self._plan.protocol]
        segment = self._plan.segment.options
        is_paused = self._start.is_paused
        process = K6Process(self._k6, script, settings, tls.get("ca_file"), segment, is_paused=is_paused)
        try:
            self._start.begin(process, group)
            self._follow(process, book)
            status = process.wait()
        finally:
            process.kill()
        book.finish(_now_us(), interrupted=self._interrupted())
        if self._interrupted():
            return
        if status not in (0, THRESHOLDS_CROSSED):
            raise K6Error(f"k6 ended with status {status}: {process.last_lines or 'it said nothing'}")
        if book.sent == 0:
            raise K6Error(f"k6 sent no request: {process.last_lines or 'it said nothing'}")

    def _follow(self, process: K6Process, book: PhaseBook) -> None:
        reader = RowReader(book.metrics)
        # It may take longer to compile the script, before it writes anything.
        heard_s: float | None = None
        while (block := process.read(POLL_SECONDS)) is not None:
            if block:
                book.count(reader.read(block))
                heard_s = time.monotonic()
            elif heard_s is not None and time.monotonic() - heard_s > SILENT_SECONDS:
                raise K6Error(f"k6 stalled: it wrote nothing for {SILENT_SECONDS:.0f} s. Is its host overloaded?")
            book.advance(_now_us())
            if self._interrupted():
                process.stop()


def _now_us() -> int:
    return time.time_ns() // 1000
