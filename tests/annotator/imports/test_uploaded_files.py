import errno
import hashlib
import io
import os
import stat
import uuid
from pathlib import Path
from typing import Any

import pytest

from annotator.imports.files import (
    TooBig,
    UploadGone,
    drop_upload,
    open_upload,
    store_upload,
    stored_uploads,
    uploads_directory,
)
from core.errors import DiskFull
from patclaimeval import limits
from tests.faults import raising

PK = uuid.UUID(int=1)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_kept_byte_for_byte_under_its_id_for_its_owner_alone() -> None:
    content = bytes(range(256)) * 10_000
    stored = store_upload(PK, io.BytesIO(content))
    path = uploads_directory() / str(PK)
    assert (stored.size, stored.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert path.read_bytes() == content
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    with open_upload(PK, stored.sha256) as file:
        assert file.read() == content


def test_a_file_past_the_limit_is_refused_on_the_way_and_nothing_of_it_stays(settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 1_000_000
    source = io.BytesIO(b"x" * 5_000_000)
    with pytest.raises(TooBig, match="1,000,000 bytes"):
        store_upload(PK, source)
    assert source.tell() < 5_000_000
    assert list(stored_uploads()) == []


def test_a_file_of_exactly_the_limit_is_taken(settings: Any) -> None:
    assert settings.MAX_UPLOAD_BYTES == limits.UPLOAD_BYTES
    settings.MAX_UPLOAD_BYTES = 7
    assert store_upload(PK, io.BytesIO(b"1234567")).size == 7


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_in_words_and_leaves_nothing(number: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(os, "fsync", raising(OSError(number, "no")))
    with pytest.raises(DiskFull) as refusal:
        store_upload(PK, io.BytesIO(b"x"))
    assert refusal.value.status == 507
    assert list(stored_uploads()) == []


def test_a_reader_that_breaks_off_leaves_nothing() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        store_upload(PK, Broken())
    assert list(stored_uploads()) == []


def test_a_file_that_is_gone_or_was_changed_is_not_read() -> None:
    stored = store_upload(PK, io.BytesIO(b"abc"))
    (uploads_directory() / str(PK)).write_bytes(b"abd")
    with pytest.raises(UploadGone, match="changed"):
        open_upload(PK, stored.sha256)
    drop_upload(PK)
    drop_upload(PK)
    with pytest.raises(UploadGone, match="missing"):
        open_upload(PK, stored.sha256)
