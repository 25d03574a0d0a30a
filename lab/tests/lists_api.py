"""An API whose lists have pages in all the ways that are known; it refuses what a list does not know."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Schema = Mapping[str, Any]

SIZE = 2
ITEMS = [{"id": f"item/{number}"} for number in range(5)]
STARTS = list(range(0, len(ITEMS), SIZE))
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
FLAG = {"type": "boolean"}


def members(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


LIST = {"type": "array", "items": members({"id": TEXT})}


@dataclass(frozen=True)
class Pages:
    """A list: its parameters, the schema of its reply, the first item that a value asks for, and what it shows.

    `shown` gets the items of a page and the number of the first item of the next one, None on the last.
    """

    asked: Mapping[str, Schema]
    reply: Schema
    start: Callable[[str], int]
    shown: Callable[[list[Any], int | None], Any]
    header: Callable[[int], str] | None = None
    hidden: str = ""


def token(start: int) -> str:
    return f"a+{start}/="


def of_token(text: str) -> int:
    return {token(each): each for each in STARTS}[text]


def of_page(first: int) -> Callable[[str], int]:
    return lambda text: STARTS[int(text) - first]


def after(text: str) -> int:
    return [each["id"] for each in ITEMS].index(text) + 1


KINDS: dict[str, Pages] = {
    "token": Pages(
        {"page_token": TEXT, "page_size": WHOLE},
        members({"items": LIST, "next_page_token": TEXT}),
        of_token,
        lambda items, rest: {"items": items, "next_page_token": "" if rest is None else token(rest)},
    ),
    "connection": Pages(
        {"after": TEXT, "first": WHOLE},
        members({"nodes": LIST, "pageInfo": members({"hasNextPage": FLAG, "endCursor": TEXT})}),
        of_token,
        lambda items, rest: {
            "nodes": items,
            "pageInfo": {"hasNextPage": rest is not None, "endCursor": token(4 if rest is None else rest)},
        },
    ),
    "nested": Pages(
        {"pagination.key": TEXT, "pagination.limit": WHOLE},
        members({"balances": LIST, "pagination": members({"next_key": {**TEXT, "format": "byte"}})}),
        of_token,
        lambda items, rest: {"balances": items, "pagination": {"next_key": None if rest is None else token(rest)}},
    ),
    "last-item": Pages(
        {"starting_after": TEXT, "limit": WHOLE},
        members({"data": LIST, "has_more": FLAG}),
        after,
        lambda items, rest: {"data": items, "has_more": rest is not None},
    ),
    "hal": Pages(
        {"page": WHOLE, "size": WHOLE},
        members({"_embedded": members({"rows": LIST}), "_links": {"additionalProperties": members({"href": TEXT})}}),
        of_page(0),
        lambda items, rest: {
            "_embedded": {"rows": items},
            "_links": {
                "self": {"href": "/hal"},
                **({} if rest is None else {"next": {"href": f"http://h/hal?page={rest // SIZE}&size=2"}}),
            },
        },
    ),
    "json-api": Pages(
        {"page[number]": WHOLE, "page[size]": WHOLE},
        members({"data": LIST, "links": members({"next": {"type": ["string", "null"]}})}),
        of_page(1),
        lambda items, rest: {
            "data": items,
            "links": {"next": None if rest is None else f"/json-api?page%5Bnumber%5D={rest // SIZE + 1}"},
        },
    ),
    "odata": Pages(
        {"$top": WHOLE, "$skip": WHOLE},
        members({"value": LIST, "@odata.nextLink": TEXT}),
        of_token,
        lambda items, rest: {
            "value": items,
            **({} if rest is None else {"@odata.nextLink": f"http://h/odata?$skiptoken=a%2B{rest}%2F%3D"}),
        },
        hidden="$skiptoken",
    ),
    "link": Pages(
        {"page": WHOLE},
        LIST,
        of_page(1),
        lambda items, _rest: items,
        header=lambda rest: f'<http://h/link?page={rest // SIZE + 1}>; rel="next"',
    ),
    "link-of-unknown": Pages(
        {},
        LIST,
        of_token,
        lambda items, _rest: items,
        header=lambda rest: f'<http://h/link-of-unknown?c=a%2B{rest}%2F%3D>; rel="next"',
        hidden="c",
    ),
    "offset": Pages(
        {"offset": WHOLE, "limit": WHOLE},
        members({"results": LIST, "meta": members({"total": WHOLE})}),
        int,
        lambda items, _rest: {"results": items, "meta": {"total": len(ITEMS)}},
    ),
    "start-index": Pages(
        {"startIndex": WHOLE, "count": WHOLE},
        members({"totalResults": WHOLE, "Resources": LIST}),
        lambda text: int(text) - 1,
        lambda items, _rest: {"totalResults": len(ITEMS), "Resources": items},
    ),
    "pages": Pages(
        {"page": WHOLE, "per_page": WHOLE},
        members({"items": LIST, "total_pages": WHOLE}),
        of_page(1),
        lambda items, _rest: {"items": items, "total_pages": len(STARTS)},
    ),
    "spring": Pages(
        {"page": {**WHOLE, "minimum": 0, "default": 0}, "size": WHOLE},
        members({"content": LIST, "last": FLAG, "totalPages": WHOLE}),
        of_page(0),
        lambda items, rest: {"content": items, "last": rest is None, "totalPages": len(STARTS)},
    ),
    "short-page": Pages(
        {"page": WHOLE, "per_page": {**WHOLE, "default": SIZE}},
        LIST,
        of_page(1),
        lambda items, _rest: items,
    ),
}


def document() -> dict[str, Any]:
    """The description of the API."""
    paths = {}
    for name, pages in KINDS.items():
        parameters = [{"name": each, "in": "query", "schema": schema} for each, schema in pages.asked.items()]
        headers = {"Link": {"schema": TEXT}} if pages.header is not None else {}
        content = {"application/json": {"schema": pages.reply}}
        response = {"description": "a page", "content": content, "headers": headers}
        paths[f"/{name}"] = {"get": {"operationId": name, "parameters": parameters, "responses": {"200": response}}}
    return {"openapi": "3.1.0", "info": {"title": "Lists", "version": "1"}, "paths": paths}


class ListsApi:
    """Answers requests; `starts` are the first items that each list was asked for, `refused` the other requests."""

    def __init__(self) -> None:
        self.starts: dict[str, list[int]] = {name: [] for name in KINDS}
        self.refused: list[str] = []

    def answer(self, target: str) -> tuple[int, Any, dict[str, str]]:
        """Status, content and headers."""
        parts = urlsplit(target)
        name = parts.path.lstrip("/")
        if name not in KINDS:
            # Such as a health check.
            return 404, {"error": "no such list"}, {}
        pages = KINDS[name]
        try:
            start = self._start(pages, parse_qsl(parts.query, keep_blank_values=True))
        except (KeyError, ValueError, IndexError):
            self.refused.append(target)
            return 400, {"error": "no such page"}, {}
        self.starts[name].append(start)
        rest = start + SIZE if start + SIZE < len(ITEMS) else None
        headers = {"link": pages.header(rest)} if pages.header is not None and rest is not None else {}
        return 200, pages.shown(ITEMS[start : start + SIZE], rest), headers

    def _start(self, pages: Pages, query: list[tuple[str, str]]) -> int:
        known = [*pages.asked, pages.hidden]
        sizes = ("size", "limit", "count", "first", "$top", "per_page")
        if any(name not in known for name, _ in query) or len(dict(query)) < len(query):
            raise ValueError(query)
        asked = [text for name, text in query if not name.endswith((*sizes, "[size]", "_size"))]
        start = pages.start(asked[0]) if asked else 0
        if start not in STARTS:
            raise ValueError(query)
        return start
