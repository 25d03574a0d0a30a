"""Where a contender stores follows from its target's manifest and its settings."""

import re
from collections.abc import Mapping

import pytest
from test_manifest import MANIFEST, add

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.targets.manifest import DeclaredSetting, find_targets
from bakeoff.targets.settings import stores_in
from bakeoff.targets.storage import StorageKind, StorageTable
from made_up_manifests import target

SETTINGS = {"store": DeclaredSetting("STORE", "postgresql"), "cache": DeclaredSetting("CACHE")}
BY_SETTING = StorageTable(settings={"store": {"memory": "memory", "off": "none"}})


@pytest.mark.parametrize(
    ("storage", "given", "inherited", "kind"),
    [
        (StorageTable(), {}, {}, "postgresql"),
        (StorageTable("memory"), {}, {}, "memory"),
        (BY_SETTING, {}, {}, "postgresql"),
        (BY_SETTING, {"store": "memory"}, {}, "memory"),
        (BY_SETTING, {"store": "off"}, {}, "none"),
        (BY_SETTING, {"store": "postgresql"}, {"STORE": "memory"}, "postgresql"),
        # What the lab's own environment sets reaches the target too.
        (BY_SETTING, {}, {"STORE": "memory"}, "memory"),
        (StorageTable("memory", settings={"store": {"postgresql": "postgresql"}}), {}, {}, "postgresql"),
        (StorageTable(settings={"cache": {"only": "memory"}}), {}, {}, "postgresql"),
        (StorageTable(settings={"cache": {"only": "memory"}}), {"cache": "only"}, {}, "memory"),
    ],
)
def test_the_kind(
    storage: StorageTable, given: Mapping[str, str], inherited: Mapping[str, str], kind: StorageKind
) -> None:
    made_up = target("one", settings=SETTINGS, storage=storage)
    assert stores_in(made_up, given, inherited, "postgresql") == kind


def test_a_workload_without_a_database_is_stored_nowhere() -> None:
    assert stores_in(target("one"), {}, {}, "none") == "none"


def test_a_setting_that_there_is_not_is_refused(empty_checkout: Project) -> None:
    add(empty_checkout, "notes/one", MANIFEST + '[storage.settings.write_mod]\nmemory = "memory"\n')
    with pytest.raises(UsageError, match=r"does not have\. Did you mean write_mode\?"):
        find_targets(empty_checkout)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('kind = "disk"', "storage.kind"),
        (
            'kind = "memory"\nprepare = "make"',
            'prepare fills a database or a folder: set kind = "postgresql" or "files"',
        ),
        ('reset = "make"', 'reset is for a store of your own: set kind = "external"'),
        ('kind = "external"', 'external needs reset = "…", a command'),
        ('kind = "files"', 'files lie in {state}: name it in run or env, such as env = { DATA = "{state}" }.'),
        ('kind = "postgresql"\nprepare = "make {state}"', '{state} is the folder of kind = "files"'),
        ('kind = "files"\npostgres = "system"', 'postgres is the server of kind = "postgresql": set that kind, or'),
        ('kind = "postgresql"\nprepare = []', "storage.prepare"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(empty_checkout: Project, table: str, words: str) -> None:
    add(empty_checkout, "notes/one", f"{MANIFEST}[storage]\n{table}\n")
    with pytest.raises(UsageError, match=re.escape(words)) as refused:
        find_targets(empty_checkout)
    assert re.search(r"target\.toml, line \d+", str(refused.value))


@pytest.mark.parametrize("choice", ["embedded", "system", "/usr/lib/postgresql/15/bin", "~/pg/bin"])
def test_the_postgresql_of_a_target(empty_checkout: Project, choice: str) -> None:
    assert target("one").manifest.storage.postgres == "embedded"
    add(empty_checkout, "notes/one", MANIFEST + f'[storage]\nkind = "postgresql"\npostgres = "{choice}"\n')
    assert [each.manifest.storage.postgres for each in find_targets(empty_checkout)] == [choice]


@pytest.mark.parametrize("choice", ["sytem", "pg/bin", "15", ""])
def test_a_postgresql_that_is_neither_a_word_nor_a_folder_is_refused(empty_checkout: Project, choice: str) -> None:
    add(empty_checkout, "notes/one", MANIFEST + f'[storage]\npostgres = "{choice}"\n')
    with pytest.raises(UsageError, match=r"storage.*postgres"):
        find_targets(empty_checkout)


def one_file(checkout: Project, database: str, target: str) -> Project:
    """A project of one file: a workload with this database, and a target with these members."""
    operation = '{ name = "Read", http = { method = "GET", path = "/", expect = 200 } }'
    workload = f'[workloads.shop]\ndatabase = "{database}"\noperations = [{operation}]\n'
    checkout.file.write_text(f"{workload}[targets.shop]\n{target}\n", "utf-8")
    return checkout


NO_DATABASE = [
    ('{ prepare = "bin/shop migrate" }', 'prepare fills a database or a folder: set kind = "postgresql" or "files".'),
    ('{ postgres = "system" }', 'postgres is the server of kind = "postgresql": set that kind, or remove postgres.'),
]


@pytest.mark.parametrize(("storage", "words"), NO_DATABASE)
def test_what_needs_a_database_needs_a_kind_where_the_workload_has_none(
    empty_checkout: Project, storage: str, words: str
) -> None:
    table = f'run = "bin/shop"\nstorage = {storage}'
    with pytest.raises(UsageError, match=rf"bakeoff\.toml, line 6: {re.escape(words)}"):
        find_targets(one_file(empty_checkout, "none", table))
    (found,) = find_targets(one_file(empty_checkout, "postgresql", table))
    assert found.manifest.storage.kind is None


def test_a_target_that_the_lab_does_not_start_names_no_folder(empty_checkout: Project) -> None:
    table = 'env = { LOG = "warn" }\nstorage = "files"'
    (found,) = find_targets(one_file(empty_checkout, "none", table))
    assert found.manifest.storage.kind == "files"
