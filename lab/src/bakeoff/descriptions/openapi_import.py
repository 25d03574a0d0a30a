"""A workload from an OpenAPI document: its operations, what they send, and how they follow from one another.

A POST whose reply holds the id that another path asks for creates an entity; the requests of that path need one.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

from bakeoff.descriptions.faults import advice_notes, left_out_notes
from bakeoff.descriptions.imported import (
    BASIC_LOGIN,
    READ_WEIGHT,
    ImportedApi,
    ImportedOperation,
    Life,
    Table,
    gives_credentials,
)
from bakeoff.descriptions.json_members import JsonObject, object_in, text_in
from bakeoff.descriptions.openapi_document import DescribedOperation, Description, read_description
from bakeoff.descriptions.openapi_entities import Entities, Entity
from bakeoff.descriptions.openapi_links import Links
from bakeoff.descriptions.openapi_messages import Messages
from bakeoff.descriptions.own_account import writes_own_account
from bakeoff.descriptions.pages import next_page
from bakeoff.descriptions.schema_merging import kind_of
from bakeoff.descriptions.schema_templates import SchemaTemplates
from bakeoff.descriptions.steps import Step, with_steps
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError

_LOGIN = re.compile(r"log[-_]?in|sign[-_]?in|token|session", re.IGNORECASE)
_REGISTRATION = re.compile(r"regist(er|ration)|sign[-_]?up|(?<=/)(user|account)s?/?$", re.IGNORECASE)
# A key in one of these headers is the token that a login returns, where there is a login.
_TOKEN_HEADER = re.compile(r"authorization|.*token", re.IGNORECASE)
# The word before the token, as descriptions show it: "Token xxxxxx.yyyyyyy.zzzzzz", "Bearer <token>", prefix "Token".
_SHOWN_WAY = re.compile(
    r"\b(?:Bearer|Token|JWT)(?= +(?:[<{\[]|x{2,}|your|[\w-]+\.[\w-]+\.))|(?<=\bprefix [\"'`])\w+", re.IGNORECASE
)
_ONE_TIME = re.compile(r"code|.*refresh_?token|.*assertion|id_?token|otp", re.IGNORECASE)
_USER = re.compile(r"user|mail|login|phone", re.IGNORECASE)
_LOGOUT = re.compile(r"(log|sign)[-_]?out|revoke", re.IGNORECASE)
_TOKENS = ("token", "access_token", "accessToken", "jwt", "id_token")
_HEALTH = re.compile(r"/(health|healthz|ready|readyz|live|livez|status|ping)$", re.IGNORECASE)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SENT_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def import_openapi(file: Path) -> ImportedApi:
    """Raises UsageError where the document describes nothing that can be sent."""
    return _Import(read_description(file)).api(file)


class _Import:
    def __init__(self, description: Description) -> None:
        self._description = description
        self._templates = SchemaTemplates(description.resolve)
        self._described = list(description.operations())
        self._is_old = all(each.entry.get("deprecated") for each in self._described)
        self._reasons = {each: self._reason_by_itself(each) for each in self._described}
        self._sent = [each for each in self._described if self._reasons[each] is None]
        self._entities = Entities(self._sent, self._templates)
        self._advice, self._left_out = advice_notes(), left_out_notes()
        self._messages = Messages(self._templates, self._entities, self._advice)
        logins = [each for each in self._sent if self._logs_in(each)]
        self._login = next(filter(self._takes_password, logins), logins[0] if logins else None)
        self._registration = self._registration_that_logs_in()
        self._linking = self._messages.linking
        passed_over = {each for each in self._sent if each is self._login or self._reason_among_others(each)}
        self._linking.passed_over = passed_over
        self._referred = list(self._linking.kept_by_others(self._sent))
        self._credentials: dict[str, str] = {}
        self._query_credentials: dict[str, str] = {}

    def api(self, file: Path) -> ImportedApi:
        # Where it is all that can be sent, it is measured.
        health = next((each for each in self._sent if self._is_health(each) and len(self._sent) > 1), None)
        operations: list[ImportedOperation] = []
        steps: dict[str, Sequence[Step]] = {}
        for each in self._described:
            if each is health:
                continue
            reason = self._reasons[each] or self._reason_among_others(each)
            if reason is None:
                operations.append(self._operation(each))
                steps[each.name] = () if each is self._login else self._linking.of(each).steps
            else:
                self._left_out.add(reason, each.place)
        for name in self._description.webhooks:
            self._left_out.add("the API sends it itself, as a webhook", name)
        if not any(each.weight for each in operations):
            raise UsageError(
                f"{file} describes no operation that can be sent. {' '.join(self._left_out.lines)}".strip()
            )
        operations = list(with_steps(operations, steps))
        self._messages.add_made_up()
        for operation in operations:
            if operation.is_login and not operation.gives_credentials:
                where = "header Authorization" if operation.is_login_by_header else "message"
                self._advice.add(f"{operation.name} logs each user in: give its {where} credentials that exist.")
        return ImportedApi(
            self._description.title,
            "rest",
            operations,
            None if health is None else self._health(health),
            # A case makes one entity alone.
            [
                Life(each.kind, each.gone, each.can_compare)
                for each in self._entities.all
                if not self._linking.of(each.creator).named
            ],
            self._left_out.lines,
            self._advice.lines,
            self._credentials,
            self._description.address,
            faults=self._description.faults,
            query=self._query_credentials,
            sources=self._description.sources,
        )

    def _is_health(self, described: DescribedOperation) -> bool:
        """Whether a request shows that the service is ready: one that needs nothing that only a person knows."""
        if described.method != "GET" or not _HEALTH.search(described.path) or described.variables:
            return False
        is_open = not any(described.required(place) for place in ("query", "header", "cookie"))
        needs_login = self._login is not None and any(map(_is_token, self._description.needed_schemes(described)))
        # A list below /status is one of entities.
        is_list = described.reply is not None and kind_of(self._templates.merged(described.reply)) == "array"
        return is_open and described.body is None and not needs_login and not is_list

    def _health(self, described: DescribedOperation) -> Table:
        headers = self._authorization(described)
        path = self._messages.path(described, {}, self._query_authorization(described))
        call: Table = {"method": "GET", "path": path, "expect": described.status}
        return {**call, **({"headers": headers} if headers else {})}

    def _reason_by_itself(self, described: DescribedOperation) -> str | None:
        """Why no workload can hold an operation; None where it can."""
        if described.entry.get("deprecated") and not self._is_old:
            return "it is deprecated"
        if described.method not in _SENT_METHODS:
            return f"its method is {described.method}"
        if "#" in described.path:
            return "its path has a fragment, which no request sends"
        if described.is_upgrade:
            return "its reply is 101: it is no request but a WebSocket"
        if described.is_endless:
            return "its reply is a stream of events, which may not end"
        body = described.body
        if body is not None and body.kind is None:
            return f"its body is {body.media_type}"
        if body is not None and body.kind == "multipart" and not self._templates.members(body.schema, written=True):
            return f"the parts of its {body.media_type} are not described"
        keys = [each for each in self._description.needed_schemes(described) if each.get("type") == "apiKey"]
        named = [text_in(each, "name") for each in (*described.required("header"), *keys) if each.get("in") == "header"]
        if unsent := [each for each in named if not _HEADER_NAME.fullmatch(each)]:
            return f"{unsent[0]} is no name of a header"
        if any(each.get("in") == "querystring" for each in described.parameters):
            return "its query is described as a whole"
        return None

    def _reason_among_others(self, described: DescribedOperation) -> str | None:
        """Why an operation would make others fail; None where it does not."""
        if self._registration is not None and described is not self._login and self._logs_in(described):
            return f"it needs a user who exists: {self._registration.name} registers one for each virtual user"
        if self._writes_login(described):
            if described.method == "DELETE":
                return "it deletes the user whom the other operations are logged in as"
            if any(is_needed for _, is_needed in self._messages.credentials(described)):
                return "it changes the credentials that the other operations log in with"
        collected = self._entities.collects(described)
        if described.method == "DELETE" and collected is not None:
            return "it deletes what the other operations use"
        is_out = _LOGOUT.search(f"{described.path} {described.name}") is not None
        if is_out and self._login is not None and self._description.needed_schemes(described):
            return "it ends the login that the other operations use"
        return None

    def _writes_login(self, described: DescribedOperation) -> bool:
        """Whether an operation changes the account of all virtual users."""
        is_shared = self._registration is None and self._description.needed_schemes(described)
        return bool(is_shared) and writes_own_account(described)

    def _operation(self, described: DescribedOperation) -> ImportedOperation:
        is_login, created = described is self._login, self._entities.created_by(described)
        owner = self._entities.owner(described) if not is_login else None
        about = owner or (None if is_login else self._entities.called(described))
        links = Links() if is_login else self._linking.of(described)
        needs = links.needs or (None if about is None else about.kind)
        registers = described is self._registration
        keeps = self._writes_login(described)
        message = self._messages.message(described, is_login=is_login and not registers, keeps_credentials=keeps)
        effect, reads = (None, None) if is_login else self._entities.state(described)
        weight = 0 if is_login else READ_WEIGHT if about is not None and about.reading is described else 1
        if effect is not None and effect["kind"] == "delete" and about is not None and self._is_used(about):
            weight = 0
            self._advice.add("The deletion of what others refer to has weight 0: they may go with it.", described.name)
        call = self._call(described, about, links, created, is_login=is_login)
        # A token of one list is none of another: its path and query must be the same each time.
        is_one_list = needs is None and not is_login and "capture" not in call and "${" not in str(call["path"])
        first, may_shrink = str(call["path"]), self._deletes_from(described)
        pages = next_page(described, self._templates, first, may_shrink=may_shrink) if is_one_list else None
        if pages is not None:
            call = {**call, "path": pages.path(first), "capture": pages.capture}
        return ImportedOperation(
            described.name,
            call,
            described.about,
            weight=weight,
            creates=None if created is None or is_login else created.kind,
            needs=needs,
            message=message,
            body="json" if described.body is None else described.body.kind or "json",
            is_login=is_login,
            registers=registers,
            effect=effect,
            reads=reads,
            has_pages=pages is not None,
        )

    def _deletes_from(self, described: DescribedOperation) -> bool:
        """Whether an operation deletes what a list shows."""
        items = f"{described.path.rstrip('/')}/{{"
        return any(each.method == "DELETE" and each.path.startswith(items) for each in self._sent)

    def _is_used(self, entity: Entity) -> bool:
        """Whether others refer to an entity, or lie within it and no read says that they are gone with it."""
        within = [each for each in self._entities.all if each.lies_within(entity)]
        return entity in self._referred or any(each.gone is None for each in within)

    def _call(
        self,
        described: DescribedOperation,
        about: Entity | None,
        links: Links,
        created: Entity | None,
        *,
        is_login: bool,
    ) -> Table:
        owner = None if about is None or about.called is not None else about
        own = self._entities.own_names(described) if about is not None and owner is None else []
        variables = self._messages.linked_variables(described, owner)
        linked = {**links.slots, **dict.fromkeys(own, "${captured.id}"), **variables}
        statuses = list(described.statuses)
        if owner is not None and owner.parent is not None and owner.gone is not None:
            # Another request may have deleted the entity that this one lies within.
            statuses.append(owner.gone)
        query = [] if is_login else self._query_authorization(described)
        call: dict[str, Json] = {
            "method": described.method,
            "path": self._messages.path(described, linked, query),
            "expect": statuses[0] if len(statuses) == 1 else statuses,
        }
        headers = {**self._messages.headers(described), **self._authorization(described, is_login=is_login)}
        if headers:
            call["headers"] = headers
        if is_login:
            call["capture"] = {"token": self._token_place(described)}
        elif created is not None:
            call["capture"] = self._messages.captures(created)
        elif about is not None and about.reading is described and about.shown_id:
            call["reply"] = {about.shown_id: "${captured.id}"}
        return call

    def _logs_in(self, described: DescribedOperation) -> bool:
        """Whether its reply has a token, by its names, or as OAuth 2 says it for the URL of tokens."""
        names_login = _LOGIN.search(f"{described.path} {described.name}") is not None
        if described.body is not None and not self._takes_password(described):
            # What another party gave is good for one login, and names no user.
            members = self._templates.members(described.body.schema, written=True)
            names_login &= any(map(_USER.search, members)) or not any(map(_ONE_TIME.fullmatch, members))
        return (names_login or self._gives_tokens(described)) and self._token_place(described) is not None

    def _takes_password(self, described: DescribedOperation) -> bool:
        """Whether it asks for a password: in its message, or by basic authentication."""
        is_basic = any(map(_is_basic, self._description.needed_schemes(described)))
        return is_basic or any("pass" in path[-1].lower() for path, _ in self._messages.credentials(described))

    def _registration_that_logs_in(self) -> DescribedOperation | None:
        """An open registration that returns a token, where the description has no credentials of a user."""
        open_to_all = (each for each in self._sent if not self._description.needed_schemes(each))
        named = (each for each in open_to_all if _REGISTRATION.search(f"{each.name} {each.path}"))
        registration = next((each for each in named if self._token_place(each) is not None), None)
        if registration is None or registration is self._login:
            return None
        if self._login is not None:
            messages = Messages(self._templates, self._entities, advice_notes())
            if gives_credentials(messages.message(self._login, is_login=True)):
                return None
        self._login = registration
        return registration

    def _token_place(self, described: DescribedOperation) -> str | None:
        """Where a reply has a token: in itself, or in one of its members."""
        if described.method != "POST" or described.variables:
            return None
        members = {} if described.reply is None else self._templates.members(described.reply, written=False)
        own = [f"/{token}" for token in _TOKENS if token in members]
        within = {name: self._templates.members(schema, written=False) for name, schema in members.items()}
        places = [*own, *(f"/{name}/{token}" for token in _TOKENS for name in within if token in within[name])]
        places = [each for each in places if not self._sends(described, each)]
        if self._gives_tokens(described):
            return next(iter(places), "/access_token")
        return next(iter(places), None) if any(map(_is_token, self._description.schemes.values())) else None

    def _sends(self, described: DescribedOperation, place: str) -> bool:
        """Whether a request has the same member: its reply gives nothing new."""
        _, first, *rest = place.split("/")
        sent = self._entities.sent(described).get(first)
        return sent is not None and (not rest or rest[0] in self._templates.members(sent, written=True))

    def _gives_tokens(self, described: DescribedOperation) -> bool:
        path = f"{described.base_path}{described.path}".rstrip("/")
        flows = [object_in(object_in(each, "flows"), "password") for each in self._description.schemes.values()]
        urls = [urlsplit(text_in(each, "tokenUrl")).path.strip("/") for each in flows if "tokenUrl" in each]
        return any(path.endswith(f"/{url}") for url in urls if url)

    def _authorization(self, described: DescribedOperation, *, is_login: bool = False) -> dict[str, str]:
        """The headers that an operation asks for; a token that no login returns is given to the lab."""
        if is_login:
            return BASIC_LOGIN if any(map(_is_basic, self._description.needed_schemes(described))) else {}
        headers = dict(self._scheme_headers(described))
        if "Authorization" not in headers:
            asked = [each for each in described.required("header") if text_in(each, "name").lower() == "authorization"]
            if asked and self._login is not None:
                headers["Authorization"] = "Bearer ${login.token}"
            elif asked:
                headers |= dict([self._header("Authorization", "Bearer replace-me")])
        return headers

    def _schemes_of(self, described: DescribedOperation) -> list[JsonObject]:
        """The alternative that requests use: where no login gives a token, one of basic authentication, if any."""
        alternatives = self._description.alternatives(described)
        basic = [each for each in alternatives if each and all(map(_is_basic, each))]
        return next(iter([*basic, *alternatives] if self._login is None else alternatives), [])

    def _scheme_headers(self, described: DescribedOperation) -> Iterator[tuple[str, str]]:
        for scheme in self._schemes_of(described):
            kind, way = text_in(scheme, "type"), text_in(scheme, "scheme").capitalize()
            if _is_token(scheme) and kind == "apiKey" and self._login is not None:
                yield text_in(scheme, "name"), _token_as_shown(scheme)
            elif kind == "apiKey" and scheme.get("in") == "header":
                yield self._header(text_in(scheme, "name"), "replace-me")
            elif kind == "apiKey" and scheme.get("in") == "cookie":
                yield self._header("Cookie", f"{text_in(scheme, 'name')}=replace-me")
            elif kind == "apiKey":
                continue
            elif kind == "mutualTLS":
                self._advice.add("Operations need a client certificate, which requests do not have.")
            elif not _is_bearer(scheme):
                yield self._header("Authorization", f"{way or 'Basic'} replace-me")
            elif self._login is not None:
                yield "Authorization", "Bearer ${login.token}"
            else:
                self._credentials["Authorization"] = "Bearer replace-me"
                self._advice.add(
                    "Operations need a bearer token: set BAKEOFF_API_TOKEN, or add an operation with login."
                )

    def _query_authorization(self, described: DescribedOperation) -> list[str]:
        """The parts of a query that an operation asks for."""
        names = [
            text_in(scheme, "name")
            for scheme in self._schemes_of(described)
            if scheme.get("type") == "apiKey" and scheme.get("in") == "query"
        ]
        for name in names:
            self._query_credentials[name] = "replace-me"
            self._advice.add(f"Requests need {name} in their query: write its value in the place of replace-me.")
        return [f"{quote(name, safe='')}=replace-me" for name in names]

    def _header(self, name: str, value: str) -> tuple[str, str]:
        self._credentials[name] = value
        self._advice.add(f"Requests need the header {name}: write its value in the place of replace-me.")
        return name, value


def _is_basic(scheme: JsonObject) -> bool:
    return scheme.get("type") == "http" and text_in(scheme, "scheme").lower() == "basic"


def _is_bearer(scheme: JsonObject) -> bool:
    return scheme.get("type") in ("oauth2", "openIdConnect") or (
        scheme.get("type") == "http" and text_in(scheme, "scheme").lower() == "bearer"
    )


def _is_token(scheme: JsonObject) -> bool:
    """Whether it asks for what a login returns: a bearer token, or a key in a header for tokens."""
    is_key = scheme.get("type") == "apiKey" and scheme.get("in") == "header"
    return _is_bearer(scheme) or (is_key and _TOKEN_HEADER.fullmatch(text_in(scheme, "name")) is not None)


def _token_as_shown(scheme: JsonObject) -> str:
    """The value of a key's header: after the word that the description shows, in Authorization after Bearer."""
    shown = _SHOWN_WAY.search(text_in(scheme, "description"))
    is_authorization = text_in(scheme, "name").lower() == "authorization"
    way = shown[0] if shown is not None else "Bearer" if is_authorization else ""
    return f"{way} ${{login.token}}".strip()
