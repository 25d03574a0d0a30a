"""Runs the conformance cases of a workload against one target."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bakeoff.conformance.case import Case, Differences, Exchange, Profile
from bakeoff.conformance.exchange import NoReplyError
from bakeoff.conformance.http_caller import HttpCaller
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.conformance.matching import compare_rows
from bakeoff.conformance.steps import (
    CaptureError,
    captured_from,
    captures_of,
    compare_stored,
    filled,
    step_case,
    with_operations,
)
from bakeoff.conformance.stored_rows import PostgresRows, StoredRows
from bakeoff.conformance.vectors import VectorError, load_vectors
from bakeoff.documents.checked import Json
from bakeoff.engines.client import client_of
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.processes.request_client import RequestClient
from bakeoff.project import FORMATS
from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload

# A target that has ended or hangs would cost a timeout for each remaining case.
_SILENT_CASES_IN_A_ROW = 3


class CaseProtocol(Protocol):
    """Sends cases over one protocol. Calls raise NoReplyError when the target is silent. `side` is the protocol's name
    in cases, `http` or `grpc`."""

    side: str

    def store(self, message: Json) -> list[str]:
        """Stores a message before a case; differences explain a refusal."""
        ...

    def exchange(self, case: Case) -> Exchange:
        """Sends the case's request and compares the reply."""
        ...


class Speaker(CaseProtocol, Protocol):
    """One that can send many messages."""

    def store_in_turn(self, messages: Sequence[Json]) -> Iterator[list[str]]:
        """As `store`, on one connection while the target keeps it.

        Raises NoReplyError for the first that is not answered; what follows it was not sent.
        """
        ...


@dataclass(frozen=True)
class CaseResult:
    """A case passed when there are no differences: exactly, or as far as the core profile compares."""

    case: str
    subject: str
    rule: str
    differences: tuple[str, ...]
    profile: Profile = Profile.CORE
    core_differences: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.differences

    def breaks(self, profile: Profile) -> tuple[str, ...]:
        """The differences that count in a profile: of a strict case none count in core."""
        if profile is Profile.STRICT:
            return self.differences
        return self.core_differences if self.profile is Profile.CORE else ()


@dataclass(frozen=True)
class ConformanceResult:
    """All cases of one target. `not_applicable` counts those that its protocol has no words for, and those that need a
    token where the target requires none."""

    protocol: str
    results: tuple[CaseResult, ...]
    not_applicable: int

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        return self.failures_in(Profile.STRICT)

    def failures_in(self, profile: Profile) -> tuple[CaseResult, ...]:
        """The cases that a target of this profile must not fail, and that it failed."""
        return tuple(result for result in self.results if result.breaks(profile))

    def conforms(self, profile: Profile) -> bool:
        """Whether the target may be measured: cases ran, and none of the profile failed."""
        return bool(self.results) and not self.failures_in(profile)

    @property
    def proved(self) -> Profile | None:
        """The most that was proved."""
        return next((profile for profile in (Profile.STRICT, Profile.CORE) if self.conforms(profile)), None)

    def together_with(self, more: "ConformanceResult") -> "ConformanceResult":
        """The result after some of the cases that did not apply were run against the target in another way."""
        return ConformanceResult(self.protocol, self.results + more.results, self.not_applicable - len(more.results))

    def with_checks(self, results: Sequence[CaseResult], not_applicable: int) -> "ConformanceResult":
        """The result, with those of integrity checks added."""
        return ConformanceResult(self.protocol, (*self.results, *results), self.not_applicable + not_applicable)


def run_conformance(
    workload: Workload,
    protocol: str,
    access: Access,
    server: Server | None,
    client: RequestClient | None = None,
    *,
    patterns: Sequence[str] = (),
    on_result: Callable[[CaseResult], None] = lambda _: None,
) -> ConformanceResult:
    """Runs the cases against the target at `access`, over `rest` or `grpc`.

    `server` is the target's database, or None for one that stores in none: rows that cases expect go unchecked then.
    Cases expect to find none of their rows, so a run starts on a fresh table. Raises BakeoffError for vectors that are
    broken and a target that cannot be reached; a target that does the wrong thing is a result. Cases that need a token
    run when `access` has one.
    """
    loaded = load_cases(workload, patterns)
    cases = applicable(loaded, access.token)
    with _stored_rows(workload, server) as stored:
        speaker = speaker_to(protocol, workload, access, client)
        results = run_cases(cases, speaker, stored, on_result)
    if not results:
        raise BakeoffError(f"{workload.name}: none of the chosen conformance cases can go over {protocol}.")
    return ConformanceResult(protocol, results, len(loaded) - len(results))


