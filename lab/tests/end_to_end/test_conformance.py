"""The contract holds in every way of writing, not only in the one that comparisons use by default."""

from pathlib import Path

import pytest
from running_targets import WRITE_MODE_CASES, running

from bakeoff.comparing.preparation import required_profile
from bakeoff.conformance.runner import run_conformance
from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytest_plugins = ["shared_server"]
pytestmark = pytest.mark.end_to_end


@pytest.mark.parametrize(("name", "write_mode"), WRITE_MODE_CASES)
def test_a_target_conforms(project: Project, server: Server, tmp_path: Path, name: str, write_mode: str) -> None:
    with running(project, server, tmp_path, name, WRITE_MODE=write_mode) as target:
        result = run_conformance(target.workload, target.target.protocol, target.process.access, server)

    profile = required_profile(target.target)
    assert [(failure.case, failure.breaks(profile)) for failure in result.failures_in(profile)] == []
    assert result.conforms(profile)
