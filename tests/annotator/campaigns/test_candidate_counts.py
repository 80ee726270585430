"""Candidates begun, complete and locked, by purpose."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotator.campaigns.queries import CandidateCounts, candidate_counts
from annotator.conflicts.queries import locked_candidates
from annotator.models import GENUINE, Candidate, Round, Turn

pytestmark = pytest.mark.postgres


@pytest.fixture
def states(cast) -> list[Candidate]:
    """Give candidates in every state that locks or unlocks."""
    now = timezone.now()
    old, fresh = now - timedelta(days=3), now - timedelta(hours=1)
    candidates = list(cast.reference("r1", 8).candidates.order_by("candidate_id"))
    times = (None, (old,), (old, old), (old, fresh), (old, fresh), (old, old), (fresh,), (old, old))
    for user, place in ((cast.alice, 0), (cast.bob, 1)):
        rows = {row.candidate_id: row for row in cast.assign(user, candidates[0].reference)}
        for candidate, at in zip(candidates, times, strict=True):
            if at and len(at) > place:
                cast.submit(rows[candidate.pk], submitted_at=at[place])
    length = timedelta(hours=1)
    for candidate, ends in ((candidates[4], now + length), (candidates[6], now - length)):
        Turn.objects.create(
            candidate=candidate, adjudicator=cast.carol, taken_at=fresh, expires_at=ends
        )
    for candidate, ended in ((candidates[5], None), (candidates[7], now)):
        Round.objects.create(
            candidate=candidate, number=2, kind="again", made_at=fresh, finished_at=ended
        )
    return candidates


@pytest.mark.parametrize("status", ["open", "closed"])
@pytest.mark.parametrize("hours", [0, 24, 100])
def test_as_many_are_counted_locked_as_are_locked(
    cast, states: list[Candidate], status: str, hours: int
) -> None:
    campaign = cast.campaign
    campaign.status, campaign.revision_hours = status, hours
    counted = candidate_counts(campaign, timezone.now())
    assert counted["rated"].locked == locked_candidates(campaign).count()
    assert counted["rated"].candidates == len(states)


def test_each_state_is_counted_once(cast, states: list[Candidate]) -> None:
    # Locked are the old pair, the one with a running turn, and the one whose round is over.
    counts = candidate_counts(cast.campaign, timezone.now())["rated"]
    assert counts == CandidateCounts(candidates=8, begun=7, complete=5, locked=3, ratings=12)


def test_a_purpose_without_candidates_counts_nothing(cast) -> None:
    counted = candidate_counts(cast.campaign, timezone.now())
    assert {counted[purpose] for purpose in GENUINE} == {CandidateCounts()}
