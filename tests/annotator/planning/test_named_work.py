from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from annotator.assignments.services import take_next
from annotator.campaigns.members.services import grant_role, revoke_role
from annotator.models import Assignment, AuditEvent, Candidate, Draft, Membership, Purpose, User
from annotator.planning.services import (
    assign_by_name,
    mark_qualification,
    set_quota,
    unmark_qualification,
    withdraw_assignments,
)
from annotator.rating.services import recuse, skip_assignment
from core.errors import OutOfDate, Refused
from tests.conftest import make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def give(cast, *references, annotator=None, due_at=None):
    given = {"campaign": cast.campaign, "references": references, "by": cast.ada}
    return assign_by_name(**given, annotator=annotator or cast.alice, due_at=due_at)


def withdraw(cast, references=None, reason: str = "on leave") -> int:
    taken = {"campaign": cast.campaign, "annotator": cast.alice, "by": cast.ada}
    return withdraw_assignments(**taken, reason=reason, references=references)


def quota(cast, number: int | None, user=None) -> Membership:
    row = Membership.objects.get(user=user or cast.alice, campaign=cast.campaign, role="annotator")
    return set_quota(membership=row, quota=number, by=cast.ada)


def test_whole_references_are_given_with_their_due_date(cast) -> None:
    due = timezone.now() + timedelta(days=3)
    done = give(cast, cast.reference("r1", 2), cast.reference("r2", 1), due_at=due)
    assert (done.given, done.beyond, done.left_before) == (3, 0, 0)
    rows = Assignment.objects.filter(annotator=cast.alice)
    assert {(row.status, row.lease_expires_at, row.due_at) for row in rows} == {("open", None, due)}
    assert set(Candidate.objects.values_list("held", "has_room")) == {(1, True)}
    event = AuditEvent.objects.get(action="assignments.named")
    assert (event.actor, event.details) == (cast.ada, {"count": 3, "beyond": 0})


def test_what_is_full_is_given_too_and_counted(cast) -> None:
    reference = cast.reference("r1", 2)
    Candidate.objects.update(places=1)
    give(cast, reference, annotator=cast.bob)
    assert give(cast, reference).beyond == 2
    assert set(Candidate.objects.values_list("held", "has_room")) == {(2, False)}


def test_only_what_is_missing_is_given_and_what_lapsed_is_opened_again(cast) -> None:
    reference = cast.reference("r1", 4)
    rows = give(cast, reference) and list(Assignment.objects.order_by("position"))
    skip_assignment(assignment=rows[0], reason_code="unreadable")
    Assignment.objects.filter(pk=rows[1].pk).update(
        status="lapsed", lease_expires_at=timezone.now()
    )
    Candidate.objects.filter(pk=rows[1].candidate_id).update(held=0)
    done = give(cast, reference)
    assert (done.given, done.left_before) == (1, 1)
    rows[1].refresh_from_db()
    assert (rows[1].status, rows[1].lease_expires_at) == ("open", None)
    assert Assignment.objects.count() == 4
    with pytest.raises(Refused, match="has all of this"):
        give(cast, reference)


def test_who_is_recused_is_given_nothing_of_it(cast) -> None:
    reference = cast.reference("r1", 2)
    recuse(assignment=cast.assign(cast.alice, reference)[0])
    with pytest.raises(Refused, match="recused"):
        give(cast, reference, cast.reference("r2"))


def test_a_quota_limits_what_is_given_by_name(cast) -> None:
    for number in (-1, 10**12):
        with pytest.raises(Refused):
            quota(cast, number)
    row = Membership.objects.get(user=cast.ada, campaign=cast.campaign)
    with pytest.raises(Refused, match="Only annotators"):
        set_quota(membership=row, quota=3, by=cast.ada)
    quota(cast, 2)
    with pytest.raises(Refused, match="leaves 2; this is 3"):
        give(cast, cast.reference("r1", 3))
    quota(cast, None)
    assert give(cast, cast.reference("r2", 3)).given == 3
    quota(cast, 1)
    with pytest.raises(Refused, match="leaves 0"):
        give(cast, cast.reference("r3", 1))
    changes = [
        event.details for event in AuditEvent.objects.filter(action="quota.set").order_by("pk")
    ]
    assert [change["to"] for change in changes] == [2, None, 1]


