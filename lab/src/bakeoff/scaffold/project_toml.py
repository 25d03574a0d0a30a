"""The text of a new bakeoff.toml: a target and its workload."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bakeoff.documents.checked import Json
from bakeoff.project import COMMAND, EDITOR_SCHEMA, PROJECT_FILE
from bakeoff.scaffold.toml_text import toml_text, toml_value


@dataclass(frozen=True)
class Open:
    """A member that a person decides: `value` is an example, which holds until then where it `counts`."""

    value: Json
    words: str
    counts: bool = False


Members: TypeAlias = Mapping[str, Json | Open]


@dataclass(frozen=True)
class NewProject:
    """The target and the workload of a new file, both of one name, and `found`: lines of what they come from.

    `operations` and `sessions` are those that the file lists.
    """

    name: str
    target: Members
    workload: Members
    operations: Sequence[Members] = ()
    sessions: Sequence[Members] = ()
    base_url: str = ""
    found: Sequence[str] = ()

    @property
    def next_steps(self) -> Iterator[str]:
        """The members to complete, and the command that measures."""
        opened = {name: each for name, each in self.target.items() if isinstance(each, Open)}
        yield from (f"Write {name} in {PROJECT_FILE}: {each.words}." for name, each in opened.items())
        if "run" in opened:
            yield f"Measure the service where it runs:  {COMMAND} run smoke --attach {self.name}={self.base_url}"
        else:
            yield f"Next:  {COMMAND} run smoke"

    @property
    def text(self) -> str:
        lines = [f"#:schema .bakeoff/{EDITOR_SCHEMA}", "", *self.target_lines(), "", *self.workload_lines(), ""]
        return "\n".join(lines)

    def target_lines(self) -> Iterator[str]:
        yield f"[targets.{self.name}]"
        yield from _lines(self.target)

    def workload_lines(self) -> Iterator[str]:
        if self.workload:
            yield from (f"[workloads.{self.name}]", *_lines(self.workload))
        for index, operation in enumerate(self.operations):
            yield from [""] if self.workload or index else []
            yield from (f"[[workloads.{self.name}.operations]]", *_lines(operation))
        for session in self.sessions:
            yield from ("", f"[[workloads.{self.name}.sessions]]", *_lines(session))


def _lines(members: Members) -> Iterator[str]:
    for name, member in members.items():
        value = member.value if isinstance(member, Open) else member
        text = toml_text(value) if isinstance(value, str) and '"' in value else toml_value(value)
        if isinstance(member, Open):
            # A comment, so that the file is valid before a person has completed it.
            yield f"{'' if member.counts else '# '}{name} = {text}    # <- {member.words}"
        else:
            yield f"{name} = {text}"
