"""Operations on the account that requests are logged in as: PUT /users/me, POST /account/change-password.

All virtual users may log in with one name and password, which must stay as they are.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from bakeoff.descriptions.json_members import list_in
from bakeoff.descriptions.openapi_document import DescribedOperation
from bakeoff.descriptions.schema_merging import Schema

_OWN = re.compile(
    r"/(?:me|self|whoami|account|profile|user|current(?:[-_/](?:user|account))?|my[-_/]?(?:account|profile|user))"
    r"(?P<part>/(?:\w+[-_])?(?:password|e-?mail|username))?/?$",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(r".*pass(?:word|wd|phrase)?|pwd|user_?name|login|.*e-?mail(?:_?address)?", re.IGNORECASE)
_WRITING = ("PUT", "PATCH", "POST", "DELETE")

Members = Callable[[Schema], Mapping[str, Schema]]


def writes_own_account(described: DescribedOperation) -> bool:
    """Whether an operation changes or deletes the account that its request is logged in as."""
    own = _OWN.search(described.path)
    if own is None or described.variables or described.method not in _WRITING:
        return False
    # A POST makes a user, unless it is about a part of one.
    return described.method != "POST" or own["part"] is not None


def credentials_in(schema: Schema, members: Members) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The places of names and passwords of the account in a body, and whether it must have them; two levels deep."""
    required = list_in(schema, "required")
    for name, each in members(schema).items():
        if _CREDENTIAL.fullmatch(name):
            yield (name,), name in required
            continue
        needed = list_in(each, "required")
        yield from (((name, own), own in needed) for own in members(each) if _CREDENTIAL.fullmatch(own))
