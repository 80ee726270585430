import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pyrage
import pytest
from msgspec.structs import replace

from annotator.operations.backups import archives
from annotator.operations.backups.archives import (
    Manifest,
    StoredFile,
    Table,
    archive,
    check_archive,
    header,
)
from annotator.operations.backups.sealing import (
    Key,
    KeyFile,
    Passphrase,
    open_sealed,
    seal_by_passphrase,
    seal_to,
    write_sealed,
)
from core.errors import Refused

LINES = b'["1","a"]\n["2","b"]\n'
PACKED = gzip.compress(LINES, mtime=0)
TEXT = b"a dataset\n" * 200


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


TABLE = Table("a_table", ["id", "name"], 2, sha(LINES), sha(LINES), len(LINES), len(PACKED))
FILE = StoredFile(f"datasets/{sha(TEXT)}.jsonl", sha(TEXT), len(TEXT))
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


NAME = f"datasets/{'0' * 64}.erased"
WRONG = {
    "another digest of a table": replace(MANIFEST, tables=[replace(TABLE, sha256="0" * 64)]),
    "another count of rows": replace(MANIFEST, tables=[replace(TABLE, rows=3)]),
    "a shorter table": replace(MANIFEST, tables=[replace(TABLE, size=3)]),
    "another size of a table": replace(MANIFEST, tables=[replace(TABLE, packed_size=9)]),
    "a table that is not there": replace(MANIFEST, tables=[TABLE, replace(TABLE, name="b")]),
    "a file that is not there": replace(MANIFEST, files=[FILE, replace(FILE, name=NAME)]),
    "a file that is not listed": replace(MANIFEST, files=[]),
    "another digest of a file": replace(MANIFEST, files=[replace(FILE, sha256="0" * 64)]),
    "a name twice": replace(MANIFEST, files=[FILE, FILE]),
    "a table twice": replace(MANIFEST, tables=[TABLE, TABLE]),
    "a migration twice": replace(MANIFEST, migrations=[("a", "0001")] * 2),
    "a size below nothing": replace(MANIFEST, tables=[replace(TABLE, size=-1)]),
    "a size that is a text": replace(MANIFEST, files=[replace(FILE, size="1")]),  # type: ignore[arg-type]
    "a size that is a truth": replace(MANIFEST, files=[replace(FILE, size=True)]),
    "rows that are half": replace(MANIFEST, tables=[replace(TABLE, rows=0.5)]),  # type: ignore[arg-type]
    "a size beyond the archive": replace(MANIFEST, files=[replace(FILE, size=1 << 60)]),
    "columns that are one text": replace(MANIFEST, tables=[replace(TABLE, columns="id")]),
    "a migration that is one text": replace(MANIFEST, migrations=["ab"]),
    "a time that is none": replace(MANIFEST, made_at="\x1b[2Jnow"),
    "a version that is none": replace(MANIFEST, app_version="\x1b[2J"),
    **{
        f"a file called {name}": replace(MANIFEST, files=[replace(FILE, name=name)])
        for name in (
            *("../d.jsonl", "/etc/d", "datasets/.d", "datasets/d.jsonl", "secret_key"),
            *("static/app.js", "broker/messages/1.web.msg", "db.sqlite3", "models/secret_key"),
            f"datasets/{'0' * 64}.jsonl",
            f"datasets/{sha(TEXT)}.jsonl/..",
            f"models/model-{'0' * 32}-{'0' * 32}/model.pkl",
            f"models/model-{'0' * 32}-{'0' * 32}/../config.json",
            f"models/{'0' * 32}/config.json",
        )
    },
}


def forged(directory: Path, false: Manifest) -> bytes:
    """Return the honest archive with another list of contents, and members named as it says."""
    honest = made(directory)
    contents, rest = MANIFEST.as_bytes(), honest.index(header(f"files/{FILE.name}", FILE.size))
    found, end = false.as_bytes(), 512 + len(contents) + -len(contents) % 512
    begin = header("manifest.json", len(found)) + found + bytes(-len(found) % 512)
    named = b""
    if len(false.files) == 1 and isinstance(false.files[0].size, int):
        named = header(f"files/{false.files[0].name}", max(false.files[0].size, 0))
    behind = honest[rest + len(header(f"files/{FILE.name}", FILE.size)) :]
    return begin + honest[end:rest] + (named or header(f"files/{FILE.name}", FILE.size)) + behind


def test_the_forgery_is_good_but_for_what_is_false_in_it(directory: Path) -> None:
    assert forged(directory, MANIFEST) == made(directory)


@pytest.mark.parametrize("what", WRONG)
def test_an_archive_that_its_list_does_not_fit_is_refused(directory: Path, what: str) -> None:
    with pytest.raises(Refused):
        check_archive(io.BytesIO(forged(directory, WRONG[what])))


def changed_header(directory: Path, **more: object) -> bytes:
    entry = tarfile.TarInfo(f"files/{FILE.name}")
    entry.size, entry.mode = FILE.size, 0o600
    for name, value in more.items():
        setattr(entry, name, value)
    honest = header(f"files/{FILE.name}", FILE.size)
    return made(directory).replace(honest, entry.tobuf(tarfile.GNU_FORMAT))


@pytest.mark.parametrize(
    "kind",
    [
        *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE),
        tarfile.GNUTYPE_SPARSE,
    ],
)
def test_members_that_are_no_plain_files_are_refused(directory: Path, kind: bytes) -> None:
    with pytest.raises(Refused, match="What should be files/datasets/"):
        check_archive(io.BytesIO(changed_header(directory, type=kind, linkname="/etc/passwd")))


