"""Items of an export are kept as they are: every one, once, and the newest of a number."""

import io
import json
from typing import Any

import pytest

from annotator.campaigns.services import create_campaign
from annotator.formats.label_studio import TEXTS, read
from annotator.imports.preferences import services as preferences_services
from annotator.imports.preferences.services import PreferenceCounts, import_preferences
from annotator.models import Campaign, Candidate, ImportedAnnotation, Preference, Reference
from core.errors import Refused
from tests.annotator.formats.exports import as_bytes, item

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
LATER = "2024-05-01T00:00:00Z"


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(slug="room")


def bring(campaign: Campaign, *items: dict[str, Any]) -> PreferenceCounts:
    records = read(io.BytesIO(as_bytes(*items)))
    return import_preferences(campaign=campaign, records=records)[1]


def given_back(row: ImportedAnnotation) -> dict[str, Any]:
    texts = (row.reference.claims, row.left.claims, row.right.claims)
    return json.loads(row.fields) | dict(zip(TEXTS, texts, strict=True))


def kept() -> list[dict[str, Any]]:
    return [given_back(row) for row in ImportedAnnotation.objects.all()]


def test_every_item_is_stored_with_its_place_superseded_and_equal_ones_too(campaign) -> None:
    older = item(updated_at="2024-03-23T00:00:00Z", comparison=[{"selected": "right"}])
    newer = item(comment2="blue?", lead_time=0.5)
    equal = item(output2="2. A lid.", output1="2. A lid.", input_claim="1. A pot.")
    counts = bring(campaign, older, newer, equal)
    assert (counts.preferences, counts.superseded, counts.same_text) == (1, 1, 1)
    assert counts.annotations == 3
    assert kept() == [older, newer, equal]
    comparisons = [row.comparison for row in ImportedAnnotation.objects.all()]
    assert comparisons == [Preference.objects.get().comparison] * 2 + [None]


def test_a_pair_that_only_ever_stood_with_itself_is_one_candidate(campaign) -> None:
    bring(campaign, item(output1="2. A lid.", output2="2. A lid."))
    row = ImportedAnnotation.objects.get()
    assert row.left == row.right == Candidate.objects.get()
    assert not Preference.objects.exists()


def test_a_turned_item_is_stored_as_it_stands(campaign) -> None:
    one = item()
    turned = item(output1=one["output2"], output2=one["output1"])
    bring(campaign, one, turned)
    assert kept() == [one, turned]
    assert Preference.objects.count() == 1


def test_the_same_file_again_changes_nothing(campaign) -> None:
    items = [item(), item(output1="2. A jug.")]
    bring(campaign, *items)
    before = list(ImportedAnnotation.objects.values())
    counts = bring(campaign, *items[::-1])
    assert (counts.annotations, counts.renewed_annotations, counts.known_annotations) == (0, 0, 2)
    assert list(ImportedAnnotation.objects.values()) == before


def test_a_newer_item_of_the_same_number_takes_the_place_of_the_older(campaign) -> None:
    first, other = item(), item(output1="2. A jug.")
    bring(campaign, first, other)
    newer = first | {"updated_at": LATER, "comparison": [{"selected": "right"}], "comment1": "no"}
    counts = bring(campaign, newer)
    assert (counts.renewed_annotations, counts.revised_preferences) == (1, 1)
    assert kept() == [newer, other]
    # The older one again does not come back.
    assert bring(campaign, first).known_annotations == 1
    assert kept() == [newer, other]


def test_a_number_of_other_texts_is_refused_and_nothing_stored(campaign) -> None:
    bring(campaign, item(annotation_id=5))
    with pytest.raises(Refused, match="Annotation 5 is in this campaign with other texts"):
        bring(campaign, item(annotation_id=5, output1="2. A jug.", updated_at=LATER))
    assert Reference.objects.count() == 1
    assert len(kept()) == 1


def test_positions_go_on_after_an_earlier_file(campaign) -> None:
    for number in range(3):
        bring(campaign, item(input_claim=f"1. A cup {number}."), item(output2=f"2. {number}."))
    assert list(ImportedAnnotation.objects.values_list("position", flat=True)) == [*range(1, 7)]


def test_more_items_than_a_batch_holds_are_all_stored(campaign, monkeypatch) -> None:
    monkeypatch.setattr(preferences_services, "BATCH", 5)
    items = [item(input_claim=f"1. A cup {number}.") for number in range(11)]
    assert bring(campaign, *items).annotations == 11
    assert kept() == items
    assert bring(campaign, *items).known_annotations == 11
