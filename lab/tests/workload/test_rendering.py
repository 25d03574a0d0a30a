import json
import re

import pytest

from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import ALPHABET, Event, render
from bakeoff.workload.slots import PadSlot
from bakeoff.workload.template import parse_template

EVENT = Event(run="0badcafe", user=1234, sequence=56, base_time_ms=1768473000000, key="car-1-2")


def rendered(template: str, seed: int = 1, event: Event = EVENT) -> str:
    return render(parse_template(template), RandomNumbers(seed, event.user, event.sequence), event)


def test_the_generator_is_sfc32() -> None:
    """Worked by hand from formats/README.md for seed 0, user 0, sequence 0: the first draw that is kept."""
    a, b, c, d = 0, 0, 0, 0x9E3779B9
    for _ in range(13):
        t = (a + b + d) % 2**32
        d = (d + 1) % 2**32
        a = b ^ b >> 9
        b = (c + (c << 3)) % 2**32
        c = ((c << 21 | c >> 11) + t) % 2**32
    assert RandomNumbers(0, 0, 0).draw() == t


def test_draws_depend_on_seed_user_and_sequence() -> None:
    first = {RandomNumbers(*args).draw() for args in [(1, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1), (1 << 32, 0, 0)]}
    assert len(first) == 5


def test_below_stays_below() -> None:
    numbers = RandomNumbers(7, 0, 0)
    drawn = {numbers.below(3) for _ in range(200)}
    assert drawn == {0, 1, 2}


def test_what_an_event_knows() -> None:
    text = rendered("${user} ${sequence} ${run} ${key} ${timestamp}")
    assert text == "1234 56 0badcafe car-1-2 2026-01-15T10:30:56.234Z"


def test_a_uuid_is_of_version_4() -> None:
    texts = {rendered("${uuid}", seed) for seed in range(50)}
    assert len(texts) == 50
    for text in texts:
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", text)


@pytest.mark.parametrize(("low", "high", "places"), [("0.01", "0.12", 2), ("-1.50", "1.50", 2), ("99.5", "100.5", 1)])
def test_a_decimal_is_the_shortest_text_of_its_double(low: str, high: str, places: int) -> None:
    for seed in range(300):
        text = rendered(f"${{decimal {low} {high}}}", seed)
        assert repr(float(text)) == text
        assert len(text.partition(".")[2]) == places
        assert float(low) <= float(text) <= float(high)


def test_ranges_reach_both_ends() -> None:
    integers = {rendered("${integer 3 5}", seed) for seed in range(100)}
    assert integers == {"3", "4", "5"}
    days = {rendered("${date 2024 2024}", seed) for seed in range(9000)}
    assert len(days) == 366 and min(days) == "2024-01-01" and max(days) == "2024-12-31"


def test_alphanumeric_uses_the_contract_s_alphabet() -> None:
    assert len(ALPHABET) == 32
    assert set(rendered("${alphanumeric 900}")) == set(ALPHABET)


def test_a_pad_takes_what_is_left_counted_in_bytes() -> None:
    segments = [*parse_template('{"name":"Zoë","n":${integer 1 1000},"pad":"'), PadSlot("x" * 99), '"}']
    for seed in range(20):
        text = render(segments, RandomNumbers(seed, 0, 0), EVENT, size_bytes=64)
        assert len(text.encode()) == 64
        assert json.loads(text)["name"] == "Zoë"
