"""Operations of APIs whose paths are calls: POST /createPet, /pets.create, /pet/get?id=…"""

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.descriptions.proto_types import CREATES, DELETES, READS, VERBS, singular, words_of

_ID_WORDS = ("id", "uuid", "uid", "guid")


@dataclass(frozen=True)
class Called:
    """What the path of an operation calls: its verb, and what that is about, in the singular and in lower case."""

    verb: str
    kind: str

    @property
    def creates(self) -> bool:
        return self.verb in CREATES

    @property
    def reads(self) -> bool:
        return self.verb in READS

    @property
    def deletes(self) -> bool:
        return self.verb in DELETES

    def names_own(self, name: str) -> bool:
        """Whether a member or parameter of this name holds the identifier of what the call is about."""
        words = words_of(name)
        return words[-1:] != [] and words[-1] in _ID_WORDS and "_".join(words[:-1]) in ("", self.kind)


def called_by(path: str) -> Called | None:
    """The call that the end of a path names; None where it names no verb, or nothing that the verb is about."""
    parts = [words_of(part) for part in path.split("/") if part and "{" not in part]
    found = None if not parts else _verb_and_rest(parts[-1])
    if found is None:
        return None
    verb, rest = found
    kind = singular("_".join(rest or (parts[-2] if len(parts) > 1 else [])))
    return Called(verb, kind) if kind else None


def _verb_and_rest(words: Sequence[str]) -> tuple[str, Sequence[str]] | None:
    if not words:
        return None
    if words[0] in VERBS:
        return words[0], words[1:]
    return (words[-1], words[:-1]) if words[-1] in VERBS else None
