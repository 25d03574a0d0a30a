"""The request of a stored comparison, and its contenders that were not measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bakeoff.documents.checked import Json
from bakeoff.history.run_figures import RunFigures
from bakeoff.postgres.server import Server

# Imported late: listing runs does not need what requests are made of.
if TYPE_CHECKING:
    from bakeoff.comparing.request import ComparisonRequest


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

    @cached_property
    def request(self) -> "ComparisonRequest | None":
        """None where the request is unknown."""
        from bakeoff.comparing.request import request_from

        # Beside the request stands the machine that it was for.
        request = {name: value for name, value in self.document.items() if name != "machine"}
        return request_from(request) if request else None

    def wants(self, run: RunFigures) -> bool:
        """Whether a run as this one, of another comparison, was to be made in this one too."""
        from bakeoff.options.variant import factors_of, key_of

        request = self.request
        if request is None or run.mode != request.mode:
            return False
        # No targets: all of them.
        targets = request.targets or list(request.attached)
        if targets and run.target not in targets:
            return False
        variants = request.variants()
        return (run.contender, run.payload, run.engine) in {
            (key_of(run.target, factors), variant.payload, variant.engine)
            for variant, factors in zip(variants, factors_of(variants), strict=True)
        }

    def why_not(self, contender: str, target: str) -> str:
        """Why a contender was not measured, as well as that is known."""
        reason = self.not_measured.get(contender) or self.not_measured.get(target)
        if reason is not None:
            return reason
        return "no reason was recorded" if self.status == "completed" else f"the comparison is {self.status}"


def requested_of(server: Server, comparison_id: int) -> Requested | None:
    """The request of a stored comparison; None where there is no such comparison."""
    with server.connect() as connection:
        row = connection.execute(
            "SELECT request, status, not_measured, refused FROM comparisons WHERE id = %s", [comparison_id]
        ).fetchone()
    if row is None:
        return None
    document, status, not_measured, refused = row
    return Requested(document, status, not_measured, frozenset(refused))
