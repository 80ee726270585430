"""A plan is carried out as it was shown, whole or not at all."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.services import take_next
from annotator.models import Assignment, AuditEvent, Candidate, Membership, Purpose
from annotator.planning import services as planning_services
from annotator.planning.queries import plan_facts
from annotator.planning.services import carry_out_plan, preview_plan
from annotator.rating.services import recuse
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def preview(cast, seed: int = 1):
    return preview_plan(campaign=cast.campaign, annotators=[cast.alice, cast.bob], seed=seed)


def carry_out(cast, seed: int = 1, digest: str = "", due_at=None):
    return carry_out_plan(
        campaign=cast.campaign,
        annotators=[cast.alice, cast.bob],
        due_at=due_at,
        seed=seed,
        by=cast.ada,
        digest=digest,
    )


def counts() -> Counter[str]:
    return Counter(Assignment.objects.values_list("annotator__username", flat=True))


def test_a_preview_stores_nothing_and_is_carried_out_as_it_was_shown(cast) -> None:
    for number in range(4):
        cast.reference(f"r{number}", 3)
    Candidate.objects.update(places=1)
    shown = preview(cast)
    assert not Assignment.objects.exists()
    due = timezone.now() + timedelta(days=5)
    assert carry_out(cast, digest=shown.digest, due_at=due) == shown
    assert counts() == {"alice": 6, "bob": 6}
    given = {(str(r.annotator_id), str(r.candidate_id)) for r in Assignment.objects.all()}
    assert given == {(s.annotator, key) for s in shown.plan.shares for key in s.candidates}
    assert set(Assignment.objects.values_list("due_at", "lease_expires_at")) == {(due, None)}
    assert set(Candidate.objects.values_list("held", "has_room")) == {(1, False)}
    event = AuditEvent.objects.get(action="plan.carried_out")
    assert event.actor == cast.ada
    assert event.details["annotators"] == ["alice", "bob"]
    assert (event.details["count"], event.details["seed"]) == (12, 1)


def test_a_plan_that_has_become_another_is_not_carried_out(cast) -> None:
    cast.reference("r1", 2)
    shown = preview(cast)
    take_next(slug="cups", annotator=cast.alice)
    with pytest.raises(OutOfDate, match="moved on"):
        carry_out(cast, digest=shown.digest)
    assert counts() == {"alice": 1}


def test_nothing_is_stored_when_a_place_is_taken_in_between(cast, monkeypatch) -> None:
    cast.reference("r1", 2)

    def late(campaign, annotators):
        read = plan_facts(campaign, annotators)
        Candidate.objects.update(held=2, has_room=False)
        return read

    monkeypatch.setattr(planning_services, "plan_facts", late)
    with pytest.raises(OutOfDate, match="moved on"):
        carry_out(cast)
    assert not Assignment.objects.exists()


def test_quotas_recusals_and_what_is_theirs_already_are_honoured(cast) -> None:
    cast.reference("r1", 2)
    cast.reference("r2", 2)
    row = take_next(slug="cups", annotator=cast.alice)
    assert row is not None and row.candidate.reference.reference_id == "r1"
    recuse(assignment=row)
    Membership.objects.filter(user=cast.bob).update(quota=2)
    left = carry_out(cast).plan.unplaced
    by_person = {
        (row.annotator.username, row.candidate.reference.reference_id)
        for row in Assignment.objects.filter(status="open")
    }
    assert ("alice", "r2") in by_person and ("alice", "r1") not in by_person
    assert Assignment.objects.filter(annotator=cast.bob).count() == 2
    assert sum(row.places for row in left) == 4
    with pytest.raises(Refused, match="nothing to give out"):
        carry_out(cast)


def test_a_lapsed_assignment_is_opened_again_and_repeats_are_left_alone(cast) -> None:
    reference = cast.reference("r1", 1)
    row = take_next(slug="cups", annotator=cast.alice)
    assert row is not None
    Assignment.objects.update(status="lapsed")
    Candidate.objects.update(held=0, has_room=True)
    Candidate.objects.create(
        reference=reference,
        campaign=cast.campaign,
        candidate_id="again",
        purpose=Purpose.REPEAT,
        places=1,
        has_room=False,
        original=row.candidate,
        claims="1. A mug.",
        claims_sha256="x",
    )
    carry_out(cast)
    assert counts() == {"alice": 1, "bob": 1}
    row.refresh_from_db()
    assert (row.status, row.lease_expires_at) == ("open", None)


def test_a_plan_wants_annotators_a_future_and_an_open_campaign(cast) -> None:
    cast.reference()
    with pytest.raises(Refused, match="at least one annotator"):
        preview_plan(campaign=cast.campaign, annotators=[], seed=0)
    with pytest.raises(Refused, match="passed already"):
        carry_out(cast, due_at=timezone.now() - timedelta(days=1))
    Membership.objects.filter(user=cast.bob).delete()
    with pytest.raises(OutOfDate, match="no annotator"):
        carry_out(cast)
    cast.campaign.status = "closed"
    cast.campaign.save()
    with pytest.raises(OutOfDate, match="closed"):
        carry_out(cast)
