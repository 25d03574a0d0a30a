"""A merge request on GitLab."""

from collections.abc import Iterator
from urllib.parse import quote

from bakeoff.forges.api import Answer, Api
from bakeoff.forges.comments import Comment

_PAGE = 100


class GitLabMergeRequest:
    """Its notes. `web_url` is the address of its project."""

    def __init__(self, api: Api, project: str, number: int, web_url: str) -> None:
        self.api = api
        self._notes = f"/projects/{quote(project, safe='')}/merge_requests/{number}/notes"
        self._address = f"{web_url}/-/merge_requests/{number}"

    def comments(self) -> Iterator[Comment]:
        """All of them, the oldest first."""
        own, number = self.api.ask("GET", "/user")["id"], 1
        while True:
            order = f"sort=asc&order_by=created_at&per_page={_PAGE}&page={number}"
            page = self.api.ask("GET", f"{self._notes}?{order}")
            yield from (Comment(each["id"], each["body"] or "", each["author"]["id"] == own) for each in page)
            if len(page) < _PAGE:
                return
            number += 1

    def create(self, body: str) -> str:
        """Makes a note and gives its address."""
        return self._address_of(self.api.ask("POST", self._notes, {"body": body}))

    def update(self, comment: Comment, body: str) -> str:
        """Replaces the text of a note and gives its address."""
        return self._address_of(self.api.ask("PUT", f"{self._notes}/{comment.id}", {"body": body}))

    def _address_of(self, note: Answer) -> str:
        return f"{self._address}#note_{note['id']}"


def gitlab_api(url: str, token: str) -> Api:
    """GitLab's API, authorised by a personal, group or project access token."""
    return Api(url, {"PRIVATE-TOKEN": token})
