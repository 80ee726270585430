import random
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError
from django.db.models import F
from django.utils import timezone

from annotator.assignments import services as assignments_services
from annotator.assignments.queries import (
    WINDOW,
    first_assignment,
    next_assignment,
    open_assignments,
    queue_for,
    ratings_by,
)
from annotator.assignments.services import assign_candidates, hold_place, take_next
from annotator.models import Assignment, AuditEvent, Campaign, Candidate, Draft, Membership
from annotator.rating.services import skip_assignment
from core.errors import OutOfDate
from tests.annotator.adjudication.discrepant import member
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def campaign(cast) -> Campaign:
    cast.reference("r0")
    cast.reference("r1")
    return cast.campaign


def run_out(assignment: Assignment) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Assignment.objects.filter(pk=assignment.pk).update(lease_expires_at=past)


def test_named_assignments_keep_references_together_and_shuffle_within(cast, campaign) -> None:
    candidates = list(Candidate.objects.order_by("reference__position", "candidate_id"))
    orders = set()
    for seed in range(8):
        rows = assign_candidates(
            campaign=campaign,
            annotator=member(cast, f"p{seed}"),
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


def test_further_named_assignments_go_on_counting_and_none_is_made_twice(cast, campaign) -> None:
    one, two = Candidate.objects.filter(reference__reference_id="r0")[:2]
    named = {"campaign": campaign, "annotator": cast.alice}
    assign_candidates(**named, candidates=[one])
    (row,) = assign_candidates(**named, candidates=[two])
    assert (row.position, row.label) == (2, "Candidate 2")
    with pytest.raises(IntegrityError):
        assign_candidates(**named, candidates=[one])


def test_taking_again_gives_the_same_assignment_with_a_new_lease(cast, campaign) -> None:
    first = cast.take(cast.alice)
    run_out(first)
    again = cast.take(cast.alice)
    assert again.pk == first.pk
    assert again.lease_expires_at is not None
    assert again.lease_expires_at > timezone.now()
    assert Assignment.objects.count() == 1


def test_a_named_assignment_comes_first_and_gets_no_lease(cast, campaign) -> None:
    last = Candidate.objects.order_by("-reference__position").first()
    assert last is not None
    assign_candidates(campaign=campaign, annotator=cast.alice, candidates=[last])
    taken = cast.take(cast.alice)
    assert taken.candidate == last
    assert taken.lease_expires_at is None


def test_a_reference_that_was_begun_is_finished_first(cast, campaign) -> None:
    begun = Candidate.objects.get(reference__reference_id="r1", candidate_id__endswith="0")
    assign_candidates(campaign=campaign, annotator=cast.alice, candidates=[begun])
    cast.submit(cast.take(cast.alice))
    seen = []
    for _ in range(5):
        taken = cast.take(cast.alice)
        seen.append(taken.candidate.reference.reference_id)
        cast.submit(taken)
    assert seen == ["r1", "r1", "r0", "r0", "r0"]
    assert take_next(slug="cups", annotator=cast.alice) is None


def test_no_candidate_goes_beyond_its_overlap(cast, campaign) -> None:
    spread(campaign, 1)
    people = [member(cast, f"p{n}") for n in range(8)]
    taken = [take_next(slug="cups", annotator=user) for user in people]
    assert len({row.candidate_id for row in taken if row}) == 6
    assert taken[6:] == [None, None]


def test_a_quota_ends_what_is_taken_and_what_was_rated_counts(cast, campaign) -> None:
    user = member(cast, "dora")
    Membership.objects.update(quota=2)
    cast.submit(cast.take(user))
    second = cast.take(user)
    assert cast.take(user) == second, "what is theirs already comes whatever the quota"
    cast.submit(second)
    assert take_next(slug="cups", annotator=user) is None
    Membership.objects.update(quota=3)
    assert cast.take(user).status == "open"


def test_who_finds_a_whole_window_filled_meanwhile_gets_what_stands_behind_it(cast, monkeypatch):
    cast.reference("r", WINDOW + 3)
    quicker = iter(range(WINDOW))

    def hold_after_others(candidate_id: UUID) -> bool:
        """Have others fill the first candidates between the look at them and the taking."""
        if next(quicker, None) is not None:
            row = Candidate.objects.filter(pk=candidate_id)
            row.update(held=F("places"), has_room=False)
        return hold_place(candidate_id)

    monkeypatch.setattr(assignments_services, "hold_place", hold_after_others)
    taken = cast.take(cast.alice)
    assert (taken.candidate.held, taken.candidate.places) == (1, cast.campaign.overlap)


def test_who_finds_everything_filled_meanwhile_gets_nothing(cast, monkeypatch) -> None:
    cast.reference("r", WINDOW + 3)
    monkeypatch.setattr(assignments_services, "hold_place", lambda candidate_id: False)
    assert take_next(slug=cast.campaign.slug, annotator=cast.alice) is None


def test_a_lease_that_ran_out_frees_its_candidate_and_a_rating_never_does(cast, campaign) -> None:
    Candidate.objects.exclude(reference__reference_id="r0", candidate_id__endswith="0").delete()
    spread(campaign, 1)
    bob, carl = cast.bob, member(cast, "carl")
    held = cast.take(cast.alice)
    assert take_next(slug="cups", annotator=bob) is None
    run_out(held)
    second = cast.take(bob)
    assert second.candidate_id == held.candidate_id
    cast.submit(second)
    run_out(second)
    assert take_next(slug="cups", annotator=carl) is None


def test_an_empty_and_a_closed_campaign_give_nothing_out(cast, campaign) -> None:
    assert take_next(slug="elsewhere", annotator=cast.mallory) is None
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate, match="closed"):
        take_next(slug="cups", annotator=cast.alice)
    assert not Assignment.objects.exists()


