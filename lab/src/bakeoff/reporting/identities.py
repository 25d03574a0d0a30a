"""Who is who in a report: names, styles and places that stay the same from payload to payload."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Contender


@dataclass(frozen=True)
class Identity:
    """One target with its settings, whatever the payload. `style` numbers its colour, dash and point."""

    id: str
    name: str
    style: int


def identities_of(contenders: Sequence[Contender]) -> dict[str, Identity]:
    """By contender key. Styles follow the names, so that they do not change with the ranking."""
    names = _names(contenders)
    ids = {contender.key: _identity(contender) for contender in contenders}
    places = {identity: place for place, identity in enumerate(sorted(set(ids.values())))}
    return {
        contender.key: Identity(f"c{places[ids[contender.key]]}", names[contender.key], places[ids[contender.key]])
        for contender in contenders
    }


def groups_of(contenders: Sequence[Contender]) -> list[str]:
    """Names of what is ranked apart, in the judgement's order."""
    return list(dict.fromkeys(contender.division for contender in contenders))


def payloads_of(contenders: Sequence[Contender]) -> list[str]:
    """Each payload once, in the order of the first group that has several."""
    return list(dict.fromkeys(contender.payload for contender in contenders))


def anchor(text: str) -> str:
    """A name as the end of a link."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "x"


def _names(contenders: Sequence[Contender]) -> dict[str, str]:
    """Labels without the payload, which stands above them; whole labels where that would make two alike."""
    shorter = {each.key: each.label.replace(f" · payload {each.payload}", "") for each in contenders}
    places = {(each.division, shorter[each.key]) for each in contenders}
    return shorter if len(places) == len(contenders) else {each.key: each.label for each in contenders}


def _identity(contender: Contender) -> str:
    factors = (f"{name}={level}" for name, level in sorted(contender.factors.items()) if name != "payload")
    return "\n".join([contender.target, *factors])
