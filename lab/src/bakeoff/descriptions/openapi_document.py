"""An OpenAPI document: read, checked, and as the operations that it has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bakeoff.descriptions.json_members import JsonObject, list_in, object_in, objects_by_name, objects_of, text_in
from bakeoff.descriptions.schema_templates import Resolve, Schema
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError

_METHODS = ("get", "post", "put", "patch", "delete")
_JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class DescribedOperation:
    """One method of one path. `parameters` are resolved, those of the path too."""

    path: str
    method: str
    entry: JsonObject
    parameters: Sequence[JsonObject]
    resolve: Resolve

    @property
    def name(self) -> str:
        return str(self.entry.get("operationId") or f"{self.method} {self.path}")

    @property
    def about(self) -> str:
        """Its summary, in one line."""
        return " ".join(str(self.entry.get("summary") or self.entry.get("description") or "").split())

    @property
    def variables(self) -> list[str]:
        """The names of the parameters in its path, in order."""
        return [part.split("}")[0] for part in self.path.split("{")[1:]]

    @property
    def status(self) -> int:
        """The lowest status of success that is documented."""
        documented = [int(each) for each in self._responses if each.isdecimal()]
        return min((each for each in documented if 200 <= each < 300), default=200)

    def documents(self, status: int) -> bool:
        """Whether a status is documented."""
        return str(status) in self._responses

    @property
    def reply(self) -> Schema | None:
        """The schema of its successful reply, where that is JSON."""
        return self._json_schema(object_in(self._success, "content"))

    @property
    def reply_headers(self) -> list[str]:
        """Names of the headers of its successful reply, in lower case."""
        return [str(name).lower() for name in object_in(self._success, "headers")]

    def body(self) -> tuple[str, Schema] | None:
        """Media type and schema of what it sends: JSON where that is possible; None where it sends nothing."""
        if "requestBody" not in self.entry:
            return None
        content = object_in(self.resolve(object_in(self.entry, "requestBody")), "content")
        schema = self._json_schema(content)
        if schema is not None:
            return _JSON, schema
        media_type = FORM if FORM in content else next(iter(content), "nothing")
        return media_type, self._schema_in(object_in(content, media_type))

    @property
    def _responses(self) -> dict[str, JsonObject]:
        return objects_by_name(object_in(self.entry, "responses"))

    @property
    def _success(self) -> JsonObject:
        return self.resolve(self._responses.get(str(self.status), self._responses.get("2XX", {})))

    def _json_schema(self, content: JsonObject) -> Schema | None:
        for media_type, entry in objects_by_name(content).items():
            essence = media_type.split(";")[0].strip()
            if essence == _JSON or essence.endswith("+json"):
                return self._schema_in(entry)
        return None

    def _schema_in(self, entry: JsonObject) -> Schema:
        """The schema of a media type, with the first example that stands beside it."""
        named = map(self.resolve, objects_by_name(object_in(entry, "examples")).values())
        examples = [entry.get("example"), *(each.get("value") for each in named)]
        given = [{"example": each} for each in examples if each is not None]
        return {**object_in(entry, "schema"), **(given[0] if given else {})}


@dataclass(frozen=True)
class Description:
    """A checked document."""

    document: JsonObject
    resolve: Resolve

    @property
    def title(self) -> str:
        return text_in(object_in(self.document, "info"), "title")

    @property
    def base_path(self) -> str:
        """The prefix of every path."""
        return urlsplit(self._server).path.rstrip("/")

    @property
    def address(self) -> str | None:
        """Scheme, host and port of the first server that has them."""
        parts = urlsplit(self._server)
        return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else None

    @property
    def schemes(self) -> Mapping[str, JsonObject]:
        """Ways of authentication that operations can ask for."""
        found = object_in(object_in(self.document, "components"), "securitySchemes")
        return {name: self.resolve(each) for name, each in objects_by_name(found).items()}

    def needed_schemes(self, operation: DescribedOperation) -> list[JsonObject]:
        """Those of the first alternative that an operation asks for."""
        asked = objects_of(list_in(operation.entry if "security" in operation.entry else self.document, "security"))
        return [self.schemes[name] for name in (asked[0] if asked else {}) if name in self.schemes]

    def operations(self) -> Iterator[DescribedOperation]:
        """In the order of the document, without what is deprecated."""
        for path, item in objects_by_name(object_in(self.document, "paths")).items():
            resolved = self.resolve(item)
            for method in _METHODS:
                entry = object_in(resolved, method)
                if method in resolved and not entry.get("deprecated"):
                    parameters = objects_of([*list_in(resolved, "parameters"), *list_in(entry, "parameters")])
                    own = {(text_in(each, "name"), text_in(each, "in")): each for each in map(self.resolve, parameters)}
                    yield DescribedOperation(path, method.upper(), entry, list(own.values()), self.resolve)

    @property
    def _server(self) -> str:
        server = next(iter(objects_of(list_in(self.document, "servers"))), {})
        url = text_in(server, "url")
        for name, variable in objects_by_name(object_in(server, "variables")).items():
            url = url.replace(f"{{{name}}}", text_in(variable, "default"))
        return url


def read_description(file: Path) -> Description:
    """An OpenAPI document of version 3, as JSON or YAML. Raises UsageError for one that is not valid."""
    from openapi_spec_validator import validate
    from openapi_spec_validator.readers import read_from_filename
    from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
    from openapi_spec_validator.versions.consts import VERSIONS
    from yaml import YAMLError

    try:
        document, _ = read_from_filename(str(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {getattr(error, 'reason', error)}.") from error
    except (ValueError, YAMLError) as error:
        raise UsageError(f"{file} is neither JSON nor YAML: {' '.join(str(error).split())}") from error
    version = str(document.get("openapi", "")) if isinstance(document, Mapping) else ""
    if not version.startswith("3."):
        raise UsageError(f"{file} is not OpenAPI 3: it has no openapi: 3.x. Convert Swagger 2 with swagger2openapi.")
    supported = [f"{each.major}.{each.minor}." for each in VERSIONS if each.keyword == "openapi"]
    if not version.startswith(tuple(supported)):
        listed = ", ".join(f"{each}x" for each in supported)
        raise UsageError(f"{file} has openapi: {version}; supported are {listed}. Convert it to one of these.")
    outside = next((each for each in _references(document) if not each.startswith("#/")), None)
    if outside is not None:
        raise UsageError(f"{file} refers to {outside}: bundle it into one file first (npx @redocly/cli bundle).")
    try:
        validate(document)
    except OpenAPIValidationError as error:
        place = "/".join(map(str, getattr(error, "absolute_path", ())))
        raise UsageError(f"{file} is not valid OpenAPI: {place + ': ' if place else ''}{error.args[0]}") from error
    return Description(document, Resolve(document))


def _references(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)
