"""The queue and what comes next."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.assignments.queries import (
    first_assignment,
    next_assignment,
    open_assignments,
    queue_for,
    ratings_by,
)
from annotator.models import Assignment, Campaign, Candidate, Draft, Membership
from annotator.rating.services import skip_assignment

pytestmark = pytest.mark.postgres


def test_the_queue_counts_what_is_done_and_left_per_reference(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 3))
    cast.assign(cast.alice, cast.reference("r2", 2))
    cast.submit(first[0])
    (part,) = queue_for(cast.alice)
    assert (part.left, part.done, part.total) == (4, 1, 5)
    assert [(e.reference_id, e.done, e.total) for e in part.references] == [
        ("r1", 1, 3),
        ("r2", 0, 2),
    ]


def test_the_queue_shows_nothing_of_others(cast) -> None:
    reference = cast.reference()
    for row in cast.assign(cast.bob, reference):
        cast.submit(row)
    (part,) = queue_for(cast.alice)
    assert (part.left, part.done, part.references) == (0, 0, ())


def test_next_is_of_the_same_reference_then_of_the_campaign_then_nothing(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 1))
    second = cast.assign(cast.alice, cast.reference("r2", 2))
    assert next_assignment(cast.alice, second[0]) == second[1]
    cast.submit(second[1])
    assert next_assignment(cast.alice, second[0]) == first[0]
    cast.submit(second[0])
    assert next_assignment(cast.alice, first[0]) is None


def test_a_closed_campaign_leaves_the_queue(cast) -> None:
    cast.assign(cast.alice, cast.reference())
    Campaign.objects.update(status="closed")
    assert queue_for(cast.alice) == ()
    assert not open_assignments(cast.alice).exists()


def test_who_is_no_annotator_any_more_has_no_queue_and_no_ratings(cast) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    assert ratings_by(cast.alice).count() == 1
    Membership.objects.filter(user=cast.alice).delete()
    assert queue_for(cast.alice) == ()
    assert not ratings_by(cast.alice).exists()


def test_drafts_leases_and_skipped_candidates_are_shown(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 3))
    Draft.objects.create(assignment=rows[0], saved_at=timezone.now())
    skip_assignment(assignment=rows[1], reason_code="unreadable")
    (part,) = queue_for(cast.alice)
    (entry,) = part.references
    assert [(item.pk, item.has_draft) for item in entry.open] == [
        (rows[0].pk, True),
        (rows[2].pk, False),
    ]
    assert [item.pk for item in part.skipped] == [rows[1].pk]


def test_a_queue_of_any_length_asks_the_same_few_questions(
    cast, django_assert_max_num_queries
) -> None:
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
    Assignment.objects.filter(pk=soon[1].pk).update(due_at=in_days(2))
    (part,) = queue_for(cast.alice)
    assert [entry.reference_id for entry in part.references] == ["b", "a", "c"]
    assert [item.pk for item in part.references[0].open] == [row.pk for row in soon]
    assert (part.has_due_dates, part.overdue) == (True, 0)
    order = []
    row = first_assignment(cast.alice)
    while row is not None:
        order.append(row)
        cast.submit(row)
        row = next_assignment(cast.alice, row)
    assert order == [*soon, *later, *some_day]


def test_overdue_is_counted_and_shown_by_reference(cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("late", 2))
    cast.assign(cast.alice, cast.reference("calm", 1))
    Assignment.objects.filter(pk=rows[0].pk).update(due_at=in_days(-1))
    (part,) = queue_for(cast.alice)
    assert part.overdue == 1
    assert [(e.reference_id, e.is_overdue) for e in part.references] == [
        ("late", True),
        ("calm", False),
    ]


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
