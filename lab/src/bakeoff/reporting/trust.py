"""How far a reader can rely on a verdict, in a word with its strongest reasons."""

from dataclasses import dataclass
from typing import Literal

from bakeoff.judging.judgement import Judgement
from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.numbers import plural
from bakeoff.results.finding_kinds import TOO_FEW_ROUNDS

_MOST_REASONS = 2
FEWEST_ROUNDS = 3


@dataclass(frozen=True)
class Trust:
    """`low`: an error, or too few rounds for intervals; `limited`: a warning.

    `reasons` are the gravest, in few words.
    """

    level: Literal["high", "limited", "low"]
    reasons: list[str]


def trust_of(judgement: Judgement) -> Trust:
    """The trust that the findings leave, with the two gravest reasons."""
    grave = [group for group in groups_of(judgement) if group.severity != "info"]
    few = judgement.rounds < FEWEST_ROUNDS
    kinds = dict.fromkeys(group.kind for group in grave if not (few and group.kind == TOO_FEW_ROUNDS.name))
    reasons = [kind.replace("-", " ") for kind in kinds]
    if few:
        reasons.insert(0, f"only {plural(judgement.rounds, 'round')}")
    low = few or any(group.severity == "error" for group in grave)
    return Trust("low" if low else "limited" if reasons else "high", reasons[:_MOST_REASONS])
