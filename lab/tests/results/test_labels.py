"""The choice of targets by their labels."""

import pytest

from bakeoff.errors import UsageError
from bakeoff.results.labels import labels_of, matches, refuse_unmatched

FASTAPI = labels_of("orders", "python", "rest", "standard", {"framework": "FastAPI 0.165", "access": "ORM"})
FIBER = labels_of("orders", "go", "rest", "standard", {"framework": "Fiber 3.0", "access": "ORM"})
EXPRESS = labels_of("orders", "javascript", "rest", "tuned", {"framework": "Express 5.3"})
ALL = {"fastapi": FASTAPI, "fiber": FIBER, "express": EXPRESS}


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ([], ["fastapi", "fiber", "express"]),
        (["language=go"], ["fiber"]),
        (["language=Go"], ["fiber"]),
        (["language=go", "language=python"], ["fastapi", "fiber"]),
        (["access=ORM", "language=go"], ["fiber"]),
        (["framework=fastapi"], ["fastapi"]),
        (["framework=FastAPI 0.165"], ["fastapi"]),
        (["framework=f*"], ["fastapi", "fiber"]),
        (["class = tuned"], ["express"]),
        (["language=java"], []),
        (["framework=fast"], []),
    ],
)
def test_all_names_must_hold_and_one_value_of_each(where: list[str], chosen: list[str]) -> None:
    assert [name for name, labels in ALL.items() if matches(labels, where)] == chosen


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (["langauge=go"], 'no target here has the label "langauge". Labels: framework, access, workload, language'),
        (["langauge=go"], "Did you mean language?"),
        (["language=java"], "no target here has language=java. language: go; javascript; python."),
        (["language=go", "class=tuned"], "no target here has language=go and class=tuned together."),
        (["language"], '"language": write NAME=VALUE'),
        (["=go"], '"=go": write NAME=VALUE'),
    ],
)
def test_conditions_without_a_match_say_what_there_is(where: list[str], words: str) -> None:
    with pytest.raises(UsageError) as raised:
        refuse_unmatched(ALL.values(), where)
    assert words in raised.value.message
