"""Every command in a document: its options and arguments exist, and those that are quick and harmless are run."""

import contextlib
import fnmatch
import gc
import json
import re
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer
from documented_commands import DocumentedCommand, commands_of

from bakeoff.cli.app import app
from bakeoff.cli.main import main
from bakeoff.cli.run.request import options_from, requests_of
from bakeoff.errors import UsageError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.targets.manifest import Target, choose_targets, find_targets
from bakeoff.workload.loader import load_workload
from filled_history import fill
from metrics_database_of_tests import metrics_database
from test_documents import ROOT, documents

# What a reader has beside the commands.
_SHOP = Path(__file__).parents[1] / "projects" / "shop"
_BOOKS = """syntax = "proto3";
package books;
service Books { rpc Add (Book) returns (Book); }
message Book { string title = 1; }
"""
_ENTRY = {
    "startedDateTime": "2026-01-01T00:00:00Z",
    "time": 5,
    "request": {"method": "GET", "url": "http://127.0.0.1:8000/items", "headers": [], "queryString": []},
    "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "[]"}},
}
_FILES = {
    "openapi.yaml": (_SHOP / "openapi.yaml").read_text("utf-8"),
    "api/openapi.yaml": (_SHOP / "openapi.yaml").read_text("utf-8"),
    "books.proto": _BOOKS,
    "api/books.proto": _BOOKS,
    "shop.proto": _BOOKS,
    "session.har": json.dumps({"log": {"entries": [_ENTRY]}}),
    "ca.pem": "",
}
# History, and pages that quote commands of the past.
_OF_THE_PAST = ("lab-notes", "CHANGELOG")

COMMANDS = sorted(
    {
        command
        for page in documents()
        if not any(name in str(page.relative_to(ROOT)) for name in _OF_THE_PAST)
        for command in commands_of(page)
    },
    key=lambda each: (each.line, str(each.page), each.in_block),
)
EXCEPTIONS = tomllib.loads(Path(__file__).with_name("not_run.toml").read_text("utf-8"))
NOT_RUN = {each["command"]: each["reason"] for each in EXCEPTIONS["not_run"]}
WRONG = {each["command"]: each["reason"] for each in EXCEPTIONS["wrong"]}
SCAFFOLDED = {each["target"]: each["reason"] for each in EXCEPTIONS["scaffolded"]}
TYPED = [each for each in COMMANDS if each.in_block]
HITS = [each for each in TYPED if each.words[0] == "hit" and each.words[1].startswith("http:")]
RUN = [
    each
    for each in TYPED
    if each not in HITS
    and each.line not in WRONG
    and not any(fnmatch.fnmatchcase(each.line, pattern) for pattern in NOT_RUN)
]


def shown(command: DocumentedCommand) -> str:
    return f"{command.page.relative_to(ROOT)}: {command.line}"


def mistake_in(command: DocumentedCommand, clone: Project, own: list[Project]) -> str | None:
    """The first thing that is wrong with a command line; nothing of it is done."""
    try:
        leaf, parameters = _parsed(command.words)
        if leaf in ("run", "plan", "conform", "build", "up", "gate"):
            _check_names(command, leaf, parameters, [clone] if command.of_the_clone else own)
    except typer.Exit:
        return None
    except UsageError as error:
        return error.message
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        # A mention may leave out what follows.
        partial = type(error).__name__ == "MissingParameter" or "requires an argument" in error.format_message()
        return None if partial and not command.in_block else error.format_message()
    return None


