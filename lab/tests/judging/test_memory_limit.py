"""Memory is compared with the limit where one is set."""

from collections.abc import Mapping

import pytest

from bakeoff.judging.levels import memory_limit_mb


@pytest.mark.parametrize(
    ("environment", "limit_mib"),
    [
        ({"memory_mib": "1024"}, 1024),
        ({"memory_mib": "1024", "target_memory_limit_mib": "512"}, 512),
        ({"memory_mib": "1024", "database_memory_limit_mib": "512"}, 1024),
        ({"target_memory_limit_mib": "1024"}, 1024),
        ({}, None),
        ({"memory_mib": "plenty"}, None),
        ({"memory_mib": "0"}, None),
    ],
)
def test_the_limit(environment: Mapping[str, str], limit_mib: float | None) -> None:
    limit_mb = None if limit_mib is None else pytest.approx(limit_mib * 2**20 / 1e6)
    assert memory_limit_mb("target", environment) == limit_mb
