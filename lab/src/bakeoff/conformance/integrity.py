"""Checks that no case can express: that what a target acknowledges is so, and that it treats all clients alike.

A check returns differences, as a list where they count in both profiles; None where it cannot be made of a target.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for

import psycopg
from psycopg import sql

from bakeoff.conformance.case import Differences, Profile
from bakeoff.conformance.exchange import NoReplyError
from bakeoff.conformance.probe import Probed, plan_for
from bakeoff.conformance.runner import CaseProtocol, CaseResult, applicable, load_cases
from bakeoff.conformance.stored_rows import PostgresRows
from bakeoff.errors import BakeoffError
from bakeoff.postgres.durability import problems_of
from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.server import Server
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload
from bakeoff.workload.stored_effects import StoringEvent

Check = Callable[[Probed], list[str] | Differences | None]
SUBJECT = "integrity"

# Long enough for any reply that does not wait for the commit, and far below the timeout of a statement.
_LOCKED_S = 0.5
# More than two thousand, so that one lost in a thousand is seen.
_BURST = 2_500
_BURST_CLIENTS = 16
# Sent by a client before it opens another connection.
_IN_TURN = 25
_FEWEST_REFUSED = 20
_INVALID_CASES = 4
_UNHEALTHY_WITHIN_S = 15.0
_UNPROMISED_WITHIN_S = 3.0
_HEALTHY_WITHIN_S = 30.0
# The names of load generators and of other clients. The native engine sends the first over gRPC, none over HTTP.
_USER_AGENTS = (
    "bakeoff-load/0.1.0",
    "Grafana k6/1.8.1",
    "k6/1.8.1 (https://k6.io/)",
    "grpc-go/1.70.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
)
_LOOK_EVERY_S = 0.1


def reply_waits_for_commit(probed: Probed) -> list[str] | None:
    """While no transaction can write to the tables, no event may be acknowledged."""
    if not probed.has_events:
        return None
    speaker = probed.speaker()
    event = probed.event()
    return _locked(probed, speaker, event) or probed.missing([event])


def same_request_stores_again(probed: Probed) -> list[str] | None:
    """A repeated request stores again, after another one has changed the row."""
    if not probed.updates:
        return None
    speaker = probed.speaker()
    first = probed.event()
    other = probed.event(first.key)
    for event in (first, other, first):
        if refused := speaker.store(event.message):
            return refused
    stored = probed.stored.at(first.row.key)
    own, others = json.loads(first.row.document), json.loads(other.row.document)
    expected = {**others, **own} if probed.merges else own
    if stored is None or json.loads(stored) != expected:
        return [f"the row holds what the request between two equal ones wrote: {stored}"]
    return _locked(probed, speaker, first)


def burst_is_stored(probed: Probed) -> list[str] | None:
    """Thousands of events from many clients: each one that is acknowledged is stored, exactly."""
    if not probed.has_events:
        return None
    parts = [[probed.event() for _ in range(_IN_TURN)] for _ in range(_BURST // _IN_TURN)]
    acknowledged: list[StoringEvent] = []
    refused: list[str] = []
    speaker = probed.speaker()

    def send(some: Sequence[StoringEvent]) -> None:
        # A target that refuses or hangs need not get thousands of requests.
        if len(refused) >= _FEWEST_REFUSED:
            return
        try:
            for event, problems in zip(some, speaker.store_in_turn([each.message for each in some]), strict=False):
                (refused.extend(problems) if problems else acknowledged.append(event))
        except NoReplyError as error:
            refused.append(str(error))

    with ThreadPoolExecutor(_BURST_CLIENTS) as pool:
        list(pool.map(send, parts))
    return [*refused[:3], *probed.missing(acknowledged)]


def all_clients_are_equal(probed: Probed) -> list[str] | None:
    """Load generators and other clients get the same service: what is valid is stored, what is invalid refused."""
    differences = []
    invalid = probed.invalid(_INVALID_CASES)
    if not invalid and not probed.has_events:
        return None
    for user_agent in _USER_AGENTS:
        speaker = probed.speaker(user_agent)
        found = _stored_now(probed, speaker)
        for case in invalid:
            found += [f"{case.name}: {each}" for each in speaker.exchange(case).differences.in_profile(Profile.CORE)]
        differences += [f'user agent "{user_agent}": {each}' for each in found]
    return differences


def health_asks_database(probed: Probed) -> Differences | None:
    """Without its database a target acknowledges nothing and is not healthy; with it, it stores again and is healthy.

    Its health while the database is disconnected is core only where the contract promises a check of the database.
    """
    if probed.relay is None:
        return None
    promised = probed.workload.declared.health.asks_database
    within_s = _UNHEALTHY_WITHIN_S if promised else _UNPROMISED_WITHIN_S
    noticed, acknowledged = _without_database(probed, probed.relay, within_s)
    if acknowledged:
        found = ["an event was acknowledged while the database was cut off"]
    else:
        found = _after_return(probed, shows_database=noticed)
    still = () if noticed else (f"health: still healthy {within_s:.0f} s after the database was cut off",)
    health = Differences(strict=still, core=still if promised else ())
    return Differences().with_both(*found).followed_by(health)


def tables_are_durable(probed: Probed) -> list[str] | None:
    """The target has not made a table unlogged, nor changed what the server promises."""
    return [problem for problem in problems_of(probed.server) if problem not in probed.problems_before]


# By name, with the rule that each checks. Health comes last but one: some clients reconnect slowly.
CHECKS: Sequence[tuple[str, str, Check]] = (
    ("reply-waits-for-the-commit", "acknowledged only after the commit", reply_waits_for_commit),
    ("same-request-stores-again", "no cached replies", same_request_stores_again),
    ("all-clients-are-equal", "the load generator is not recognised", all_clients_are_equal),
    ("burst-is-stored", "every acknowledged event is stored", burst_is_stored),
    ("health-asks-the-database", "health is that of the database too", health_asks_database),
    ("tables-are-durable", "tables are logged, settings unchanged", tables_are_durable),
)


def run_integrity(
    workload: Workload,
    protocol: str,
    access: Access,
    client: RequestClient,
    server: Server,
    relay: DatabaseRelay | None,
    problems_before: Sequence[str],
) -> tuple[tuple[CaseResult, ...], int]:
    """The results of the checks that can be made of this target, and how many cannot be."""
    audit, plan = workload.sql("audit"), plan_for(workload, protocol, access)
    if audit is None:
        return (), len(CHECKS)
    cases = applicable(load_cases(workload), access.token)
    with server.connect() as connection:
        stored = PostgresRows(connection, audit)
        probed = Probed(workload, protocol, access, client, server, stored, relay, problems_before, cases, plan)
        found = [(name, rule, _differences(check, probed)) for name, rule, check in CHECKS]
    results = tuple(
        CaseResult(name, SUBJECT, rule, differences.strict, core_differences=differences.core)
        for name, rule, differences in found
        if differences is not None
    )
    return results, len(CHECKS) - len(results)


def _differences(check: Check, probed: Probed) -> Differences | None:
    try:
        found = check(probed)
    except (NoReplyError, BakeoffError) as error:
        found = [str(error)]
    return Differences().with_both(*found) if isinstance(found, list) else found


def _locked(probed: Probed, speaker: CaseProtocol, event: StoringEvent) -> list[str]:
    """Whether an event is acknowledged while its table is locked, and after the lock is released."""
    with ThreadPoolExecutor(1) as pool:
        with _no_writes(probed.server):
            reply = pool.submit(_stored_or_why_not, speaker, event)
            wait_for([reply], timeout=_LOCKED_S)
            early = reply.done()
        problems = reply.result()
    if not early:
        return problems
    return problems or ["acknowledged while the table was locked, so before the commit"]


def _stored_now(probed: Probed, speaker: CaseProtocol) -> list[str]:
    """Why a new event is not stored, where the workload has events."""
    if not probed.has_events:
        return []
    event = probed.event()
    return speaker.store(event.message) or probed.missing([event])


def _without_database(probed: Probed, relay: DatabaseRelay, within_s: float) -> tuple[bool, bool]:
    """Whether the target's health shows that the database is cut off, and whether it acknowledges an event then."""
    relay.cut()
    try:
        noticed = _within(within_s, lambda: not probed.is_healthy)
        return noticed, _acknowledged_now(probed)
    finally:
        relay.restore()


