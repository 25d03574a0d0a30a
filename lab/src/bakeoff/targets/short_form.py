"""The short form of a target: commands as texts, and what most targets need without tables of their own."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from bakeoff.documents.checked import Json

# An assignment before a command, such as NODE_ENV=production.
_ASSIGNMENTS = re.compile(
    r"\s*(?:[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s'\"\\])*\s+)*", re.DOTALL
)
# A text with one of these outside quotes is more than one command.
_SEVERAL = re.compile(r"[;&|\n()]")
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
# What opens or closes quotes and substitutions, and the placeholders among them.
_PART = re.compile(r"(?P<placeholder>\{[a-z0-9_.-]+\})|\\.|\$\(|['\"`()]", re.DOTALL)
_CLOSING = {"(": ")", "$(": ")"}
_SHELL = ["/bin/sh", "-ec"]


def full_form(document: Mapping[str, Json]) -> dict[str, Json]:
    """The members that a target.toml has, of a table that may use the short form."""
    full = dict(document)
    build, run = _table(full.get("build", {})), _table(full.get("run", {}), is_service=True)
    if "inputs" in full:
        build.setdefault("inputs", full.pop("inputs"))
    if "port" in full:
        run.setdefault("default_port", full.pop("port"))
    run["environment"] = {**_mapping(run.get("environment")), **_mapping(full.pop("env", None))}
    full |= {"build": build, "run": run}
    for name, key in (("storage", "kind"), ("image", "dockerfile")):
        if isinstance(full.get(name), str):
            full[name] = {key: full[name]}
    image = _mapping(full.get("image"))
    if isinstance(own := image.get("run"), str):
        full["image"] = {**image, "run": shell_command(own, is_service=True)}
    return full


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _table(value: Json, *, is_service: bool = False) -> dict[str, Json]:
    if isinstance(value, Mapping):
        return dict(value)
    return {"command": shell_command(value, is_service=is_service) if isinstance(value, str) else value}


def shell_command(text: str, *, is_service: bool = False) -> list[str]:
    """The arguments that run a text in a shell.

    The shell of a service makes way for its command where the text is one command: signals then reach the service.
    """
    if is_service and not _SEVERAL.search(_QUOTED.sub("", text)):
        assigned = _ASSIGNMENTS.match(text)
        end = assigned.end() if assigned else 0
        if not re.match(r"exec\s", text[end:]):
            text = f"{text[:end]}exec {text[end:]}"
    return [*_SHELL, text]


def filled_command(command: Sequence[str], fill: Callable[[str], str]) -> list[str]:
    """A command with its placeholders filled; in the text of a shell a value stays in the word of its placeholder."""
    if list(command[:2]) != _SHELL:
        return [fill(part) for part in command]
    text, *arguments = command[2:]
    return [*_SHELL, _filled_text(text, fill), *(fill(each) for each in arguments)]


def _filled_text(text: str, fill: Callable[[str], str]) -> str:
    opened: list[str] = []  # the quotes and substitutions around a part, the innermost last

    def filled(found: re.Match[str]) -> str:
        part, within = found[0], opened[-1] if opened else ""
        if found["placeholder"]:
            value = fill(part)
            return value if value == part else _quoted(value, within)
        # Single quotes keep a backslash as it is.
        closing = part[-1] if within == "'" else part
        if within and closing == _CLOSING.get(within, within):
            opened.pop()
        elif within != "'" and part in (("$(", "`") if within == '"' else ("'", '"', "`", "(", "$(")):
            opened.append(part)
        return part

    return _PART.sub(filled, text)


def _quoted(value: str, within: str) -> str:
    """A value that a shell reads as it is, within quotes or outside of them."""
    if within == '"':
        return re.sub(r'[\\"$`]', r"\\\g<0>", value)
    return value.replace("'", "'\"'\"'") if within == "'" else shlex.quote(value)
