from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.adjudication.rounds import call_back
from annotator.adjudication.rulings.services import void_adjudication
from annotator.adjudication.settled.queries import freezable_references
from annotator.assignments.services import assign_candidates
from annotator.campaigns.services import close_campaign, reopen_campaign
from annotator.models import (
    Adjudication,
    Assignment,
    AuditEvent,
    Candidate,
    Conflict,
    Membership,
    Rating,
    Round,
    User,
)
from annotator.rating.services import skip_assignment
from tests.annotator.adjudication.discrepant import (
    HIGH,
    LOW,
    disagree,
    give_ladder,
    member,
    of,
    rate_all,
    revise,
    share,
    statuses,
)
from tests.annotator.adjudication.rulings import decide
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def erin(cast, carol: User) -> User:
    """A third annotator, of a campaign with a ladder."""
    give_ladder(cast)
    return member(cast, "erin")


def pulled(cast, reference_id: str = "r1") -> Candidate:
    """Return a candidate that alice and bob took on demand and rated far apart."""
    reference = cast.reference(reference_id, 1)
    for person, scores in ((cast.alice, LOW), (cast.bob, HIGH)):
        cast.submit(cast.take(person), scores)
    return Candidate.objects.get(reference=reference)


def places(candidate: Candidate) -> tuple[int, int, bool]:
    candidate.refresh_from_db()
    return candidate.places, candidate.held, candidate.has_room


def left_out(cast, *, include_unlocked: bool = True) -> dict[str, int]:
    counts: Counter[str] = Counter()
    list(freezable_references(cast.campaign, include_unlocked=include_unlocked, left_out=counts))
    return dict(counts)


def test_a_discrepant_candidate_waits_for_a_third_who_takes_it(cast, erin) -> None:
    candidate = pulled(cast)
    assert statuses(candidate) == {"waiting"}
    row = Round.objects.get()
    assert (row.kind, row.number, row.asked_by, row.conflict) == ("ladder", 2, None, None)
    assert places(candidate) == (3, 2, True)
    taken = cast.take(erin)
    assert taken.candidate == candidate and taken.lease_expires_at is not None
    assert places(candidate) == (3, 3, False)


def test_who_agrees_with_one_of_them_settles_it_without_an_adjudicator(cast, erin) -> None:
    candidate = disagree(cast)
    # Where work is given by name, so is the candidate.
    row = share(erin, candidate)
    assert (row.lease_expires_at, row.status, row.label) == (None, "open", "Candidate 1")
    assert places(candidate) == (3, 3, False)
    rating = cast.submit(row, (8, 8, 8, 8))
    assert statuses(candidate) == {"lapsed"}
    assert (rating.round, rating.is_blind) == (2, True)
    assert Round.objects.get().finished_at


def test_who_agrees_with_neither_brings_it_to_the_adjudicator_once_and_for_all(cast, erin) -> None:
    candidate = disagree(cast)
    cast.submit(share(erin, candidate), (5, 5, 5, 5))
    assert statuses(candidate) == {"open"}
    assert Round.objects.count() == 1
    opened = AuditEvent.objects.filter(action="conflict.opened").count()
    assert opened == Conflict.objects.count()
    spread(cast.campaign, 2)
    assert places(candidate) == (3, 3, False)
    decide(of(candidate), cast.carol)
    assert statuses(candidate) == {"ruled"}
    void_adjudication(adjudication_id=Adjudication.objects.get().pk, reason="slip", by=cast.ada)
    assert statuses(candidate) == {"open"} and Round.objects.count() == 1


def test_adjacent_ratings_ask_nobody_and_where_nobody_is_left_the_adjudicator_has_it(
    cast, erin
) -> None:
    reference = cast.reference("r1", 1)
    rate_all(cast, cast.alice, reference, [(5, 5, 5, 5)])
    rate_all(cast, cast.bob, reference, [(6, 6, 6, 6)])
    assert not Conflict.objects.exists() and not Round.objects.exists()
    reference = cast.reference("r2", 1)
    skip_assignment(assignment=cast.assign(erin, reference)[0], reason_code="unreadable")
    rate_all(cast, cast.alice, reference, [LOW])
    rate_all(cast, cast.bob, reference, [HIGH])
    assert statuses(reference.candidates.get()) == {"open"} and not Round.objects.exists()


def test_who_sees_what_others_gave_is_not_asked_whatever_the_overlap(cast) -> None:
    give_ladder(cast)
    member(cast, "both", "annotator", "researcher")
    assert statuses(disagree(cast)) == {"open"}
    Membership.objects.filter(user__username="both").delete()
    spread(cast.campaign, 3)
    assert statuses(disagree(cast, "r2")) == {"open"}


