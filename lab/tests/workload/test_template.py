import pytest

from as_json import as_json
from bakeoff.workload.slots import ChoiceSlot
from bakeoff.workload.template import TemplateError, parse_template, without_white_space


def test_literals_and_slots_alternate() -> None:
    assert as_json(parse_template('{"a":${integer 1 9},"b":"${choice x y|z}"}')) == [
        '{"a":',
        {"slot": "integer", "min": 1, "max": 9},
        ',"b":"',
        {"slot": "choice", "choices": ["x y", "z"]},
        '"}',
    ]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("${uuid}", {"slot": "uuid"}),
        ("${decimal 0.50 12.00}", {"slot": "decimal", "min": 50, "max": 1200, "scale": 2}),
        ("${decimal -1.5 1.5}", {"slot": "decimal", "min": -15, "max": 15, "scale": 1}),
        ("${alphanumeric 17}", {"slot": "alphanumeric", "length": 17}),
        ("${date 2015 2026}", {"slot": "date", "from": 2015, "to": 2026}),
        ("${captured.id}", {"slot": "captured", "name": "id"}),
        ("${captured.next &page[a]=}", {"slot": "captured", "name": "next", "prefix": "&page[a]="}),
        ("${captured.next ?page=}", {"slot": "captured", "name": "next", "prefix": "?page="}),
        ("${page=integer 1 9}", {"slot": "named", "name": "page", "of": {"slot": "integer", "min": 1, "max": 9}}),
        ("${value.page}", {"slot": "value", "name": "page"}),
        ("${choice a=b|x}", {"slot": "choice", "choices": ["a=b", "x"]}),
        ("${choice |x}", {"slot": "choice", "choices": ["", "x"]}),
    ],
)
def test_slots(text: str, slot: dict[str, object]) -> None:
    assert as_json(parse_template(text)) == [slot]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("${now}", "is not a slot"),
        ("${integer 5}", "two arguments"),
        ("${integer 5 5}", "less than"),
        ("${integer a b}", "invalid literal"),
        ("${integer 0 4294967296}", "4,294,967,296"),
        ("${decimal 1 2}", "decimal places"),
        ("${decimal 1.0 2.00}", "decimal places"),
        ("${choice only}", "two texts"),
        ("${alphanumeric 0}", "1 to 1000"),
        ("${uuid 4}", "no arguments"),
        ("${captured.next page=}", "beginning of a part of a query"),
        ("${login.token &token=}", "beginning of a part of a query"),
        ("${date 0 5}", "year 0"),
        ("${zipf 1 9}", "three arguments"),
        ("${zipf 9 1 0.7}", "less than"),
        ("${zipf 1 9 0}", "exponent"),
    ],
)
def test_what_the_language_does_not_know_is_named(text: str, reason: str) -> None:
    with pytest.raises(TemplateError, match=reason) as caught:
        parse_template(text)
    assert text in caught.value.message


@pytest.mark.parametrize("exponent", ["0.7", "1", "2.5"])
def test_zipf_prefers_the_least_and_stays_in_range(exponent: str) -> None:
    (slot,) = parse_template(f"${{zipf 11 20 {exponent}}}")
    assert isinstance(slot, ChoiceSlot)
    counts = [slot.choices.count(str(number)) for number in range(11, 21)]
    assert sum(counts) == len(slot.choices)
    assert counts == sorted(counts, reverse=True)
    # The second of ten is drawn 2^exponent times as rarely as the first, as far as the continuous law has it.
    assert counts[0] / counts[1] == pytest.approx(2 ** float(exponent), rel=0.3)


def test_white_space_goes_only_from_between_tokens() -> None:
    spaced = '{ "a b" : "c  \\" d",\n "n" : ${integer 1 2} , "s": "${choice x y|z}" }\n'
    assert without_white_space(spaced) == '{"a b":"c  \\" d","n":${integer 1 2},"s":"${choice x y|z}"}'
