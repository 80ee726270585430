import gzip
import hashlib
import io
import shutil
from collections import namedtuple
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.utils import timezone

from annotator.models import Campaign, Reference
from annotator.operations.backups.archives import Manifest, StoredFile, Table, archive
from annotator.operations.backups.erasure_record import (
    NAME,
    ErasedReference,
    record_path,
    remember_erasures,
)
from annotator.operations.backups.sealing import KeyFile, seal_to, write_sealed
from annotator.operations.backups.services import restore_backup
from annotator.operations.backups.tables import (
    PlainDigest,
    applied_migrations,
    columns_of,
    lines_of,
    models_after,
)
from annotator.operations.health.checks import look_at_erasures
from core.errors import Refused
from tests.amounts import few
from tests.conftest import make_reference

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
NEWER = ("annotator", "9999_from_the_future")
HONEST = ("annotator_campaign", "annotator_reference")


def sealed(
    path: Path,
    public: str,
    *more: tuple[str, str],
    rows: Sequence[tuple[str, list[str], list[bytes]]] = (),
    files: dict[str, bytes] | None = None,
) -> Path:
    """Write a backup of these rows, made by a version that has these migrations, too."""
    packed, tables, stored = b"", [], []
    for name, columns, lines in rows:
        content = b"".join(lines)
        digest = hashlib.sha256(content).hexdigest()
        plain = PlainDigest(len(columns))
        for line in lines if name in HONEST else ():
            plain.update(line)
        one = gzip.compress(content)
        sizes = (len(content), len(one))
        tables.append(Table(name, columns, len(lines), digest, plain.hexdigest(), *sizes))
        packed += one
    for name, content in (files or {}).items():
        (path.parent / "beside" / name).parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "beside" / name).write_bytes(content)
        stored.append(StoredFile(name, hashlib.sha256(content).hexdigest(), len(content)))
    migrations = [*applied_migrations(), *more]
    made_by = Manifest("9.9", "2026-01-01", "sqlite", migrations, tables, stored)
    with path.open("wb") as file:
        pieces = archive(made_by, io.BytesIO(packed), path.parent / "beside")
        write_sealed(pieces, file, seal_to([public]))
    return path


