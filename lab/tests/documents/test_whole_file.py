"""Files and folders that appear whole or not at all."""

from pathlib import Path

import pytest

from bakeoff.documents.whole_file import made_whole, private_file, write_whole


def test_a_file_and_a_folder_replace_what_was_there(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "file", b"1")
    write_whole(tmp_path / "new" / "file", b"2")
    for content in ("first", "second"):
        with made_whole(tmp_path / "new" / "folder") as partial:
            partial.mkdir()
            (partial / content).touch()
    names = {str(path.relative_to(tmp_path / "new")) for path in (tmp_path / "new").rglob("*")}
    assert names == {"file", "folder", "folder/second"}
    assert (tmp_path / "new" / "file").read_bytes() == b"2"


def test_what_was_interrupted_leaves_what_was_there_and_is_made_again(tmp_path: Path) -> None:
    path = write_whole(tmp_path / "file", b"whole")
    with pytest.raises(KeyboardInterrupt), made_whole(path) as partial:
        partial.mkdir()
        raise KeyboardInterrupt
    assert path.read_bytes() == b"whole"
    assert write_whole(path, b"again").read_bytes() == b"again"
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_its_owners_alone_and_does_not_stay(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("readable by all")
    with private_file(path, b"secret"):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.read_bytes() == b"secret"
    assert not path.exists()


def test_a_file_never_replaces_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    with pytest.raises(IsADirectoryError):
        write_whole(folder, b"report")
    assert [each.name for each in tmp_path.iterdir()] == ["results"]
    assert (folder / "kept").read_text() == "kept"
