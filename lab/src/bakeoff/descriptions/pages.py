"""Pages of lists: the parameter that asks for the next page, and where a reply shows its value.

The ways of APIs differ by names, which are data here: of parameters that take a value, and of members that show it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bakeoff.descriptions.drawn_values import Value
from bakeoff.descriptions.json_members import list_in, number_in, object_in, objects_by_name, text_in
from bakeoff.descriptions.openapi_document import DescribedOperation, parameter_schema
from bakeoff.descriptions.schema_merging import Schema, kind_of, schema_of
from bakeoff.descriptions.schema_templates import SchemaTemplates

# The name of the captured value.
_CAPTURED = "next"
# Names are without case and marks: `page[after]` and `pageAfter` are one.
# Parameters that take a token, and members that show one.
TAKING = {
    *("cursor", "after", "next", "marker", "bookmark", "continue", "continuation", "startcursor", "aftercursor"),
    *("pagetoken", "nexttoken", "nextpagetoken", "nextcursor", "pagecursor", "continuationtoken", "paginationtoken"),
    *("pageafter", "scrollid", "skiptoken", "startingafter", "startafter", "paginationkey", "nextkey"),
}
# Members of requests that describe a page.
_DESCRIBING = {"page", "paging", "pagination"}
# Of these the names that mean something else too, where no reply shows a value for them.
_OTHERWISE = {"after", "next", "marker", "bookmark", "continue", "continuation"}
SHOWING = {
    *("nextcursor", "nexttoken", "nextpagetoken", "nextmarker", "nextbookmark", "continuationtoken", "endcursor"),
    *("nextcontinuationtoken", "nextpagecursor", "paginationtoken", "scrollid", "continue", "after", "nextafter"),
    *("next", "cursor", "nextstartingafter", "nextskiptoken", "nextkey", "nextstartkey"),
}
# Members that show one on the last page too: they count where a flag says that there is more.
_SHOWING_ALWAYS = {"lastid", "lastkey", "lastcursor"}
# Members that are true where there is more, and where there is not.
MORE = {"hasmore", "hasnext", "hasnextpage", "morepages", "hasmorepages", "hasmoreitems", "moreresults", "istruncated"}
_LAST = {"last", "islast", "lastpage", "islastpage", "endoflist"}
# Members with the URL of the next page; what holds links, and what a link is called within them.
_URLS = {"next", "nexturl", "nextlink", "nextpage", "nextpageurl", "nexthref", "nexturi", "nextrecordsurl"} | {
    *("odatanextlink", "hydranext", "nextpagelink"),
}
_LINKS = {"links", "link"}
# Links with a parameter that descriptions leave out: clients take the whole link.
_OPAQUE = {"odatanextlink": "$skiptoken", "nextlink": "$skiptoken"}
_URL_FORMATS = ("uri", "url", "uri-reference", "iri", "iri-reference")
# Parameters that take the id of the last item of the page before.
_AFTER_ITEM = {"startingafter", "startafter", "startafterid", "afterid", "lastid", "lastseenid"}
_ITEM_IDS = ("id", "_id", "uuid", "uid")
# Objects whose members are looked at in turn: they hold what is said of pages.
_HOLDERS = {*_LINKS, "page", "pages", "paging", "pagination", "pageinfo", "meta", "metadata", "next", "cursors"} | {
    *("hydraview", "view", "responsemetadata"),
}


@dataclass(frozen=True)
class _Numbers:
    """Parameters that take a number: that of the first page, by how much it grows, and what shows how far."""

    taking: frozenset[str]
    first: int
    by_items: bool


# Those that name a page come first; the second ones skip items.
_PAGES = _Numbers(frozenset({"page", "pagenumber", "pageno", "pagenum", "pagenr", "currentpage"}), 1, by_items=False)
_NUMBERS = (
    _PAGES,
    _Numbers(frozenset({"pageindex"}), 0, by_items=False),
    _Numbers(frozenset({"offset", "skip", "start", "pageoffset", "startat", "from"}), 0, by_items=True),
    _Numbers(frozenset({"startindex"}), 1, by_items=True),
)
_NUMBERING = [*_PAGES.taking, "offset", "skip", "start", "pageoffset", "startat", "startindex", "pageindex"]
_NEXT_PAGES = {"nextpage", "nextoffset", "nextpagenumber", "nextstart", "nextskip"}
# Members and headers with the number of pages, and of the items in all pages.
_PAGE_COUNTS = ("totalpages", "pagecount", "pagestotal", "numpages", "lastpage", "pages", "numberofpages")
_ITEM_COUNTS = ("totalcount", "totalitems", "totalelements", "totalresults", "totalrecords", "total", "count")
_PAGE_COUNT_HEADERS = ("xtotalpages", "xwptotalpages", "xpaginationpagecount", "xpagecount", "totalpages")
_ITEM_COUNT_HEADERS = ("xtotalcount", "xtotal", "xpaginationtotalcount", "totalcount", "xwptotal")
# Parameters with the number of items of a page.
LIMITS = {"limit", "pagesize", "perpage", "size", "maxresults", "pagelimit", "top", "take", "first", "max", "count"} | {
    *("maximumpagesize", "maxpagesize", "itemsperpage", "resultsperpage", "pagecount"),
}
_EXPRESSION = re.compile(r"\$response\.(?:body#(?P<pointer>/.*)|header\.(?P<header>[A-Za-z0-9-]+))")


@dataclass(frozen=True)
class NextPage:
    """`place` is where a reply shows the value of a parameter for the page after it; of the whole query without one."""

    parameter: str
    place: str

    @property
    def capture(self) -> dict[str, str]:
        """The last page shows none."""
        return {_CAPTURED: self.place}

    def path(self, first: str) -> str:
        """The path of any page, from that of the first one."""
        prefix = f"&{quote(self.parameter, safe='')}=" if self.parameter else "&"
        return f"{first}{'' if '?' in first else '?'}${{captured.{_CAPTURED} {prefix}}}"


def next_page(
    described: DescribedOperation, templates: SchemaTemplates, path: str, *, may_shrink: bool = False
) -> NextPage | None:
    """How an operation that lists entities goes on, from the path of its first page; None where nothing says so.

    `may_shrink`: others delete from it.
    """
    if described.method != "GET":
        return None
    return next(_List(described, templates, has_query="?" in path, may_shrink=may_shrink).ways(), None)


class _List:
    """A list: `asked` are its optional parameters, `members` those of its reply by their pointers."""

    def __init__(
        self, described: DescribedOperation, templates: SchemaTemplates, *, has_query: bool, may_shrink: bool
    ) -> None:
        self._described = described
        self._templates = templates
        self._has_query = has_query
        self._may_shrink = may_shrink
        self._asked = dict(self._parameters())
        self._members = dict(self._members_of(described.reply or {}, ""))

    def ways(self) -> Iterator[NextPage]:
        """The ways to its next page, the surest first."""
        yield from self._linked()
        yield from self._tokens()
        yield from self._urls()
        yield from self._after_items()
        yield from self._counted()

    def _parameters(self) -> Iterator[tuple[str, Schema]]:
        for each in self._described.parameters:
            if each.get("in") != "query" or each.get("required") is True:
                continue
            name, schema = text_in(each, "name"), self._templates.merged(parameter_schema(each))
            if each.get("style") == "deepObject":
                inner = self._templates.members(schema, written=True)
                yield from ((f"{name}[{own}]", self._templates.merged(member)) for own, member in inner.items())
            else:
                yield name, schema

    def _taking(self, names: frozenset[str] | set[str]) -> list[str]:
        """The parameters of these names. What names a page may be gone when the list has become shorter."""
        gone = _PAGES.taking if self._may_shrink else ()
        return [each for each in self._asked if plain(each) in names and plain(each) not in gone]

    def _linked(self) -> Iterator[NextPage]:
        """What the description says itself: a link of the reply to the same operation."""
        for link in map(self._described.resolve, objects_by_name(self._described.links).values()):
            if text_in(link, "operationId") != self._described.name:
                continue
            for name, expression in object_in(link, "parameters").items():
                parameter = name.removeprefix("query.")
                found = _EXPRESSION.fullmatch(str(expression))
                if found is not None and parameter in self._asked and self._taking({plain(parameter)}):
                    place = found["pointer"] or f"header:{found['header'].lower()}"
                    yield NextPage(parameter, f"optional:{place}")

    def _tokens(self) -> Iterator[NextPage]:
        taking, numbering = self._taking(TAKING), self._numbering()
        for place, member in self._members.items():
            names, kind = _names(place), kind_of(member)
            if taking and names & SHOWING and not _is_url(place, member) and kind in ("string", "integer", "number"):
                yield NextPage(taking[0], self._while_more(f"optional:{place}", place))
            if taking and names & _SHOWING_ALWAYS and self._flag(place):
                yield NextPage(taking[0], self._while_more(f"optional:{place}", place))
            if numbering and names & _NEXT_PAGES and kind in ("integer", "number"):
                yield NextPage(numbering[0], f"optional:{place}")

    def _numbering(self) -> list[str]:
        return sorted(self._taking({*_NUMBERING}), key=lambda name: _NUMBERING.index(plain(name)))

    def _urls(self) -> Iterator[NextPage]:
        """URLs of the next page: the parameter in them that the description has, else their query as it is."""
        places = [place for place, member in self._members.items() if _shows_url(place, member)]
        places += ["header:link"] if "link" in self._described.reply_headers else []
        described = [*self._taking(TAKING), *self._numbering()]
        is_whole = not self._has_query and bool(self._lists()) and not self._may_shrink
        for place in places:
            hidden = _OPAQUE.get(plain(place.rpartition("/")[2]))
            # The URL beside a list within an entity is that of another list, by itself.
            is_own = all(plain(each) in _HOLDERS for each in place.split("/")[1:-1])
            whole = [NextPage("", f"optional:query::{place}")] if is_whole and is_own else []
            named = [
                NextPage(each, f"optional:query:{each}:{place}") for each in [*described, *([hidden] if hidden else [])]
            ]
            yield from [*whole, *named] if hidden else [*named, *whole]

    def _after_items(self) -> Iterator[NextPage]:
        """The id of the last item. Where others delete, it may be gone."""
        taking = [] if self._may_shrink else self._taking(_AFTER_ITEM)
        for place in self._lists() if taking else ():
            items = self._templates.members(object_in(self._list_at(place), "items"), written=False)
            ids = [each for each in _ITEM_IDS if each in items]
            condition = self._flag(place) or self._is_full(place)
            if ids and condition:
                yield NextPage(taking[0], f"optional:{place}/-1/{ids[0]} while {condition}")

    def _counted(self) -> Iterator[NextPage]:
        """Numbers of pages or of items, where a reply shows that there are more."""
        for numbers in _NUMBERS:
            for name in self._taking(numbers.taking):
                schema = self._asked[name]
                if kind_of(schema) not in ("integer", "number"):
                    continue
                first = self._first(schema, numbers)
                for place in self._lists()[:1]:
                    condition = self._flag(place) or self._bound(numbers, first) or self._is_full(place)
                    if condition:
                        yield NextPage(name, f"count:{first}+{place if numbers.by_items else 1} while {condition}")

    def _first(self, schema: Schema, numbers: _Numbers) -> int:
        """The number of the first page, as the parameter's default or least value shows it."""
        shown = (number_in(schema, "default"), number_in(schema, "minimum"))
        return int(next((each for each in shown if each in (0, 1)), numbers.first))

    def _bound(self, numbers: _Numbers, first: int) -> str:
        """The comparison with what a reply shows of the number of pages, or of items; empty without such."""
        members = _ITEM_COUNTS if numbers.by_items else _PAGE_COUNTS
        headers = _ITEM_COUNT_HEADERS if numbers.by_items else _PAGE_COUNT_HEADERS
        places = [
            *(place for name in members for place in self._members if name == plain(place.rpartition("/")[2])),
            *(f"header:{each}" for name in headers for each in self._described.reply_headers if plain(each) == name),
        ]
        numbered = [
            each
            for each in places
            if each.startswith("header:") or kind_of(self._members[each]) in ("integer", "number")
        ]
        return next((f"{'<=' if first else '<'} {each}" for each in numbered), "")

    def _is_full(self, place: str) -> str:
        """The condition that a page has as many items as pages have where the request does not say how many."""
        for parameter in self._described.parameters:
            schema = self._templates.merged(parameter_schema(parameter))
            size = number_in(schema, "default") if parameter.get("required") is not True else None
            if parameter.get("in") == "query" and plain(text_in(parameter, "name")) in LIMITS and size and size >= 1:
                return f"{place} has {int(size)}"
        return ""

    def _while_more(self, shown: str, place: str) -> str:
        flag = self._flag(place)
        return f"{shown} while {flag}" if flag else shown

    def _flag(self, near: str) -> str:
        """The condition that a flag of the reply states, of that beside a place first."""
        flags = [place for place, each in self._members.items() if kind_of(each) == "boolean" and _is_flag(place)]
        flags.sort(key=lambda each: each.rpartition("/")[0] != near.rpartition("/")[0])
        return next((each if plain(each.rpartition("/")[2]) in MORE else f"not {each}" for each in flags), "")

    def _lists(self) -> list[str]:
        """The lists of the reply: itself, or those within it."""
        if kind_of(self._list_at("")) == "array":
            return [""]
        return [place for place, each in self._members.items() if kind_of(each) == "array"]

    def _list_at(self, place: str) -> Schema:
        return self._members[place] if place else self._templates.merged(self._described.reply or {})

    def _members_of(self, schema: Schema, above: str) -> Iterator[tuple[str, Schema]]:
        """The members of a reply, then those of the objects within it, and of what holds pages and links."""
        members = self._templates.members(schema, written=False)
        yield from ((f"{above}/{_escaped(name)}", each) for name, each in members.items())
        depth = above.count("/")
        for name, each in members.items():
            place = f"{above}/{_escaped(name)}"
            if depth < (3 if plain(name) in _HOLDERS else 1) and kind_of(each) == "object":
                yield from self._members_of(each, place)
                others = schema_of(each.get("additionalProperties", False))
                if plain(name) in _LINKS and "properties" not in each and others:
                    # Links of any name, of which one is called next.
                    yield f"{place}/next", self._templates.merged(others)
                    yield from self._members_of({"properties": {"next": others}, "type": "object"}, place)


