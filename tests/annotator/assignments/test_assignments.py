"""Assignments: by name, and the next one on demand."""

import random
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError
from django.db.models import F
from django.utils import timezone

from annotator.assignments import services as assignments_services
from annotator.assignments.queries import WINDOW
from annotator.assignments.services import assign_candidates, hold_place, take_next
from annotator.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Candidate,
    Membership,
    Reference,
    User,
)
from annotator.planning.services import withdraw_assignments
from annotator.rating.services import submit_rating
from annotator.rubric import CRITERIA
from core.errors import OutOfDate
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def campaign() -> Campaign:
    campaign = Campaign.objects.create(slug="room", name="Room")
    for n in range(2):
        reference = Reference.objects.create(
            campaign=campaign, reference_id=f"r{n}", claims="x", claims_sha256=str(n), position=n
        )
        for c in range(3):
            Candidate.objects.create(
                reference=reference,
                campaign=reference.campaign,
                queue_position=reference.position,
                candidate_id=f"c{c}",
                claims="y",
                claims_sha256=f"{n}{c}",
            )
    return campaign


def person(name: str) -> User:
    """Return an annotator of every campaign that there is."""
    user = User.objects.create(username=name)
    for campaign in Campaign.objects.all():
        Membership.objects.create(campaign=campaign, user=user, role="annotator")
    return user


def take(campaign: Campaign, user: User) -> Assignment:
    taken = take_next(slug=campaign.slug, annotator=user)
    assert taken is not None
    return taken


def rate(assignment: Assignment) -> None:
    submit_rating(
        assignment_id=assignment.pk,
        annotator=assignment.annotator,
        scores=dict.fromkeys(CRITERIA, 5),
    )


def run_out(assignment: Assignment) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Assignment.objects.filter(pk=assignment.pk).update(lease_expires_at=past)


def test_named_assignments_keep_references_together_and_shuffle_within(
    campaign: Campaign,
) -> None:
    candidates = list(Candidate.objects.order_by("reference__position", "candidate_id"))
    orders = set()
    for seed in range(8):
        rows = assign_candidates(
            campaign=campaign,
            annotator=person(f"p{seed}"),
            candidates=candidates,
            chance=random.Random(seed),
        )
        assert [row.position for row in rows] == [1, 2, 3, 4, 5, 6]
        assert [row.label for row in rows] == [f"Candidate {n}" for n in range(1, 7)]
        ids = [row.candidate.reference.reference_id for row in rows]
        assert ids == ["r0"] * 3 + ["r1"] * 3
        orders.add(tuple(row.candidate.candidate_id for row in rows[:3]))
    assert len(orders) > 1
    assert AuditEvent.objects.filter(action="assignments.made").count() == 8


def test_further_named_assignments_go_on_counting(campaign: Campaign) -> None:
    alice = person("alice")
    one, two = Candidate.objects.filter(reference__reference_id="r0")[:2]
    assign_candidates(campaign=campaign, annotator=alice, candidates=[one])
    (row,) = assign_candidates(campaign=campaign, annotator=alice, candidates=[two])
    assert (row.position, row.label) == (2, "Candidate 2")


def test_a_candidate_is_assigned_once_to_one_annotator(campaign: Campaign) -> None:
    alice = person("alice")
    candidates = list(Candidate.objects.all()[:1])
    assign_candidates(campaign=campaign, annotator=alice, candidates=candidates)
    with pytest.raises(IntegrityError):
        assign_candidates(campaign=campaign, annotator=alice, candidates=candidates)


def test_taking_again_gives_the_same_assignment_with_a_new_lease(campaign: Campaign) -> None:
    alice = person("alice")
    first = take(campaign, alice)
    run_out(first)
    again = take(campaign, alice)
    assert again.pk == first.pk
    assert again.lease_expires_at is not None
    assert again.lease_expires_at > timezone.now()
    assert Assignment.objects.count() == 1


def test_a_named_assignment_comes_first_and_gets_no_lease(campaign: Campaign) -> None:
    alice = person("alice")
    last = Candidate.objects.order_by("-reference__position").first()
    assert last is not None
    assign_candidates(campaign=campaign, annotator=alice, candidates=[last])
    taken = take(campaign, alice)
    assert taken.candidate == last
    assert taken.lease_expires_at is None


