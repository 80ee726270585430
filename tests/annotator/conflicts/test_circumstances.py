"""Whether an author could have seen others' work, and in which round they are asked."""

import pytest
from django.utils import timezone

from annotator.conflicts.queries import Circumstances, circumstances_of
from annotator.models import Membership, Rating, Round, Unblinding
from annotator.rating.services import revise_rating
from tests.conftest import grant

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def row(cast):
    return cast.assign(cast.alice, cast.reference("r1", 1))[0]


def test_an_annotator_alone_rates_blind_in_no_round(row) -> None:
    assert circumstances_of(row) == Circumstances(True, 1, "")


@pytest.mark.parametrize(
    ("role", "is_blind"),
    [("admin", False), ("adjudicator", False), ("researcher", False), ("reader", True)],
)
def test_who_sees_others_work_by_another_role_does_not_rate_blind(
    row, cast, role: str, is_blind: bool
) -> None:
    grant(cast.alice, cast.elsewhere, role)
    assert circumstances_of(row).is_blind
    grant(cast.alice, cast.campaign, role)
    assert circumstances_of(row).is_blind is is_blind
    rating = cast.submit(row)
    assert (rating.is_blind, rating.revisions.get().is_blind) == (is_blind, is_blind)


def test_who_was_shown_results_here_does_not_rate_blind(row, cast) -> None:
    shown = {"user": cast.alice, "shown": "feedback", "at": timezone.now()}
    Unblinding.objects.create(campaign=cast.elsewhere, **shown)
    Unblinding.objects.create(campaign=cast.campaign, **shown | {"user": cast.bob})
    assert circumstances_of(row).is_blind
    Unblinding.objects.create(campaign=cast.campaign, **shown)
    assert not circumstances_of(row).is_blind


def test_a_rating_given_with_open_eyes_is_not_blind_after_a_revision(row, cast) -> None:
    role = Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="admin")
    rating = cast.submit(row)
    role.delete()
    revise_rating(rating_id=rating.pk, annotator=cast.alice, version=1, scores=rating.scores)
    assert not Rating.objects.get().is_blind


def test_only_an_unfinished_round_counts(row) -> None:
    now = timezone.now()
    made = {"candidate": row.candidate, "kind": "another", "made_at": now}
    Round.objects.create(number=2, finished_at=now, **made)
    assert circumstances_of(row) == Circumstances(True, 1, "")
    Round.objects.create(number=3, **made)
    assert circumstances_of(row) == Circumstances(True, 3, "another")
