"""A project for one service: its bakeoff.toml is written, and loaded before it is called done."""

import contextlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.descriptions.imported import BASIC_LOGIN, ImportedApi
from bakeoff.documents.checked import Json
from bakeoff.documents.project_file import project_file
from bakeoff.documents.whole_file import write_whole
from bakeoff.errors import BakeoffError, NotFoundError, UsageError
from bakeoff.project import COMMAND, PROJECT_VARIABLE, Project, find_project, prepare_state
from bakeoff.scaffold.description_files import Source, status_of
from bakeoff.scaffold.first_load import faults_of
from bakeoff.scaffold.given_login import GivenLogin
from bakeoff.scaffold.project_toml import Members, NewProject, Open
from bakeoff.scaffold.repository import service_in
from bakeoff.scaffold.scaffold import address_in
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload

DEFAULT_ADDRESS = "http://127.0.0.1:8080"
_CREDENTIALS = "credentials that exist"
_SHOWN_BY_SERVICE = (
    "- No OpenAPI document and no proto file was found. Many services show theirs while they run, such as at "
    f"/openapi.json: {COMMAND} init {DEFAULT_ADDRESS} reads it there."
)
_REPLACED = "replace-me"
_FOLDERS = '[folders]\ntargets = ["targets"]\nworkloads = ["contract"]\n'


def name_of(folder: Path) -> str:
    """A name for the service in a folder."""
    letters = unicodedata.normalize("NFKD", folder.name).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", letters.lower()).lstrip("-0123456789")
    return name[:58].rstrip("-") or "service"


def new_project(
    project: Project, name: str, source: Source | None, url: str | None, login: GivenLogin | None = None
) -> NewProject:
    """The project of a service: with the operations that its description has, or an example of one.

    Raises UsageError where there is a login, and no place for it.
    """
    address, path = (DEFAULT_ADDRESS, "/") if url is None else address_in(url)
    protocol, described_by = ("rest", None) if source is None else (source.api.protocol, source.file)
    target, found = service_in(project, protocol, described_by)
    if source is None:
        words = "a request that the service answers, and its status; one table for each kind of request"
        call: Json = {"method": "GET", "path": path, "expect": 200 if url is None else status_of(url)}
        example: Members = {"name": "Read", "http": Open(call, words, counts=True)}
        shown = [] if url is not None else [_SHOWN_BY_SERVICE]
        return NewProject(name, target, {}, [example], base_url=address, found=[*found, *shown])
    described: dict[str, Json | Open] = {source.kind: os.path.relpath(source.file, project.root)}
    if source.proto_paths:
        described["proto_paths"] = [os.path.relpath(path, project.root) for path in source.proto_paths]
    given = _with_basic(source.api.credentials, login)
    if given:
        words, is_whole = "what every request needs: values that exist", _REPLACED not in str(given)
        described["headers"] = given if is_whole else Open(given, words, counts=True)
    if source.api.query:
        described["query"] = Open(
            source.api.query, "what the query of every request needs: values that exist", counts=True
        )
    if source.api.protocol == "grpc":
        target = {"protocol": "grpc", **target}
    logins = list(_logins(source.api, login))
    if login is not None and given == source.api.credentials and not logins:
        raise UsageError(f"--login: {source.file.name} has no operation that takes a name and a password.")
    # Who gives a user need not be asked for one.
    asks = (f" {_CREDENTIALS}.", f" {_REPLACED}.") if login is not None and _REPLACED not in str(given) else ()
    asked = [line for line in source.found if not line.endswith(asks)]
    return NewProject(name, target, described, logins, base_url=address, found=[*found, *asked])


def _with_basic(headers: Mapping[str, str], login: GivenLogin | None) -> Mapping[str, str]:
    """Headers of every request, with the user of a login where they ask for basic authentication."""
    return {name: login.basic if login and value in BASIC_LOGIN.values() else value for name, value in headers.items()}