@pytest.fixture
def own_directory(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


def refusal(source: Path, key_file: Path, **how: Any) -> str:
    with pytest.raises(Refused) as caught:
        restore_backup(source=source, key=KeyFile(key_file), **how)
    return caught.value.sentence


def found_in(directory: Path) -> dict[str, bytes]:
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def test_a_backup_of_a_newer_version_is_refused_with_both_versions(key, own_directory, tmp_path):
    sentence = refusal(sealed(tmp_path / "b", key[0], NEWER), key[1])
    assert "version 9.9" in sentence
    assert "this is version 0." in sentence
    assert "annotator.9999_from_the_future" in sentence


def test_a_host_with_rows_or_with_files_is_refused_and_keeps_them(key, own_directory, tmp_path):
    source = sealed(tmp_path / "b", key[0])
    campaign = Campaign.objects.create(slug="kept", name="kept")
    assert "holds data already (annotator_campaign)" in refusal(source, key[1])
    assert Campaign.objects.get() == campaign
    file = own_directory / "models" / "one" / "weights"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")
    assert "holds data already (models/one/weights)" in refusal(source, key[1])
    assert file.read_bytes() == b"1"


DATASET = b"a dataset\n"
DATASET_NAME = f"datasets/{hashlib.sha256(DATASET).hexdigest()}.jsonl"


@pytest.mark.parametrize("name", ["secret_key", "static/app.js", "broker/messages/1.web.msg"])
def test_a_file_that_no_backup_has_is_refused_and_others_stay(key, own_directory, tmp_path, name):
    (own_directory / name).parent.mkdir(parents=True, exist_ok=True)
    (own_directory / name).write_bytes(b"ours")
    source = sealed(tmp_path / "b", key[0], files={name: b"theirs"})
    assert "list of contents of the backup is damaged" in refusal(source, key[1])
    assert found_in(own_directory) == {name: b"ours"}


def test_a_file_of_the_same_name_stays_whether_the_same_or_another(key, own_directory, tmp_path):
    path = own_directory / DATASET_NAME
    path.parent.mkdir()
    # The rows are none: what was written has to go again, and nothing else.
    other = f"datasets/{'a' * 64}.erased"
    rows = [("auth_group", ["id", "name"], [b'["x","y"]\n'])]
    source = sealed(
        tmp_path / "b", key[0], rows=rows, files={DATASET_NAME: DATASET, other: b"2026-01-01"}
    )
    for there, words in ((DATASET, "do not fit the tables"), (b"ours", "holds data already")):
        path.write_bytes(there)
        assert words in refusal(source, key[1])
        assert found_in(own_directory) == {DATASET_NAME: there}


BAD_ROWS: dict[str, tuple[str, list[str], list[bytes]]] = {
    "of a table that is none": ("auth_groups", ["id", "name"], [b'[1,"a"]\n']),
    "of the table of migrations": ("django_migrations", ["id"], [b"[1]\n"]),
    "with a column more": ("auth_group", ["id", "name", "more"], [b'[1,"a",2]\n']),
    "with a column less": ("auth_group", ["id"], [b"[1]\n"]),
    **{
        f"such as {line[:20]!r}": ("auth_group", ["id", "name"], [line])
        for line in (
            *(b'[1,"a"]\n[1,"b"]\n', b'["x","a"]\n', b"[1]\n", b'[1,"a",2]\n'),
            *(b'{"id":1}\n', b"5\n", b"[1\n"),
            *(b"[null,null]\n", b'[1,"\\ud800"]\n', b'[1e400,"a"]\n', b'[[],"a"]\n'),
            b"[" * 100_000 + b"]" * 100_000 + b"\n",
            b"[" + b"9" * 30 + b',"a"]\n',
        )
    },
}


@pytest.mark.parametrize("what", few(BAD_ROWS, 6))
def test_rows_that_fit_no_table_are_refused_and_nothing_is_left(key, own_directory, tmp_path, what):
    name, columns, lines = BAD_ROWS[what]
    split = [line + b"\n" for line in lines[0].splitlines()]
    rows = [(name, columns, split)]
    sentence = refusal(
        sealed(tmp_path / "b", key[0], rows=rows, files={DATASET_NAME: DATASET}), key[1]
    )
    assert sentence.endswith("nothing was restored.")
    assert not Group.objects.exists()
    assert found_in(own_directory) == {}


def test_a_backup_that_would_fill_the_disk_is_refused(
    key, own_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytes(100_000)
    name = f"datasets/{hashlib.sha256(content).hexdigest()}.jsonl"
    source = sealed(tmp_path / "b", key[0], files={name: content})
    size = source.stat().st_size
    usage = namedtuple("usage", "free")
    # Before it is opened, and, once it is (which is said to take nothing here), before it is read.
    for free in (size - 1, size // 2):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage(free))
        assert f"{free:,} are free" in refusal(source, key[1])
    left = iter([size, 99_999])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(next(left)))
    assert "takes up to 100,000 bytes, and 99,999 are free" in refusal(source, key[1])
    assert found_in(own_directory) == {}


def test_what_is_no_plain_file_is_not_read(key, own_directory: Path, tmp_path: Path) -> None:
    for source in (tmp_path, Path("/dev/zero")):
        assert "it is no plain file" in refusal(source, key[1])
    assert "No such file" in refusal(tmp_path / "nowhere", key[1])


@pytest.fixture
def before(key, own_directory: Path, tmp_path: Path) -> tuple[Path, Reference]:
    """A backup of two references in an emptied database; the first is erased since then."""
    return backed_up(key[0], tmp_path, was_erased=False)


def backed_up(recipient: str, folder: Path, *, was_erased: bool) -> tuple[Path, Reference]:
    """Give a backup of two references in an emptied database, and the first of them."""
    campaign = Campaign.objects.create(slug="old", name="old")
    erased, _ = (make_reference(campaign, name, 0) for name in ("secret words", "kept"))
    if was_erased:
        Reference.objects.filter(pk=erased.pk).update(erased_at=timezone.now())
    models = [m for m in models_after(applied_migrations()) if m._meta.db_table in HONEST]
    rows = [(m._meta.db_table, columns_of(m), list(lines_of(m))) for m in models]
    source = sealed(folder / "before", recipient, rows=rows)
    Reference.objects.all().delete()
    Campaign.objects.all().delete()
    return source, erased


def record_of(reference: Reference) -> ErasedReference:
    now = timezone.now().isoformat()
    return ErasedReference(str(reference.pk), str(reference.campaign_id), now)


def on_this_host(reference: Reference, elsewhere: Path) -> dict[str, Any]:
    remember_erasures([record_of(reference)])
    return {}


def in_a_file(reference: Reference, elsewhere: Path) -> dict[str, Any]:
    remember_erasures([record_of(reference)])
    (Path(elsewhere) / NAME).write_bytes(record_path().read_bytes())
    record_path().unlink()
    return {"erasures": elsewhere / NAME}


@pytest.mark.parametrize("on_progress", [on_this_host, in_a_file])
def test_a_backup_from_before_an_erasure_comes_back_by_an_option_only(
    before, key, tmp_path: Path, on_progress: Callable[[Reference, Path], dict[str, Any]]
) -> None:
    source, erased = before
    how = on_progress(erased, tmp_path)
    sentence = refusal(source, key[1], **how)
    assert f"a reference that was erased after it was made: {erased.pk}" in sentence
    assert "--bring-back-erased" in sentence
    assert "secret" not in sentence
    assert not Reference.objects.exists()
    brought_back = restore(source, key[1], brings_back_erased=True, **how)
    assert [one.reference for one in brought_back] == [str(erased.pk)]
    (finding,) = look_at_erasures()
    assert (finding.level, str(erased.pk) in finding.found) == ("missing", True)
    Reference.objects.filter(pk=erased.pk).update(erased_at=timezone.now())
    (finding,) = look_at_erasures()
    assert finding.level == "ok"


def restore(source: Path, key_file: Path, **how: Any) -> list[ErasedReference]:
    return restore_backup(source=source, key=KeyFile(key_file), **how)[1]


def test_a_database_that_knows_of_a_later_erasure_says_so_and_puts_it_on_record(before, key):
    source, erased = before
    restore(source, key[1])
    Reference.objects.filter(pk=erased.pk).update(erased_at=timezone.now())
    sentence = refusal(source, key[1], brings_back_erased=True)
    assert "The database holds data already" in sentence
    assert str(erased.pk) in sentence
    assert str(erased.pk) in record_path().read_text()


def test_a_record_that_cannot_be_read_whole_is_no_record_without_erasures(before, key, tmp_path):
    record = tmp_path / "record"
    assert "No such file" in refusal(before[0], key[1], erasures=record)
    wrong = b'{"reference": 1, "campaign": "", "erased_at": 2}\n'
    for content in (b"{}\n", b"[]\n", b"\xff\n", wrong):
        record.write_bytes(content)
        assert "damaged in line 1" in refusal(before[0], key[1], erasures=record)


def test_the_command_says_what_came_back_and_how_to_erase_it_again(before, key, capsys) -> None:
    source, erased = before
    remember_erasures([record_of(erased)])
    words = ("restore", str(source), "--identity", str(key[1]))
    with pytest.raises(SystemExit):
        call_command(*words)
    assert str(erased.pk) in capsys.readouterr().err
    call_command(*words, "--bring-back-erased")
    out = capsys.readouterr().out
    assert f"{erased.pk} of campaign {erased.campaign_id}" in out
    assert "Erase them again: an admin of the campaign asks" in out
