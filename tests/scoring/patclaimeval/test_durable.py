import errno
import os

import pytest

from core.files import atomic_write
from scoring.patclaimeval.errors import TrainingFailed, full_disk_reported


def test_a_file_is_replaced_whole(tmp_path) -> None:
    for content in (b"one", b"two"):
        atomic_write(tmp_path / "a", [content])
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]


def test_a_full_disk_leaves_what_was_there_and_no_half_file(tmp_path, monkeypatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    atomic_write(tmp_path / "a", [b"one"])
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(TrainingFailed, match="disk is full"), full_disk_reported():
        atomic_write(tmp_path / "a", [b"two"])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"one"}


def test_other_errors_of_the_system_are_passed_on() -> None:
    with pytest.raises(PermissionError), full_disk_reported():
        raise PermissionError(errno.EACCES, "no")
