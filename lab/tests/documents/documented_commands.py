"""The commands of this tool that documents print, as a reader would type them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SHELLS = ("sh", "bash", "console")
_INDENTED = re.compile(r"^ {4}(?! ).*$", re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]+)`")
_SUBSTITUTED = re.compile(r"\$\(([^()]*)\)")
_OPERATORS = frozenset("|&;()<>")
_OURS = re.compile(r"(?:\.\./)*(?:\./)?bakeoff")
_VARIABLE = re.compile(r"[A-Z_]+=")


@dataclass(frozen=True)
class DocumentedCommand:
    """The words after `bakeoff`, and where they stand. A block is there to be typed; a mention may be a part."""

    page: Path
    words: tuple[str, ...]
    in_block: bool
    of_the_clone: bool

    @property
    def line(self) -> str:
        return " ".join(self.words)


def commands_of(page: Path) -> Iterator[DocumentedCommand]:
    """Of shell blocks each line, and of inline code what begins with the command's name."""
    text = page.read_text("utf-8")
    for language, block in _FENCED.findall(text):
        if language in _SHELLS:
            for line in block.replace("\\\n", " ").splitlines():
                yield from _of_line(page, line, in_block=True)
    rest = _FENCED.sub("", text)
    for line in _INDENTED.findall(rest):
        yield from _of_line(page, line, in_block=True)
    for code in _INLINE.findall(_INDENTED.sub("", rest)):
        yield from _of_line(page, code, in_block=False)


def _of_line(page: Path, line: str, *, in_block: bool) -> Iterator[DocumentedCommand]:
    for inner in _SUBSTITUTED.findall(line):
        yield from _of_line(page, inner, in_block=in_block)
    if "bakeoff" not in line:
        return
    lexer = shlex.shlex(line.strip().removeprefix("$ "), posix=True, punctuation_chars="|&;()<>")
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:
        # Prose in code marks.
        return
    for command in _simple_commands(tokens):
        words = list(command)
        while words and (_VARIABLE.match(words[0]) or words[0] in ("uvx", "time")):
            words.pop(0)
        if words and _OURS.fullmatch(words[0]) and len(words) > 1:
            yield DocumentedCommand(page, tuple(words[1:]), in_block, words[0] != "bakeoff")


def _simple_commands(tokens: list[str]) -> Iterator[list[str]]:
    """What the shell starts one by one, without redirections."""
    command: list[str] = []
    skipped = False
    for token in tokens:
        if skipped:
            skipped = False
        elif set(token) <= _OPERATORS:
            if set(token) & set("<>"):
                skipped = True
            else:
                yield command
                command = []
        else:
            command.append(token)
    yield command