def _logins(api: ImportedApi, login: GivenLogin | None) -> Iterator[Members]:
    """The login with its credentials; a person writes those that nothing gives."""
    for each in api.operations:
        if not each.is_login or each.registers:
            continue
        if each.is_login_by_header:
            header: Json = {"headers": BASIC_LOGIN}
            words = f"USER:PASSWORD of a user who exists, in base64; {COMMAND} init --login writes it"
            own: Json = {"headers": _with_basic(BASIC_LOGIN, login)}
            yield {"name": each.name, "http": own if login else Open(header, words, counts=True)}
        elif each.message is not None:
            message = login.in_message(each.message) if login else None
            if message is None and login:
                raise UsageError(f"--login: no members of the message of {each.name} are a name and a password.")
            example = each.message if each.gives_credentials else Open(each.message, _CREDENTIALS, counts=True)
            yield {"name": each.name, "message": message or example}


def folders_project(folder: Path) -> Project:
    """The project that new folders go into; one in the folder, which names them, where there is none."""
    project = Project(folder)
    # A project that is named need not exist yet.
    if project.file.is_file() or not os.environ.get(PROJECT_VARIABLE):
        with contextlib.suppress(NotFoundError):
            return find_project()
    write_whole(project.file, _FOLDERS.encode())
    for name in ("targets", "contract"):
        (folder / name).mkdir(exist_ok=True)
    prepare_state(project)
    return project


def write_project(project: Project, new: NewProject) -> NewProject:
    """Writes the file, and returns what it holds: without operations whose messages cannot be made.

    Raises UsageError, and leaves no file, where it is there already or what it holds does not load.
    """
    if project.file.exists():
        raise UsageError(f"{project.file} exists and was not changed. {_to_add(project, new)}")
    return rewrite_project(project, new)


def rewrite_project(project: Project, new: NewProject) -> NewProject:
    """Likewise where it is there already."""
    try:
        _write(project, new)
        refused = dict(_load(project, new.name))
        if refused:
            new = _without(new, refused)
            _write(project, new)
            _load(project, new.name)
    except BaseException:
        project.file.unlink(missing_ok=True)
        raise
    return new


def _write(project: Project, new: NewProject) -> None:
    try:
        project.file.write_text(new.text, "utf-8")
        prepare_state(project)
    except OSError as error:
        raise BakeoffError(f"{project.file} cannot be written: {error.strerror}.") from error


def _without(new: NewProject, refused: Mapping[str, str]) -> NewProject:
    """The project without operations that cannot be sent: listed in `without`, where a description has them."""
    found = [*new.found, *(f"- {name} is left out: {reason}" for name, reason in refused.items())]
    operations = [each for each in new.operations if each.get("name") not in refused]
    if not {"openapi", "proto"} & new.workload.keys():
        return replace(new, operations=operations, found=found)
    known = new.workload.get("without", [])
    without = [*(known if isinstance(known, list) else []), *refused]
    return replace(new, workload={**new.workload, "without": without}, operations=operations, found=found)


def _to_add(project: Project, new: NewProject) -> str:
    """The tables that the existing file lacks."""
    known = project_file(project).document
    if known.workloads:
        new = replace(new, target={"workload": new.name, **new.target})
    missing = [] if new.name in known.targets else ["", *new.target_lines()]
    missing += [] if new.name in known.workloads else ["", *new.workload_lines()]
    if not missing:
        return f"It has {new.name} already: choose another name, such as {COMMAND} init {new.name}-2."
    return "\n".join(["Add to it:", *missing])


def _load(project: Project, name: str) -> Sequence[tuple[str, str]]:
    """Loads the target and compiles the plan, as a run does; operations that cannot be sent, with the reasons."""
    (target,) = find_targets(project)
    protocol = "grpc" if target.protocol == "grpc" else "http"
    return list(faults_of(load_workload(project, name), protocol))
