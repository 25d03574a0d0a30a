"""Files of gallery/experiments/side-by-side as records, for side_by_side.py."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bakeoff.errors import BakeoffError
from bakeoff.workload.declaration import Operation


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file."""


class DeclaredDatabase(_Table, frozen=True):
    """A separate database, dropped at the end. `fill` is executed once its servers have made their tables.

    `seed`: schema and seed of the workload lay it out, with the rows for checks.
    """

    name: str
    fill: str | None = None
    seed: bool = False


class DeclaredServer(_Table, frozen=True):
    """A target with settings, or a program: `build` and `command` run in `directory`, `{port}` is filled in.

    `protocol` (rest or grpc) and all that follow up to `environment` are a program's; `beside` names a target whose
    build makes the program too. `restarts`: it starts again for each turn of a side.
    """

    name: str
    target: str | None = None
    settings: Mapping[str, str] = {}
    protocol: str = ""
    directory: str = "."
    build: Sequence[str] = ()
    beside: str | None = None
    command: Sequence[str] = ()
    environment: Mapping[str, str] = {}
    database: str | None = None
    restarts: bool = False


class Before(_Table, frozen=True):
    """The unmeasured load of a side before its first turn: a number of requests, or a time.

    As the side itself where `send` is empty.
    """

    send: Mapping[str, int] = {}
    requests: int | None = None
    seconds: float = 1.0


class Tool(_Table, frozen=True):
    """Another load generator: `{url}`, `{users}` and `{seconds}` (whole ones) are filled into its command.

    `per_s` and `failed` are regular expressions for what it prints: the first group of `per_s` is the rate, and
    `failed` matches only where requests failed. It runs in the checkout's root.
    """

    name: str
    command: Sequence[str]
    per_s: str
    failed: str

    def filled(self, *, url: str, users: int, seconds: float) -> list[str]:
        """Its command."""
        return [word.format(url=url, users=users, seconds=max(1, round(seconds))) for word in self.command]


class Side(_Table, frozen=True):
    """Operations with their weights for a server (none: the workload's own), or a script for pgbench on a database.

    `reuse` is the share of operations that use a key again (none: the workload's own). A `tool`, named, sends what its
    command says; the CPU of the server is unknown then.
    """

    name: str
    server: str | None = None
    send: Mapping[str, int] = {}
    reuse: float | None = None
    tool: str | None = None
    before: Before | None = None
    users: int | None = None
    pgbench: str | None = None
    database: str | None = None


class DeclaredRatio(_Table, frozen=True):
    """One side over another; of several the fastest in each round. `goal` is the least that is asked for."""

    of: Sequence[str]
    to: Sequence[str]
    goal: float | None = None


class SideBySide(_Table, frozen=True):
    """A file. `operations` are written as in a workload.toml, and are added to the workload's."""

    question: str
    workload: str
    servers: Sequence[DeclaredServer]
    sides: Sequence[Side]
    ratios: Sequence[DeclaredRatio]
    databases: Sequence[DeclaredDatabase] = ()
    tools: Sequence[Tool] = ()
    operations: Sequence[Operation] = ()
    users: int = 64
    warm_up_s: float = 1.0


def read(file: Path) -> SideBySide:
    """The file, with every name that it uses declared in it."""
    try:
        declared = msgspec.toml.decode(file.read_bytes(), type=SideBySide)
    except (OSError, msgspec.MsgspecError) as error:
        raise BakeoffError(f"{file}: {error}") from error
    sides, servers = {side.name for side in declared.sides}, {server.name for server in declared.servers}
    tools = {tool.name for tool in declared.tools}
    for tool in declared.tools:
        _check_tool(file, tool)
    databases = {None, *(database.name for database in declared.databases)}
    for ratio in declared.ratios:
        _check(file, "side", {*ratio.of, *ratio.to} - sides, sides)
    for side in declared.sides:
        if (side.pgbench is None) == (side.server is None):
            raise BakeoffError(f"{file}: side {side.name} needs either a server and what to send, or pgbench.")
        if side.reuse is not None and not 0 <= side.reuse <= 1:
            raise BakeoffError(f"{file}: the reuse of side {side.name} is {side.reuse}: use a share from 0 to 1.")
        if side.tool is not None and (side.server is None or side.send or side.reuse is not None):
            raise BakeoffError(f"{file}: the tool of side {side.name} needs a server, and sends what its command says.")
        _check(file, "tool", {side.tool} - {None, *tools}, tools)
        _check(file, "server", {side.server} - {None, *servers}, servers)
        _check(file, "database", {side.database} - databases, databases)
    for server in declared.servers:
        if (server.target is None) != bool(server.command and server.protocol):
            raise BakeoffError(f"{file}: server {server.name} needs either a target, or a command and its protocol.")
        _check(file, "database", {server.database} - databases, databases)
    return declared


def _check(file: Path, kind: str, unknown: set[str | None] | set[str], known: set[str | None] | set[str]) -> None:
    if unknown:
        names = ", ".join(sorted(each for each in known if each))
        raise BakeoffError(f"{file}: there is no {kind} {unknown.pop()}: add it, or use one of {names}.")


def _check_tool(file: Path, tool: Tool) -> None:
    if not tool.command:
        raise BakeoffError(f"{file}: the tool {tool.name} has no command.")
    try:
        tool.filled(url="", users=1, seconds=1.0)
        groups = re.compile(tool.per_s).groups
        re.compile(tool.failed)
    except (KeyError, IndexError, ValueError) as error:
        raise BakeoffError(
            f"{file}: the command of the tool {tool.name} has a name in braces other than {{url}}, {{users}} and "
            f"{{seconds}}: {error}. Write {{{{ and }}}} for braces."
        ) from error
    except re.error as error:
        raise BakeoffError(
            f"{file}: the tool {tool.name}: per_s or failed is no regular expression: {error}."
        ) from error
    if groups != 1:
        raise BakeoffError(f"{file}: the tool {tool.name}: per_s needs one group, the rate: 'Requests/sec: (.*)'.")
