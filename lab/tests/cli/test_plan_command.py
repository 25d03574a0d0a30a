"""`./bakeoff plan`: the plan that an engine would follow."""

import json
from pathlib import Path

from bakeoff_process import bakeoff

from bakeoff.documents.checked import first_problem
from bakeoff.project import FORMATS, Project

# An attached target needs one; nothing connects to it.
DATABASE = {"DATABASE_URL": "postgresql://unknown@127.0.0.1:1/nothing"}


def test_a_plan_obeys_its_schema(project: Project, tmp_path: Path) -> None:
    address = "intake-rest=http://127.0.0.1:7"
    done = bakeoff(
        project, "plan", "quick", "--users", "3", "--attach", address, results=tmp_path, environment=DATABASE
    )
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert first_problem(plan, FORMATS / "plan.schema.json") is None
    assert (plan["transport"]["port"], plan["phases"][0]["virtual_users"]) == (7, 3)
