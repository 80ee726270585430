import random
from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.models import Assignment, AuditEvent, Campaign, Candidate, Conflict, Membership
from annotator.planning.sentinels import give_repeat, repeat_everywhere, set_repeats
from annotator.rating.services import recuse
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def rules(cast) -> None:
    """A fifth is repeated, after three others at least."""
    Campaign.objects.update(repeat_percent=20, repeat_lag=3)


def rate(cast, user, number: int = 1) -> list[Assignment]:
    count = Candidate.objects.count()
    rows = [cast.assign(user, cast.reference(f"r{n}", 1))[0] for n in range(count, count + number)]
    for row in rows:
        cast.submit(row)
    return rows


def repeats() -> list[Assignment]:
    return list(
        Assignment.objects.filter(candidate__purpose="repeat")
        .select_related("candidate__original", "annotator")
        .order_by("position")
    )


def test_a_repeat_is_the_same_text_for_the_same_annotator_and_conflicts_with_nothing(cast) -> None:
    rated = rate(cast, cast.alice, 5)
    rate(cast, cast.bob, 1)
    due = timezone.now() + timedelta(days=2)
    Assignment.objects.filter(annotator=cast.alice).update(due_at=due)
    repeat_everywhere()
    (row,) = repeats()
    again, first = row.candidate, row.candidate.original
    assert first is not None
    assert row.annotator == cast.alice
    assert first.pk in {old.candidate_id for old in rated[:2]}
    for name in ("claims", "claims_sha256", "reference_id"):
        assert getattr(again, name) == getattr(first, name), name
    assert (again.system, again.places, again.held, again.has_room) == ("", 1, 1, False)
    assert (row.status, row.lease_expires_at, row.due_at) == ("open", None, due)
    assert (row.label, row.position) == ("Candidate 6", 6)
    cast.submit(repeats()[0], (0, 10, 0, 10))
    assert not Conflict.objects.exists()


def test_the_next_one_waits_until_the_last_is_rated_and_some_others_are(cast) -> None:
    rate(cast, cast.alice, 25)
    assert repeat_everywhere() == 1
    assert repeat_everywhere() == 0
    cast.submit(repeats()[0])
    assert repeat_everywhere() == 0
    rate(cast, cast.alice, 1)
    assert repeat_everywhere() == 0
    rate(cast, cast.alice, 1)
    assert repeat_everywhere() == 1
    first, second = repeats()
    assert first.candidate.original != second.candidate.original


def test_a_repeat_is_repeated_by_nobody_and_the_share_is_kept(cast) -> None:
    rate(cast, cast.alice, 5)
    for _ in range(30):
        repeat_everywhere()
        for row in repeats():
            if row.status == "open":
                cast.submit(row)
        rate(cast, cast.alice, 1)
    repeat_everywhere()
    rows = repeats()
    assert len(rows) == 35 // 5
    originals = [row.candidate.original for row in rows]
    assert len(set(originals)) == len(originals)
    assert {row.purpose for row in originals if row} == {"rated"}


def test_who_works_on_demand_gets_it_as_the_next_one_and_nobody_else_does(cast) -> None:
    for number in range(8):
        cast.reference(f"r{number}", 1)
    for _ in range(5):
        cast.submit(cast.take(cast.alice))
    assert repeat_everywhere() == 1
    assert not Assignment.objects.filter(status="open").exists()
    assert cast.take(cast.bob).candidate.purpose == "rated"
    row = cast.take(cast.alice)
    assert row == repeats()[0]
    assert row.lease_expires_at is not None and row.status == "open"
    assert row.label == "Candidate 6"
    cast.submit(row)
    after = cast.take(cast.alice)
    assert (after.label, after.candidate.purpose) == ("Candidate 7", "rated")
    assert repeat_everywhere() == 0


def test_nothing_is_repeated_of_a_reference_they_are_recused_from(cast) -> None:
    rated = rate(cast, cast.alice, 5)
    for old in rated[:2]:
        reference = old.candidate.reference
        more = Candidate.objects.create(reference=reference, campaign=cast.campaign, claims="x")
        named = {"campaign": cast.campaign, "annotator": cast.alice, "candidate": more}
        recuse(assignment=Assignment.objects.create(**named, label="Candidate 90", position=90))
    assert not give_repeat(campaign=cast.campaign, annotator=cast.alice, chance=random.Random(0))


def test_who_left_a_closed_campaign_and_no_share_get_none(cast) -> None:
    rate(cast, cast.alice, 5)
    Campaign.objects.filter(slug="cups").update(status="closed")
    assert repeat_everywhere() == 0
    Campaign.objects.filter(slug="cups").update(status="open", repeat_percent=0)
    assert repeat_everywhere() == 0
    Campaign.objects.filter(slug="cups").update(repeat_percent=20)
    Membership.objects.filter(user=cast.alice).delete()
    assert repeat_everywhere() == 0
    assert not give_repeat(campaign=cast.campaign, annotator=cast.alice)


def test_nothing_is_due_before_the_share_and_the_lag(cast, django_assert_num_queries):
    rate(cast, cast.alice, 4)
    Campaign.objects.filter(slug="elsewhere").update(repeat_percent=0)
    with django_assert_num_queries(2):  # the campaigns, and one of them
        repeat_everywhere()
    assert repeat_everywhere() == 0
    rate(cast, cast.alice)
    assert repeat_everywhere() == 1


def test_the_share_and_the_lag_are_set_within_limits(cast) -> None:
    def change(percent: int, lag: int) -> Campaign:
        return set_repeats(campaign=cast.campaign, percent=percent, lag=lag, by=cast.ada)

    assert change(10, 30).repeat_lag == 30
    assert change(10, 30).repeat_percent == 10
    assert AuditEvent.objects.filter(action="repeats.set").count() == 1
    for percent, lag in ((-1, 5), (51, 5), (5, 0), (5, 10_001)):
        with pytest.raises(Refused):
            change(percent, lag)
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate):
        change(5, 5)