def test_what_is_no_whole_tar_or_more_than_one_is_refused(directory: Path) -> None:
    whole = made(directory)
    for data in (b"", b"no tar" * 500, whole[:3000]):
        with pytest.raises(Refused):
            check_archive(io.BytesIO(data))
    with pytest.raises(Refused, match="The end in the backup"):
        check_archive(io.BytesIO(whole + bytes(512)))


def packed_as(directory: Path, unpacked: bytes, **given: object) -> io.BytesIO:
    """Return an archive whose table holds something else than two rows."""
    packed = gzip.compress(unpacked, mtime=0)
    rows = {"rows": unpacked.count(b"\n"), "sha256": sha(unpacked), "size": len(unpacked)}
    table = replace(TABLE, **(rows | {"packed_size": len(packed)} | given))  # type: ignore[arg-type]
    manifest = replace(MANIFEST, tables=[table], files=[])
    return io.BytesIO(b"".join(archive(manifest, io.BytesIO(packed), directory)))


def test_a_table_and_a_row_are_unpacked_no_further_than_they_may_go(directory, monkeypatch) -> None:
    read = 0
    readline = gzip.GzipFile.readline

    def counted(self: gzip.GzipFile, size: int | None = -1) -> bytes:
        nonlocal read
        line = readline(self, size)
        read += len(line)
        return line

    monkeypatch.setattr(gzip.GzipFile, "readline", counted)
    monkeypatch.setattr(archives, "LONGEST_LINE", 1 << 16)
    # A line that never ends, listed as it is; and many, of which fewer are listed.
    for unpacked, found, words in (
        (bytes(64 << 20), {}, "longer than 65,536 bytes"),
        (b"[]\n" * (1 << 20), {"size": 3000}, "The table a_table"),
    ):
        read = 0
        with pytest.raises(Refused, match=words):
            check_archive(packed_as(directory, unpacked, **found))
        assert 0 < read <= (1 << 16) + 1


def test_another_format_is_refused_with_both_versions() -> None:
    content = json.dumps(json.loads(MANIFEST.as_bytes()) | {"format": 2, "app_version": "9.9"})
    data = header("manifest.json", len(content)) + content.encode()
    with pytest.raises(Refused, match=r"version 9\.9 in format 2; this is version"):
        check_archive(io.BytesIO(data))


# Longer than what the format seals at a time.
WORDS = b"one two three " * 20_000


def sealed_to(public: str) -> bytes:
    target = io.BytesIO()
    write_sealed(iter([WORDS[:7], b"", WORDS[7:]]), target, seal_to([public]))
    return target.getvalue()


def opened(sealed: bytes, key: Key) -> bytes:
    target = io.BytesIO()
    open_sealed(io.BytesIO(sealed), target, key)
    return target.getvalue()


def test_what_is_sealed_opens_with_its_key_file_only_and_poor_keys_are_refused(
    key, tmp_path: Path
) -> None:
    sealed = sealed_to(key[0])
    assert b"one two" not in sealed
    assert opened(sealed, KeyFile(key[1])) == WORDS
    (tmp_path / "empty").write_text("no key")
    for what, words in (
        (lambda: seal_by_passphrase("short"), "at least 12"),
        (lambda: seal_to(["age1nonsense"]), "age-keygen"),
        (lambda: opened(sealed, KeyFile(tmp_path / "none")), "Cannot read"),
        (lambda: opened(sealed, KeyFile(tmp_path / "empty")), "no key file"),
        (lambda: opened(sealed, Passphrase("twelve or more")), "--identity KEYFILE"),
    ):
        with pytest.raises(Refused, match=words):
            what()


@pytest.fixture(scope="module")
def by_passphrase() -> bytes:
    """Give what a passphrase sealed, which takes seconds, as opening it does."""
    target = io.BytesIO()
    write_sealed(iter([WORDS]), target, seal_by_passphrase("twelve or more"))
    return target.getvalue()


def test_a_machine_that_is_too_busy_does_not_call_the_passphrase_wrong(
    by_passphrase: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(sealed: bytes, passphrase: str) -> bytes:
        raise pyrage.DecryptError("Excessive work parameter for passphrase.")

    monkeypatch.setattr("pyrage.passphrase.decrypt", refuse)
    with pytest.raises(Refused, match="too slow or too busy"):
        opened(by_passphrase, Passphrase("twelve or more"))


def test_only_the_passphrase_opens_what_it_sealed(by_passphrase: bytes) -> None:
    assert opened(by_passphrase, Passphrase("twelve or more")) == WORDS
    with pytest.raises(Refused, match="passphrase is wrong"):
        opened(by_passphrase, Passphrase("twelve or less"))
    with pytest.raises(Refused, match="leave out --identity"):
        opened(by_passphrase, KeyFile(Path("/nowhere")))


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut by a byte": (lambda b: b[:-1], "damaged or cut off"),
    "cut at a seam": (lambda b: b[: -len(b) // 2], "damaged or cut off"),
    "a byte more": (lambda b: b + b"x", "damaged or cut off"),
    "another bit": (lambda b: b[:9000] + bytes([b[9000] ^ 1]) + b[9001:], "damaged or cut off"),
    "another header": (lambda b: b[:60] + b"AAAA" + b[64:], "the key is another one"),
    "another kind": (lambda b: b"PK" + b, "no backup of this application"),
    "nothing": (lambda b: b"", "no backup of this application"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(key, damage: str) -> None:
    harm, words = DAMAGES[damage]
    with pytest.raises(Refused, match=words):
        opened(harm(sealed_to(key[0])), KeyFile(key[1]))


def test_an_error_of_what_is_sealed_comes_out_as_it_was(key) -> None:
    def pieces():  # type: ignore[no-untyped-def]
        yield b"a"
        raise Refused("a file went away")

    with pytest.raises(Refused, match="went away"):
        write_sealed(pieces(), io.BytesIO(), seal_to([key[0]]))
