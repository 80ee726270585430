"""What a restore refuses before it writes anything."""

import io
from pathlib import Path
from typing import Any

import pyrage
import pytest

from annotator.backups.archives import archive
from annotator.backups.manifest import Manifest
from annotator.backups.sealing import KeyFile, seal_to, write_sealed
from annotator.backups.tables import applied_migrations
from annotator.models import Campaign
from annotator.refusals import Refused
from annotator.services.restores import restore_backup

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]
NEWER = ("annotator", "9999_from_the_future")


@pytest.fixture
def key(tmp_path: Path) -> tuple[str, Path]:
    made = pyrage.x25519.Identity.generate()
    path = tmp_path / "key.txt"
    path.write_text(str(made))
    return str(made.to_public()), path


def sealed(path: Path, public: str, *more: tuple[str, str]) -> Path:
    """Write a backup without rows, made by a version that has these migrations, too."""
    made_by = Manifest("9.9", "2026-01-01", "sqlite", [*applied_migrations(), *more], [], [])
    with path.open("wb") as file:
        write_sealed(archive(made_by, io.BytesIO(), path.parent), file, seal_to([public]))
    return path


@pytest.fixture
def own_directory(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


def refusal(source: Path, key_file: Path) -> str:
    with pytest.raises(Refused) as caught:
        restore_backup(source=source, key=KeyFile(key_file))
    return caught.value.sentence


def test_a_backup_of_a_newer_version_is_refused_with_both_versions(
    key: tuple[str, Path], own_directory: Path, tmp_path: Path
) -> None:
    said = refusal(sealed(tmp_path / "b", key[0], NEWER), key[1])
    assert "version 9.9" in said
    assert "this is version 0." in said
    assert "annotator.9999_from_the_future" in said


def test_a_host_with_rows_or_with_files_is_refused_and_keeps_them(
    key: tuple[str, Path], own_directory: Path, tmp_path: Path
) -> None:
    source = sealed(tmp_path / "b", key[0])
    campaign = Campaign.objects.create(slug="kept", name="kept")
    assert "holds data already (annotator_campaign)" in refusal(source, key[1])
    assert Campaign.objects.get() == campaign
    file = own_directory / "models" / "one" / "weights"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")
    assert "holds data already (models/one/weights)" in refusal(source, key[1])
    assert file.read_bytes() == b"1"


def test_a_backup_that_is_not_there_is_refused_in_words(
    key: tuple[str, Path], own_directory: Path, tmp_path: Path
) -> None:
    assert "No such file" in refusal(tmp_path / "nowhere", key[1])
