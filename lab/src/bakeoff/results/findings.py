"""Findings, and what a kind of finding consists of; the kinds are in `finding_kinds`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NewType, Self

KindName = NewType("KindName", str)
"""Only a `FindingKind` makes one, so that no finding has a kind that is not in the registry."""

Severity = Literal["info", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")


@dataclass(frozen=True)
class Finding:
    """A typed finding about a run, with advice."""

    kind: KindName
    severity: Severity
    message: str
    advice: str


@dataclass(frozen=True)
class JudgedFinding(Finding):
    """A finding and its rounds (empty: the comparison as a whole)."""

    rounds: Sequence[int] = ()


class KindLimits(tuple[float, ...]):
    """Limits that are compared with what was measured, and `words` for them: a format string."""

    words: str

    def __new__(cls, words: str, *limits: float) -> Self:
        made = super().__new__(cls, limits)
        made.words = words
        return made


_UNLIMITED = KindLimits("")


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding. `affects` names the figures that it affects.

    The texts are format strings: `{0}` is the first limit, named fields are the measured values.
    """

    severity: Severity
    name: str
    meaning: str
    affects: str
    message: str
    advice: str
    limits: KindLimits = _UNLIMITED

    def __call__(self, /, **measured: object) -> Finding:
        return Finding(KindName(self.name), self.severity, *self._texts(measured))

    def judged(self, rounds: Sequence[int] = (), /, **measured: object) -> JudgedFinding:
        """The same, of several runs."""
        return JudgedFinding(KindName(self.name), self.severity, *self._texts(measured), rounds)

    def worded(self, message: str, advice: str, severity: Severity | None = None) -> "FindingKind":
        """The same kind, found in another way."""
        return replace(self, message=message, advice=advice, severity=severity or self.severity)

    def _texts(self, measured: dict[str, object]) -> tuple[str, str]:
        return self.message.format(*self.limits, **measured), self.advice.format(*self.limits, **measured)
