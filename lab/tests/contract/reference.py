"""The contract as a small model: requests in, replies and stored rows out, all in memory.

It is written for clarity. A vector is worth something when this model passes it, and fails it with the vector's rule
taken away.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from uuid import UUID

from events import Rules, entities_of, first_problem
from json_reader import Members
from rules import RULES
from stored_state import StoredState

from bakeoff.conformance.case import Case, Row

STORED = "Event processed successfully"
INTERNAL = "internal error"
EVENT_BYTES = 1_048_576
BULK_BYTES = 16_777_216
BULK_EVENTS = 10_000


class BrokenRuleError(Exception):
    """A rule that a request breaks, by the kind of status that it is answered with."""

    def __init__(self, kind: str, message: str, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.headers = headers


@dataclass(frozen=True)
class BulkEvent:
    """One element of a bulk. `size` is its length as it was sent."""

    event: Any
    size: int


class Reference:
    """A target of the events contract, less the rules that are taken away."""

    def __init__(self, without: str | None = None, token: str | None = None) -> None:
        if without is not None and without not in RULES:
            raise ValueError(f'no rule is named "{without}"; rules.py lists them')
        self.rules: Rules = RULES.keys() - {without}
        self.stored = StoredState(self.rules)
        self._token = token

    def of(self, case: Case) -> list[Row]:
        """The rows that belong to the case."""
        return self.stored.of(case)

    def at(self, key: Sequence[str]) -> str | None:
        """The document under a key; no case of this contract has steps, which alone ask for it."""
        raise AssertionError(key)

    def check_token(self, authorization: Sequence[str]) -> None:
        """Raises BrokenRuleError for a request with these values unless they are what a token is asked by."""
        if self._token is None or "token" not in self.rules:
            return
        right = [self._is_right(value, self._token) for value in authorization]
        is_accepted = right == [True] if "token-once" in self.rules else any(right)
        if not is_accepted or "token-accepted" not in self.rules:
            message = "authorization: a valid bearer token is required"
            raise BrokenRuleError("unauthenticated", message, {"www-authenticate": "Bearer"})

    def _is_right(self, value: str, token: str) -> bool:
        scheme, _, rest = value.partition(" ")
        is_bearer = scheme.lower() == "bearer" if "token-scheme-any-case" in self.rules else scheme == "Bearer"
        return is_bearer and (rest == token if "token-exact" in self.rules else rest.startswith(token))

    def process(self, event: Members) -> None:
        """Stores one event, or raises BrokenRuleError."""
        problem = first_problem(event, self.rules)
        if problem is not None:
            if "event-is-atomic" not in self.rules:
                self.stored.apply(entities_of(event, self.rules))
            raise BrokenRuleError("invalid", problem)
        self.stored.apply(entities_of(event, self.rules))

    def process_bulk(self, events: list[BulkEvent]) -> dict[str, Any]:
        """Stores the events of a bulk and returns the reply; raises BrokenRuleError when none is valid."""
        self._check_count(len(events))
        failures = self._store_all(events)
        processed, message = (
            len(events) - len(failures),
            f"{len(events) - len(failures)} of {len(events)} events processed",
        )
        if failures and "bulk-mixed" not in self.rules:
            raise BrokenRuleError("invalid", message)
        if not processed and events and "bulk-none-valid" in self.rules:
            raise BrokenRuleError("invalid", f"{message}; event {failures[0]['index']}: {failures[0]['message']}")
        return {
            "success": not failures or "bulk-success" not in self.rules,
            "message": message,
            "processedCount": processed,
            "failedCount": len(failures),
            "batchId": str(UUID(int=len(events))) if "bulk-batch-id" in self.rules else "",
            "processingTimeMs": 0,
            "failures": failures,
        }

    def _check_count(self, count: int) -> None:
        maximum = BULK_EVENTS - ("inclusive-limits" not in self.rules)
        if count > maximum and "bulk-count" in self.rules:
            raise BrokenRuleError("too large", f"events: must hold 1 to {BULK_EVENTS} events")
        if count == 0 and "bulk-not-empty" in self.rules:
            raise BrokenRuleError("invalid", f"events: must hold 1 to {BULK_EVENTS} events")

    def _store_all(self, events: list[BulkEvent]) -> list[dict[str, Any]]:
        failures = []
        order = range(len(events)) if "bulk-in-order" in self.rules else reversed(range(len(events)))
        for index in order:
            try:
                self._store_element(events[index])
            except BrokenRuleError as broken:
                failures.append({"index": index + ("bulk-index" not in self.rules), "message": broken.message})
        return sorted(failures, key=lambda failure: int(str(failure["index"])))

    def _store_element(self, element: BulkEvent) -> None:
        if element.size > self.event_limit and "bulk-event-size" in self.rules:
            raise BrokenRuleError("too large", f"event: larger than {EVENT_BYTES} bytes")
        if not isinstance(element.event, Members):
            if "bulk-event-kind" in self.rules:
                raise BrokenRuleError("invalid", "event: must be an object")
            self.process(Members())
        else:
            self.process(element.event)

    @property
    def event_limit(self) -> int:
        """The most bytes of an event."""
        return EVENT_BYTES - ("inclusive-limits" not in self.rules)

    def size_problem(self, size: int, *, is_bulk: bool) -> BrokenRuleError | None:
        """The size limit that a body or message exceeds."""
        is_limited_as_bulk = is_bulk and "bulk-size-is-its-own" in self.rules
        rule = "bulk-size" if is_bulk else "event-size"
        maximum = BULK_BYTES if is_limited_as_bulk else EVENT_BYTES
        if size <= maximum - ("inclusive-limits" not in self.rules) or rule not in self.rules:
            return None
        return BrokenRuleError("too large", f"body: larger than {maximum} bytes")

    def health(self) -> dict[str, Any]:
        """The reply of a health check."""
        return {"healthy": True, "message": "OK"} if "health" in self.rules else {"healthy": True, "message": "UP"}


def as_json(document: Any) -> bytes:
    """A reply's body."""
    return json.dumps(document).encode()
