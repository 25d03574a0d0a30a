from dataclasses import replace

import msgspec
import pytest
from test_plan import LOAD, NOTES, workload_of

from as_json import as_json
from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.workload.declaration import DeclaredReuse
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import compile_plan
from bakeoff.workload.reuse import Reuse, parse_pick

DECLARED = {"share": 0.5, "pick": "zipf", "s": 1.3}


@pytest.mark.parametrize(
    ("asked", "planned"),
    [
        (Reuse(), DECLARED),
        (Reuse(share=0), {**DECLARED, "share": 0}),
        (Reuse(pick="uniform"), {"share": 0.5, "pick": "uniform"}),
        (Reuse(share=1, pick="zipf:0.99", shared=8), {"share": 1, "pick": "zipf", "s": 0.99, "shared": 8}),
    ],
)
def test_what_is_asked_for_goes_before_what_is_declared(asked: Reuse, planned: dict[str, object]) -> None:
    assert as_json(asked.applied_to(msgspec.convert(DECLARED, DeclaredReuse))) == planned
    assert asked.applied_to(None) is None, "a kind that is never used again stays so"


@pytest.mark.parametrize("text", ["", "zipf", "zipf:", "zipf:0", "zipf:-1", "zipf:3.1", "zipf:nan", "zipf:x", "normal"])
def test_a_distribution_that_there_is_not(text: str) -> None:
    with pytest.raises(UsageError, match="use uniform, or zipf:THETA"):
        parse_pick(text)


@pytest.mark.parametrize(
    "wrong", [{"share": 1.1}, {"share": -0.1}, {"shared": 0}, {"shared": 1_000_001}, {"pick": "x"}]
)
def test_what_cannot_be_asked_for_is_refused_at_once(wrong: dict[str, float | str]) -> None:
    with pytest.raises(UsageError):
        Reuse(**wrong)  # type: ignore[arg-type]


def test_every_kind_of_keys_of_a_plan_obeys(project: Project) -> None:
    plan = compile_plan(load_workload(project, "events"), replace(LOAD, reuse=Reuse(shared=5)))
    assert [kind.reuse and kind.reuse.shared for kind in plan.keys] == [5] * 2


def test_a_workload_that_uses_no_key_again_cannot_share_any(empty_checkout: Project) -> None:
    with pytest.raises(UsageError, match="notes has no operation that updates existing keys"):
        compile_plan(workload_of(empty_checkout, NOTES), replace(LOAD, reuse=Reuse(shared=5)))


@pytest.mark.parametrize(
    ("reuse", "modulo"),
    [
        (Reuse(), None),
        (Reuse(share=0.75), None),
        (Reuse(share=0.76), 16),
        (Reuse(pick="zipf:0.9"), 16),
        (Reuse(shared=100), 16),
    ],
)
def test_merges_are_numbered_and_those_of_hot_keys_repeat(project: Project, reuse: Reuse, modulo: int | None) -> None:
    """A separate member for each merge; where names repeat, its value is the sequence."""
    plan = as_json(compile_plan(load_workload(project, "events"), replace(LOAD, reuse=reuse)))
    slot = {"slot": "sequence", **({} if modulo is None else {"modulo": modulo})}
    for operation in plan["operations"]:
        for variant in operation["variants"]:
            (place,) = (at for at, part in enumerate(variant) if isinstance(part, str) and part.endswith('{"m'))
            assert variant[place + 1] == slot
            if modulo is None:
                assert variant[place + 2].startswith('":true,')
            else:
                assert variant[place + 2 : place + 4] == ['":', {"slot": "sequence"}]
