"""The queue and what comes next."""

from django.utils import timezone

from annotator.models import Campaign, Draft, Membership
from annotator.queries.queue import next_assignment, open_assignments, queue_for, ratings_by
from annotator.services.departures import skip_assignment


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
