"""Errors as problems of RFC 9457."""

from http import HTTPStatus

from flask import Flask, Response, json
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException


def register(app: Flask) -> None:
    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(ValidationError, invalid)


def refused(error: HTTPException) -> Response:
    response = error.get_response()
    response.data = json.dumps(
        {"type": "about:blank", "title": error.name, "status": error.code, "detail": error.description}
    )
    response.content_type = "application/problem+json"
    return response


def invalid(error: ValidationError) -> tuple[dict[str, object], int, dict[str, str]]:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = "/".join(str(part) for part in first["loc"])
    status = HTTPStatus.BAD_REQUEST
    body = {"type": "about:blank", "title": status.phrase, "status": status, "detail": f"{where}: {first['msg']}"}
    return body, status, {"Content-Type": "application/problem+json"}
