"""A pull request on GitHub."""

from collections.abc import Iterator

from bakeoff.forges.api import Answer, Api, PermissionDeniedError
from bakeoff.forges.comments import Comment

_PAGE = 100


class GitHubPullRequest:
    """Its comments, which are those of the issue with its number."""

    def __init__(self, api: Api, repository: str, number: int) -> None:
        self.api = api
        self._repository = f"/repos/{repository}"
        self._comments = f"{self._repository}/issues/{number}/comments"

    def comments(self) -> Iterator[Comment]:
        """All of them, the oldest first."""
        login, number = self._own_login(), 1
        while True:
            page = self.api.ask("GET", f"{self._comments}?per_page={_PAGE}&page={number}")
            for each in page:
                # The account of a deleted user is null.
                author = each["user"] or {}
                is_own = author.get("type") == "Bot" if login is None else author.get("login") == login
                yield Comment(each["id"], each["body"] or "", is_own)
            if len(page) < _PAGE:
                return
            number += 1

    def create(self, body: str) -> str:
        """Makes a comment and gives its address."""
        return _address(self.api.ask("POST", self._comments, {"body": body}))

    def update(self, comment: Comment, body: str) -> str:
        """Replaces the text of a comment and gives its address."""
        return _address(self.api.ask("PATCH", f"{self._repository}/issues/comments/{comment.id}", {"body": body}))

    def _own_login(self) -> str | None:
        """The user of the token; None for that of a workflow, which may not ask and writes as a bot."""
        try:
            return str(self.api.ask("GET", "/user")["login"])
        except PermissionDeniedError:
            return None


def github_api(url: str, token: str) -> Api:
    """GitHub's API, authorised by a token."""
    return Api(
        url,
        {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )


def _address(comment: Answer) -> str:
    return str(comment["html_url"])
