"""Memory in per cent of the limit where one is set."""

from collections.abc import Mapping

import pytest

from bakeoff.reporting.memory_shares import memory_percent


@pytest.mark.parametrize(
    ("environment", "percent"),
    [
        ({"memory_mib": "1024"}, 25.0),
        ({"memory_mib": "1024", "target_memory_limit_mib": "512"}, 50.0),
        ({"memory_mib": "1024", "database_memory_limit_mib": "512"}, 25.0),
        ({"target_memory_limit_mib": "1024"}, 25.0),
        ({}, None),
        ({"memory_mib": "plenty"}, None),
        ({"memory_mib": "0"}, None),
    ],
)
def test_the_share(environment: Mapping[str, str], percent: float | None) -> None:
    assert memory_percent(256 * 2**20, "target", environment) == percent