def test_an_overlap_of_three_waits_for_its_own_third_and_asks_no_fourth(cast, erin) -> None:
    member(cast, "frank")
    spread(cast.campaign, 3)
    candidate = disagree(cast)
    assert statuses(candidate) == {"waiting"} and not Round.objects.exists()
    (row,) = assign_candidates(campaign=cast.campaign, annotator=erin, candidates=[candidate])
    assert cast.submit(row, (5, 5, 5, 5)).round == 1
    assert statuses(candidate) == {"open"} and not Round.objects.exists()


def test_what_waits_for_its_own_third_can_be_called_back(cast, erin) -> None:
    spread(cast.campaign, 3)
    candidate = disagree(cast)
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    assert statuses(candidate) == {"open"}
    assert places(candidate) == (3, 2, True)
    revise(cast.alice, candidate, (2, 2, 2, 2))
    assert statuses(candidate) == {"open"}


def test_a_ladder_that_is_called_back_asks_no_one_again(cast, erin) -> None:
    candidate = pulled(cast)
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    assert statuses(candidate) == {"open"} and places(candidate) == (2, 2, False)
    revise(cast.alice, candidate, (2, 2, 2, 2))
    assert Round.objects.count() == 1 and statuses(candidate) == {"open"}
    spread(cast.campaign, 2)
    assert places(candidate) == (2, 2, False)


def test_the_first_two_may_revise_meanwhile(cast, erin) -> None:
    candidate = disagree(cast)
    assert revise(cast.alice, candidate, HIGH).round == 1
    assert statuses(candidate) == {"lapsed"}
    revise(cast.bob, candidate, LOW)
    assert statuses(candidate) == {"waiting"} and Round.objects.count() == 1
    cast.submit(share(erin, candidate), HIGH)
    assert statuses(candidate) == {"lapsed"}


@pytest.mark.parametrize(("first", "status"), [(5, "lapsed"), (6, "open")], ids=["order", "tie"])
def test_an_order_flip_sends_both_candidates_to_one_person(
    cast, erin, first: int, status: str
) -> None:
    member(cast, "frank")
    reference = cast.reference("r1", 2)
    rate_all(cast, cast.alice, reference, [(5, 5, 5, 5), (6, 6, 6, 6)])
    rate_all(cast, cast.bob, reference, [(6, 6, 6, 6), (5, 5, 5, 5)])
    flip = Conflict.objects.get()
    assert flip.status == "waiting" and Round.objects.count() == 2
    rows = Assignment.objects.filter(annotator=erin).order_by("candidate__candidate_id")
    for row, score, expected in zip(rows, (first, 6), ("waiting", status), strict=True):
        cast.submit(row, (score,) * 4)
        flip.refresh_from_db()
        assert flip.status == expected


def test_a_skip_of_the_third_leaves_the_place_to_a_fourth(cast, erin) -> None:
    candidate = disagree(cast)
    skip_assignment(assignment=share(erin, candidate), reason_code="unreadable")
    assert statuses(candidate) == {"waiting"}
    assert cast.submit(cast.take(member(cast, "frank")), HIGH).round == 2
    assert statuses(candidate) == {"lapsed"}


def test_what_was_ruled_before_the_ladder_came_is_not_asked_when_it_is_voided(cast, erin) -> None:
    cast.campaign.has_ladder = False
    cast.campaign.save()
    candidate = disagree(cast)
    decide(of(candidate), cast.carol)
    give_ladder(cast)
    void_adjudication(adjudication_id=Adjudication.objects.get().pk, reason="slip", by=cast.ada)
    assert statuses(candidate) == {"open"} and not Round.objects.exists()


def test_a_closed_campaign_waits_until_it_is_reopened_or_the_conflict_called_back(cast, erin):
    candidate, other = disagree(cast, "r1"), disagree(cast, "r2")
    close_campaign(campaign=cast.campaign, reason="over", closed_by=cast.ada)
    cast.campaign.refresh_from_db()
    assert statuses(candidate) == {"waiting"} and left_out(cast) == {"training not allowed": 2}
    cast.campaign.references.update(may_train=True)
    assert left_out(cast) == {"open conflict": 2}
    call_back(conflict_id=of(candidate).pk, adjudicator=cast.carol)
    decide(of(candidate), cast.carol)
    assert left_out(cast) == {"open conflict": 1}
    reopen_campaign(campaign=cast.campaign, reason="not over", reopened_by=cast.ada)
    cast.submit(share(erin, other), HIGH)
    assert left_out(cast) == {}


def test_what_a_third_settled_locks_when_the_window_has_passed(cast, erin) -> None:
    candidate = disagree(cast)
    cast.campaign.references.update(may_train=True)
    Rating.objects.update(revised_at=timezone.now() - timedelta(days=9))
    cast.submit(share(erin, candidate), HIGH)
    assert left_out(cast, include_unlocked=False) == {"not locked": 1}
    Rating.objects.update(revised_at=timezone.now() - timedelta(days=9))
    assert left_out(cast, include_unlocked=False) == {}
