"""The contract holds in every way of writing, not only in the one that comparisons use by default."""

import pytest
from running_targets import TARGET_CASES, Running

from bakeoff.comparing.preparation import required_profile
from bakeoff.conformance.runner import run_conformance
from bakeoff.postgres.server import Server

pytestmark = pytest.mark.end_to_end


@pytest.mark.parametrize("started", TARGET_CASES, indirect=True)
def test_a_target_conforms(target: Running, server: Server) -> None:
    result = run_conformance(target.workload, target.target.protocol, target.process.access, server)

    profile = required_profile(target.target)
    assert [(failure.case, failure.breaks(profile)) for failure in result.failures_in(profile)] == []
    assert result.conforms(profile)
