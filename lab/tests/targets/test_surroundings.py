"""The environment of a target: what its manifest sets comes before what the lab sets."""

import msgspec
import pytest

from bakeoff.postgres.server import Server
from bakeoff.targets.surroundings import Surroundings
from made_up_manifests import RUN, target

URL = "postgresql://127.0.0.1:5/run"


def variables(environment: dict[str, str], settings: dict[str, str] | None = None) -> dict[str, str]:
    one = target("one", run=msgspec.structs.replace(RUN, port_variable="PORT", environment=environment))
    around = Surroundings(8080, Server(URL, None, embedded=False), settings=settings or {})
    return around.variables(one, around.placeholders(one))


def test_the_lab_sets_what_most_targets_need() -> None:
    assert variables({}) == {"BIND": "127.0.0.1", "PORT": "8080", "DATABASE_URL": URL}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("DATABASE_URL", "{database_url}?sslmode=disable", f"{URL}?sslmode=disable"),
        ("PORT", ":{port}", ":8080"),
        ("BIND", "localhost", "localhost"),
    ],
)
def test_a_variable_of_the_target_replaces_the_labs(name: str, text: str, value: str) -> None:
    assert variables({name: text}) == {**variables({}), name: value}


def test_a_program_that_takes_no_url_has_its_parts() -> None:
    text = "{database_host} {database_port} {database_name} {database_user} {database_password}"
    one = target("one", run=msgspec.structs.replace(RUN, environment={"DB": text}))
    server = Server("postgresql://us%40r:p%20w@127.0.0.1/run", None, embedded=False)
    around = Surroundings(8080, server)
    assert around.variables(one, around.placeholders(one))["DB"] == "127.0.0.1 5432 run us@r p w"
    without = Surroundings(8080)
    assert "DB" not in without.variables(one, without.placeholders(one))


def test_a_setting_that_the_lab_varies_replaces_both() -> None:
    assert variables({"POOL": "8"}, {"POOL": "32"})["POOL"] == "32"
