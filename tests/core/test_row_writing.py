import uuid
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from annotator.models import AuditEvent, Campaign, Candidate, Purpose, Reference
from core.clock import database_now
from core.database import BATCH, RowWriter, as_id, insert, update_rows

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
AWKWARD = "1. A 'cup' %s \\ \u2028 e\u0301 \U0001f600\r\n\t{} \""


def test_rows_are_those_that_the_model_would_write() -> None:
    campaign = Campaign.objects.create(slug="cups")
    names = ("id", "campaign", "reference_id", "claims", "claims_sha256", "may_train")
    keys = [uuid.uuid4() for _ in range(BATCH + 1)]
    rows = [
        (as_id(key), as_id(campaign.pk), f"r{n}", AWKWARD, "x", True) for n, key in enumerate(keys)
    ]
    RowWriter(Reference, names).write(rows)
    RowWriter(Reference, names).write([])
    assert Reference.objects.count() == BATCH + 1
    twin = Reference.objects.create(
        campaign=campaign, reference_id="twin", claims=AWKWARD, claims_sha256="x", may_train=True
    )
    stored = Reference.objects.filter(pk=keys[0]).values().get()
    model = Reference.objects.filter(pk=twin.pk).values().get()
    assert stored == model | {"id": keys[0], "reference_id": "r0"}


@pytest.mark.parametrize("row", [{"damage": {"1": "cut"}, "held": 2}, {}], ids=["stated", "bare"])
def test_one_row_is_inserted_as_the_model_would_save_it(row) -> None:
    campaign = Campaign.objects.create(slug="cups")
    reference = Reference.objects.create(campaign=campaign, reference_id="r", claims="1. A.")
    given = {"reference": reference, "campaign": campaign, "claims": AWKWARD, **row}
    saved = Candidate.objects.create(candidate_id="saved", **given)
    inserted = Candidate(candidate_id="inserted", **given)
    insert(inserted)
    stored = Candidate.objects.filter(pk=inserted.pk).values().get()
    model = Candidate.objects.filter(pk=saved.pk).values().get()
    assert stored == model | {"id": inserted.pk, "candidate_id": "inserted"}
    # It is no new row any more: `save` updates it.
    inserted.claims = "1. B."
    inserted.save()
    assert Candidate.objects.get(pk=inserted.pk).claims == "1. B."


def test_what_the_database_gives_to_an_inserted_row_is_left_to_it() -> None:
    event = AuditEvent(action="cup.washed", object_type="cup", object_id="1")
    insert(event)
    stored = AuditEvent.objects.get()
    assert abs((database_now() - stored.at).total_seconds()) < 60
    told = datetime(2020, 5, 17, tzinfo=UTC)
    insert(AuditEvent(action="cup.broken", object_type="cup", object_id="1", at=told))
    assert AuditEvent.objects.get(action="cup.broken").at == told


def test_a_row_that_is_there_already_is_not_inserted_again() -> None:
    campaign = Campaign(slug="cups")
    insert(campaign)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Campaign(slug="cups"))


def test_defaults_of_a_candidate_are_the_models_own() -> None:
    campaign = Campaign.objects.create(slug="cups")
    reference = Reference.objects.create(campaign=campaign, reference_id="r", claims="1. A.")
    key = uuid.uuid4()
    names = ("id", "reference", "campaign", "candidate_id", "claims", "claims_sha256")
    row = (as_id(key), as_id(reference.pk), as_id(campaign.pk), "c", "1. B.", "x")
    RowWriter(Candidate, names).write([row])
    stored = Candidate.objects.get()
    assert (stored.pk, stored.purpose, stored.damage) == (key, Purpose.RATED, {})
    assert (stored.held, stored.has_room) == (0, True)
    assert (stored.original, stored.imported_from) == (None, None)


def test_fields_of_many_rows_are_updated_and_no_others() -> None:
    campaign = Campaign.objects.create(slug="cups")
    reference = Reference.objects.create(campaign=campaign, reference_id="r", claims="1. A.")
    rows = [
        Reference(campaign=campaign, reference_id=f"r{n}", claims="x") for n in range(BATCH + 1)
    ]
    Reference.objects.bulk_create(rows)
    names = ("claims", "position", "erased_at", "may_train")
    changes = [(as_id(row.pk), AWKWARD, n, None, n % 2 == 0) for n, row in enumerate(rows)]
    update_rows(Reference, names, changes)
    update_rows(Reference, names, [])
    stored = Reference.objects.exclude(pk=reference.pk).order_by("position")
    assert list(stored.values_list("pk", *names, "reference_id")) == [
        (row.pk, AWKWARD, n, None, n % 2 == 0, f"r{n}") for n, row in enumerate(rows)
    ]
    reference.refresh_from_db()
    assert reference.claims == "1. A."