def load_cases(workload: Workload, patterns: Sequence[str] = ()) -> tuple[Case, ...]:
    """The workload's cases that match one of the patterns, or all."""
    directory = workload.file("vectors")
    if directory is None:
        raise BakeoffError(
            f'The workload {workload.name} has no conformance cases. Name their folder: vectors = "cases" in its table.'
        )
    cases = load_vectors(directory, FORMATS / "vectors.schema.json", patterns)
    cases = tuple(with_operations(workload, case) if case.steps else case for case in cases)
    reading = (case.name for case in cases if case.rows is not None or any(step.rows for step in case.steps))
    with_rows = next(reading, None)
    if with_rows is not None and workload.file("audit") is None:
        raise VectorError(f'{directory}: case "{with_rows}" looks at rows, but the workload names no audit query.')
    return cases


def applicable(cases: Sequence[Case], token: str | None) -> tuple[Case, ...]:
    """The cases for a target that requires this token, or none."""
    if token is None:
        return tuple(case for case in cases if not case.token)
    return tuple(case.with_token(token) for case in cases)


def run_cases(
    cases: Sequence[Case],
    speaker: CaseProtocol,
    stored: StoredRows | None,
    on_result: Callable[[CaseResult], None] = lambda _: None,
) -> tuple[CaseResult, ...]:
    """The results of the cases that the protocol can express, in their order."""
    results: list[CaseResult] = []
    silent = 0
    for case in cases:
        if not case.goes_over(speaker.side):
            continue
        if silent == _SILENT_CASES_IN_A_ROW:
            differences = Differences().with_both(f"not sent: the target did not reply to {silent} cases in a row")
        else:
            try:
                differences = _differences(case, speaker, stored)
                silent = 0
            except NoReplyError as error:
                differences = Differences().with_both(str(error))
                silent += 1
        results.append(
            CaseResult(case.name, case.subject, case.rule, differences.strict, case.profile, differences.core)
        )
        on_result(results[-1])
    return tuple(results)


def _differences(case: Case, speaker: CaseProtocol, stored: StoredRows | None) -> Differences:
    if case.steps:
        return _differences_of_steps(case, speaker, stored)
    for index, message in enumerate(case.given):
        refused = speaker.store(message)
        if refused:
            return Differences().with_both(*(f"given[{index}] was not stored: {each}" for each in refused))
    differences = speaker.exchange(case).differences
    if case.rows is not None and stored is not None:
        differences = differences.with_both(*compare_rows(case.rows, stored.of(case)))
    return differences


def _differences_of_steps(case: Case, speaker: CaseProtocol, stored: StoredRows | None) -> Differences:
    """Those of all steps up to the first that core does not accept: the ones after it build on it."""
    captured: dict[str, Json] = {}
    found = Differences()
    for number, step in enumerate(case.steps, start=1):
        exchange = speaker.exchange(step_case(case, step, speaker.side, captured))
        problems: list[str] = []
        if not exchange.differences.core:
            try:
                captured |= captured_from(exchange, captures_of(step.sides[speaker.side]), captured)
                for row in step.rows if stored is not None else ():
                    assert stored is not None
                    key = [str(filled(part, captured)) for part in row.key]
                    problems += compare_stored(filled(row.document, captured), stored.at(key), key)
            except CaptureError as error:
                problems.append(str(error))
        found = found.followed_by(exchange.differences.with_both(*problems), f"step {number} ({step.operation}): ")
        if found.core:
            break
    return found


@contextlib.contextmanager
def _stored_rows(workload: Workload, server: Server | None) -> Iterator[StoredRows | None]:
    audit = workload.sql("audit")
    if audit is None or server is None:
        yield None
    else:
        with server.connect() as connection:
            yield PostgresRows(connection, audit)


def speaker_to(
    protocol: str,
    workload: Workload,
    access: Access,
    client: RequestClient | None = None,
    *,
    is_reachable: bool = False,
    user_agent: str | None = None,
    timeout_s: float = 15.0,
) -> Speaker:
    """A caller of the target at `access`, with a `User-Agent` where one is given; by default through the client here.

    Unless the target is known to be reachable, raises BakeoffError when no server answers there.
    """
    client = client or client_of()
    if protocol == "grpc":
        # Protocol buffers take a while to load.
        from bakeoff.conformance.grpc_caller import GrpcCaller
        from bakeoff.conformance.grpc_protocol import GrpcProtocol, codec_of

        grpc_caller = GrpcCaller(access, client, timeout_s=timeout_s, user_agent=user_agent)
        if not is_reachable:
            grpc_caller.check_reachable()
        return GrpcProtocol(workload, codec_of(workload), grpc_caller.send, grpc_caller.send_in_turn)
    http_caller = HttpCaller(access, client, timeout_s=timeout_s, user_agent=user_agent)
    if not is_reachable:
        http_caller.check_reachable()
    return HttpProtocol(workload, http_caller.send, http_caller.send_in_turn)
