"""The options of `bakeoff hit` that send what a curl command sends."""

import os
from collections.abc import Iterator, Sequence

from bakeoff.descriptions.curl_command import CurlCommand
from bakeoff.descriptions.recorded import operation_of
from bakeoff.workload.bodies import CONTENT_TYPES, encoded


def hit_arguments(command: CurlCommand) -> list[str]:
    """Arguments of the engine; a body is a file in memory, which the process that replaces this one inherits."""
    request = command.request
    arguments = [request.url, "--method", request.method]
    content = _content(command)
    if content is not None:
        arguments += ["--data", f"@{_file_of(content)}"]
    for name, value in request.headers:
        if name.lower() != "content-type":
            arguments += ["--header", f"{name}: {value}"]
    kind = CONTENT_TYPES["multipart"] if request.parts else request.header("content-type")
    if content is not None and kind:
        arguments += ["--type", kind]
    return [*arguments, *_of_transport(command)]


def _of_transport(command: CurlCommand) -> Iterator[str]:
    if command.insecure:
        yield "--insecure"
    if command.http2:
        yield "--http2"
    if command.timeout is not None:
        yield from ("--timeout", f"{command.timeout}s")
    named = {
        "--ca-file": command.ca_file,
        "--cert": command.client_certificate,
        "--key": command.client_key,
        "--unix-socket": command.unix_socket,
    }
    for option, value in named.items():
        if value is not None:
            yield from (option, value)
    for each in command.resolve:
        yield from ("--resolve", each)


def without_option(arguments: Sequence[str], option: str) -> list[str]:
    """Arguments without one option and its value."""
    kept: list[str] = []
    is_value = False
    for each in arguments:
        if not is_value and not (each == option or each.startswith(f"{option}=")):
            kept.append(each)
        is_value = each == option
    return kept


def _content(command: CurlCommand) -> bytes | None:
    request = command.request
    if not request.parts:
        return request.body
    import json

    return encoded("multipart", json.loads(str(operation_of("curl", request, 200)["message"])))


def _file_of(content: bytes) -> str:
    descriptor = os.memfd_create("body", 0)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)
    os.set_inheritable(descriptor, True)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return f"/proc/self/fd/{descriptor}"
