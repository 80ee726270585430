"""A release: a file a split, cards, README and sums, in a directory that is whole or absent."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring import files as scoring_files
from scoring.datasets.exports.services import export_to_file, set_licence, write_release
from scoring.files import SUMS_NAME, digest_of
from scoring.formats import patent_ce_jsonl
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
Rows = Callable[..., list[DatasetRow]]


def test_a_release_holds_a_file_a_split_the_cards_and_sums_that_hold(
    version: DatasetVersion, rows: Rows, tmp_path: Path
) -> None:
    files = write_release(version=version, directory=tmp_path / "release")
    found = {path.name: path.read_bytes() for path in (tmp_path / "release").iterdir()}
    assert sorted(found) == sorted(
        [
            *(f"tiny-1-{split}.jsonl" for split in ("train", "validation", "test")),
            "tiny-1.card.json",
            "tiny-1.card.md",
            "README.md",
            SUMS_NAME,
        ]
    )
    assert {file.name: (file.sha256, file.bytes) for file in files} == {
        name: (hashlib.sha256(content).hexdigest(), len(content)) for name, content in found.items()
    }
    for name, content in found.items():
        if name != SUMS_NAME:
            expected = hashlib.sha256(content).hexdigest()
            assert digest_of(name, found[SUMS_NAME]) == expected
    for split in ("train", "validation", "test"):
        wanted = [row for row in rows() if row.split == split]
        assert found[f"tiny-1-{split}.jsonl"] == b"".join(patent_ce_jsonl.write(wanted))


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="sha256sum is not installed")
def test_sha256sum_checks_a_release_and_a_file(version: DatasetVersion, tmp_path: Path) -> None:
    write_release(version=version, directory=tmp_path / "release")
    export_to_file(version=version, target=tmp_path / "out.jsonl")
    for directory in (tmp_path / "release", tmp_path):
        command = ["sha256sum", "--strict", "--quiet", "-c", SUMS_NAME]
        assert subprocess.run(command, cwd=directory, capture_output=True).returncode == 0


def test_a_release_is_the_same_bytes_each_time(version: DatasetVersion, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_release(version=DatasetVersion.objects.get(), directory=tmp_path / name)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


def test_a_release_does_not_go_over_what_is_there(version: DatasetVersion, tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "mine").touch()
    with pytest.raises(Refused, match="Cannot write the release"):
        write_release(version=version, directory=tmp_path / "release")
    with pytest.raises(Refused, match="Cannot write the release"):
        write_release(version=version, directory=tmp_path / "no" / "release")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "release"]


def test_the_licence_an_admin_chose_is_on_the_card(
    cast: Any, version: DatasetVersion, tmp_path: Path
) -> None:
    row = set_licence(version=version, licence="CC BY 4.0", set_by=cast.ada)
    write_release(version=row, directory=tmp_path / "release")
    card = json.loads((tmp_path / "release" / "tiny-1.card.json").read_bytes())
    assert card["licence"] == "CC BY 4.0"
    assert "## Licence\n\nCC BY 4.0\n" in (tmp_path / "release" / "tiny-1.card.md").read_text()


def test_a_release_of_a_damaged_file_is_refused_and_leaves_nothing(
    version: DatasetVersion, tmp_path: Path
) -> None:
    path = scoring_files.dataset_path(version.sha256)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(scoring_files.StoredFileDamaged):
        write_release(version=version, directory=tmp_path / "release")
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_release_is_on_record_and_reports_its_progress(
    cast: Any, version: DatasetVersion, tmp_path: Path
) -> None:
    heard: list[float] = []
    write_release(
        version=version, directory=tmp_path / "r", exported_by=cast.ada, progress=heard.append
    )
    assert (len(heard), heard[-1]) == (18, 1.0)
    event = AuditEvent.objects.get(action="dataset.exported")
    assert (event.actor, event.details["format"]) == (cast.ada, "release")
