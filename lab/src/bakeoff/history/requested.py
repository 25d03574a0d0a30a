"""The request of a stored comparison, and its contenders that were not measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.documents.checked import Json


@dataclass(frozen=True)
class Requested:
    """A comparison's request as it is stored, empty where it was imported, and what was not measured.

    `not_measured` maps contenders, or targets with all of theirs, to the reason; `refused` are those among them that
    could have been measured. `status` is the comparison's.
    """

    document: Mapping[str, Json]
    status: str
    not_measured: Mapping[str, str]
    refused: frozenset[str]

    def why_not(self, contender: str, target: str) -> str:
        """Why a contender was not measured, as well as that is known."""
        reason = self.not_measured.get(contender) or self.not_measured.get(target)
        if reason is not None:
            return reason
        return "no reason was recorded" if self.status == "completed" else f"the comparison is {self.status}"