def of_first_page(value: Mapping[str, Value], templates: SchemaTemplates, schema: Schema) -> Mapping[str, Value]:
    """A message without the optional tokens of other pages, also in a member that describes the page.

    A token that is made up is refused.
    """
    members, required = templates.members(schema, written=True), list_in(templates.merged(schema), "required")
    kept: dict[str, Value] = {}
    for name, each in value.items():
        if isinstance(each, Mapping) and name in members and plain(name) in _DESCRIBING:
            optional = {"token", "key"}.difference(map(str, list_in(templates.merged(members[name]), "required")))
            inner = of_first_page(each, templates, members[name])
            kept[name] = {own: it for own, it in inner.items() if own not in optional}
        elif name in required or plain(name) not in TAKING - _OTHERWISE:
            kept[name] = each
    return kept


def plain(name: str) -> str:
    """A name without case and marks."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _names(place: str) -> set[str]:
    """The names of a member: its own, and with that of the object next, which holds what is said of the next page."""
    above, last = ["", *map(plain, place.split("/"))][-2:]
    return {last, f"next{last}"} if above == "next" else {last}


def _is_flag(place: str) -> bool:
    return bool(_names(place) & (MORE | _LAST))


def _is_url(place: str, member: Schema) -> bool:
    """Whether a member holds a URL: by its format, its example, or as what links hold."""
    above = plain(place.rpartition("/")[0].rpartition("/")[2])
    is_link = above in _LINKS and kind_of(member) in ("string", None)
    example = text_in(member, "example")
    return text_in(member, "format") in _URL_FORMATS or example.startswith(("http", "/")) or is_link


def _shows_url(place: str, member: Schema) -> bool:
    found = _names(place) & _URLS
    return bool(found) and (_is_url(place, member) or (found != {"next"} and kind_of(member) == "string"))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