def test_a_due_date_in_the_past_a_closed_campaign_and_a_stranger_are_refused(cast) -> None:
    reference = cast.reference()
    with pytest.raises(Refused, match="passed already"):
        give(cast, reference, due_at=timezone.now() - timedelta(minutes=1))
    with pytest.raises(OutOfDate, match="no annotator"):
        give(cast, reference, annotator=cast.mallory)
    cast.campaign.status = "closed"
    cast.campaign.save()
    with pytest.raises(OutOfDate, match="closed"):
        give(cast, reference)
    with pytest.raises(OutOfDate, match="closed"):
        withdraw(cast)
    assert not Assignment.objects.exists()


def test_withdrawing_frees_places_keeps_drafts_and_leaves_ratings(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.submit(rows[0])
    Draft.objects.create(assignment=rows[1], saved_at=timezone.now(), typed={"comment": "words"})
    assert withdraw(cast) == 2
    states = Assignment.objects.order_by("position").values_list("status", flat=True)
    assert list(states) == ["submitted", "withdrawn", "withdrawn"]
    assert sorted(Candidate.objects.values_list("held", flat=True)) == [0, 0, 1]
    assert Draft.objects.get().typed == {"comment": "words"}
    event = AuditEvent.objects.get(action="assignments.withdrawn")
    assert event.details == {"count": 2, "reason": "on leave"}
    with pytest.raises(OutOfDate, match="nothing open"):
        withdraw(cast)
    # It is rated no more, nor given again on demand.
    with pytest.raises(OutOfDate, match="no longer assigned to you"):
        cast.submit(rows[1])
    assert take_next(slug="cups", annotator=cast.alice) is None
    assert take_next(slug="cups", annotator=cast.bob) is not None


def test_withdrawing_may_be_of_some_references_and_be_undone_by_name(cast) -> None:
    one, other = cast.reference("r1", 2), cast.reference("r2", 1)
    cast.assign(cast.alice, one)
    cast.assign(cast.alice, other)
    assert withdraw(cast, [one]) == 2
    assert Assignment.objects.get(status="open").candidate.reference == other
    give(cast, one)
    assert Assignment.objects.filter(status="open").count() == 3


@pytest.mark.parametrize("reason", ["", " \n", "a\x00b", "x" * 2001])
def test_withdrawing_wants_a_reason_that_can_be_stored(cast, reason) -> None:
    cast.assign(cast.alice, cast.reference())
    with pytest.raises(Refused) as refusal:
        withdraw(cast, reason=reason)
    assert "reason" in refusal.value.fields
    assert not Assignment.objects.exclude(status="open").exists()


def mark(cast, *references) -> int:
    return mark_qualification(campaign=cast.campaign, references=references, by=cast.ada)


def join(cast, name: str = "zoe") -> User:
    user = make_user(name)
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


def test_a_sentinel_goes_along_and_nobody_is_given_what_they_rated_or_recused_from(cast) -> None:
    reference = cast.reference("r1", 2)
    cast.submit(cast.assign(cast.alice, reference)[0])
    recuse(assignment=cast.assign(cast.bob, reference)[0])
    before = Assignment.objects.count()
    mark(cast, reference)
    assert Assignment.objects.count() == before
    other = cast.reference("r2", 2)
    Candidate.objects.filter(pk=other.candidates.all()[0].pk).update(purpose=Purpose.SENTINEL)
    assert mark(cast, other) == 1
    assert cast.alice.assignments.filter(candidate__reference=other).count() == 2


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
