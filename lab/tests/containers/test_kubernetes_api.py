"""The cluster's client where it is missing."""

import sys

import pytest

from bakeoff.containers.kubernetes_api import KubernetesCluster
from bakeoff.errors import BakeoffError


def test_a_missing_client_names_the_command_that_adds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    with pytest.raises(BakeoffError, match=r"pip install 'bakeoff\[kubernetes\]'"):
        KubernetesCluster()
