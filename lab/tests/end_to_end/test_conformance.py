"""The contract holds in every write mode and every gateway mode, not only in those that comparisons use by default."""

import pytest
from rich.console import Console
from running_targets import TARGET_CASES, TARGETS, TUNED_TARGETS, WRITE_MODES, Running, as_exhaustive, target_named

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.preparation import conform, required_profile
from bakeoff.conformance.runner import ConformanceResult, run_conformance
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.prepared_states import PreparedStates
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import Target
from bakeoff.workload.loader import load_workload
from checkouts import gallery_targets

pytestmark = pytest.mark.end_to_end

USER_TARGETS = [target for target in gallery_targets() if target.workload == "users"]
USER_CASES = [
    (target.name, mode)
    for target in USER_TARGETS
    for mode in ("", *(("in-process", "direct") if "gateway" in target.manifest.settings else ()))
]
ORDERS = [target.name for target in gallery_targets() if target.workload == "orders"]
# Standard targets: `run smoke`, which test_run.py types, proves them in the default mode. The other one changes what
# lies behind the contract, where tests of faults look at it.
PROVEN_BY_SMOKE = {f"{name}-{mode}" for name in TARGETS if name not in TUNED_TARGETS for mode in WRITE_MODES}
CASES = [as_exhaustive(case) if case.id in PROVEN_BY_SMOKE else case for case in TARGET_CASES]


def assert_conforms(target: Target, result: ConformanceResult) -> None:
    profile = required_profile(target)
    assert [(failure.case, failure.breaks(profile)) for failure in result.failures_in(profile)] == []
    assert result.conforms(profile)


@pytest.mark.parametrize("started", CASES, indirect=True)
def test_a_target_conforms(target: Running, server: Server) -> None:
    result = run_conformance(target.workload, target.target.protocol, target.process.access, server)
    assert_conforms(target.target, result)


@pytest.mark.parametrize(("name", "gateway"), USER_CASES)
def test_a_user_service_conforms(project: Project, server: Server, name: str, gateway: str) -> None:
    target = target_named(project, name)
    testbed = Testbed(project, server, PlainProgress(Console(quiet=True)))
    variant = Variant(settings={"gateway": gateway} if gateway else {})
    assert_conforms(target, conform(testbed, target, load_workload(project, "users"), variant))


@pytest.mark.parametrize("name", ORDERS)
def test_orders_conform(project: Project, server: Server, name: str) -> None:
    target = target_named(project, name)
    with PreparedStates() as prepared:
        testbed = Testbed(project, server, PlainProgress(Console(quiet=True)), prepared=prepared)
        assert_conforms(target, conform(testbed, target, load_workload(project, "orders"), Variant()))
