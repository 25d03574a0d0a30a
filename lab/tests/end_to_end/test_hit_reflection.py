"""`hit grpc://…` without a proto file: the server is asked what it is sent."""

import subprocess
from pathlib import Path

import pytest

from bakeoff.engines.manifest import find_engine
from bakeoff.processes.ports import free_port
from build_once import build_once
from reflecting import VERSIONS, reflecting

pytestmark = pytest.mark.end_to_end

PROTO = """
syntax = "proto3";
package shop;
message Item { string name = 1; int32 count = 2; }
service Items { rpc Create(Item) returns (Item); rpc Get(Item) returns (Item); }
service Stock { rpc Count(Item) returns (Item); }
"""


@pytest.fixture(scope="module")
def program() -> Path:
    engine = find_engine("native")
    build_once(engine.build)
    return engine.build.program


@pytest.fixture
def proto(tmp_path: Path) -> Path:
    (tmp_path / "shop.proto").write_text(PROTO, "utf-8")
    return tmp_path / "shop.proto"


def hit(program: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(program), "hit", url, *arguments, "-n", "20", "-u", "2", "--no-capacity"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("versions", [VERSIONS[:1], VERSIONS[1:]], ids=["v1", "v1alpha"])
def test_the_server_is_asked(program: Path, proto: Path, versions: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "message.json").write_text('{"name": "a", "count": 3}', "utf-8")

    with reflecting(proto, versions) as url:
        done = hit(program, f"{url}/shop.Items/Create", "-d", f"@{tmp_path / 'message.json'}")

    assert (done.returncode, "20 sent, 20 good, 0 failed" in done.stdout) == (0, True), done.stderr


def test_a_server_without_reflection_is_named(program: Path, proto: Path) -> None:
    with reflecting(proto, ()) as url:
        done = hit(program, f"{url}/shop.Items/Create", "-d", "{}")

    assert (done.returncode, done.stdout) == (1, "")
    assert "does not show what it is sent: it has no service of reflection. Name the service's" in done.stderr
    assert "--proto FILE or --descriptor-set FILE" in done.stderr


def test_nothing_that_answers_is_named(program: Path) -> None:
    done = hit(program, f"grpc://127.0.0.1:{free_port()}/shop.Items/Create")

    assert (done.returncode, "does not answer: nothing listens on this port" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("method", "message", "code", "words"),
    [
        ("shop.Carts/Create", "{}", 1, "it has no service shop.Carts. Services: shop.Items, shop.Stock. Name"),
        ("shop.Item/Create", "{}", 2, "no service shop.Item. Services: shop.Items, shop.Stock"),
        ("shop.Items/Make", "{}", 2, "no method shop.Items/Make. Methods of shop.Items: Create, Get"),
        ("shop.Items/Create", '{"title": "a"}', 2, "shop.Item has no field title"),
    ],
)
def test_what_the_server_does_not_have_is_named(
    program: Path, proto: Path, method: str, message: str, code: int, words: str
) -> None:
    with reflecting(proto) as url:
        done = hit(program, f"{url}/{method}", "-d", message)

    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr
