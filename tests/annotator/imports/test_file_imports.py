from pathlib import Path
from typing import Any

import pytest

from annotator.campaigns.services import create_campaign
from annotator.imports import services as imports_services
from annotator.imports.erasing import erase_texts
from annotator.imports.services import import_file
from annotator.models import AuditEvent, Campaign, ClaimImport, Reference
from core.errors import OutOfDate, Refused
from core.text_io.streams import FormatError
from tests.annotator.imports.import_files import file, good

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
TABLE = "reference_id,reference_claims,candidate_id,claims\nr1,1. A cup.,c1,1. A mug.\n"


def save(path: Path, text: str = TABLE) -> Path:
    path.write_text(text)
    return path


def test_a_missing_campaign_is_created_and_a_known_one_is_filled(tmp_path: Path) -> None:
    with save(tmp_path / "a.csv").open("rb") as file:
        file.read(20)
        first = import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
        again = import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
    assert (first.is_new_campaign, again.is_new_campaign) == (True, False)
    assert (first.counts["references"], again.counts["references"]) == (1, 0)
    assert Reference.objects.get().imported_from == first.row
    assert AuditEvent.objects.filter(details__import=str(first.row.pk)).count() == 1


def test_a_campaign_that_somebody_creates_meanwhile_is_taken(tmp_path, monkeypatch) -> None:
    def overtaken(*, slug: str) -> Campaign:
        create_campaign(slug=slug)
        raise OutOfDate("There is one already.")

    monkeypatch.setattr(imports_services, "create_campaign", overtaken)
    with save(tmp_path / "a.csv").open("rb") as file:
        done = import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
    assert not done.is_new_campaign
    assert Reference.objects.get().campaign == Campaign.objects.get()


@pytest.mark.parametrize("bad", ["r2,,c1,1. A.\n", 'r2,"1. A'])
def test_a_bad_file_leaves_neither_campaign_nor_row(tmp_path: Path, bad: str) -> None:
    with save(tmp_path / "a.csv", TABLE + bad).open("rb") as file, pytest.raises(FormatError):
        import_file(slug="mugs", file=file, file_name="a.csv", format="csv")
    assert not Campaign.objects.exists()
    assert not ClaimImport.objects.exists()


def test_a_file_that_changes_while_it_is_read_is_not_stored(tmp_path: Path) -> None:
    path = save(tmp_path / "a.csv")

    def change(_: int) -> None:
        save(path, TABLE.replace("cup", "pot"))

    with path.open("rb") as file, pytest.raises(Refused, match="was changed"):
        import_file(slug="mugs", file=file, file_name="a.csv", format="csv", progress=change)
    assert not Campaign.objects.exists()


def test_references_of_one_file_can_be_erased_one_after_the_other(cast: Any) -> None:
    import_file(slug="cups", file=file(good(3)), file_name="a.jsonl", format="claims-jsonl")
    rows = list(Reference.objects.all())
    # Their keys begin with the moment of the import.
    assert len({row.pk.hex[:12] for row in rows}) == 1
    for row in rows:
        erase_texts(row)
    found = Reference.objects.values_list("reference_id", "claims")
    assert len({name for name, _ in found}) == 3
    assert all(name.startswith("erased-") and claims == "" for name, claims in found)
