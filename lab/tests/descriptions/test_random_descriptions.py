"""Imports of random descriptions: all operations are reached, and none of their requests is refused.

BAKEOFF_DESCRIPTIONS is how many there are, 200 where it is not set, and BAKEOFF_DESCRIPTIONS_FROM the first seed:
    BAKEOFF_DESCRIPTIONS=1000 BAKEOFF_DESCRIPTIONS_FROM=500000 pytest tests/descriptions/test_random_descriptions.py
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bakeoff.project import Project
from bakeoff.scaffold.description_files import description_of
from bakeoff.scaffold.new_project import new_project, write_project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from described_client import DescribedClient
from described_service import DescribedService
from random_descriptions import RandomDescription

COUNT = int(os.environ.get("BAKEOFF_DESCRIPTIONS", "200"))
FIRST = int(os.environ.get("BAKEOFF_DESCRIPTIONS_FROM", "0"))
_AT_ONCE = 20


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, _AT_ONCE))
def test_no_request_of_an_import_is_refused(tmp_path: Path, first: int) -> None:
    for seed in range(first, min(first + _AT_ONCE, FIRST + COUNT)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        problems = list(_problems(folder, RandomDescription(seed)))
        assert problems == [], f"seed {seed}: {problems}"


def _problems(folder: Path, random: RandomDescription) -> Iterator[str]:
    is_json = len(random.resources) == 1
    text = (
        json.dumps(random.document)
        if is_json
        else yaml.dump(random.document, allow_unicode=True, Dumper=yaml.CSafeDumper)
    )
    (folder / "openapi.yaml").write_text(text, "utf-8")
    source = description_of(folder, str(folder / "openapi.yaml"), None, None, [])
    assert source is not None
    project = Project(folder)
    write_project(project, new_project(project, "w", source, None))
    plan = compile_plan(load_workload(project, "w"), Load("w", "http", "127.0.0.1", 1, "smoke", phases=[]))
    named = " ".join(source.api.left_out)
    made_up = " ".join(source.api.advice)
    for path, item in random.document["paths"].items():
        for method in item.keys() - {"parameters"}:
            name = item[method].get("operationId", f"{method.upper()} {path}")
            if f"{method.upper()} {path}" not in named and all(each.name != name for each in plan.operations):
                yield f"{name} is neither imported nor named"
    service = DescribedService(random.document, random.resources)
    for user in range(2):
        yield from DescribedClient(plan, service, user).problems(made_up)
