"""Files that are made from the table of options are up to date."""

from bakeoff.cli.app import command_line
from bakeoff.cli.generate import generated_files
from bakeoff.project import Project


def test_generated_files_are_up_to_date(clone: Project) -> None:
    outdated = [path for path, text in generated_files(clone, command_line()).items() if path.read_text() != text]
    assert not outdated, "run ./bakeoff generate"
