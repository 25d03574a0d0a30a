"""Replicas behind HAProxy: how the target is started, and that HAProxy takes its configuration."""

import os
import re
import shutil
import subprocess

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.options.table import MOST_REPLICAS
from bakeoff.targets.placeholders import Placeholders
from bakeoff.targets.replicas import CONFIGURATION, behind_proxy
from made_up_manifests import RUN, target


@pytest.fixture
def haproxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """HAProxy is found, whether it is here or not."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/sbin/{name}")


def test_without_haproxy_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(BakeoffError, match="apt-get install haproxy"):
        behind_proxy(target("one"), 2)


@pytest.mark.usefixtures("haproxy")
def test_each_replica_has_a_port_of_its_own_and_the_proxy_knows_all() -> None:
    proxied = behind_proxy(target("one"), 3)
    run = proxied.manifest.run
    (replica,) = run.companions
    assert (replica.command, replica.count) == (RUN.command, 3)
    placeholders = Placeholders(proxied)
    known = placeholders.fill_all(run.environment)
    own = [placeholders.fill(replica.environment["SERVER_PORT"].replace("{instance}", str(each))) for each in range(3)]
    assert [known[f"REPLICA_{number}"] for number in range(3)] == own
    assert len(set(own)) == 3 and "REPLICA_3" not in known
    # Where the proxy looks for it, whatever address the target is to be reached at.
    assert replica.environment["BIND"] == "127.0.0.1"
    assert 'LISTEN="$SERVER_PORT"' in run.command[2]


@pytest.mark.usefixtures("haproxy")
def test_companions_of_the_target_itself_stay_and_start_first() -> None:
    once = behind_proxy(target("one"), 2)
    assert [each.name for each in behind_proxy(once, 2).manifest.run.companions] == ["replica", "replica"]


@pytest.mark.parametrize("replicas", [1, 2, MOST_REPLICAS])
def test_haproxy_takes_the_configuration(replicas: int) -> None:
    haproxy = shutil.which("haproxy")
    if haproxy is None:
        pytest.skip("haproxy is not on PATH")
    proxied = behind_proxy(target("one"), replicas)
    environment = Placeholders(proxied).fill_all(proxied.manifest.run.environment)
    done = subprocess.run(
        [haproxy, "-c", "-f", proxied.manifest.run.command[-1]],
        env={**os.environ, "BIND": "127.0.0.1", "LISTEN": "18080", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_configuration_names_as_many_replicas_as_there_can_be() -> None:
    text = CONFIGURATION.read_text("utf-8")
    named = [int(number) for number in re.findall(r"^ *server replica-(\d+) ", text, re.MULTILINE)]
    assert named == list(range(MOST_REPLICAS))
