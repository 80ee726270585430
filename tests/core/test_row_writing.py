import uuid

import pytest

from annotator.models import Campaign, Candidate, Purpose, Reference
from core.database import BATCH, RowWriter, as_id, update_rows

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
