"""The settled values of a campaign's candidates."""

from fractions import Fraction

import pytest
from django.utils import timezone

from annotator.adjudication.settled.queries import (
    SettledCandidate,
    references_with_candidates,
    settled_references,
)
from annotator.models import Adjudication, Candidate, Conflict, Purpose, Ruling
from annotator.rubric import ALL_CRITERIA

pytestmark = pytest.mark.postgres


def settled(cast) -> list[SettledCandidate]:
    """Return every settled candidate of cups, in the order of their names."""
    rows = list(references_with_candidates(cast.campaign))
    found = settled_references(cast.campaign, rows)
    return [one for reference in found for one in reference.candidates]


def ruled(cast, candidate: Candidate, value: str, *, is_valid: bool = True) -> None:
    conflict = Conflict.objects.filter(candidate=candidate)[0]
    signed = Adjudication.objects.create(
        conflict=conflict,
        adjudicator=cast.carol,
        decision="scores",
        ratings_seen=[],
        made_at=timezone.now(),
    )
    Ruling.objects.create(
        adjudication=signed,
        candidate=candidate,
        scores=dict.fromkeys(ALL_CRITERIA, value),
        is_valid=is_valid,
    )


@pytest.fixture
def rated(cast) -> list[Candidate]:
    """Give three candidates: both rate the first alike, differ on the second; none the third."""
    reference = cast.reference("r1", 3)
    candidates = list(reference.candidates.order_by("candidate_id"))
    scores = {"alice": ((7, 7, 7, 7), (7, 7, 7, 7)), "bob": ((7, 6, 7, 8), (1, 1, 1, 1))}
    for user in (cast.alice, cast.bob):
        rows = {row.candidate_id: row for row in cast.assign(user, reference)}
        for candidate, values in zip(candidates, scores[user.username], strict=False):
            cast.submit(rows[candidate.pk], values)
    return candidates


def test_means_are_exact_and_an_open_conflict_is_shown(cast, rated) -> None:
    alike, differ, nobody = settled(cast)
    assert [value.settled for value in alike.values] == [
        *(7, Fraction(13, 2), 7, Fraction(15, 2), Fraction(77 + 78, 22))
    ]
    assert (alike.state, alike.is_settled, alike.ratings) == ("no conflict", True, 2)
    assert (differ.state, differ.is_settled) == ("open conflict", False)
    assert [value.settled for value in differ.values] == [4] * 5
    assert (nobody.state, nobody.is_settled, nobody.ratings) == ("not rated", False, 0)


def test_a_valid_ruling_counts_and_a_void_one_does_not(cast, rated) -> None:
    ruled(cast, rated[1], "3", is_valid=False)
    assert settled(cast)[1].values[0].settled == 4
    ruled(cast, rated[1], "41/5")
    Conflict.objects.update(status="ruled")
    found = settled(cast)[1]
    assert (found.state, found.is_settled, found.is_locked) == ("ruled", True, True)
    assert found.values[0].settled == Fraction(41, 5)


def test_a_waiting_flip_unsettles_both_its_candidates(cast, rated) -> None:
    Conflict.objects.all().delete()
    Conflict.objects.create(
        campaign=cast.campaign,
        candidate=rated[0],
        other_candidate=rated[1],
        kind="order_flip",
        gap=11,
        status="waiting",
        opened_at=timezone.now(),
    )
    states = [(one.state, one.is_settled) for one in settled(cast)]
    assert states[:2] == [("waiting for annotators", False)] * 2


def test_systems_are_shown_once_the_campaign_is_closed(cast, rated) -> None:
    assert {one.system for one in settled(cast)} == {""}
    cast.campaign.status = "closed"
    assert [one.system for one in settled(cast)] == [f"{cast.system_canary}-{n}" for n in range(3)]
    assert [one.is_locked for one in settled(cast)] == [True, True, False]


def test_repeats_and_sentinels_are_not_listed(cast, rated) -> None:
    Candidate.objects.filter(pk=rated[0].pk).update(purpose=Purpose.SENTINEL)
    Candidate.objects.filter(pk=rated[2].pk).update(purpose=Purpose.QUALIFICATION)
    assert [one.pk for one in settled(cast)] == [rated[1].pk, rated[2].pk]


def test_another_campaign_gives_nothing(cast, rated) -> None:
    cast.reference("x", campaign=cast.elsewhere)
    assert [row.reference_id for row in references_with_candidates(cast.campaign)] == ["r1"]
