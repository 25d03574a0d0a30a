"""Sessions and rates of operations: compiled into the plan, and refused on loading where they name nothing."""

from dataclasses import replace

import pytest

from as_json import as_json
from bakeoff.documents.checked import first_problem
from bakeoff.errors import UsageError
from bakeoff.project import FORMATS, Project
from bakeoff.workload.features import needed_features
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan, weights_of
from bakeoff.workload.plan_records import PlannedPhase

SHOP = """\
version = 1
name = "shop"
title = "Shop"
database = "none"
[mixes.buying]
order = 5
look = 1
[[operations]]
name = "search"
weight = 3
http = { method = "GET", path = "/items", expect = 200, capture = { item = "/0/id" } }
[[operations]]
name = "look"
weight = 0
http = { method = "GET", path = "/ping", expect = 200 }
rate = 2.5
[[operations]]
name = "buy"
weight = 0
creates = "order"
http = { method = "POST", path = "/orders/${captured.item}", expect = 201, capture = { id = "/id" } }
[[operations]]
name = "pay"
weight = 0
needs = "order"
http = { method = "PUT", path = "/orders/${captured.id}/of/${captured.item}", expect = 200 }
[[sessions]]
name = "order"
weight = 2
steps = ["search", "buy", "pay"]
think_time = "200ms"
"""
ONE = PlannedPhase(name="one", virtual_users=1, iterations=1)
LOAD = Load("t", "http", "127.0.0.1", 1, "rate", phases=[ONE])


def shop(checkout: Project, old: str = "", new: str = "") -> Workload:
    folder = checkout.root / "contract" / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    assert old in SHOP
    (folder / "workload.toml").write_text(SHOP.replace(old, new, 1), "utf-8")
    return load_workload(checkout, "shop")


def test_sessions_and_rates_are_compiled(empty_checkout: Project) -> None:
    plan = as_json(compile_plan(shop(empty_checkout), LOAD))
    assert first_problem(plan, FORMATS / "plan.schema.json") is None
    assert plan["sessions"] == [{"name": "order", "weight": 2, "steps": [0, 2, 3], "think_time_ms": 200.0}]
    assert [each.get("rate") for each in plan["operations"]] == [None, 2.5, None, None]
    needed = needed_features(shop(empty_checkout), "http")
    assert (needed["sessions"], needed["operation-rates"]) == ("search", "look")


@pytest.mark.parametrize(
    ("mix", "operations", "weights", "rate"),
    [
        (None, (), {"search": 3, "look": 0, "buy": 0, "pay": 0, "order": 2}, 2.5),
        ("buying", (), {"search": 0, "look": 1, "buy": 0, "pay": 0, "order": 5}, 2.5),
        (None, ("order",), {"search": 0, "look": 0, "buy": 0, "pay": 0, "order": 2}, None),
        (None, ("look",), {"search": 0, "look": 1, "buy": 0, "pay": 0, "order": 0}, 2.5),
    ],
)
def test_mixes_and_named_operations_choose_sessions_too(
    empty_checkout: Project, mix: str | None, operations: tuple[str, ...], weights: dict[str, int], rate: float | None
) -> None:
    workload = shop(empty_checkout)
    assert weights_of(workload, mix, operations) == weights
    plan = compile_plan(workload, replace(LOAD, mix=mix, operations=operations))
    assert plan.operations[1].rate == rate, "what is not chosen does not arrive at its rate either"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"search", "buy"', '"serch", "buy"', 30, 'session order: there is no operation "serch". Did you mean search?'),
        ('name = "order"', 'name = "pay"', 28, "an operation is named pay too. Names must differ."),
        ('think_time = "200ms"', 'think_time = "soon"', 31, 'session order: "soon" is not a duration'),
        (
            "order = 5",
            "ordre = 5",
            6,
            "the mix buying names the operation ordre, which does not exist. Did you mean order",
        ),
        (
            '/orders/${captured.item}"',
            '/orders/${captured.itme}"',
            21,
            "buy: ${captured.itme}: no earlier step of order captures itme. Did you mean item?",
        ),
        (
            '["search", "buy", "pay"]',
            '["buy", "search", "pay"]',
            21,
            "buy: ${captured.item}: no earlier step of order captures item. Captured are: none.",
        ),
        (
            'name = "buy"\nweight = 0',
            'name = "buy"\nweight = 1',
            21,
            "buy: ${captured.item}: only a session carries it, but the operation is also sent by itself.",
        ),
        (
            'think_time = "200ms"\n',
            '[[sessions]]\nname = "return"\nweight = 1\nsteps = ["buy"]\n',
            21,
            "buy: ${captured.item}: the session return does not capture it before this step.",
        ),
        ("rate = 2.5", "rate = 0", 16, "rate"),
        (
            '"/items"',
            '"/items${captured.itm ?after=}"',
            11,
            "${captured.itm ?after=}: no operation captures itm. Did you",
        ),
        (
            '"/ping", expect = 200',
            '"/ping", expect = 200, headers = { a = "${captured.item &a=}" }',
            15,
            "look: ${captured.item &a=} stands in paths only.",
        ),
        ('"/0/id"', '"optional:id"', 11, "optional:id"),
        ("steps =", "step =", 30, "there is no key step. Did you mean steps?"),
    ],
)
def test_errors_name_line_and_nearest_word(empty_checkout: Project, old: str, new: str, line: int, words: str) -> None:
    with pytest.raises(UsageError) as error:
        shop(empty_checkout, old, new)
    assert words in error.value.message
    assert f"line {line}: " in error.value.message


def test_a_part_of_a_query_needs_no_value(empty_checkout: Project) -> None:
    plain = '"/items", expect = 200, capture = { item = "/0/id" }'
    paged = '"/items?${captured.item &a=}", expect = 200, capture = { item = "optional:query:a:header:link" }'
    workload = shop(empty_checkout, plain, paged)

    plan = as_json(compile_plan(workload, LOAD))

    assert first_problem(plan, FORMATS / "plan.schema.json") is None
    assert plan["operations"][0]["http"]["path"] == ["/items?", {"slot": "captured", "name": "item", "prefix": "&a="}]
    needed = needed_features(workload, "http")
    assert (needed["optional-captures"], needed["header-captures"]) == ("search", "search")


def test_what_a_session_creates_must_not_be_needed_outside_it(empty_checkout: Project) -> None:
    """`buy` would take the place of `pay` for a user without an order, and has no item then."""
    with pytest.raises(UsageError, match=r"\$\{captured.item\}: only a session carries it"):
        shop(empty_checkout, 'name = "pay"\nweight = 0', 'name = "pay"\nweight = 1')


def test_sessions_and_rates_change_the_digest(empty_checkout: Project) -> None:
    plain = SHOP[: SHOP.index("[[sessions]]")].replace("rate = 2.5\n", "").replace("order = 5\n", "")
    plain = plain[: plain.index('[[operations]]\nname = "buy"')]
    before = shop(empty_checkout, SHOP, plain).digest
    assert shop(empty_checkout).digest != before
    assert shop(empty_checkout, SHOP, plain.replace("weight = 0\n", "weight = 0\nrate = 1\n")).digest != before
