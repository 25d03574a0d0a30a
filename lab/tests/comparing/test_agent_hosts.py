"""The needs of agents on other hosts, checked before anything is built."""

from typing import Any

import pytest

from bakeoff.comparing.agent_hosts import check_hosts, hosts_of
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.engines.manifest import Command
from bakeoff.engines.ssh import Ssh
from bakeoff.errors import UsageError
from bakeoff.options.variant import Level, Variant
from bakeoff.running.contender import Contender
from made_up_manifests import engine, target, workload


def request(agents: Level = "ssh://one,ssh://two", **changes: Any) -> ComparisonRequest:
    return ComparisonRequest("quick", "", levels={"agents": [agents]}, **changes)


def contender(*features: str, of: Any = None, **variant: Any) -> Contender:
    return Contender(target("a-rest"), workload(), of or engine("native", *features), Variant(**variant))


@pytest.fixture(autouse=True)
def answering(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Hosts that would be asked; none is reached by a test."""
    asked: list[str] = []
    monkeypatch.setattr(Ssh, "check", lambda host: asked.append(host.name))
    return asked


def test_agents_here_need_nothing(answering: list[str]) -> None:
    check_hosts(request(agents=3), [contender("agents")])
    assert hosts_of(request(agents=3)) == [] == answering


def test_attached_targets_that_the_hosts_reach(answering: list[str]) -> None:
    check_hosts(request(attached={"a-rest": "http://10.0.0.5:80"}), [contender("agents")])
    assert answering == ["ssh://one", "ssh://two"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "a-rest would listen on loopback, which the hosts of --agents cannot reach: name the IP address"),
        ({"attached": {"a-rest": "http://127.0.0.1:80"}}, "a-rest is attached at 127.0.0.1:80, which is loopback"),
        ({"attached": {"a-rest": "http://localhost:80"}}, "which is loopback"),
        # Of documentation (RFC 5737), so no machine has it.
        ({"agents_reach": "192.0.2.1"}, "--agents-reach 192.0.2.1: is not an address of this machine"),
    ],
)
def test_what_could_not_work_is_refused(changes: dict[str, Any], words: str, answering: list[str]) -> None:
    with pytest.raises(UsageError, match=words):
        check_hosts(request(**changes), [contender("agents")])
    assert answering == []


def test_an_engine_that_takes_no_instructions_stays_here() -> None:
    with pytest.raises(UsageError, match="The engine native runs on this machine only"):
        check_hosts(request(agents_reach="10.0.0.1"), [contender()])


@pytest.mark.parametrize("command", [["{python}", "{here}/engine.py"], ["{artifact}", "--script", "{here}/test.js"]])
def test_an_engine_of_several_files_is_not_copied(command: list[str], answering: list[str]) -> None:
    several = engine("several", "agents", run=Command(command))
    words = "The engine several is more than one program.* use --agents N here, --agents N --in kubernetes, or another"
    with pytest.raises(UsageError, match=words):
        check_hosts(request(agents_reach="10.0.0.1"), [contender(of=several)])
    assert answering == []
