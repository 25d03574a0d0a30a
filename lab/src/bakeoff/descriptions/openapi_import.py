"""A workload from an OpenAPI document: its operations, what they send, and how they follow from one another.

A POST whose reply holds the id that another path asks for creates an entity; the requests of that path need one.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_plus, urlencode, urlsplit

from bakeoff.descriptions.imported import READ_WEIGHT, ImportedApi, ImportedOperation, Life, Table
from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, text_in
from bakeoff.descriptions.openapi_document import FORM, DescribedOperation, Description, read_description
from bakeoff.descriptions.openapi_entities import Entities, Entity
from bakeoff.descriptions.schema_templates import Schema, SchemaTemplates
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError

_LOGIN = re.compile(r"log[-_]?in|sign[-_]?in|token|session", re.IGNORECASE)
_TOKENS = ("token", "access_token", "accessToken", "jwt", "id_token")
_HEALTH = re.compile(r"/(health|healthz|ready|readyz|live|livez|status|ping)$", re.IGNORECASE)


def import_openapi(file: Path) -> ImportedApi:
    """Raises UsageError where the document is not valid or describes nothing that can be sent."""
    return _Import(read_description(file)).api(file)


class _Import:
    def __init__(self, description: Description) -> None:
        self._description = description
        self._templates = SchemaTemplates(description.resolve)
        self._login_templates = SchemaTemplates(description.resolve, prefers_examples=True)
        self._described = list(description.operations())
        self._entities = Entities(self._described, self._templates)
        self._login = next((each for each in self._described if self._token_place(each) is not None), None)
        self._advice: list[str] = []
        self._left_out: list[str] = []
        self._credentials: dict[str, str] = {}

    def api(self, file: Path) -> ImportedApi:
        health = next((each for each in self._described if each.method == "GET" and _HEALTH.search(each.path)), None)
        sent = [each for each in self._described if each is not health]
        operations = [operation for each in sent if (operation := self._operation(each)) is not None]
        if not any(each.weight for each in operations):
            raise UsageError(f"{file} describes no operation that can be sent. {' '.join(self._left_out)}")
        lives = [
            Life(each.kind, 404 if each.reading and each.reading.documents(404) else None, each.can_compare)
            for each in self._entities.all
        ]
        unmatched = (*self._templates.unmatched, *self._login_templates.unmatched)
        self._advice += [f"{each}." for each in dict.fromkeys(unmatched)]
        for each in operations:
            if each.is_login and not each.gives_credentials:
                self._note(f"{each.name} logs each user in: give its message credentials that exist.")
        return ImportedApi(
            self._description.title,
            "rest",
            operations,
            None if health is None else self._health(health),
            lives,
            self._left_out,
            self._advice,
            self._credentials,
            self._description.address,
        )

    def _health(self, described: DescribedOperation) -> Table:
        return {"method": "GET", "path": self._description.base_path + described.path, "expect": described.status}

    def _operation(self, described: DescribedOperation) -> ImportedOperation | None:
        """None, and a line of why, for what no workload can hold."""
        body = described.body()
        if body is not None and body[0] not in ("application/json", FORM):
            self._leave_out(described, f"its body is {body[0]}")
            return None
        owner = self._entities.owner(described)
        if owner is not None and described.variables != [owner.variable]:
            self._leave_out(described, "its path names entities of two kinds")
            return None
        is_login, created = described is self._login, self._entities.created_by(described)
        message, is_text = self._message(body, is_login=is_login)
        effect, reads = self._entities.state(described)
        return ImportedOperation(
            described.name,
            self._call(described, owner, created, is_login=is_login),
            described.about,
            weight=0 if is_login else READ_WEIGHT if owner is not None and owner.reading is described else 1,
            creates=None if created is None else created.kind,
            needs=None if owner is None else owner.kind,
            message=message,
            is_text=is_text,
            is_login=is_login,
            effect=effect,
            reads=reads,
        )

    def _leave_out(self, described: DescribedOperation, reason: str) -> None:
        self._left_out.append(f"{described.method} {described.path} is left out: {reason}.")

    def _token_place(self, described: DescribedOperation) -> str | None:
        """Where the reply of a login has its token: by its names, or as OAuth 2 says it for the URL of tokens."""
        if described.method != "POST":
            return None
        members = {} if described.reply is None else self._templates.members(described.reply, written=False)
        place = next((f"/{name}" for name in _TOKENS if name in members), None)
        if self._gives_tokens(described):
            return place or "/access_token"
        names_login = _LOGIN.search(f"{described.path} {described.name}")
        return place if names_login and self._bearer_schemes() else None

    def _gives_tokens(self, described: DescribedOperation) -> bool:
        path = f"{self._description.base_path}{described.path}".rstrip("/")
        flows = [object_in(object_in(each, "flows"), "password") for each in self._description.schemes.values()]
        urls = [urlsplit(text_in(each, "tokenUrl")).path.strip("/") for each in flows if "tokenUrl" in each]
        return any(path.endswith(f"/{url}") for url in urls)

    def _bearer_schemes(self) -> list[JsonObject]:
        bearers = ("http", "oauth2", "openIdConnect")
        return [each for each in self._description.schemes.values() if each.get("type") in bearers]

    def _message(self, body: tuple[str, Schema] | None, *, is_login: bool) -> tuple[str | None, bool]:
        if body is None:
            return None, False
        media_type, schema = body
        templates = self._login_templates if is_login else self._templates
        if media_type != FORM:
            return templates.json(schema), False
        whole = templates.merged(schema)
        if is_login and (example := object_in(whole, "example")):
            return urlencode(example), True
        members = templates.members(schema, written=True)
        required = list_in(whole, "required")
        if is_login and required:
            members = {name: each for name, each in members.items() if name in required}
        values = {name: templates.text(each, name) for name, each in members.items()}
        encoded = {name: each if "${" in each else quote_plus(each) for name, each in values.items()}
        return "&".join(f"{name}={each}" for name, each in encoded.items()), True

    def _call(
        self, described: DescribedOperation, owner: Entity | None, created: Entity | None, *, is_login: bool
    ) -> Table:
        call: dict[str, Json] = {
            "method": described.method,
            "path": self._path(described, owner),
            "expect": described.status,
        }
        body = described.body()
        headers: dict[str, Json] = {"content-type": FORM} if body is not None and body[0] == FORM else {}
        headers |= {
            text_in(each, "name"): self._value_of(each)
            for each in described.parameters
            if each["in"] == "header" and each.get("required")
        }
        headers |= {} if is_login else dict(self._authorization(described))
        if headers:
            call["headers"] = headers
        if is_login:
            call["capture"] = {"token": self._token_place(described)}
        elif created is not None:
            call["capture"] = {"id": created.id_place}
        elif owner is not None and owner.reading is described and owner.shows_id:
            call["reply"] = {owner.id_place: "${captured.id}"}
        return call

    def _value_of(self, parameter: JsonObject) -> str:
        return self._templates.text(object_in(parameter, "schema"), text_in(parameter, "name"))

    def _path(self, described: DescribedOperation, owner: Entity | None) -> str:
        path = self._description.base_path + described.path
        values = {text_in(each, "name"): each for each in described.parameters if each["in"] == "path"}
        for name in described.variables:
            if owner is not None and name == owner.variable:
                value = "${captured.id}"
            else:
                value = self._templates.text(object_in(values.get(name, {}), "schema"), name)
                self._advice.append(f"{described.name}: {{{name}}} in its path is {value}. Write values that exist.")
            path = path.replace(f"{{{name}}}", value)
        query = [each for each in described.parameters if each["in"] == "query" and each.get("required")]
        parts = [f"{each['name']}={self._value_of(each)}" for each in query]
        return path + ("?" + "&".join(parts) if parts else "")

    def _authorization(self, described: DescribedOperation) -> Iterator[tuple[str, str]]:
        """The headers that an operation asks for; a token that no login returns is given to the lab."""
        for scheme in self._description.needed_schemes(described):
            kind, way = text_in(scheme, "type"), text_in(scheme, "scheme").capitalize()
            if kind == "apiKey" and scheme.get("in") == "header":
                yield self._header(text_in(scheme, "name"), "replace-me")
            elif kind == "http" and way != "Bearer":
                yield self._header("Authorization", f"{way or 'Basic'} replace-me")
            elif self._login is not None:
                yield "Authorization", "Bearer ${login.token}"
            else:
                self._credentials["Authorization"] = "Bearer replace-me"
                self._note("Operations need a bearer token: set BAKEOFF_API_TOKEN, or add an operation with login.")

    def _header(self, name: str, value: str) -> tuple[str, str]:
        self._credentials[name] = value
        self._note(f"Requests need the header {name}: write its value in the place of replace-me.")
        return name, value

    def _note(self, line: str) -> None:
        if line not in self._advice:
            self._advice.append(line)
