"""Errors as problems of RFC 9457."""

from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException


def problem(status: int, detail: str) -> JSONResponse:
    title = HTTPStatus(status).phrase
    return JSONResponse(
        {"type": "about:blank", "title": title, "status": status, "detail": detail},
        status_code=status,
        media_type="application/problem+json",
    )


def register(app: FastAPI) -> None:
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, failed)


async def refused(_: Request, error: HTTPException) -> JSONResponse:
    response = problem(error.status_code, error.detail)
    # Allow, of a method that a path has not.
    response.headers.update(error.headers or {})
    return response


async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
    """What is wrong with the first member; a path that holds no id names nothing."""
    errors = error.errors()
    if any(each["loc"][0] == "path" for each in errors):
        return problem(HTTPStatus.NOT_FOUND, "not found")
    where = "/".join(str(part) for part in errors[0]["loc"])
    return problem(HTTPStatus.BAD_REQUEST, f"{where}: {errors[0]['msg']}")


async def failed(_request: Request, _error: Exception) -> JSONResponse:
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request could not be processed")
