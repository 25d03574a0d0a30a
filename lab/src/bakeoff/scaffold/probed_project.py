"""A new project with what a probe of the running service has learnt, and what it adds to one that is there."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bakeoff.conformance.service import service_at
from bakeoff.documents.checked import Json
from bakeoff.documents.project_file import project_file
from bakeoff.errors import BakeoffError
from bakeoff.project import PROJECT_FILE, Project
from bakeoff.scaffold.new_project import rewrite_project, write_project
from bakeoff.scaffold.probe.changes import entry_of
from bakeoff.scaffold.probe.known_service import Learnt
from bakeoff.scaffold.probe.probe import Probe
from bakeoff.scaffold.project_toml import Members, NewProject, Open
from bakeoff.scaffold.toml_text import toml_value
from bakeoff.targets.access import access_of, is_loopback
from bakeoff.text.prose import listed
from bakeoff.workload.declaration import Operation
from bakeoff.workload.loader import load_workload

_EXAMPLES = 3
_STATUS = re.compile(r"(?P<name>.+) answers (?P<statuses>\d+, not \d+)\.")


def write_probed(project: Project, new: NewProject, url: str, *, is_login_given: bool = False) -> NewProject:
    """Writes the project, and again with what the service at a URL has shown; returns what the file holds.

    Raises BakeoffError, and leaves no file, where nothing answers there, or the login that was given is refused.
    """
    new = write_project(project, new)
    try:
        new, learnt = _probed(project, new, url, is_login_given=is_login_given)
    except BaseException:
        project.file.unlink(missing_ok=True)
        raise
    return rewrite_project(project, replace(new, found=[*new.found, *_advice(new, learnt)]))


def probed_entries(project: Project, name: str, url: str) -> Iterator[str]:
    """What a probe of the service at a URL shows of a workload of the project's file, and the entries to add to it."""
    table = project_file(project).document.workloads[name]
    assert isinstance(table, Mapping), "the schema says so"
    described: Members = {each: table[each] for each in ("openapi", "proto", "without") if each in table}
    new, learnt = _probed(project, NewProject(name, {}, described), url, is_login_given=False)
    yield from new.found
    if learnt.untried:
        yield f"- Write a user who exists into the entry of {learnt.refused_login} in {PROJECT_FILE}."
    if learnt.refused and not {"openapi", "proto"} & described.keys():
        yield f"- Take what is left out from {PROJECT_FILE}."
    without = _listed(new.workload.get("without"))
    entries = list(replace(new, workload={}).workload_lines())
    if without != _listed(described.get("without")):
        entries = [f"[workloads.{name}]", f"without = {toml_value(without)}", *([""] if entries else []), *entries]
    if entries:
        yield from ("", f"{PROJECT_FILE} is not changed. Add to it, or to the tables and entries of these names:")
        yield from ("", *entries)


def _probed(project: Project, new: NewProject, url: str, *, is_login_given: bool) -> tuple[NewProject, Learnt]:
    """The project, whose file is there already, changed so that the service at a URL accepts its requests, and why."""
    # Comparing loads all that measures.
    from bakeoff.comparing.comparison import TOKEN_VARIABLE

    workload = load_workload(project, new.name)
    protocol = "grpc" if all(each.http is None for each in workload.declared.operations) else "http"
    operations = {each.name: each for each in workload.declared.operations}
    access = access_of(url, os.environ.get(TOKEN_VARIABLE) or None)
    learnt = Probe(service_at(workload, protocol, access), dict(operations)).learn()
    if learnt.untried and is_login_given:
        login = learnt.refused_login
        raise BakeoffError(f"{access.address} refuses the user of --login: {login} answers {learnt.refused[login]}.")
    if not learnt.operations.keys() - learnt.refused.keys():
        name, reply = next(iter(learnt.refused.items()))
        raise BakeoffError(
            f"{access.address} refuses every operation of the description, {name} for one: {reply}. "
            "Name the address that serves this description, with credentials where it asks for some."
        )
    there = "" if is_loopback(access.host) else ", which is not this machine"
    changed = _with_entries(new, learnt, operations, protocol)
    lines = [f"Sent {learnt.requests} requests to {access.address}{there}: {_found(learnt)}", *_lines(learnt)]
    return replace(changed, base_url=url.rstrip("/"), found=[*new.found, *lines]), learnt


def _found(learnt: Learnt) -> str:
    if not learnt.lines and not learnt.refused:
        return "it accepts each operation as described."
    count = len(learnt.lines) + len(learnt.refused)
    return f"{count} difference{'' if count == 1 else 's'} from the description."


