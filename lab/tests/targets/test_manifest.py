import pytest

from bakeoff.comparing.preparation import buildable
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project
from bakeoff.targets.manifest import choose_targets, find_targets

MANIFEST = """
version = 1
name = "a-target"
workload = "notes"
title = "A target"
language = "python"
protocol = "rest"
class = "standard"
[toolchain]
commands = ["python3"]
install = "Debian: apt-get install python3."
[build]
directory = "."
command = ["true"]
inputs = ["."]
artifact = "app"
[run]
command = ["{artifact}"]
port_variable = "PORT"
default_port = 8099
[settings]
write_mode = "WRITE_MODE"
"""


def add(checkout: Project, folder: str, text: str = MANIFEST) -> None:
    path = checkout.root / "targets" / folder
    path.mkdir(parents=True)
    (path / "target.toml").write_text(text)


def test_every_shipped_manifest_is_valid(gallery: Project) -> None:
    names = [target.name for target in find_targets(gallery)]
    assert names == sorted(names)
    assert {"producer-api-rust-grpc", "producer-api-rust-rest"} <= set(names)


def test_targets_are_found_wherever_they_lie(empty_checkout: Project) -> None:
    add(empty_checkout, "notes/one")
    add(empty_checkout, "notes/deep/er", MANIFEST.replace("a-target", "b-target"))
    targets = find_targets(empty_checkout)
    assert [target.name for target in targets] == ["a-target", "b-target"]
    assert targets[0].setting_variable("write_mode") == "WRITE_MODE"
    with pytest.raises(BakeoffError, match="no setting pool_size"):
        targets[0].setting_variable("pool_size")


@pytest.mark.parametrize("made", ["target/classes", "node_modules/a", ".cache"])
def test_what_builds_make_is_not_looked_through(empty_checkout: Project, made: str) -> None:
    add(empty_checkout, "notes/one")
    add(empty_checkout, f"notes/one/{made}", MANIFEST.replace("a-target", "a-copy"))
    assert [target.name for target in find_targets(empty_checkout)] == ["a-target"]


def test_the_order_asked_for_is_kept_and_names_count_once(empty_checkout: Project) -> None:
    add(empty_checkout, "one")
    add(empty_checkout, "two", MANIFEST.replace("a-target", "b-target"))
    chosen = choose_targets(find_targets(empty_checkout), ["b-target", "a-target", "b-target"])
    assert [target.name for target in chosen] == ["b-target", "a-target"]


def test_an_unknown_target_names_the_known_ones(empty_checkout: Project) -> None:
    add(empty_checkout, "one")
    with pytest.raises(UsageError, match=r'no target "c-target"\. Targets: a-target'):
        choose_targets(find_targets(empty_checkout), ["c-target"])


def test_two_targets_of_one_name_are_refused(empty_checkout: Project) -> None:
    add(empty_checkout, "one")
    add(empty_checkout, "two")
    with pytest.raises(BakeoffError, match='Two targets are named "a-target"'):
        find_targets(empty_checkout)


def test_a_missing_toolchain_skips_with_one_line_or_refuses_what_was_asked_for(empty_checkout: Project) -> None:
    add(empty_checkout, "one", MANIFEST.replace('["python3"]', '["no-such-compiler"]'))
    add(empty_checkout, "two", MANIFEST.replace("a-target", "b-target"))
    targets = find_targets(empty_checkout)
    skipped: list[str] = []
    kept = buildable(targets, (), lambda _target, reason: skipped.append(reason))
    assert [target.name for target in kept] == ["b-target"]
    assert skipped == ["a-target: skipped, no-such-compiler not found. Debian: apt-get install python3."]
    with pytest.raises(BakeoffError, match="a-target: cannot be built: no-such-compiler not found"):
        buildable(targets, [each.name for each in targets], lambda *_: None)


def test_a_pattern_chooses_targets_and_asks_for_none_that_cannot_be_built(empty_checkout: Project) -> None:
    add(empty_checkout, "one", MANIFEST.replace('["python3"]', '["no-such-compiler"]'))
    add(empty_checkout, "two", MANIFEST.replace("a-target", "b-target"))
    targets = find_targets(empty_checkout)
    chosen = choose_targets(targets, ["b*", "*-target"])
    assert [target.name for target in chosen] == ["b-target", "a-target"]
    assert [target.name for target in buildable(chosen, ["*-target"], lambda *_: None)] == ["b-target"]


def test_labels_choose_among_the_named_targets(empty_checkout: Project) -> None:
    add(empty_checkout, "one", MANIFEST)
    other = MANIFEST.replace("a-target", "b-target")
    add(empty_checkout, "two", f'stack = {{ framework = "Own 2.1" }}\n{other}')
    targets = find_targets(empty_checkout)
    assert [each.name for each in choose_targets(targets, [], where=["framework=own"])] == ["b-target"]
    with pytest.raises(BakeoffError, match='no target here has the label "framework"'):
        choose_targets(targets, ["a-target"], where=["framework=own"])


@pytest.mark.parametrize(
    ("name", "meant"), [("b", r"'\*b\*'"), ("b-tagret", "b-target"), ("rest-*", "")], ids=["part", "misspelt", "none"]
)
def test_an_unknown_target_suggests_what_was_meant(empty_checkout: Project, name: str, meant: str) -> None:
    add(empty_checkout, "two", MANIFEST.replace("a-target", "b-target"))
    words = rf"Targets: b-target\.{f' Did you mean {meant}?' if meant else ''}$".replace("?$", r"\?$")
    with pytest.raises(BakeoffError, match=words):
        choose_targets(find_targets(empty_checkout), [name])


def test_a_variable_that_is_not_set_skips_too(empty_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    needs = MANIFEST.replace("[toolchain]", '[toolchain]\nrequires_env = ["A_RUNTIME_HOME"]')
    add(empty_checkout, "one", needs)
    (target,) = find_targets(empty_checkout)
    skipped = "a-target: skipped, $A_RUNTIME_HOME not found. Debian: apt-get install python3."
    monkeypatch.delenv("A_RUNTIME_HOME", raising=False)
    assert target.why_skipped == skipped
    monkeypatch.setenv("A_RUNTIME_HOME", "")
    assert target.why_skipped == skipped
    monkeypatch.setenv("A_RUNTIME_HOME", "/opt/runtime")
    assert target.why_skipped is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("default_port = 8099", "default_port = 99999"), r"run\.default_port: 99999"),
        (('protocol = "rest"', 'protocol = "soap"'), r"protocol: 'soap'"),
        (('artifact = "app"', ""), "run names .artifact., and build declares no artifact"),
        (("version = 1", "version = 1\nsurprise = 2"), "there is no key surprise"),
    ],
)
def test_a_broken_manifest_names_file_and_place(empty_checkout: Project, change: tuple[str, str], reason: str) -> None:
    add(empty_checkout, "one", MANIFEST.replace(*change))
    with pytest.raises(BakeoffError, match=rf"target\.toml, line \d+: .*{reason}"):
        find_targets(empty_checkout)
