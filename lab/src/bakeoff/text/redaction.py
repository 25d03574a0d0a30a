"""Removes secrets from texts that are shown or stored: from URLs in any form, connection strings and JSON."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

HIDDEN = "***"

# A password of PostgreSQL's may hold characters that should have been encoded, so all before the last @ is taken.
_POSTGRES_USER = re.compile(r"(?P<kept>postgres(?:ql)?(?:\+\w+)?://[^\s/?#:@'\"]*):(?P<secret>[^\s'\"]*)@", re.I)
_USER = re.compile(r"(?P<kept>\b[a-z][a-z0-9+.-]*://[^\s/?#:@'\"]*):(?P<secret>[^\s/?#'\"]*)@", re.I)
_VALUE = r"(?P<secret>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s&#;,'\"]+)"
_PARAMETER = re.compile(rf"(?P<kept>\b\w*(?:password|passwd|secret|token|api_?key)[\"']?\s*=\s*){_VALUE}", re.I)
_MEMBER = re.compile(rf"(?P<kept>\b\w*(?:password|passwd)[\"']?\s*:\s*)(?!\*\*\*){_VALUE}", re.I)
# A name in quotes, so that the words of a message, such as "token: unexpected end", are none; it may have been cut.
_HIDDEN_NAME = r"[\w-]*(?:password|passwd|secret|token|api[_-]?key|authorization|cookie|credential)[\w-]*"
_CUT_VALUE = r"(?P<secret>'(?:[^'\\]|\\.)*'?|\"(?:[^\"\\]|\\.)*\"?|[^\s\"'{}\[\],]+)"
_JSON_MEMBER = re.compile(rf"(?P<kept>[\"']{_HIDDEN_NAME}[\"']\s*:\s*){_CUT_VALUE}", re.I)
_SCHEME = re.compile(rf"(?P<kept>\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+){_VALUE}", re.I)
_ENCODED = re.compile(r"(?P<name>[?&](?:%[0-9a-f]{2}|\w)+)=", re.I)
# Shorter ones also occur in words.
_TELLING_LENGTH = 4


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without the passwords of its URLs, with `***` for other secrets by their names, and for `secrets`."""
    text = _ENCODED.sub(lambda found: f"{unquote(found['name'])}=", text)
    for pattern in (_POSTGRES_USER, _USER):
        text = pattern.sub(lambda found: f"{found['kept']}@", text)
    for pattern in (_JSON_MEMBER, _SCHEME, _PARAMETER, _MEMBER):
        text = pattern.sub(lambda found: f"{found['kept']}{HIDDEN}", text)
    for secret in secrets:
        text = text.replace(f'"{secret}"', f'"{HIDDEN}"')
        if len(secret) >= _TELLING_LENGTH:
            text = text.replace(secret, HIDDEN)
    return text


def secrets_of(text: str) -> set[str]:
    """The passwords that `redacted` removes, as they are written and decoded."""
    text = _ENCODED.sub(lambda found: f"{unquote(found['name'])}=", text)
    found = {each["secret"] for pattern in (_POSTGRES_USER, _USER, _PARAMETER) for each in pattern.finditer(text)}
    return {secret for each in found for secret in (each, unquote(each)) if secret}
