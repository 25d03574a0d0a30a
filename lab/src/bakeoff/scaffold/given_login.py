"""The credentials of a user who exists, where the requests of an API take them."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.errors import UsageError
from bakeoff.scaffold.probe.changes import MessageTemplate, as_json

# The likeliest names first.
_PASSWORDS = ("pass(word|wd|phrase)?|pwd", ".*pass.*", "pin|secret")
_USERS = ("user_?name|email|login|e?-?mail(_?address)?", ".*(user|mail|login|account|identifier).*", "name|id")


@dataclass(frozen=True)
class GivenLogin:
    """The name of a user, or an e-mail address, and a password."""

    user: str
    password: str

    @property
    def basic(self) -> str:
        """The header of basic authentication."""
        return f"Basic {base64.b64encode(f'{self.user}:{self.password}'.encode()).decode()}"

    def in_message(self, message: str | None) -> str | None:
        """The message of a login with them; None where no members take a name and a password."""
        if message is None or not message.lstrip().startswith("{"):
            return None
        texts = list(MessageTemplate(message).texts())
        secret = _likeliest(texts, _PASSWORDS)
        name = _likeliest([each for each in texts if each != secret], _USERS)
        if secret is None or name is None:
            return None
        for path, value in ((secret, self.password), (name, self.user)):
            message = MessageTemplate(message).having(path, as_json(value))
        return message


def given_login(text: str) -> GivenLogin:
    """The user of --login. Raises UsageError where it is no name and password."""
    user, _, password = text.partition(":")
    if not (user and password):
        raise UsageError("--login takes the name and the password of a user who exists: --login USER:PASSWORD")
    return GivenLogin(user, password)


def _likeliest(paths: Sequence[Sequence[str]], patterns: Sequence[str]) -> Sequence[str] | None:
    ranked = (path for pattern in patterns for path in paths if re.fullmatch(pattern, path[-1], re.IGNORECASE))
    return next(ranked, None)
