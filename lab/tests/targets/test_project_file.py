"""A bakeoff.toml that is wrong: each error names file, line, key and the nearest word."""

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload

RUN = '[targets.shop]\nrun = "bin/shop"\n'
OPERATION = '[[workloads.shop.operations]]\nname = "Read"\nhttp = { method = "GET", path = "/", expect = 200 }\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'{OPERATION}[targets.shop]\nrnu = "bin/shop"\n', "line 5: there is no key rnu. Did you mean run?"),
        (f'{OPERATION}[targets.shop]\nport = "80"\n', "line 5: port: '80' is not of type 'integer'."),
        (f"{OPERATION}{RUN}storage = {{ kid = 'files' }}\n", "line 6: there is no key kid. Did you mean kind?"),
        (f"{OPERATION}{RUN}storage = 'postgres'\n", "line 6: storage: 'postgres' is not one of ["),
        (f"{OPERATION}{RUN}storage = 'postgres'\n", "]. Did you mean postgresql?"),
        (
            f"{OPERATION}{RUN}ready = 'GET /zdravé'\n",
            "It is the request that it answers once it is ready, its path in vi",
        ),
        (
            f"{OPERATION}{RUN}ready = 'GET /'\nprotocol = 'grpc'\n",
            "line 6: ready is an HTTP request, and the protocol is",
        ),
        (f'{OPERATION}{RUN}directory = "gone"\n', "line 6: shop: there is no folder "),
        (f"{OPERATION}{RUN}worklod = 'shop'\n", "line 6: there is no key worklod. Did you mean workload?"),
        (f'{OPERATION}wieght = 2\n{RUN}workload = "shop"', "line 4: there is no key wieght. Did you mean weight?"),
        (f'{RUN}[workload.shop]\nopenapi = "x"\n', "line 3: there is no key workload. Did you mean workloads?"),
        (f"version = 2\n{RUN}", "line 1: version 2 is newer than this bakeoff"),
        (f"version = 0\n{RUN}", "line 1: version 0 is unknown: this bakeoff reads 1. Write version = 1"),
        (f"version = 'a'\n{RUN}", 'line 1: version "a" is unknown: this bakeoff reads 1.'),
        (f"version = '1'\n{RUN}", 'line 1: version "1" is unknown: this bakeoff reads 1. Write version = 1'),
        (f'{OPERATION}{RUN}[workloads.b]\nopenapi = "x"', "line 4: shop needs workload = one of the project's work"),
        (RUN, "line 1: shop needs workload = one of the project's workloads: none: add [workloads.NAME]."),
        (f'{OPERATION}[targets."Shop API"]\nrun = "x"', "line 4: targets: 'Shop API' does not match"),
        (f'{OPERATION}[targets.shop\nrun = "x"', "is not valid TOML: "),
        ("targets = 1\n", "line 1: targets: 1 is not of type 'object'."),
    ],
)
def test_errors_name_line_and_key(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bakeoff.toml").write_text(text, "utf-8")
    project = Project(tmp_path)

    with pytest.raises(UsageError) as refused:
        for target in find_targets(project):
            load_workload(project, target.workload)

    assert refused.value.message.startswith(str(tmp_path / "bakeoff.toml"))
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (f'{RUN}image = "Dockerfile"\n', ["/bin/sh", "-ec", "exec bin/shop"]),
        (f'{RUN}image = {{ dockerfile = "Dockerfile", run = "shop -v" }}\n', ["/bin/sh", "-ec", "exec shop -v"]),
        (f'{RUN}image = {{ dockerfile = "Dockerfile", run = ["/shop"] }}\n', ["/shop"]),
        # The image's own.
        ('[targets.shop]\nimage = "Dockerfile"\n', []),
    ],
)
def test_a_container_starts_as_its_image_or_its_target_says(tmp_path: Path, text: str, command: list[str]) -> None:
    (tmp_path / "bakeoff.toml").write_text(OPERATION + text, "utf-8")
    (target,) = find_targets(Project(tmp_path))
    assert [*target.contained.manifest.run.command] == command
