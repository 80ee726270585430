"""The archive in a backup, and what is not accepted as one."""

import gzip
import hashlib
import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.backups.archives import archive, check_archive
from annotator.backups.kept_files import KeptFile
from annotator.backups.manifest import Manifest, Table
from annotator.refusals import Refused

LINES = b'["1","a"]\n["2","b"]\n'
PACKED = gzip.compress(LINES, mtime=0)
TEXT = b"a dataset\n" * 200


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


TABLE = Table("a_table", ["id", "name"], 2, sha(LINES), sha(LINES), len(LINES), len(PACKED))
FILE = KeptFile("datasets/d.jsonl", sha(TEXT), len(TEXT))
MANIFEST = Manifest("1", "2026-11-22T00:00:00+00:00", "sqlite", [("a", "0001")], [TABLE], [FILE])


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "datasets").mkdir()
    (tmp_path / FILE.name).write_bytes(TEXT)
    return tmp_path


def made(directory: Path, manifest: Manifest = MANIFEST) -> bytes:
    return b"".join(archive(manifest, io.BytesIO(PACKED), directory))


def test_an_archive_gives_back_what_went_in(directory: Path) -> None:
    found = check_archive(io.BytesIO(made(directory)))
    assert found.manifest == MANIFEST
    assert b"".join(found.lines(TABLE)) == LINES
    assert b"".join(found.file(FILE)) == TEXT


def test_an_archive_is_a_plain_tar_that_other_programs_read(directory: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(made(directory))) as tar:
        assert tar.getnames() == ["manifest.json", "tables/a_table.jsonl.gz", "files/" + FILE.name]


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_bytes(TEXT[:-1])])
def test_a_file_that_went_away_or_changed_ends_the_backup(directory: Path, change) -> None:  # type: ignore[no-untyped-def]
    change(directory / FILE.name)
    with pytest.raises(Refused, match="changed or deleted"):
        made(directory)


WRONG = {
    "another digest of a table": replace(MANIFEST, tables=[replace(TABLE, sha256="0" * 64)]),
    "another count of rows": replace(MANIFEST, tables=[replace(TABLE, rows=3)]),
    "a shorter table": replace(MANIFEST, tables=[replace(TABLE, size=3)]),
    "another size of a table": replace(MANIFEST, tables=[replace(TABLE, packed_size=9)]),
    "a table that is not there": replace(MANIFEST, tables=[TABLE, replace(TABLE, name="b")]),
    "a file that is not there": replace(MANIFEST, files=[FILE, replace(FILE, name="datasets/e")]),
    "a file that is not listed": replace(MANIFEST, files=[]),
    "another digest of a file": replace(MANIFEST, files=[replace(FILE, sha256="0" * 64)]),
    "a way out of the folder": replace(MANIFEST, files=[replace(FILE, name="../d.jsonl")]),
    "a path from the root": replace(MANIFEST, files=[replace(FILE, name="/etc/d")]),
    "a hidden name": replace(MANIFEST, files=[replace(FILE, name="datasets/.d")]),
    "a name twice": replace(MANIFEST, files=[FILE, FILE]),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_archive_that_its_list_does_not_fit_is_refused(directory: Path, what: str) -> None:
    honest = MANIFEST.as_bytes()
    false = WRONG[what].as_bytes()
    members = tarfile.TarFile(fileobj=io.BytesIO(made(directory)))
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for member in members.getmembers():
            content = members.extractfile(member).read()  # type: ignore[union-attr]
            if content == honest:
                content, member.size = false, len(false)
            tar.addfile(member, io.BytesIO(content))
    with pytest.raises(Refused):
        check_archive(target)


def test_links_and_what_is_no_tar_are_refused(directory: Path) -> None:
    target = io.BytesIO()
    contents = MANIFEST.as_bytes()
    with tarfile.open(fileobj=target, mode="w") as tar:
        entry = tarfile.TarInfo("manifest.json")
        entry.size = len(contents)
        tar.addfile(entry, io.BytesIO(contents))
        link = tarfile.TarInfo("tables/a_table.jsonl.gz")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    for data in (target.getvalue(), b"", b"no tar" * 500, made(directory)[:3000]):
        with pytest.raises(Refused):
            check_archive(io.BytesIO(data))


def test_another_format_is_refused_with_both_versions(directory: Path) -> None:
    document = json.loads(MANIFEST.as_bytes()) | {"format": 2, "app_version": "9.9"}
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        entry = tarfile.TarInfo("manifest.json")
        content = json.dumps(document).encode()
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    with pytest.raises(Refused, match=r"version 9\.9 in format 2; this is version"):
        check_archive(target)
