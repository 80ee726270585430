"""Work by name: given beyond the places if need be, taken back with a reason, within a quota."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import take_next
from annotator.models import Assignment, AuditEvent, Candidate, Draft, Membership
from annotator.planning.services import assign_by_name, set_quota, withdraw_assignments
from annotator.rating.services import recuse, skip_assignment
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def give(cast, *references, annotator=None, due_at=None):
    return assign_by_name(
        campaign=cast.campaign,
        annotator=annotator or cast.alice,
        references=references,
        due_at=due_at,
        by=cast.ada,
    )


def withdraw(cast, references=None, reason: str = "on leave") -> int:
    return withdraw_assignments(
        campaign=cast.campaign,
        annotator=cast.alice,
        reason=reason,
        by=cast.ada,
        references=references,
    )


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


def test_what_is_full_is_given_too_and_reported(cast) -> None:
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


@pytest.mark.parametrize("number", [-1, 10**12])
def test_a_quota_that_no_column_holds_is_refused(cast, number) -> None:
    with pytest.raises(Refused):
        quota(cast, number)


def test_only_annotators_have_a_quota(cast) -> None:
    row = Membership.objects.get(user=cast.ada, campaign=cast.campaign)
    with pytest.raises(Refused, match="Only annotators"):
        set_quota(membership=row, quota=3, by=cast.ada)


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


def test_withdrawing_may_be_of_some_references_and_be_undone_by_name(cast) -> None:
    one, other = cast.reference("r1", 2), cast.reference("r2", 1)
    cast.assign(cast.alice, one)
    cast.assign(cast.alice, other)
    assert withdraw(cast, [one]) == 2
    assert Assignment.objects.get(status="open").candidate.reference == other
    give(cast, one)
    assert Assignment.objects.filter(status="open").count() == 3


def test_what_was_withdrawn_is_rated_no_more(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 1))
    withdraw(cast)
    with pytest.raises(OutOfDate, match="taken this candidate back"):
        cast.submit(rows[0])


@pytest.mark.parametrize("reason", ["", " \n", "a\x00b", "x" * 2001])
def test_withdrawing_wants_a_reason_that_can_be_stored(cast, reason) -> None:
    cast.assign(cast.alice, cast.reference())
    with pytest.raises(Refused) as refusal:
        withdraw(cast, reason=reason)
    assert "reason" in refusal.value.fields
    assert not Assignment.objects.exclude(status="open").exists()


def test_what_was_withdrawn_does_not_come_back_on_demand(cast) -> None:
    cast.reference("r1", 1)
    take_next(slug="cups", annotator=cast.alice)
    withdraw(cast)
    assert take_next(slug="cups", annotator=cast.alice) is None
    assert take_next(slug="cups", annotator=cast.bob) is not None
