"""What `doctor` says of files that an erasure took away, and never advises to bring back."""

from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Reference
from annotator.operations.health.database import Finding, Level
from scoring import files as scoring_files
from scoring.models import DatasetVersion, Erasure, ErasureStatus
from scoring.operations import dataset_and_model_files, look_at_stored_files
from tests.conftest import make_reference
from tests.scoring.model_rows import model_row

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def erasure(cast: Any, version: DatasetVersion) -> Erasure:
    """An erasure on record, whose files are as the test leaves them."""
    reference: Reference = make_reference(cast.campaign, "gone", 0)
    about = {"campaign": cast.campaign, "reference": reference, "status": ErasureStatus.DONE}
    people = {"asked_by": cast.ada, "answered_by": cast.rita}
    times = dict.fromkeys(("asked_at", "erased_at"), timezone.now())
    result = {"versions": [str(version.pk)]}
    return Erasure.objects.create(**about, **people, **times, result=result)


def findings(part: str) -> list[Finding]:
    return [one for one in look_at_stored_files() if one.part == part]


def of_datasets() -> list[Finding]:
    return findings("dataset files")


def test_a_file_that_an_erasure_took_is_in_order_and_another_is_missing(version, erasure) -> None:
    scoring_files.erase_copy(version.sha256, timezone.now().date())
    (found,) = of_datasets()
    assert found.level is Level.OK
    assert found.found == (
        "0 dataset versions are as they were stored. 1 are gone, as a reference in them was erased."
    )
    Erasure.objects.all().delete()
    assert [one.level for one in of_datasets()] == [Level.OK]  # the tombstone says it, too
    scoring_files.tombstone_path(version.sha256).unlink()
    lost, _ = of_datasets()
    assert (lost.level, lost.mend) == (Level.MISSING, "Restore the file from a backup.")


@pytest.mark.parametrize("is_there_again", [True, False])
def test_an_erased_file_that_is_back_or_without_its_tombstone_is_to_be_erased_again(
    version, erasure, is_there_again
) -> None:
    path = scoring_files.dataset_path(version.sha256)
    tombstone = scoring_files.tombstone_path(version.sha256)
    content = path.read_bytes()
    scoring_files.erase_copy(version.sha256, timezone.now().date())
    if is_there_again:
        path.write_bytes(content)
    else:
        tombstone.unlink()
    lost, _ = of_datasets()
    assert lost.level is Level.MISSING
    assert "backup" not in lost.mend
    assert lost.mend.startswith("Erase it again: `printf ")
    # What it advises is what an erasure leaves.
    path.unlink(missing_ok=True)
    tombstone.write_text(timezone.now().date().isoformat())
    assert [one.level for one in of_datasets()] == [Level.OK]


def test_a_model_that_learned_from_an_erased_reference_is_not_to_be_brought_back(version) -> None:
    model = model_row(version)
    found, _ = findings("model files")
    assert (found.level, "Restore" in found.mend) == (Level.MISSING, True)
    model.retire_since = timezone.now()
    model.save()
    found, _ = findings("model files")
    assert (found.level, "Do not bring it back" in found.mend) == (Level.WARNING, True)
    # Nor does it keep the site from making backups.
    assert [file.name for file in dataset_and_model_files()] == [f"datasets/{version.sha256}.jsonl"]
