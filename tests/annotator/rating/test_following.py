"""What comes after a rating."""

import pytest

from annotator.assignments.services import take_next
from annotator.models import Assignment, Campaign, Membership
from annotator.rating.views import following

pytestmark = pytest.mark.django_db


def take(user) -> Assignment:
    row = take_next(slug="cups", annotator=user)
    assert row is not None
    return row


def test_the_same_reference_comes_first_then_the_campaign_then_others(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 2))
    second = cast.assign(cast.alice, cast.reference("r2", 2))
    Membership.objects.create(campaign=cast.elsewhere, user=cast.alice, role="annotator")
    away = cast.assign(cast.alice, cast.reference("r3", 1, cast.elsewhere))
    seen = []
    row: Assignment | None = second[0]
    while row:
        cast.submit(row)
        seen.append(row.pk)
        row = following(cast.alice, row)
    assert seen == [second[0].pk, second[1].pk, first[0].pk, first[1].pk, away[0].pk]


def test_named_work_that_is_done_takes_nothing_on_demand(cast) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r1", 1))
    cast.reference("r2", 1)
    cast.submit(row)
    assert following(cast.alice, row) is None
    assert Assignment.objects.count() == 1


def test_work_on_demand_goes_on_until_nothing_is_left(cast) -> None:
    cast.reference("r1", 3)
    row: Assignment | None = take(cast.alice)
    seen = set()
    while row:
        seen.add(row.candidate_id)
        cast.submit(row)
        row = following(cast.alice, row)
    assert len(seen) == 3


@pytest.mark.parametrize("change", ["closed", "no member"])
def test_where_nothing_may_be_given_out_any_more_nothing_follows(cast, change: str) -> None:
    cast.reference("r1", 2)
    row = take(cast.alice)
    cast.submit(row)
    if change == "closed":
        Campaign.objects.update(status="closed")
    else:
        Membership.objects.filter(user=cast.alice).delete()
    row = Assignment.objects.get()
    assert following(cast.alice, row) is None
    assert Assignment.objects.count() == 1
