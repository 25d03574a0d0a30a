"""An OpenAPI document: read, checked, and as the operations that it has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bakeoff.errors import UsageError
from bakeoff.scaffold.schema_templates import Resolve, Schema

_METHODS = ("get", "post", "put", "patch", "delete")
_JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class DescribedOperation:
    """One method of one path. `parameters` are resolved, those of the path too."""

    path: str
    method: str
    entry: Mapping[str, Any]
    parameters: Sequence[Mapping[str, Any]]
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
        documented = [int(each) for each in map(str, self._responses) if each.isdecimal()]
        return min((each for each in documented if 200 <= each < 300), default=200)

    def documents(self, status: int) -> bool:
        """Whether a status is documented."""
        return str(status) in map(str, self._responses)

    @property
    def reply(self) -> Schema | None:
        """The schema of its successful reply, where that is JSON."""
        return self._json_schema(self._success.get("content", {}))

    @property
    def reply_headers(self) -> list[str]:
        """Names of the headers of its successful reply, in lower case."""
        return [str(name).lower() for name in self._success.get("headers", {})]

    def body(self) -> tuple[str, Schema] | None:
        """Media type and schema of what it sends: JSON where that is possible; None where it sends nothing."""
        if "requestBody" not in self.entry:
            return None
        content: Mapping[str, Any] = self.resolve(self.entry["requestBody"]).get("content", {})
        schema = self._json_schema(content)
        if schema is not None:
            return _JSON, schema
        media_type = FORM if FORM in content else next(iter(content), "nothing")
        return media_type, content.get(media_type, {}).get("schema", {})

    @property
    def _responses(self) -> Mapping[str | int, Any]:
        responses: Mapping[str | int, Any] = self.entry.get("responses", {})
        return responses

    @property
    def _success(self) -> Mapping[str, Any]:
        found = {str(status): each for status, each in self._responses.items()}
        return self.resolve(found.get(str(self.status), found.get("2XX", {})))

    @staticmethod
    def _json_schema(content: Mapping[str, Any]) -> Schema | None:
        for media_type, entry in content.items():
            essence = media_type.split(";")[0].strip()
            if essence == _JSON or essence.endswith("+json"):
                schema: Schema = entry.get("schema", {})
                return schema
        return None


@dataclass(frozen=True)
class Description:
    """A checked document."""

    document: Mapping[str, Any]
    resolve: Resolve

    @property
    def title(self) -> str:
        return str(self.document["info"]["title"])

    @property
    def base_path(self) -> str:
        """What stands before every path."""
        return urlsplit(self._server).path.rstrip("/")

    @property
    def address(self) -> str | None:
        """Scheme, host and port of the first server that has them."""
        parts = urlsplit(self._server)
        return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else None

    @property
    def schemes(self) -> Mapping[str, Mapping[str, Any]]:
        """Ways of authentication that operations can ask for."""
        found = self.document.get("components", {}).get("securitySchemes", {})
        return {name: self.resolve(each) for name, each in found.items()}

    def needed_schemes(self, operation: DescribedOperation) -> list[Mapping[str, Any]]:
        """Those of the first alternative that an operation asks for."""
        asked = operation.entry.get("security", self.document.get("security", []))
        return [self.schemes[name] for name in (asked[0] if asked else {}) if name in self.schemes]

    def operations(self) -> Iterator[DescribedOperation]:
        """In the order of the document, without what is deprecated."""
        for path, item in self.document.get("paths", {}).items():
            resolved = self.resolve(item)
            for method in _METHODS:
                entry = resolved.get(method)
                if entry is not None and not entry.get("deprecated"):
                    parameters = [*resolved.get("parameters", []), *entry.get("parameters", [])]
                    own = {(each["name"], each["in"]): each for each in map(self.resolve, parameters)}
                    yield DescribedOperation(str(path), method.upper(), entry, list(own.values()), self.resolve)

    @property
    def _server(self) -> str:
        server: Mapping[str, Any] = next(iter(self.document.get("servers", [])), {})
        url = str(server.get("url", ""))
        for name, variable in server.get("variables", {}).items():
            url = url.replace(f"{{{name}}}", str(variable.get("default", "")))
        return url


def read_description(file: Path) -> Description:
    """An OpenAPI document of version 3, as JSON or YAML. Raises UsageError for one that is not valid."""
    from openapi_spec_validator import validate
    from openapi_spec_validator.readers import read_from_filename
    from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
    from yaml import YAMLError

    try:
        document, _ = read_from_filename(str(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, YAMLError) as error:
        raise UsageError(f"{file} is neither JSON nor YAML: {' '.join(str(error).split())}") from error
    if not (isinstance(document, Mapping) and str(document.get("openapi", "")).startswith("3.")):
        raise UsageError(f"{file} is not OpenAPI 3: it has no openapi: 3.x. Convert Swagger 2 with swagger2openapi.")
    outside = next((each for each in _references(document) if not each.startswith("#/")), None)
    if outside is not None:
        raise UsageError(f"{file} refers to {outside}: bundle it into one file first (npx @redocly/cli bundle).")
    try:
        validate(document)
    except OpenAPIValidationError as error:
        place = "/".join(map(str, getattr(error, "absolute_path", ())))
        raise UsageError(f"{file} is not valid OpenAPI: {place + ': ' if place else ''}{error.args[0]}") from error
    return Description(document, Resolve(document))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)