def _after_return(probed: Probed, *, shows_database: bool) -> list[str]:
    """Problems after the database returned; `shows_database` where the target's health depends on it."""
    if not _within(_HEALTHY_WITHIN_S, lambda: probed.is_healthy):
        return [f"health: not healthy again {_HEALTHY_WITHIN_S:.0f} s after the database returned"]
    if not shows_database:
        _within(_HEALTHY_WITHIN_S, lambda: not probed.has_events or _acknowledged_now(probed))
    speaker = probed.speaker()
    return _stored_now(probed, speaker)


def _acknowledged_now(probed: Probed) -> bool:
    """Whether a new event is acknowledged, where the workload has events."""
    if not probed.has_events:
        return False
    speaker = probed.speaker()
    return not _stored_or_why_not(speaker, probed.event())


def _stored_or_why_not(speaker: CaseProtocol, event: StoringEvent) -> list[str]:
    try:
        return speaker.store(event.message)
    except NoReplyError as error:
        return [str(error)]


@contextlib.contextmanager
def _no_writes(server: Server) -> Iterator[None]:
    """No transaction writes to any table of the database while the block lasts; all can be read."""
    with server.connect() as connection, connection.transaction():
        found = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        tables = sql.SQL(", ").join(sql.Identifier(schema, table) for schema, table in found)
        try:
            connection.execute("SET LOCAL lock_timeout = '10s'")
            connection.execute(sql.SQL("LOCK TABLE {} IN SHARE MODE").format(tables))
        except psycopg.Error as error:
            raise BakeoffError(f"The target's tables cannot be locked: {' '.join(str(error).split())}.") from error
        yield


def _within(seconds: float, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True
