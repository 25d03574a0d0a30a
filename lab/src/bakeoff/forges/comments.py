"""The one comment of a gate on a pull request: made, and updated by later runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from bakeoff.forges.api import Api, MissingError, PermissionDeniedError, UnreachableError

_WAITS_S = (2.0, 8.0)


@dataclass(frozen=True)
class Comment:
    """A comment of the discussion. `is_own`: the token's user wrote it, as far as can be known."""

    id: int
    body: str
    is_own: bool


class Discussion(Protocol):
    """The comments of a pull request. `create` and `update` give the comment's address."""

    api: Api

    def comments(self) -> Iterator[Comment]:
        """All of them, the oldest first."""
        ...

    def create(self, body: str) -> str: ...

    def update(self, comment: Comment, body: str) -> str: ...


def marker_of(title: str) -> str:
    """The first line of the comment of a gate with this title; readers do not see it."""
    return f"<!-- bakeoff gate: {quote(title)} -->"


def put_comment(discussion: Discussion, title: str, body: str) -> str:
    """Writes the comment of a gate, in place of the one that it wrote before, and gives its address.

    One that was deleted, lost its marker to an edit, or belongs to another user is made again. Where no reply came it
    is looked for again, since it may have been made. Raises ForgeError.
    """
    marked = f"{marker_of(title)}\n{body}"
    for wait_s in _WAITS_S:
        try:
            return _put(discussion, title, marked)
        except UnreachableError:
            discussion.api.wait(wait_s)
    return _put(discussion, title, marked)


def _put(discussion: Discussion, title: str, marked: str) -> str:
    marker = marker_of(title)
    # A person may quote the comment: the marker then does not begin the text.
    known = next((each for each in discussion.comments() if each.is_own and each.body.startswith(marker)), None)
    if known is not None:
        try:
            return discussion.update(known, marked)
        except (MissingError, PermissionDeniedError):
            # Deleted meanwhile, or not this user's after all.
            pass
    return discussion.create(marked)
