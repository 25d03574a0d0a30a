"""Pages of lists: the parameter that asks for the next page, and where a reply shows its value."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bakeoff.descriptions.json_members import object_in, objects_by_name, text_in
from bakeoff.descriptions.openapi_document import DescribedOperation, parameter_schema
from bakeoff.descriptions.schema_merging import Schema, kind_of
from bakeoff.descriptions.schema_templates import SchemaTemplates

# The name of the captured value.
_CAPTURED = "next"
# Names without case and marks: of parameters that take a token, and of members that show one.
_TAKING = {
    *("cursor", "after", "next", "marker", "bookmark", "continue", "continuation", "startcursor", "aftercursor"),
    *("pagetoken", "nexttoken", "nextpagetoken", "nextcursor", "pagecursor", "continuationtoken", "paginationtoken"),
    *("pageafter", "scrollid", "skiptoken"),
}
_SHOWING = {
    *("nextcursor", "nexttoken", "nextpagetoken", "nextmarker", "nextbookmark", "continuationtoken", "endcursor"),
    *("nextcontinuationtoken", "nextpagecursor", "paginationtoken", "scrollid", "continue", "after", "nextafter"),
    *("next", "cursor"),
}
# Parameters that a URL of the next page has.
_NUMBERING = ("page", "pagenumber", "offset", "skip", "start")
# These name a page that may be gone when the list has become shorter.
_PAGE_NUMBERS = ("page", "pagenumber")
_NEXT_PAGES = {"nextpage", "nextoffset"}
_URLS = {"next", "nexturl", "nextlink", "nextpage", "nextpageurl", "nexthref"}
_URL_FORMATS = ("uri", "url", "uri-reference", "iri")
_EXPRESSION = re.compile(r"\$response\.(?:body#(?P<pointer>/.*)|header\.(?P<header>[A-Za-z0-9-]+))")


@dataclass(frozen=True)
class NextPage:
    """`place` is where a reply shows the value of a parameter for the page after it."""

    parameter: str
    place: str

    @property
    def capture(self) -> dict[str, str]:
        """The last page shows none."""
        return {_CAPTURED: f"optional:{self.place}"}

    def path(self, first: str) -> str:
        """The path of any page, from that of the first one."""
        part = f"${{captured.{_CAPTURED} &{quote(self.parameter, safe='')}=}}"
        return f"{first}{'' if '?' in first else '?'}{part}"


def next_page(
    described: DescribedOperation, templates: SchemaTemplates, *, may_shrink: bool = False
) -> NextPage | None:
    """How an operation that lists entities goes on; None where nothing says so. `may_shrink`: others delete from it."""
    if described.method != "GET":
        return None
    asked = {
        text_in(each, "name"): templates.merged(parameter_schema(each))
        for each in described.parameters
        if each.get("in") == "query"
        and each.get("required") is not True
        and not (may_shrink and _plain(text_in(each, "name")) in _PAGE_NUMBERS)
    }
    return next(_ways(described, asked, templates), None)


def _ways(described: DescribedOperation, asked: Mapping[str, Schema], templates: SchemaTemplates) -> Iterator[NextPage]:
    yield from _linked(described, asked)
    taking = [name for name in asked if _plain(name) in _TAKING]
    numbering = sorted(
        (name for name in asked if _plain(name) in _NUMBERING), key=lambda name: _NUMBERING.index(_plain(name))
    )
    members = dict(_members(described, templates))
    for place, member in members.items():
        name = _plain(place.rpartition("/")[2])
        is_url = text_in(member, "format") in _URL_FORMATS or text_in(member, "example").startswith(("http", "/"))
        if taking and name in _SHOWING and not is_url and kind_of(member) in ("string", "integer"):
            yield NextPage(taking[0], place)
        if numbering and name in _NEXT_PAGES and kind_of(member) == "integer":
            yield NextPage(numbering[0], place)
        if name in _URLS and (is_url or (name != "next" and kind_of(member) == "string")):
            yield from (NextPage(each, f"query:{each}:{place}") for each in [*taking, *numbering])
    if "link" in described.reply_headers:
        yield from (NextPage(each, f"query:{each}:header:link") for each in [*taking, *numbering])


def _linked(described: DescribedOperation, asked: Mapping[str, Schema]) -> Iterator[NextPage]:
    """What the description says itself: a link of the reply to the same operation."""
    for link in map(described.resolve, objects_by_name(described.links).values()):
        if text_in(link, "operationId") != described.name:
            continue
        for name, expression in object_in(link, "parameters").items():
            parameter = name.removeprefix("query.")
            found = _EXPRESSION.fullmatch(str(expression))
            if found is not None and parameter in asked:
                yield NextPage(parameter, found["pointer"] or f"header:{found['header'].lower()}")


def _members(described: DescribedOperation, templates: SchemaTemplates) -> Iterator[tuple[str, Schema]]:
    """The members of a reply by their pointers, then those of the objects within it."""
    outer = {} if described.reply is None else templates.members(described.reply, written=False)
    yield from ((f"/{_escaped(name)}", each) for name, each in outer.items())
    for name, each in outer.items():
        if kind_of(each) == "object":
            inner = templates.members(each, written=False)
            yield from ((f"/{_escaped(name)}/{_escaped(own)}", member) for own, member in inner.items())


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