def _parsed(words: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """The command that the words name, and its parameters as the library reads them."""
    command: Any = typer.main.get_command(app)
    name, context, rest = "bakeoff", None, list(words)
    while hasattr(command, "resolve_command") and rest and not rest[0].startswith("-"):
        context = command.make_context(name, [], parent=context, resilient_parsing=True)
        context.resilient_parsing = False
        name, command, rest = command.resolve_command(context, rest)
    return str(name), dict(command.make_context(name, rest, parent=context).params)


def _check_names(command: DocumentedCommand, leaf: str, parameters: dict[str, Any], projects: list[Project]) -> None:
    """Raises UsageError where a mode, a file, a workload or a target does not exist in any of the projects."""
    faults = []
    for project in projects:
        try:
            if leaf in ("run", "plan") and _is_whole(command, parameters):
                for request in requests_of(project, options_from(command.line, parameters)).values():
                    choose_targets(_targets(project), _real(request.targets))
                    for workload in [request.workload] if request.workload else []:
                        load_workload(project, workload)
            named = parameters.get("targets") or parameters.get("names") or parameters.get("target") or []
            choose_targets(_targets(project), _real([part for each in named for part in each.split(",")]))
        except UsageError as error:
            faults.append(error)
        else:
            return
    raise faults[0]


def _is_whole(command: DocumentedCommand, parameters: dict[str, Any]) -> bool:
    """Whether the words ask for a comparison: a mention of a mode may leave out what it needs."""
    what = parameters.get("what")
    if not command.in_block and (len(command.words) == 2 or str(what).partition(".")[0].isupper()):
        return False
    return bool(what or parameters.get("requests"))


@cache
def _targets(project: Project) -> list[Target]:
    return find_targets(project)


def _real(names: Any) -> list[str]:
    """Without those that stand for any, and those that the page itself makes."""
    return [name for name in names or [] if not name.isupper() and name not in SCAFFOLDED]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that documents name, in which commands are parsed and run."""
    folder = tmp_path_factory.mktemp("reader")
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (folder / "gallery").symlink_to(ROOT / "gallery")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "120")
        yield folder


@pytest.fixture(scope="module")
def own(folder: Path) -> list[Project]:
    """The projects that documents make: the tutorial's shop, and the books of the page about workloads."""
    projects = []
    for name, words in {
        "shop": ("init", "--openapi", str(folder / "openapi.yaml")),
        "books": ("init", "--full", "books"),
    }.items():
        project = Project(folder / name)
        project.root.mkdir()
        with contextlib.chdir(project.root):
            assert called(*words, project=project) == 0
        projects.append(project)
    return projects


def called(*words: str, project: Project) -> object:
    """A command's exit status, called in this process: to start one takes a second."""
    signals = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    collections = gc.get_threshold()
    try:
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as left:
            patch.setenv(PROJECT_VARIABLE, str(project.root))
            patch.setattr(sys, "argv", ["bakeoff", *words])
            main()
        return left.value.code
    finally:
        gc.set_threshold(*collections)
        for number, handler in signals.items():
            signal.signal(number, handler)


def test_documented_commands_parse(gallery: Project, own: list[Project]) -> None:
    mistakes = {each: mistake_in(each, gallery, own) for each in COMMANDS}
    found = "\n".join(
        f"{shown(each)}: {mistake}" for each, mistake in mistakes.items() if mistake and each.line not in WRONG
    )
    assert not found, found
    assert {each.line for each in mistakes if mistakes[each] and each.line in WRONG} == set(WRONG)
    assert len(COMMANDS) > 200


@pytest.mark.parametrize(
    "line",
    [
        "run quick --user 5",
        "run quikc",
        "run quick -t no-such-target",
        "run quick --workload no-such-workload",
        "run gallery/experiments/no-such-file.toml",
        "runs lst",
        "report 12 --form word",
        "init --openapi",
    ],
)
def test_a_wrong_command_is_found(line: str, gallery: Project, own: list[Project]) -> None:
    command = DocumentedCommand(ROOT / "README.md", tuple(line.split()), in_block=True, of_the_clone=True)
    assert mistake_in(command, gallery, own)


def test_a_part_may_be_mentioned(gallery: Project, own: list[Project]) -> None:
    mention = DocumentedCommand(ROOT / "README.md", ("init", "--target"), in_block=False, of_the_clone=True)
    assert mistake_in(mention, gallery, own) is None
    assert mistake_in(replace(mention, in_block=True), gallery, own)


def test_patterns_of_what_is_not_run_match() -> None:
    lines = [each.line for each in TYPED]
    assert [pattern for pattern in NOT_RUN if not fnmatch.filter(lines, pattern)] == []
    assert all(SCAFFOLDED[target] and any(target in each.words for each in COMMANDS) for target in SCAFFOLDED)


def test_quick_commands_run(
    gallery: Project, own: list[Project], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(RUN) > 20
    failed = {}
    with metrics_database() as server, pytest.MonkeyPatch.context() as patch:
        fill(server)
        patch.setenv("METRICS_DATABASE_URL", server.url)
        for number, command in enumerate({(each.words, each.of_the_clone): each for each in RUN}.values()):
            place = folder / "shop"
            if command.words[0] == "init":
                # An empty folder, but for what the command reads.
                place = folder / f"empty-{number}"
                place.mkdir()
                for name in ("openapi.yaml", "books.proto", "session.har", "api"):
                    (place / name).symlink_to(folder / name)
            patch.setenv("BAKEOFF_RESULTS", str(folder / "results"))
            with contextlib.chdir(place):
                project = gallery if command.of_the_clone else own[0]
                status = called(*command.words, project=Project(place) if command.words[0] == "init" else project)
            # The state of this machine is not the document's fault.
            if status not in (0, None) and not (command.words[0] == "doctor" and status == 1):
                failed[shown(command)] = capsys.readouterr().err
    assert failed == {}


class _Answers(BaseHTTPRequestHandler):
    """Answers everything at once."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    do_POST = do_GET  # noqa: N815 — the library's name

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """Takes the connections of all users at once."""

    request_queue_size = 256
    daemon_threads = True


@pytest.mark.usefixtures("client")
def test_documented_hits_run(folder: Path) -> None:
    """As they stand, but for the port and the duration."""
    with _Server(("127.0.0.1", 0), _Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            failed = {shown(each): hit(each, server.server_address[1], folder) for each in HITS}
        finally:
            server.shutdown()
            thread.join()
    assert len(failed) >= 3
    assert {line: words for line, words in failed.items() if words} == {}


def hit(command: DocumentedCommand, port: int, folder: Path) -> str:
    """What a documented hit complains about."""
    # Few requests, or, where requests follow a rate, a short time.
    few = ["-z", "100ms"] if "--rate" in command.words else ["-n", "64"]
    words = " ".join(command.words).replace(" -d 10s", "").split() if "10s" in command.words else command.words
    words = [re.sub(r"(?<=//127\.0\.0\.1:)\d+", str(port), word) for word in words]
    done = subprocess.run(
        [sys.executable, "-m", "bakeoff", *words, *few, "--no-capacity"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stderr if done.returncode else ""
