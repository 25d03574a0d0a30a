"""`bakeoff init --target`: what is written is loaded, and follows from the workload and its targets."""

from pathlib import Path

import pytest

from bakeoff.cli.init import InitOptions, make_target
from bakeoff.errors import UsageError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.scaffold.new_target import TargetRequest, review, write_target
from bakeoff.scaffold.scaffold import scaffold_of, write_scaffold
from bakeoff.targets.manifest import Setting, Target, find_targets

_SIBLING = """
version = 1
name = "{name}"
workload = "notes"
language = "{language}"
class = "standard"
stack = {{ framework = "Own 1.0", orm = "Rows 2" }}
[toolchain]
commands = ["sh"]
install = "POSIX"
[build]
command = ["true"]
inputs = ["main.sh"]
artifact = "main.sh"
system_packages = true
[run]
command = ["sh", "{{artifact}}"]
port_variable = "HTTP_PORT"
default_port = 8090
[settings]
pool_size = {{ variable = "POOL", default = "16" }}
{settings}
"""


@pytest.fixture
def notes(empty_checkout: Project) -> Project:
    """A project with a workload `notes`, and two targets of it in a folder of their own."""
    written = write_scaffold(empty_checkout, scaffold_of("notes", "rest", "postgresql", None))
    for path in written:
        if path.name == "target.toml":
            path.unlink()
    settings = {"shell": 'workers = "WORKERS"', "awk": ""}
    for name, more in settings.items():
        folder = empty_checkout.root / "targets" / "all-notes" / name
        folder.mkdir(parents=True)
        (folder / "main.sh").write_text("")
        (folder / ".gitignore").write_text("# made\n/made\n")
        language = {"shell": "MyShell", "awk": "awk"}[name]
        (folder / "target.toml").write_text(_SIBLING.format(name=f"notes-{name}", language=language, settings=more))
    return empty_checkout


def only(project: Project, name: str) -> Target:
    (target,) = find_targets(project, {name})
    return target


def test_a_target_has_what_its_siblings_share(notes: Project) -> None:
    new = write_target(notes, TargetRequest("notes", "Ruby", "Sinatra 4.2"))
    target = only(notes, "notes-ruby-sinatra")

    assert new.name == target.name
    assert new.example is None
    assert target.directory == notes.root / "targets" / "all-notes" / "ruby-sinatra"
    assert (target.workload, target.language, target.protocol) == ("notes", "Ruby", "rest")
    assert target.manifest.stack == {"framework": "Sinatra 4.2"}
    assert target.settings == [Setting("pool_size", "POOL", "16")]
    assert target.manifest.storage.kind == "postgresql"
    text = (target.directory / "target.toml").read_text("utf-8")
    assert '# workers = "WORKERS"' in text
    assert '# port_variable = "HTTP_PORT"' in text
    assert "# default_port = 8090" in text
    assert "also name: orm." in text
    assert target.why_skipped is not None and "it has no run" in target.why_skipped


def test_the_nearest_target_in_the_language_is_the_example(notes: Project) -> None:
    new = write_target(notes, TargetRequest("notes", "awk", name="second"))
    target = only(notes, "second")

    assert new.example is not None and new.example.name == "notes-awk"
    assert target.manifest.toolchain.commands == ["sh"]
    text = (target.directory / "target.toml").read_text("utf-8")
    assert '# command = ["sh", "{artifact}"]' in text
    assert '# inputs = ["main.sh"]' in text
    assert "# system_packages = true" in text
    assert (target.directory / ".gitignore").read_text("utf-8").endswith("# notes-awk has: /made\n")


@pytest.mark.parametrize(
    ("language", "spelled"),
    [("php", "PHP"), ("javascript", "JavaScript"), ("csharp", "csharp"), ("MYSHELL", "MyShell")],
)
def test_a_language_is_spelled_as_reports_print_it(notes: Project, language: str, spelled: str) -> None:
    write_target(notes, TargetRequest("notes", language, name="third"))
    assert only(notes, "third").language == spelled


def test_uncommented_the_tables_of_the_example_load(notes: Project) -> None:
    target = notes.root / "targets" / "all-notes" / "second" / "target.toml"
    write_target(notes, TargetRequest("notes", "awk", name="second"))
    lines = target.read_text("utf-8").splitlines()
    shown = [line.removeprefix("# ") if line.startswith(("# [build]", "# [run]")) else line for line in lines]
    known = ("directory =", "command =", "inputs =", "artifact =", "port_variable =", "default_port =")
    shown = [line.removeprefix("# ") if line.removeprefix("# ").startswith(known) else line for line in shown]
    target.write_text("\n".join(shown), "utf-8")
    (target.parent / "main.sh").write_text("")

    found = only(notes, "second")

    assert found.why_skipped is None
    assert found.build.artifact == target.parent / "main.sh"


