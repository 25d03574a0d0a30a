"""Everything in a report that has a verdict, tested once and decided together. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.effects import Match, matches_of
from bakeoff.judging.equal_load import EqualField, equal_fields
from bakeoff.judging.estimates import RatioTest
from bakeoff.judging.family import Decision, Key
from bakeoff.judging.judgement import Pairing
from bakeoff.judging.measured_contender import MeasuredContender
from bakeoff.judging.moderation import Prior
from bakeoff.judging.operation_effects import operation_matches
from bakeoff.judging.pairings import FindPairing, Pair, key_of, pairing, pairing_of, pairs_of, ratio_test


@dataclass(frozen=True)
class Tested:
    """The tests of a comparison, not yet decided."""

    pairs: Sequence[tuple[Pair, RatioTest]]
    matches: Sequence[Match]
    operation_matches: Sequence[Match]
    equal_fields: Sequence[EqualField]

    @property
    def tests(self) -> dict[Key, RatioTest]:
        """All tests, each once."""
        tests = {key_of(pair): test for pair, test in self.pairs}
        tests |= {each.key: each.test for each in (*self.matches, *self.operation_matches) if each.key not in tests}
        return tests | {key: test for field in self.equal_fields for key, test in field.tests.items()}

    def pairings(self, decisions: Mapping[Key, Decision]) -> tuple[list[Pairing], FindPairing]:
        """Those of one division, which ranks follow, and a look-up that knows the others too."""
        decided = [
            (pair, pairing(pair[0].key, pair[1].key, test, decisions[key_of(pair)])) for pair, test in self.pairs
        ]
        own = [each for (one, other), each in decided if one.division == other.division]
        return own, pairing_of([each for _, each in decided])


def tested(measured: Sequence[MeasuredContender], prior: Prior) -> Tested:
    """All of a comparison; `prior` is what the variances of all contenders have in common."""
    rated = [each for each in measured if each.rates]
    compared = [each.compared for each in rated]
    matches = matches_of(compared, prior)
    across = (pair for match in matches for pair in match.pairs)
    pairs = {key_of(pair): pair for pair in (*across, *pairs_of(compared))}
    return Tested(
        [(pair, ratio_test(pair, prior)) for pair in pairs.values()],
        matches,
        operation_matches(rated),
        equal_fields(measured),
    )
