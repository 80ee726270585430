"""Qualification goes to everybody, also to who joins later, and never twice."""

import pytest
from django.contrib.auth.hashers import make_password

from annotator.campaigns.members.services import grant_role, revoke_role
from annotator.models import Assignment, Candidate, Purpose, User
from annotator.planning.services import mark_qualification, unmark_qualification
from annotator.rating.services import recuse
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def mark(cast, *references) -> int:
    return mark_qualification(campaign=cast.campaign, references=references, by=cast.ada)


def join(cast, name: str = "zoe") -> User:
    user = User.objects.create(username=name)
    grant_role(user=user, campaign=cast.campaign, role="annotator", granted_by=cast.ada)
    return user


def test_everybody_gets_it_and_it_is_full_when_all_have_it(cast) -> None:
    User.objects.create(username="demo", password=make_password(None))
    assert mark(cast, cast.reference("r1", 2)) == 2
    for user in (cast.alice, cast.bob):
        rows = Assignment.objects.filter(annotator=user)
        assert {(row.status, row.lease_expires_at) for row in rows} == {("open", None)}
    found = set(Candidate.objects.values_list("purpose", "places", "held", "has_room"))
    assert found == {("qualification", 2, 2, False)}
    with pytest.raises(OutOfDate, match="already"):
        mark(cast, *cast.campaign.references.all())


def test_who_joins_later_gets_it_and_who_leaves_takes_their_place_along(cast) -> None:
    mark(cast, cast.reference("r1", 2))
    zoe = join(cast)
    assert zoe.assignments.count() == 2
    assert set(Candidate.objects.values_list("places", "held")) == {(3, 3)}
    revoke_role(user=zoe, campaign=cast.campaign, role="annotator", revoked_by=cast.ada)
    assert set(Candidate.objects.values_list("places", "held", "has_room")) == {(2, 2, False)}
    grant_role(user=zoe, campaign=cast.campaign, role="annotator", granted_by=cast.ada)
    assert set(zoe.assignments.values_list("status", flat=True)) == {"open"}
    assert zoe.assignments.count() == 2


def test_who_becomes_something_else_or_joins_another_campaign_gets_nothing(cast) -> None:
    mark(cast, cast.reference("r1", 1))
    grant_role(user=cast.rita, campaign=cast.campaign, role="reader")
    grant_role(user=cast.rita, campaign=cast.elsewhere, role="annotator")
    assert not cast.rita.assignments.exists()


def test_nobody_is_given_what_they_rated_or_what_they_are_recused_from(cast) -> None:
    reference = cast.reference("r1", 2)
    cast.submit(cast.assign(cast.alice, reference)[0])
    recuse(assignment=cast.assign(cast.bob, reference)[0])
    before = Assignment.objects.count()
    mark(cast, reference)
    assert Assignment.objects.count() == before


def test_a_sentinel_of_the_reference_goes_along(cast) -> None:
    reference = cast.reference("r1", 2)
    Candidate.objects.filter(pk=reference.candidates.all()[0].pk).update(purpose=Purpose.SENTINEL)
    assert mark(cast, reference) == 1
    assert cast.alice.assignments.count() == 2


def test_it_can_be_ordinary_again(cast) -> None:
    reference = cast.reference("r1", 1)
    join(cast)
    mark(cast, reference)
    assert unmark_qualification(campaign=cast.campaign, references=[reference], by=cast.ada) == 1
    row = Candidate.objects.get()
    assert (row.purpose, row.places, row.held, row.has_room) == ("rated", 2, 3, False)
    with pytest.raises(OutOfDate):
        unmark_qualification(campaign=cast.campaign, references=[reference], by=cast.ada)


def test_no_reference_and_a_closed_campaign_are_refused(cast) -> None:
    with pytest.raises(Refused, match="at least one"):
        mark(cast)
    reference = cast.reference()
    cast.campaign.status = "closed"
    cast.campaign.save()
    with pytest.raises(OutOfDate):
        mark(cast, reference)
