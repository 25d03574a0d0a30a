"""A new project from requests that somebody sent: a browser's recording, or curl commands."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bakeoff.descriptions.curl_command import CurlCommand, curl_command
from bakeoff.descriptions.har_import import import_har
from bakeoff.descriptions.recorded import operation_of
from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.scaffold.description_files import is_local
from bakeoff.scaffold.new_project import DEFAULT_ADDRESS
from bakeoff.scaffold.project_toml import Members, NewProject, Open
from bakeoff.scaffold.repository import service_in


def project_of_har(project: Project, name: str, file: Path) -> NewProject:
    """The project of a session that a browser recorded."""
    recorded = import_har(file)
    target, found = service_in(project, "rest")
    workload: Members = {"cookies": True} if recorded.uses_cookies else {}
    session: Members = {"name": "recorded", "weight": 1, "steps": list(recorded.steps)}
    lines = [f"{file.name}: a session of {len(recorded.steps)} requests to {recorded.address}"]
    lines += [f"- {note}" for note in recorded.notes]
    return NewProject(
        name,
        target,
        workload,
        list(recorded.operations),
        [session],
        _address(recorded.address, lines),
        [*found, *lines],
    )


def project_of_curl(project: Project, name: str, lines: Sequence[str]) -> NewProject:
    """The project of the requests of curl commands, which all go to one address."""
    commands = [curl_command(line) for line in lines]
    origins = list(dict.fromkeys(each.request.origin for each in commands))
    if len(origins) > 1:
        raise UsageError(f"The commands go to {' and '.join(origins)}: a workload has one address. Make two workloads.")
    target, found = service_in(project, "rest")
    found = [*found, *(f"- {each}" for command in commands for each in _unused(command))]
    address = _address(origins[0], found)
    return NewProject(name, target, {}, list(_operations(commands)), base_url=address, found=found)


def _operations(commands: Sequence[CurlCommand]) -> Iterator[Members]:
    names: set[str] = set()
    for command in commands:
        request = command.request
        base = f"{request.method} {urlsplit(request.url).path or '/'}"
        name = next(each for each in (base, *(f"{base} {number}" for number in range(2, 1_000))) if each not in names)
        names.add(name)
        operation = operation_of(name, request, 200)
        words = "the status that the service answers with, in expect"
        yield {**operation, "http": Open(operation["http"], words, counts=True)}


def _unused(command: CurlCommand) -> Iterator[str]:
    yield from (f"curl's {each} is not used." for each in command.unused)
    if command.insecure:
        yield "curl's -k is not used: a run trusts the system's authorities, and those in the file SSL_CERT_FILE."


def _address(address: str, lines: list[str]) -> str:
    """Where to measure: the address itself only where it is this machine's."""
    if is_local(address):
        return address
    lines.append(f"- It was sent to {address}: nothing is sent there unless you name it yourself.")
    return DEFAULT_ADDRESS
