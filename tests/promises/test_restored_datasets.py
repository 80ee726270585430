"""P15, of dataset files: a copy put back is read as before; what it lacks is reported."""

import os
import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from scoring.datasets.freezing.imports import import_dataset
from scoring.files import dataset_path, datasets_directory
from scoring.models import DatasetVersion
from scoring.quadruplets import SplitPlan
from tests.scoring.conftest import dataset_rows

pytestmark = pytest.mark.django_db
VERSIONS = 3


@pytest.fixture(autouse=True)
def versions(settings: Any, tmp_path: Path, db: None) -> list[DatasetVersion]:
    """Store several versions of one dataset."""
    settings.DATA_DIR = tmp_path / "data"
    for number in range(VERSIONS):
        rows = [replace(row, reference=f"{row.reference} {number}") for row in dataset_rows()]
        import_dataset(name="tiny", rows=rows, plan=SplitPlan("file"))
    return list(DatasetVersion.objects.order_by("number"))


@pytest.fixture
def copied(versions: list[DatasetVersion], tmp_path: Path) -> Path:
    """Copy the directory of dataset files as a backup does, beside what a killed writer left."""
    (datasets_directory() / ".aside-left").write_bytes(b'{"half": ')
    return shutil.copytree(datasets_directory(), tmp_path / "backup")


def lose_and_restore(copied: Path) -> None:
    shutil.rmtree(datasets_directory())
    shutil.copytree(copied, datasets_directory(), dirs_exist_ok=True)


def exported(number: int, folder: Path) -> bytes:
    target = folder / f"{number}.jsonl"
    call_command("export_dataset", f"tiny@{number}", "--output", str(target), stdout=StringIO())
    return target.read_bytes()


def test_every_version_is_read_from_the_restored_files_as_before(
    versions, copied, tmp_path
) -> None:
    folders = [tmp_path / name for name in ("before", "after")]
    for folder in folders:
        folder.mkdir()
    before = [exported(version.number, folders[0]) for version in versions]
    assert len(set(before)) == VERSIONS
    lose_and_restore(copied)
    assert [exported(version.number, folders[1]) for version in versions] == before
    # What is stored again finds its file: no other version, and nothing written over.
    stamp = dataset_path(versions[0].sha256).stat().st_mtime_ns
    rows = [replace(row, reference=f"{row.reference} 0") for row in dataset_rows()]
    import_dataset(name="tiny", rows=rows, plan=SplitPlan("file"))
    assert DatasetVersion.objects.count() == VERSIONS
    assert dataset_path(versions[0].sha256).stat().st_mtime_ns == stamp


def without_a_byte(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def with_another_word(path: Path) -> None:
    content = path.read_bytes()
    changed = content.replace(b"machine", b"machina", 1)
    assert changed != content
    path.write_bytes(changed)


@pytest.mark.parametrize("damage", [Path.unlink, without_a_byte, with_another_word])
def test_a_copy_that_lacks_something_is_named_and_the_other_versions_are_read(
    versions, copied, tmp_path, capsys, damage
) -> None:
    name = dataset_path(versions[1].sha256).name
    damage(copied / name)
    lose_and_restore(copied)
    with pytest.raises(SystemExit):
        exported(2, tmp_path)
    assert name in capsys.readouterr().err
    assert not (tmp_path / "2.jsonl").exists()
    assert exported(1, tmp_path)
    assert exported(3, tmp_path)
