"""An API as an OpenAPI document or a proto file describes it, in the words of a workload."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from bakeoff.descriptions.faults import Fault
from bakeoff.descriptions.json_members import object_in
from bakeoff.documents.checked import Json

Table: TypeAlias = Mapping[str, Json]

# Of a login by basic authentication, which a person completes.
BASIC_LOGIN = {"Authorization": "Basic replace-me"}
# Of an entity that a user reads as often as it writes.
READ_WEIGHT = 3
# The first page of a list, and those after it that a session asks for.
_PAGES = 3


def gives_credentials(message: str | None) -> bool:
    """Whether the description gives each value of the message of a login."""
    return message not in (None, "", "{}") and "${" not in str(message)


@dataclass(frozen=True)
class ImportedOperation:
    """One `[[operations]]` of the workload. `about` is what the description says of it, `call` its request.

    A login that `registers` makes a new user each time. One that `has_pages` is sent by a session, page after page.
    """

    name: str
    call: Table
    about: str = ""
    weight: int = 1
    creates: str | None = None
    needs: str | None = None
    message: str | None = None
    body: str = "json"
    is_login: bool = False
    registers: bool = False
    effect: Table | None = None
    reads: Table | None = None
    has_pages: bool = False

    @property
    def session(self) -> Table:
        """The session that follows its pages."""
        return {"name": f"pages of {self.name}", "weight": self.weight, "steps": [self.name] * _PAGES}

    @property
    def is_text(self) -> bool:
        """Whether its message is a text, and no JSON."""
        return self.body in ("text", "binary")

    @property
    def gives_credentials(self) -> bool:
        """Whether a login can be sent as it is."""
        return self.registers or (gives_credentials(self.message) and not self.is_login_by_header)

    @property
    def is_login_by_header(self) -> bool:
        """Whether it asks for a name and a password in a header."""
        return self.is_login and BASIC_LOGIN.items() <= object_in(self.call, "headers").items()

    def members(self, side: str) -> dict[str, Json]:
        """Its members in a workload.toml; `side` is the table of its call, http or grpc."""
        members: dict[str, Json] = {
            "name": self.name,
            "weight": 0 if self.has_pages else self.weight,
            "login": self.is_login or None,
            "creates": self.creates,
            "needs": self.needs,
            side: self.call,
            "body": None if self.body == "json" or self.message is None else self.body,
            "message": self.message,
            "effect": self.effect,
            "reads": self.reads,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class Life:
    """A kind of entity that the API creates and shows.

    `missing` is the status of a read after the deletion, None where the description has none. With `compares` a read
    shows what was sent.
    """

    kind: str
    missing: Json
    compares: bool


@dataclass(frozen=True)
class ImportedApi:
    """The source of a new workload.

    - `health`: what [health] says for the protocol; None where no request is known to show it.
    - `address`: where the API answers, as the description says, or None.
    - `left_out`: operations that are not in the workload, each with the reason.
    - `advice`: what a person must decide.
    - `credentials`: headers that requests need, each with an example of its value; `query`: the same in queries.
    - `sources`: the other files that the description refers to.
    - `faults`: what is wrong with the description, where that did not hinder the import.
    """

    title: str
    protocol: str
    operations: Sequence[ImportedOperation]
    health: Table | None = None
    lives: Sequence[Life] = ()
    left_out: Sequence[str] = ()
    advice: Sequence[str] = ()
    credentials: Mapping[str, str] = field(default_factory=dict)
    address: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    proto: str | None = None
    faults: Sequence[Fault] = ()
    query: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[Path] = ()

    @property
    def side(self) -> str:
        return "grpc" if self.protocol == "grpc" else "http"

    @property
    def members(self) -> dict[str, Json]:
        """The members of a workload.toml that describe it."""
        members: dict[str, Json] = {"title": self.title} if self.title else {}
        members |= {"read_back": self.read_back} if self.read_back else {}
        members |= {"health": {self.side: self.health}} if self.health is not None else {}
        members |= {"sessions": self.sessions} if self.sessions else {}
        return {**members, "operations": [each.members(self.side) for each in self.operations]}

    @property
    def sessions(self) -> Sequence[Table]:
        """A session for each list with pages."""
        return [each.session for each in self.operations if each.has_pages]

    @property
    def read_back(self) -> Sequence[str]:
        """The operations that can read entities back: they make an audit without a database."""
        return [each.name for each in self.operations if each.reads is not None and "absent" in each.reads]
