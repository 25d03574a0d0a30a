"""The text of proto files: their imports, and the options that cannot be read where an import is missing."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

_TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|\s+|.""", re.DOTALL)
_STARTS_STATEMENT = ("", ";", "{", "}")
_OPENING, _CLOSING = frozenset("([{<"), frozenset(")]}>")


@cache
def plain_options() -> frozenset[str]:
    """Options that no import declares; those that only earlier versions of protoc had are not among them."""
    from google.protobuf import descriptor_pb2

    return frozenset(
        option.name
        for name, message in descriptor_pb2.DESCRIPTOR.message_types_by_name.items()
        if name.endswith("Options")
        for option in message.fields
    )


@dataclass(frozen=True)
class Token:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Import:
    """An import as it is written: `quoted` is its path with the quotes, `start` and `end` are its statement's."""

    path: str
    line: int
    quoted: Token
    start: int
    end: int


class ProtoText:
    """One proto file's text, in tokens without white space and comments."""

    def __init__(self, text: str) -> None:
        self.text = text
        tokens = (Token(found.group(), found.start()) for found in _TOKEN.finditer(text))
        self._tokens = [each for each in tokens if not each.text.isspace() and not each.text.startswith(("//", "/*"))]

    @property
    def package(self) -> str:
        return next((self._word(index + 1) for index in self._statements("package")), "")

    def imports(self) -> Iterator[Import]:
        for index in self._statements("import"):
            at = index + 1 + (self._word(index + 1) in ("public", "weak", "option"))
            quoted = self._tokens[at] if at < len(self._tokens) else Token("", 0)
            if quoted.text[:1] in ('"', "'") and self._word(at + 1) == ";":
                start = self._tokens[index].start
                line = self.text.count("\n", 0, start) + 1
                yield Import(quoted.text[1:-1], line, quoted, start, self._tokens[at + 1].end)

    def extensions(self) -> Iterator[str]:
        """The names of the options and other extensions that the file declares."""
        for index in self._statements("extend"):
            end = self._closed(index + 2)
            for at in range(index + 3, end):
                if self._word(at + 1) == "=" and self._word(at).isidentifier():
                    yield self._word(at)

    def replaced(self, changes: Mapping[Token, str]) -> str:
        """The text with other texts in the places of these tokens."""
        return _with([(each.start, each.end, text) for each, text in changes.items()], self.text)

    def without(self, imports: Sequence[Import], keeps: Callable[[str], bool]) -> str:
        """The text without some imports, and of the options those alone that protoc has or that are kept."""
        cuts = [(each.start, each.end, "") for each in imports]
        index = 0
        while index < len(self._tokens):
            if self._word(index) == "option" and self._before(index) in _STARTS_STATEMENT:
                end = self._end_of_statement(index)
                name = self._word(index + 1)
                if not (keeps(self._name(index + 1)) if name == "(" else name in plain_options()):
                    cuts.append((self._tokens[index].start, self._tokens[end].end, ""))
                index = end
            elif self._word(index) == "[":
                end = self._closed(index)
                cuts += self._cut(index, end, keeps)
                index = end
            index += 1
        return _with(cuts, self.text)

    def _statements(self, word: str) -> Iterator[int]:
        for index, token in enumerate(self._tokens):
            if token.text == word and self._before(index) in _STARTS_STATEMENT:
                yield index

    def _word(self, index: int) -> str:
        return self._tokens[index].text if index < len(self._tokens) else ""

    def _before(self, index: int) -> str:
        return self._tokens[index - 1].text if index else ""

    def _name(self, index: int) -> str:
        """The name in the parentheses that open at a token."""
        return "".join(self._word(each) for each in range(index + 1, self._closed(index)))

    def _closed(self, index: int) -> int:
        """Where the bracket that opens at a token closes."""
        depth = 0
        for at in range(index, len(self._tokens)):
            depth += (self._word(at) in _OPENING) - (self._word(at) in _CLOSING)
            if depth == 0:
                return at
        return len(self._tokens) - 1

    def _end_of_statement(self, index: int) -> int:
        while self._word(index) != ";" and index < len(self._tokens) - 1:
            index = self._closed(index) if self._word(index) in _OPENING else index
            index += 1
        return index

    def _cut(self, start: int, end: int, keeps: Callable[[str], bool]) -> list[tuple[int, int, str]]:
        """What becomes of a list of options, such as `[deprecated = true, (a.b) = 1]`."""
        items: list[list[int]] = [[]]
        at = start + 1
        while at < end:
            if self._word(at) == ",":
                items.append([])
            else:
                last = self._closed(at) if self._word(at) in _OPENING else at
                items[-1] += range(at, last + 1)
                at = last
            at += 1
        kept = [each for each in items if each and (self._word(each[0]) != "(" or keeps(self._name(each[0])))]
        if len(kept) == len(items):
            return []
        texts = (self.text[self._tokens[each[0]].start : self._tokens[each[-1]].end] for each in kept)
        return [(self._tokens[start].start, self._tokens[end].end, f"[{', '.join(texts)}]" if kept else "")]


def _with(changes: Sequence[tuple[int, int, str]], text: str) -> str:
    """The text with other texts in the places of some spans; lines keep their numbers."""
    for start, end, new in sorted(changes, reverse=True):
        lines = "\n" * (text.count("\n", start, end) - new.count("\n"))
        text = text[:start] + new + lines + text[end:]
    return text
