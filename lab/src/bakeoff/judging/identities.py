"""Names and numbers of contenders that stay the same from payload to payload. Pure functions."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.judging.judgement import JudgedContender


def identified(contenders: Sequence[JudgedContender]) -> list[JudgedContender]:
    """The contenders with name and identity. Identities follow the names, so that they do not change with the ranks."""
    names = _names(contenders)
    alike = {contender.key: _alike(contender) for contender in contenders}
    places = {each: place for place, each in enumerate(sorted(set(alike.values())))}
    return [replace(each, name=names[each.key], identity=places[alike[each.key]]) for each in contenders]


def _names(contenders: Sequence[JudgedContender]) -> dict[str, str]:
    """Labels without the payload, which stands above them; whole labels where that would make two alike."""
    shorter = {each.key: each.label.replace(f" · payload {each.payload}", "") for each in contenders}
    places = {(each.division, shorter[each.key]) for each in contenders}
    return shorter if len(places) == len(contenders) else {each.key: each.label for each in contenders}


def _alike(contender: JudgedContender) -> tuple[str, ...]:
    factors = (f"{name}={level}" for name, level in sorted(contender.factors.items()) if name != "payload")
    return (contender.target, *factors)