def test_the_queue_counts_what_is_done_and_left_per_reference_and_nothing_of_others(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.assign(cast.alice, cast.reference("r2", 2))
    cast.submit(first[0])
    for row in cast.assign(cast.bob, cast.reference("r3", 1)):
        cast.submit(row)
    (part,) = queue_for(cast.alice)
    assert (part.left, part.done, part.total) == (4, 1, 5)
    parts = [(entry.reference_id, entry.done, entry.total) for entry in part.references]
    assert parts == [("r1", 1, 3), ("r2", 0, 2)]


def test_next_is_of_the_same_reference_then_of_the_campaign_then_nothing(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 1))
    second = cast.assign(cast.alice, cast.reference("r2", 2))
    assert next_assignment(cast.alice, second[0]) == second[1]
    cast.submit(second[1])
    assert next_assignment(cast.alice, second[0]) == first[0]
    cast.submit(second[0])
    assert next_assignment(cast.alice, first[0]) is None


def test_a_closed_campaign_leaves_the_queue_and_a_role_that_is_lost_the_ratings(cast) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    Campaign.objects.update(status="closed")
    assert queue_for(cast.alice) == () and not open_assignments(cast.alice).exists()
    assert ratings_by(cast.alice).count() == 1
    Campaign.objects.update(status="open")
    assert queue_for(cast.alice) != ()
    Membership.objects.filter(user=cast.alice).delete()
    assert queue_for(cast.alice) == () and not ratings_by(cast.alice).exists()


def test_drafts_leases_and_skipped_candidates_are_shown(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    Draft.objects.create(assignment=rows[0], saved_at=timezone.now())
    skip_assignment(assignment=rows[1], reason_code="unreadable")
    (part,) = queue_for(cast.alice)
    (entry,) = part.references
    drafts = [(item.pk, item.has_draft) for item in entry.open]
    assert drafts == [(rows[0].pk, True), (rows[2].pk, False)]
    assert [item.pk for item in part.skipped] == [rows[1].pk]


def test_a_queue_of_any_length_asks_the_same_few_questions(cast, django_assert_max_num_queries):
    for number in range(12):
        cast.assign(cast.alice, cast.reference(f"r{number}", 2))
    with django_assert_max_num_queries(5):
        (part,) = queue_for(cast.alice)
    assert part.left == 24


def in_days(days: int):
    return timezone.now() + timedelta(days=days)


def test_what_is_due_first_stands_first_and_references_stay_together(cast) -> None:
    later, soon, some_day = (cast.assign(cast.alice, cast.reference(r, 2)) for r in "abc")
    Assignment.objects.filter(pk__in=[row.pk for row in later]).update(due_at=in_days(9))
    for days, overdue in ((-1, 1), (2, 0)):
        Assignment.objects.filter(pk=soon[1].pk).update(due_at=in_days(days))
        (part,) = queue_for(cast.alice)
        assert [entry.reference_id for entry in part.references] == ["b", "a", "c"]
        assert [item.pk for item in part.references[0].open] == [row.pk for row in soon]
        assert (part.has_due_dates, part.overdue) == (True, overdue)
        assert [entry.is_overdue for entry in part.references] == [overdue == 1, False, False]
    order = []
    row = first_assignment(cast.alice)
    while row is not None:
        order.append(row)
        cast.submit(row)
        row = next_assignment(cast.alice, row)
    assert order == [*soon, *later, *some_day]


def test_what_everybody_rates_stands_before_what_is_due(cast) -> None:
    cast.assign(cast.alice, cast.reference("a", 1))
    Assignment.objects.update(due_at=in_days(1))
    for_all = cast.assign(cast.alice, cast.reference("b", 1))
    Candidate.objects.filter(pk=for_all[0].candidate_id).update(purpose="qualification")
    (part,) = queue_for(cast.alice)
    assert [entry.reference_id for entry in part.references] == ["b", "a"]
    assert first_assignment(cast.alice) == for_all[0]


def test_the_first_is_of_the_campaign_that_stands_first(cast) -> None:
    Membership.objects.create(user=cast.alice, campaign=cast.elsewhere, role="annotator")
    other = cast.reference("e1", 1, campaign=cast.elsewhere)
    cast.assign(cast.alice, other)
    Assignment.objects.update(due_at=in_days(1))
    here = cast.assign(cast.alice, cast.reference("r1", 1))
    assert first_assignment(cast.alice) == here[0]
    cast.submit(here[0])
    found = next_assignment(cast.alice, here[0])
    assert found is not None and found.candidate.reference == other
