"""The one comment of a gate, on a small fake of each forge's API."""

import pytest

from bakeoff.forges.api import ForgeError, MissingError, PermissionDeniedError, RateLimitedError, UnreachableError
from bakeoff.forges.comments import Discussion, marker_of, put_comment
from bakeoff.forges.github import GitHubPullRequest, github_api
from bakeoff.forges.gitlab import GitLabMergeRequest, gitlab_api
from fake_forge import OTHER, OWN, FakeForge, Refusal

MARKER = marker_of("Performance")
FORGES = pytest.mark.parametrize("made", ["github", "gitlab"])


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def discussion(forge: FakeForge, waits: list[float], request: pytest.FixtureRequest) -> Discussion:
    name = request.getfixturevalue("made") if "made" in request.fixturenames else "github"
    found: Discussion
    if name == "github":
        found = GitHubPullRequest(github_api(forge.url, "secret"), "shop/api", 7)
    else:
        forge.knows_user = True
        found = GitLabMergeRequest(gitlab_api(forge.url, "secret"), "42", 7, "https://gitlab.example/shop/api")
    found.api.wait = waits.append
    return found


@FORGES
def test_the_first_gate_makes_a_comment_and_the_next_updates_it(
    forge: FakeForge, discussion: Discussion, made: str
) -> None:
    address = put_comment(discussion, "Performance", "slower")
    assert address.endswith("#note_1" if made == "gitlab" else "comments/1")
    assert forge.bodies == [f"{MARKER}\nslower"]
    assert put_comment(discussion, "Performance", "faster") == address
    assert forge.bodies == [f"{MARKER}\nfaster"]
    assert forge.tokens == {"Bearer secret" if made == "github" else "secret"}


def test_each_title_has_its_own_comment(forge: FakeForge, discussion: Discussion) -> None:
    for title in ("Search", "Search -->", "Orders", "Search"):
        put_comment(discussion, title, f"about {title}")
    assert len(forge.bodies) == 3
    assert all(body.splitlines()[0].endswith(" -->") and body.count("-->") == 1 + ("-->" in body.splitlines()[1])
               for body in forge.bodies)  # fmt: skip


@FORGES
def test_it_is_found_beyond_the_first_page(forge: FakeForge, discussion: Discussion, made: str) -> None:
    for number in range(230):
        forge.add(f"comment {number}", OTHER)
    own = forge.add(f"{MARKER}\nold")
    put_comment(discussion, "Performance", "new")
    assert forge.comments[own]["body"] == f"{MARKER}\nnew"
    assert len(forge.comments) == 231


@pytest.mark.parametrize(
    ("body", "author"),
    [
        (f"{MARKER}\nold", OTHER),  # of a person who pasted it
        (f"> {MARKER}\n> old", OWN),  # a quotation
        ("edited, without its marker", OWN),
    ],
)
def test_comments_that_are_not_the_gates_are_left_alone(
    forge: FakeForge, discussion: Discussion, body: str, author: str
) -> None:
    forge.add(body, author)
    put_comment(discussion, "Performance", "new")
    assert forge.bodies == [body, f"{MARKER}\nnew"]


@FORGES
@pytest.mark.parametrize("status", [403, 404])
def test_one_that_cannot_be_updated_is_made_again(
    forge: FakeForge, discussion: Discussion, made: str, status: int
) -> None:
    forge.add(f"{MARKER}\nold")
    forge.refusals.append(Refusal("PATCH" if made == "github" else "PUT", status))
    put_comment(discussion, "Performance", "new")
    assert forge.bodies == [f"{MARKER}\nold", f"{MARKER}\nnew"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, PermissionDeniedError), (403, PermissionDeniedError), (404, MissingError), (422, ForgeError)],
)
def test_a_refusal_is_an_error_with_the_servers_words(
    forge: FakeForge, discussion: Discussion, status: int, kind: type[ForgeError]
) -> None:
    forge.refusals.append(Refusal("POST", status, "Resource not accessible by integration"))
    with pytest.raises(kind, match="Resource not accessible by integration") as raised:
        put_comment(discussion, "Performance", "new")
    assert "secret" not in raised.value.message


@pytest.mark.parametrize(
    ("status", "headers", "message", "waited"),
    [
        (403, {"Retry-After": "7"}, "slow down", 7.0),
        (429, {"Retry-After": "3"}, "slow down", 3.0),
        (429, {}, "slow down", 60.0),
        (403, {}, "You have exceeded a secondary rate limit", 60.0),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, "slow down", 1.0),
    ],
)
def test_a_rate_limit_is_waited_for_once(
    forge: FakeForge, discussion: Discussion, waits: list[float], status: int, headers: dict[str, str], message: str,
    waited: float,
) -> None:  # fmt: skip
    forge.refusals.append(Refusal("POST", status, message, headers))
    put_comment(discussion, "Performance", "new")
    assert (waits, forge.bodies) == ([waited], [f"{MARKER}\nnew"])
    forge.refusals += [Refusal("PATCH", status, message, headers)] * 2
    with pytest.raises(RateLimitedError):
        put_comment(discussion, "Performance", "newer")


def test_a_limit_of_an_hour_is_not_waited_for(forge: FakeForge, discussion: Discussion, waits: list[float]) -> None:
    forge.refusals.append(Refusal("GET", 403, headers={"Retry-After": "3600"}))
    with pytest.raises(RateLimitedError, match="3,600 s"):
        put_comment(discussion, "Performance", "new")
    assert waits == []


@pytest.mark.parametrize("status", [None, 502])
def test_what_was_made_though_no_reply_came_is_not_made_twice(
    forge: FakeForge, discussion: Discussion, waits: list[float], status: int | None
) -> None:
    forge.refusals.append(Refusal("POST", status, acts=True))
    put_comment(discussion, "Performance", "new")
    assert forge.bodies == [f"{MARKER}\nnew"]
    assert len(waits) == 1


def test_an_unreachable_server_is_an_error_in_the_end(forge: FakeForge, discussion: Discussion) -> None:
    forge.refusals += [Refusal("POST", None)] * 3
    with pytest.raises(UnreachableError, match="no usable reply to POST"):
        put_comment(discussion, "Performance", "new")
    assert forge.bodies == []


def test_the_token_follows_no_redirection(forge: FakeForge, discussion: Discussion) -> None:
    with FakeForge().running() as elsewhere:
        forge.refusals.append(Refusal("GET", 302, headers={"Location": f"{elsewhere.url}/user"}))
        with pytest.raises(ForgeError, match="302"):
            put_comment(discussion, "Performance", "new")
        assert elsewhere.asked == []


def test_the_owner_of_a_token_that_knows_itself_is_compared(forge: FakeForge, discussion: Discussion) -> None:
    forge.knows_user = True
    forge.add(f"{MARKER}\nof another bot", "renovate[bot]")
    put_comment(discussion, "Performance", "new")
    assert len(forge.bodies) == 2
