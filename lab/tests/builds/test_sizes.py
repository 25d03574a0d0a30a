"""Sizes of builds: bytes of what is made, lines of what it is made from."""

import sys
from pathlib import Path

import msgspec
import pytest

from bakeoff.builds.build import Build, BuildTable, build_of
from bakeoff.builds.sizes import install_bytes, source_lines
from bakeoff.project import Project

_MAKE = "import pathlib; pathlib.Path('deps/in').mkdir(parents=True, exist_ok=True); " + "; ".join(
    f"pathlib.Path('{name}').write_bytes(b'x' * {size})"
    for name, size in (("app", 10), ("deps/a", 200), ("deps/in/b", 3))
)


@pytest.fixture
def here(empty_checkout: Project) -> Path:
    folder = empty_checkout.root / "targets" / "thing"
    (folder / "src").mkdir(parents=True)
    return folder


def build_in(here: Path, checkout: Project, **members: object) -> Build:
    entry = {"command": [sys.executable, "-c", _MAKE], **members}
    return build_of("thing", here, msgspec.convert(entry, BuildTable), checkout)


def test_the_size_is_of_the_artifact_and_its_contents(here: Path, empty_checkout: Project) -> None:
    build = build_in(here, empty_checkout, inputs=["src"], artifact="app", contents=["deps"])
    assert install_bytes(build) is None
    (here / "src" / "main").write_text("one\n")
    build.run(lambda _: None)
    assert install_bytes(build) == 213
    (here / "deps" / "link").symlink_to("a")
    assert install_bytes(build) == 213, "it is counted once for each build"
    (here / "src" / "main").write_text("two\n")
    build.run(lambda _: None)
    assert install_bytes(build) == 214, "a link has the size of its own text"
    apart = build_in(here, empty_checkout, inputs=["src"], artifact="app", contents=["deps"], system_packages=True)
    assert install_bytes(apart) is None


def test_a_build_without_an_artifact_has_no_size(here: Path, empty_checkout: Project) -> None:
    assert install_bytes(build_in(here, empty_checkout, inputs=["src"])) is None


def test_lines_are_those_of_the_sources_alone(here: Path, empty_checkout: Project) -> None:
    contract = empty_checkout.root / "contract" / "things"
    contract.mkdir()
    files = {
        here / "src" / "main.x": "one\n\n# comment\nlast without end",
        here / "src" / "settings.json": "{}\n",
        here / "src" / "x-lock.json": "1\n2\n",
        here / "src" / "go.sum": "1\n",
        here / "src" / "uv.lock": "1\n",
        here / "src" / "README.md": "# 1\n",
        here / "src" / "target.toml": "\n",
        here / "src" / ".gitignore": "a\n",
        contract / "rules.sql": "SELECT\n1\n",
    }
    for path, text in files.items():
        path.write_text(text)
    (here / "src" / "image").write_bytes(b"\n\0\n")
    build = build_in(here, empty_checkout, inputs=["src", "../../contract/things"], artifact="app")
    assert source_lines(build, contract) == 5
    assert source_lines(build, here / "elsewhere") == 7
    assert source_lines(build, empty_checkout.root) == 7, "a workload in bakeoff.toml has no folder of its own"
    assert source_lines(build_in(here, empty_checkout, artifact="app"), contract) is None
