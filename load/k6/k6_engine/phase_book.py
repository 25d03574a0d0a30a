"""The phases of one k6 process: which rows belong to which, and when their records are due."""

from k6_engine.counts import Counts
from k6_engine.outcomes import Outcomes
from k6_engine.phase_tally import US_PER_SECOND, PhaseTally
from k6_engine.plan import Group, Plan
from k6_engine.records import NS_PER_US, Stream
from k6_engine.rows import Rows

# k6 writes rows four times a second; a second is closed when its rows have had this long to come.
GRACE_US = 1_000_000
# How long a phase waits to be announced for the last replies of the one before, so that records keep their order.
HOLD_US = 1_500_000


class PhaseBook:
    """Counts rows by phase and writes the records that are due."""

    def __init__(self, plan: Plan, group: Group, stream: Stream) -> None:
        self._batch = plan.batch
        self._timeout_us = plan.timeout_ms * 1000
        self._duration_metric = f"{plan.protocol}_req_duration"
        self._outcomes = Outcomes.of(plan.document)
        self._names = plan.operation_names()
        self._open_model = group.phases[0].kind == "rate"
        self._stream = stream
        self._group = group
        self._phases: list[PhaseTally] = []
        self._started = 0
        self._ended = 0
        self._users_now: tuple[int, int] = (0, 0)
        self.sent = 0

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of k6 that `count` understands."""
        always = ("phase_entered", self._duration_metric, "data_sent", "data_received", "connections_opened")
        rare = ("checked_replies", "malformed_replies", "unmeasured_failures", "vus", "dropped_iterations")
        return always + rare + (("iteration_duration",) if self._open_model else ())

    def count(self, found: dict[str, list[Rows]]) -> None:
        """Counts what k6 wrote."""
        self._begin(found["phase_entered"])
        if not self._phases:
            return
        for rows in found[self._duration_metric]:
            if not self._outcomes.is_counted_by_script(rows.tags.status):
                kind = self._outcomes.error_kind(rows.tags.call, rows.tags.status, rows.tags.error_code)
                status = self._outcomes.status_name(rows.tags.status)
                self._of(rows).add_requests(rows.tags.call, kind, rows.times_us, rows.values, status)
        for rows in found["unmeasured_failures"]:
            self._of(rows).add_requests(rows.tags.call, rows.tags.kind, rows.times_us, rows.values)
        for rows in found["checked_replies"]:
            self._of(rows).add_checked_replies(rows.tags.call, rows.times_us)
        for rows in found["malformed_replies"]:
            self._of(rows).add_malformed_replies(rows.tags.call, rows.times_us)
        for rows in found.get("iteration_duration", []):
            self._of(rows).add_responses(rows.times_us, rows.values)
        self._count_traffic(found)
        self._count_users(found)

    def advance(self, now_us: int) -> None:
        """Writes the records that are due at this moment."""
        for position, tally in enumerate(self._phases):
            if now_us < tally.start_us:
                return
            if position > self._ended and now_us < tally.start_us + HOLD_US:
                return
            self._start(position, tally)
            self._write_seconds_until(tally, now_us)
            if position == self._ended and self._is_complete(position, now_us):
                self._end(tally, now_us, interrupted=False)

    def finish(self, now_us: int, *, interrupted: bool) -> None:
        """Writes all that is left: k6 has ended."""
        for position, tally in enumerate(self._phases):
            if position < self._ended or now_us < tally.start_us:
                continue
            self._start(position, tally)
            self._end(tally, now_us, interrupted=interrupted and (tally.end_us is None or now_us < tally.end_us))

    def _begin(self, entered: list[Rows]) -> None:
        if entered and not self._phases:
            start_us = round(float(entered[0].values[0]) * 1000)
            for phase in self._group.phases:
                self._phases.append(PhaseTally(phase, start_us))
                start_us += (phase.duration_ms or 0) * 1000
        for rows in entered:
            self._of(rows).users_entered += len(rows.values)

    def _of(self, rows: Rows) -> PhaseTally:
        assert rows.tags.phase is not None, "the script tags every row of a virtual user with its phase"
        return self._phases[rows.tags.phase - self._group.phases[0].index]

    def _count_traffic(self, found: dict[str, list[Rows]]) -> None:
        for metric, direction in (("data_sent", "bytes_sent"), ("data_received", "bytes_received")):
            for rows in found[metric]:
                if rows.tags.phase is not None:
                    self._of(rows).add_bytes(direction, rows.times_us, rows.values)
        for rows in found["connections_opened"]:
            self._of(rows).connections_opened += len(rows.values)

    def _count_users(self, found: dict[str, list[Rows]]) -> None:
        for rows in found["vus"]:
            self._users_now = (int(rows.times_us[-1]), int(rows.values[-1]))
        for rows in found["dropped_iterations"]:
            # k6 drops an arrival before a virtual user could have given it a phase.
            for tally in self._phases:
                end_us = tally.end_us if tally is not self._phases[-1] else None
                mine = (rows.times_us >= tally.start_us) & (rows.times_us < (end_us or rows.times_us.max() + 1))
                tally.add_unsent(rows.times_us[mine], rows.values[mine])

    def _is_complete(self, position: int, now_us: int) -> bool:
        """Whether no request of this phase can still be in flight."""
        tally = self._phases[position]
        if tally.end_us is None or tally is self._phases[-1]:
            return False  # `finish` ends it
        if now_us > tally.end_us + self._timeout_us + 2 * GRACE_US:
            return True
        following = self._phases[position + 1]
        users_after = following.phase.virtual_users
        if self._open_model or following.users_entered < users_after:
            return False
        seen_us, users = self._users_now
        return tally.phase.virtual_users <= users_after or (seen_us > tally.end_us and users <= users_after)

    def _start(self, position: int, tally: PhaseTally) -> None:
        if position < self._started:
            return
        self._started += 1
        self._stream.write(
            "phase_start",
            phase=tally.phase.index,
            name=tally.phase.name,
            virtual_users=tally.phase.virtual_users,
            time_unix_ns=tally.start_us * NS_PER_US,
        )

    def _write_seconds_until(self, tally: PhaseTally, now_us: int) -> None:
        # After the last phase's end seconds go on until the last reply: silence would mean that the engine has stalled.
        is_last = tally is self._phases[-1]
        end_us = now_us if tally.end_us is None or is_last else min(now_us, tally.end_us)
        while tally.start_us + (tally.next_second + 1) * US_PER_SECOND <= min(now_us - GRACE_US, end_us):
            self._write_second(tally)

    def _write_second(self, tally: PhaseTally) -> None:
        second = tally.next_second
        counts = tally.take_second()
        self._stream.write(
            "second",
            phase=tally.phase.index,
            second=second,
            time_unix_ns=(tally.start_us + second * US_PER_SECOND) * NS_PER_US,
            **counts.members(self._batch, self._names, self._outcomes.expected),
        )

    def _end(self, tally: PhaseTally, now_us: int, *, interrupted: bool) -> None:
        end_us = now_us if tally.end_us is None or interrupted else tally.end_us
        last = tally.last_second
        if tally.end_us is not None:
            last = max(last, (end_us - tally.start_us - 1) // US_PER_SECOND)
        while tally.next_second <= last:
            self._write_second(tally)
        self._ended += 1
        self.sent += tally.total.sent
        self._stream.write("phase_end", **self._end_members(tally, tally.total, end_us, interrupted=interrupted))

    def _end_members(self, tally: PhaseTally, total: Counts, end_us: int, *, interrupted: bool) -> dict[str, object]:
        held_until_us = tally.ended_us if tally.end_us is None else max(tally.ended_us, end_us)
        return {
            "phase": tally.phase.index,
            "time_unix_ns": held_until_us * NS_PER_US,
            "duration_ns": (tally.ended_us - tally.start_us) * NS_PER_US,
            "planned_ns": None if tally.end_us is None or interrupted else (tally.end_us - tally.start_us) * NS_PER_US,
            "operations_late": tally.late_ok * self._batch,
            **total.members(self._batch, self._names, self._outcomes.expected),
            "connections_opened": tally.connections_opened,
            "interrupted": interrupted,
            "send_lag_histogram": None,
        }