def test_a_reference_that_was_begun_is_finished_first(campaign: Campaign) -> None:
    alice = person("alice")
    begun = Candidate.objects.get(reference__reference_id="r1", candidate_id="c0")
    assign_candidates(campaign=campaign, annotator=alice, candidates=[begun])
    rate(take(campaign, alice))
    seen = []
    for _ in range(5):
        taken = take(campaign, alice)
        seen.append(taken.candidate.reference.reference_id)
        rate(taken)
    assert seen == ["r1", "r1", "r0", "r0", "r0"]
    assert take_next(slug=campaign.slug, annotator=alice) is None


def test_no_candidate_goes_beyond_its_overlap(campaign: Campaign) -> None:
    spread(campaign, 1)
    people = [person(f"p{n}") for n in range(8)]
    taken = [take_next(slug=campaign.slug, annotator=user) for user in people]
    assert len({row.candidate_id for row in taken if row}) == 6
    assert taken[6:] == [None, None]


def test_a_quota_ends_what_is_taken_and_what_was_rated_counts(campaign: Campaign) -> None:
    user = person("dora")
    Membership.objects.update(quota=2)
    rate(take(campaign, user))
    second = take(campaign, user)
    assert take(campaign, user) == second, "what is theirs already comes whatever the quota"
    rate(second)
    assert take_next(slug=campaign.slug, annotator=user) is None
    Membership.objects.update(quota=3)
    assert take(campaign, user).status == "open"


def test_who_finds_a_whole_window_filled_meanwhile_gets_what_stands_behind_it(
    cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.reference("r", WINDOW + 3)
    quicker = iter(range(WINDOW))

    def hold_after_others(candidate_id: UUID) -> bool:
        """Have others fill the first candidates between the look at them and the taking."""
        if next(quicker, None) is not None:
            row = Candidate.objects.filter(pk=candidate_id)
            row.update(held=F("places"), has_room=False)
        return hold_place(candidate_id)

    monkeypatch.setattr(assignments_services, "hold_place", hold_after_others)
    taken = take_next(slug=cast.campaign.slug, annotator=cast.alice)
    assert taken is not None
    assert (taken.candidate.held, taken.candidate.places) == (1, cast.campaign.overlap)


def test_who_finds_everything_filled_meanwhile_gets_nothing(
    cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.reference("r", WINDOW + 3)
    monkeypatch.setattr(assignments_services, "hold_place", lambda candidate_id: False)
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None


def test_a_lease_that_ran_out_frees_its_candidate_and_a_rating_never_does(
    campaign: Campaign,
) -> None:
    Candidate.objects.exclude(reference__reference_id="r0", candidate_id="c0").delete()
    spread(campaign, 1)
    alice, bob, carl = (person(name) for name in ("alice", "bob", "carl"))
    held = take(campaign, alice)
    assert take_next(slug=campaign.slug, annotator=bob) is None
    run_out(held)
    second = take(campaign, bob)
    assert second.candidate_id == held.candidate_id
    rate(second)
    run_out(second)
    assert take_next(slug=campaign.slug, annotator=carl) is None


def test_a_named_assignment_holds_its_place(campaign: Campaign) -> None:
    Candidate.objects.exclude(reference__reference_id="r0", candidate_id="c0").delete()
    spread(campaign, 1)
    assign_candidates(
        campaign=campaign, annotator=person("alice"), candidates=list(Candidate.objects.all())
    )
    assert take_next(slug=campaign.slug, annotator=person("bob")) is None


def test_a_closed_campaign_gives_nothing_out(campaign: Campaign) -> None:
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate, match="closed"):
        take_next(slug=campaign.slug, annotator=person("alice"))
    assert not Assignment.objects.exists()


def test_nothing_comes_from_another_campaign(campaign: Campaign) -> None:
    other = Campaign.objects.create(slug="other", name="Other")
    assert take_next(slug=other.slug, annotator=person("alice")) is None


def test_what_an_admin_took_back_is_not_given_out_again_on_demand(cast) -> None:
    (row, *_) = cast.assign(cast.alice, cast.reference("r1", 1))
    withdraw_assignments(campaign=cast.campaign, annotator=cast.alice, reason="moved", by=cast.ada)
    assert take_next(slug="cups", annotator=cast.alice) is None
    taken = take_next(slug="cups", annotator=cast.bob)
    assert taken is not None
    assert taken.candidate == row.candidate
