"""A file is whole under its name, or its name holds what it held before."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from patclaimeval.files import TEMPORARY_PREFIX, atomic_write


def pieces_that_end_badly() -> Iterator[bytes]:
    yield b"half"
    raise OSError(28, "No space left on device")


def test_a_file_is_written_whole_and_is_its_owners_alone(tmp_path) -> None:
    target = tmp_path / "export.csv"
    atomic_write(target, [b"one ", b"two"])
    assert target.read_bytes() == b"one two"
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["export.csv"]


@pytest.mark.parametrize("before", [None, b"as it was"], ids=["absent", "there"])
def test_a_failure_leaves_what_was_there_and_nothing_beside_it(tmp_path, before) -> None:
    target = tmp_path / "export.csv"
    if before:
        target.write_bytes(before)
    with pytest.raises(OSError, match="No space left"):
        atomic_write(target, pieces_that_end_badly())
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([before] if before else [])


def test_content_is_on_disk_before_the_rename_and_the_rename_before_the_return(
    tmp_path, monkeypatch
) -> None:
    steps = []
    flush, replace = os.fsync, Path.replace

    def flushed(descriptor: int) -> None:
        steps.append("directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        flush(descriptor)

    def replaced(source: Path, target: Path) -> Path:
        assert source.name.startswith(TEMPORARY_PREFIX)
        assert source.read_bytes() == b"one"
        steps.append("rename")
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "replace", replaced)
    atomic_write(tmp_path / "export.csv", [b"one"])
    assert steps == ["file", "rename", "directory"]
