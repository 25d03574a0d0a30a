"""The workload whose vectors are proved here."""

import pytest

from bakeoff.conformance.case import Case
from bakeoff.conformance.runner import load_cases
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload


@pytest.fixture(scope="session")
def events(project: Project) -> Workload:
    """The workload `events`."""
    return load_workload(project, "events")


@pytest.fixture(scope="session")
def cases(events: Workload) -> tuple[Case, ...]:
    """All its conformance cases."""
    return load_cases(events)
