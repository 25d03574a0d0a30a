"""The record of hostile connections counts for the artifact that was tried, and for no other."""

from dataclasses import replace
from pathlib import Path

from bakeoff.project import Project
from bakeoff.targets.hostile_record import NOT_TRIED, hostile_words, keep_hostile_record
from made_up_manifests import target


def test_a_record_counts_for_the_artifact_that_was_tried(tmp_path: Path) -> None:
    project, made_up = Project(tmp_path), target("one")
    artifact = tmp_path / "program"
    tried = replace(made_up, build=replace(made_up.build, artifact=artifact))
    assert hostile_words(project, tried) == NOT_TRIED
    artifact.write_bytes(b"first")
    keep_hostile_record(project, tried, tried=13, held=12, most_bytes=119_000_000)
    words = "holds under 12 of 13 kinds of hostile connections, most memory 119 MB"
    assert hostile_words(project, tried) == words
    artifact.write_bytes(b"second")
    assert hostile_words(project, tried) == NOT_TRIED