def test_operations_and_cases_are_written_down(notes: Project) -> None:
    write_target(notes, TargetRequest("notes", "ruby"))
    folder = notes.root / "targets" / "all-notes" / "ruby"

    text = (folder / "OPERATIONS.md").read_text("utf-8")
    assert "## Save\n\n    POST /notes\n    {" in text
    assert "- Expected: 200." in text
    assert "## Conformance cases\n\n### " in text
    readme = (folder / "README.md").read_text("utf-8")
    headings = [line for line in readme.splitlines() if line.startswith("## ")]
    assert headings == ["## Guides followed", "## Statements", "## Run it", "## What an expert would change"]
    assert "(../../../contract/notes/README.md)" in readme
    assert (folder / "../../../contract/notes/README.md").resolve().is_file()
    for path in folder.iterdir():
        assert "\n\n\n" not in path.read_text("utf-8"), path


def test_a_workload_without_targets_gets_a_folder_of_its_name(empty_checkout: Project) -> None:
    for path in write_scaffold(empty_checkout, scaffold_of("calls", "grpc", "none", None)):
        if path.name == "target.toml":
            path.unlink()

    write_target(empty_checkout, TargetRequest("calls", "go"))

    target = only(empty_checkout, "calls-go")
    assert target.directory == empty_checkout.root / "targets" / "calls" / "go"
    assert (target.protocol, target.manifest.storage.kind) == ("grpc", "none")
    assert "grpc.health.v1" in (target.directory / "OPERATIONS.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (TargetRequest("noets", "ruby"), 'There is no workload "noets". Did you mean notes?'),
        (TargetRequest("notes", "rubi"), '--language is "rubi", which is no known language. Did you mean ruby?'),
        (TargetRequest("notes", "myshel"), "Did you mean myshell? Targets here are in awk, myshell."),
        (TargetRequest("notes", "ruby", name="notes-awk"), "There is a target notes-awk already"),
        (TargetRequest("notes", "ruby", name="awk"), "all-notes/awk exists and was not changed"),
        (TargetRequest("notes", "ruby", name="My_Notes"), '"My_Notes" is not a target name'),
        (TargetRequest("notes", "ruby", protocol="grpc"), '--protocol is "grpc": notes can be sent over rest.'),
    ],
)
def test_mistakes_are_named_and_write_nothing(notes: Project, request_: TargetRequest, words: str) -> None:
    before = sorted((notes.root / "targets").rglob("*"))
    with pytest.raises(UsageError) as raised:
        write_target(notes, request_)
    assert words in raised.value.message
    assert sorted((notes.root / "targets").rglob("*")) == before


def test_a_manifest_that_does_not_load_is_removed(notes: Project) -> None:
    (notes.root / "targets" / "all-notes" / "awk" / "target.toml").write_text('name = "notes-ruby"\nworkload = "x"\n')
    with pytest.raises(UsageError):
        write_target(notes, TargetRequest("notes", "ruby"))
    assert not (notes.root / "targets" / "all-notes" / "ruby").exists()


def test_the_command_prints_what_comes_next(
    notes: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(notes.root))
    monkeypatch.chdir(notes.root)

    make_target(InitOptions(), "notes", "myshell", None)

    lines = capsys.readouterr().out.splitlines()
    assert "The nearest one to read: notes-shell, in targets/all-notes/shell" in lines
    commands = [line.strip() for line in lines if line.startswith("    ")]
    assert commands == [
        "./bakeoff build notes-myshell",
        "./bakeoff conform notes-myshell",
        "./bakeoff conform notes-myshell --statements write",
        "./bakeoff run smoke --target notes-myshell",
    ]
    asked = lines[lines.index("What reviewers ask:") + 1 :]
    assert asked == list(review())
    for path in (notes.root / "targets" / "all-notes" / "myshell").iterdir():
        assert any(line.startswith(f"targets/all-notes/myshell/{path.name} ") for line in lines)


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (InitOptions(full=True), ("notes", "ruby")),
        (InitOptions(["http://127.0.0.1:8080"]), ("notes", "ruby")),
        (InitOptions(["one", "two"]), ("notes", "ruby")),
        (InitOptions(har=Path("x.har")), ("notes", "ruby")),
        (InitOptions(), ("notes", None)),
        (InitOptions(), (None, "ruby")),
    ],
)
def test_options_of_a_new_project_do_not_go_with_a_target(
    options: InitOptions, given: tuple[str | None, str | None]
) -> None:
    with pytest.raises(UsageError, match="--target"):
        make_target(options, *given, None)


def test_the_rules_page_has_the_same_checklist(clone: Project) -> None:
    page = (clone.root / "docs" / "GALLERY_RULES.md").read_text("utf-8")
    section = page.split("## What reviewers ask\n")[1].split("\n## ")[0]
    assert [line for line in section.splitlines() if line.startswith("- ")] == list(review())


def test_targets_of_the_gallery_have_the_headings_that_are_written(gallery: Project, notes: Project) -> None:
    write_target(notes, TargetRequest("notes", "ruby"))
    written = (notes.root / "targets" / "all-notes" / "ruby" / "README.md").read_text("utf-8")
    headings = [line for line in written.splitlines() if line.startswith("## ")]
    readmes = list((gallery.root / "targets" / "orders").glob("*/README.md"))
    assert readmes
    for readme in readmes:
        own = [line for line in readme.read_text("utf-8").splitlines() if line.startswith("## ")]
        assert [line for line in own if line in headings] == headings, readme
