"""Errors as problems of RFC 9457."""

from http import HTTPStatus

from django.http import HttpRequest, JsonResponse


def problem(status: HTTPStatus, detail: str) -> JsonResponse:
    return JsonResponse(
        {"type": "about:blank", "title": status.phrase, "status": status, "detail": detail},
        status=status,
        content_type="application/problem+json",
    )


def bad_request(_: HttpRequest, exception: Exception) -> JsonResponse:
    return problem(HTTPStatus.BAD_REQUEST, str(exception))


def not_found(_: HttpRequest, exception: Exception) -> JsonResponse:  # noqa: ARG001 (Django passes it by name)
    return problem(HTTPStatus.NOT_FOUND, "not found")


def failed(_: HttpRequest) -> JsonResponse:
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request could not be processed")
