"""`./bakeoff up`: ports that do not collide, and settings that no target has."""

import msgspec
import pytest

from bakeoff.cli.up import up
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.running.target_ports import ports_of
from bakeoff.targets.manifest import Target, find_targets
from made_up_manifests import RUN, target


def listening(name: str, port: int, second: int | None = None) -> Target:
    return target(name, run=msgspec.structs.replace(RUN, default_port=port, second_port=second))


A, B = listening("a", 8081, 9081), listening("b", 8081, 9082)


@pytest.mark.parametrize(
    ("targets", "taken", "expected"),
    [
        ([A], (), [8081]),
        ([A, B], (), [9081, 9082]),
        ([A], (8081,), [8082]),
        ([A, B], (9081,), [9082, 9083]),
        ([listening("c", 1), listening("d", 1)], (), [1, 2]),
    ],
)
def test_ports_do_not_collide(targets: list[Target], taken: tuple[int, ...], expected: list[int]) -> None:
    assert list(ports_of(targets, lambda port: port not in taken).values()) == expected


def test_all_targets_of_the_project_can_be_started_together(project: Project) -> None:
    ports = ports_of(find_targets(project), lambda _port: True)
    assert len(set(ports.values())) == len(ports)
    assert (ports["ingest-rest"], ports["intake-rest"]) == (9081, 9082)


def test_a_setting_that_no_target_has_is_refused_before_anything_starts() -> None:
    with pytest.raises(BakeoffError, match=r"has no setting no_such|cannot be built"):
        up(["ingest-rest"], settings=["no_such=1"])
