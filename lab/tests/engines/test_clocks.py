import pytest

from bakeoff.engines.leading import ROUND_TRIPS, SAME, Offset, RoundTrips, offset_of

MS = 1_000_000


@pytest.mark.parametrize(
    ("sent", "shown", "received", "offset"),
    [
        (0, 50, 100, Offset(0, 50)),
        (100, 1_150, 200, Offset(1_000, 50)),
        (100, 150, 100, Offset(50, 0)),
        (1_000, 10, 1_020, Offset(-1_000, 10)),
    ],
)
def test_one_round_trip(sent: int, shown: int, received: int, offset: Offset) -> None:
    assert offset_of(sent, shown, received) == offset


@pytest.mark.parametrize("there", [0, 1, 30, 99, 100])
def test_the_truth_is_within_the_uncertainty_however_the_way_is_divided(there: int) -> None:
    ahead = 700
    found = offset_of(5_000, 5_000 + there + ahead, 5_100)
    assert abs(found.ahead_ns - ahead) <= found.uncertainty_ns


def test_the_quickest_counts() -> None:
    trips = RoundTrips()
    for number, taken_ms in enumerate((90, 4, 60, 8, 70)):
        assert not trips.are_enough
        trips.sent(number, 0)
        trips.received(number, taken_ms * MS // 2 + 10 * MS, taken_ms * MS)
    assert number + 1 == ROUND_TRIPS and trips.are_enough
    assert trips.best == Offset(10 * MS, 2 * MS)


def test_a_reply_that_nothing_asked_for_shows_nothing() -> None:
    trips = RoundTrips()
    for _ in range(ROUND_TRIPS):
        trips.received(1, 5, 10)
    assert not trips.are_enough


def test_an_offset_within_its_uncertainty_may_be_none() -> None:
    assert (Offset(3 * MS, 4 * MS).certain_ns, Offset(-9 * MS, 4 * MS).certain_ns) == (0, -9 * MS)
    assert SAME.certain_ns == 0
