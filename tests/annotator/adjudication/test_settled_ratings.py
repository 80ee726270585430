from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.adjudication.settled.queries import freezable_references
from annotator.assignments.services import assign_candidates
from annotator.models import Campaign, Candidate, Rating, Reference, User
from tests.annotator.adjudication.discrepant import open_conflict
from tests.conftest import spread

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def campaign(cast) -> Campaign:
    """Two references of three candidates; the one that came first stands second."""
    for name in ("r2", "r1"):
        cast.reference(name)
    Reference.objects.filter(reference_id="r2").update(position=9)
    Reference.objects.update(may_train=True)
    spread(cast.campaign, 1)
    return cast.campaign


def candidate(name: str) -> Candidate:
    reference, _, number = name.partition("/c")
    of = Candidate.objects.filter(reference__reference_id=reference)
    return of.get(candidate_id__endswith=f"-{int(number) - 1}")


def rate(cast, user: User, *names: str, hours_ago: int = 48) -> None:
    for name in names:
        rows = assign_candidates(
            campaign=cast.campaign, annotator=user, candidates=[candidate(name)]
        )
        cast.submit(rows[0], submitted_at=timezone.now() - timedelta(hours=hours_ago))


def found_in(campaign: Campaign, *, unlocked: bool = False) -> tuple[list[str], dict[str, int]]:
    left_out: Counter[str] = Counter()
    found = freezable_references(campaign, include_unlocked=unlocked, left_out=left_out)
    names = [
        f"{one.reference.reference_id}/c{int(own.candidate_id[-1]) + 1}"
        for one in found
        for own, _ in sorted(one.ratings, key=lambda pair: pair[0].candidate_id)
    ]
    return names, dict(left_out)


def test_references_stand_in_their_order_and_unrated_candidates_are_counted(cast, campaign) -> None:
    rate(cast, cast.alice, "r1/c2", "r1/c1")
    (only,) = freezable_references(campaign, include_unlocked=False, left_out=Counter())
    assert only.reference.reference_id == "r1"
    rate(cast, cast.alice, "r2/c1")
    assert found_in(campaign) == (["r1/c1", "r1/c2", "r2/c1"], {"not rated": 3})
    assert found_in(Campaign.objects.create(slug="other", name="Other"), unlocked=True) == ([], {})


def test_fresh_ratings_wait_unless_asked_for(cast, campaign) -> None:
    rate(cast, cast.alice, "r1/c1", hours_ago=48)
    rate(cast, cast.alice, "r1/c2", hours_ago=1)
    assert found_in(campaign) == (["r1/c1"], {"not rated": 4, "not locked": 1})
    assert found_in(campaign, unlocked=True) == (["r1/c1", "r1/c2"], {"not rated": 4})


@pytest.mark.parametrize("unlocked", [False, True])
def test_an_order_flip_disputes_both_of_its_candidates(cast, campaign, unlocked) -> None:
    rate(cast, cast.alice, "r1/c1", "r1/c2", "r1/c3")
    other = candidate("r1/c2")
    conflict = open_conflict(candidate("r1/c1"), "order_flip", other_candidate=other)
    left_out = {"not rated": 3, "open conflict": 2}
    assert found_in(campaign, unlocked=unlocked) == (["r1/c3"], left_out)
    for status in ("lapsed", "ruled"):
        conflict.status = status
        conflict.save()
        assert found_in(campaign)[0] == ["r1/c1", "r1/c2", "r1/c3"]


@pytest.mark.parametrize("unlocked", [False, True])
def test_what_may_not_train_stays_out_whatever_is_asked(cast, campaign, unlocked) -> None:
    rate(cast, cast.alice, "r1/c1", "r2/c1")
    Reference.objects.filter(reference_id="r1").update(may_train=False)
    assert found_in(campaign, unlocked=unlocked) == (
        ["r2/c1"],
        {"not rated": 4, "training not allowed": 1},
    )


def test_all_ratings_of_a_candidate_come_with_it(cast, campaign) -> None:
    rate(cast, cast.alice, "r1/c1")
    rate(cast, cast.bob, "r1/c1")
    (found,) = freezable_references(campaign, include_unlocked=False, left_out=Counter())
    ((_, ratings),) = found.ratings
    assert {r.pk for r in ratings} == set(Rating.objects.values_list("pk", flat=True))