def _lines(learnt: Learnt) -> Iterator[str]:
    yield from (f"- {line}" for line in grouped(learnt.lines))
    yield from left_out(learnt)
    if learnt.untried:
        count, login = len(learnt.untried), learnt.refused_login
        yield (
            f"- {login}, the login, answers {learnt.refused[login]}. {count} operation{'s' if count > 1 else ''} that "
            f"its token is for {'were' if count > 1 else 'was'} not tried."
        )


def _advice(changed: NewProject, learnt: Learnt) -> Iterator[str]:
    """What a person may do about a new file."""
    if learnt.untried:
        yield f"- Remove {PROJECT_FILE}, and name a user who exists with --login USER:PASSWORD."
    numbered = enumerate(changed.text.splitlines(), start=1)
    line = next((number for number, text in numbered if text.startswith("without = ")), None)
    if line is not None:
        yield f"- To send them, give them values in entries of operations, and change line {line} of {PROJECT_FILE}."


def grouped(lines: Sequence[str]) -> Iterator[str]:
    """Lines, where those about other statuses than described are one for each pair of statuses."""
    found = {line: _STATUS.fullmatch(line) for line in lines}
    alike: dict[str, list[str]] = {}
    for status in filter(None, found.values()):
        alike.setdefault(status["statuses"], []).append(status["name"])
    for line, each in found.items():
        names = [] if each is None else alike[each["statuses"]]
        if each is None or len(names) <= _EXAMPLES:
            yield line
        elif each["name"] == names[0]:
            yield f"{len(names)} operations answer {each['statuses']}: {_few(names)}"


def left_out(learnt: Learnt) -> list[str]:
    """A line for each operation that the service refuses, and one for each status of those that it does not have."""
    statuses = dict.fromkeys(learnt.unimplemented.values())
    named = {status: [name for name, own in learnt.unimplemented.items() if own == status] for status in statuses}
    alike: dict[str, list[str]] = {}
    for name, shown in learnt.refused.items():
        if name not in learnt.unimplemented and not (learnt.untried and name == learnt.refused_login):
            alike.setdefault(shown, []).append(name)
    lines = [_not_implemented(names, status) for status, names in named.items()]
    return lines + [_refused(names, shown) for shown, names in alike.items()]


def _refused(names: Sequence[str], shown: str) -> str:
    """The line about operations that the service refuses for one reason."""
    unsent = shown.removeprefix("not sent: ")
    if len(names) == 1:
        reason = f"the service refuses it: {shown}" if unsent == shown else unsent
        return f"- {names[0]} is left out, because {reason}."
    reason = f"the service refuses them: {shown}" if unsent == shown else unsent
    return f"- {len(names)} operations are left out, because {reason}: {_few(names)}"


def _not_implemented(names: Sequence[str], status: str) -> str:
    """The line about operations that the service does not have."""
    if len(names) == 1:
        return f"- {names[0]} is left out, because the service does not implement it ({status})."
    words = f"{len(names)} operations are left out, because the service does not implement them ({status})"
    return f"- {words}: {_few(names)}"


def _few(names: Sequence[str]) -> str:
    return f"{listed(names)}." if len(names) <= _EXAMPLES else f"{', '.join(names[:_EXAMPLES])}, …"


def _with_entries(new: NewProject, learnt: Learnt, described: Mapping[str, Operation], protocol: str) -> NewProject:
    """The tables of operations and sessions that differ, and the names of what the service refuses."""
    entries: dict[str, Members] = {str(each["name"]): each for each in new.operations}
    lists_all = not {"openapi", "proto"} & new.workload.keys()
    for name, operation in learnt.operations.items():
        is_as_it_was = operation == described.get(name)
        entry: Members = entry_of(operation, None if lists_all else described.get(name), protocol)
        if not is_as_it_was:
            entries[name] = {**entries.get(name, {}), **entry}
    refused = [each for each in learnt.refused if not (learnt.untried and each == learnt.refused_login)]
    if lists_all:
        entries = {name: each for name, each in entries.items() if name not in refused}
    sessions = [each for each in learnt.sessions if not any(step in learnt.refused for step in each.steps)]
    without = [*_listed(new.workload.get("without")), *refused]
    workload = {**new.workload, "without": without} if without and not lists_all else new.workload
    tables: list[Members] = [{"name": each.name, "weight": each.weight, "steps": list(each.steps)} for each in sessions]
    return replace(new, workload=workload, operations=list(entries.values()), sessions=tables)


def _listed(value: Json | Open) -> list[Json]:
    return list(value) if isinstance(value, list) else []
