"""Rules to try, against those that hold."""

from collections.abc import Sequence

import pytest
from django.utils import timezone

from annotator.adjudication.what_if.queries import rules_of, what_if
from annotator.adjudication.what_if.rules import Caught
from annotator.conflicts.rules import ConflictRules
from annotator.models import Adjudication, Conflict, Ruling

pytestmark = pytest.mark.postgres


def rate(cast, alice: Sequence[int], bob: Sequence[int]) -> None:
    """Have two people rate a candidate of a new reference."""
    reference = cast.reference(f"r{cast.campaign.references.count()}", 1)
    for user, scores in ((cast.alice, alice), (cast.bob, bob)):
        cast.submit(cast.assign(user, reference)[0], scores)


def test_new_conflicts_and_those_that_would_go_are_counted_apart(cast) -> None:
    rate(cast, (9, 5, 5, 5), (5, 5, 5, 5))  # four on a criterion, 16/11 overall
    rate(cast, (7, 7, 7, 7), (5, 5, 5, 5))  # two on each, two overall
    today = what_if(cast.campaign, rules_of(cast.campaign))
    assert today.total.caught == Caught(2, 2, 2)
    assert (today.total.new, today.total.gone, today.rulings) == (0, 0, 2)
    tried = what_if(cast.campaign, ConflictRules(5, 15, 110))
    criterion, overall, flip = tried.kinds
    assert (criterion.caught.conflicts, criterion.today, criterion.gone) == (0, 1, 1)
    assert (overall.caught.conflicts, overall.today, overall.new) == (2, 1, 1)
    assert (flip.caught.conflicts, flip.today) == (0, 0)
    assert (tried.total.new, tried.total.gone, tried.total.today) == (1, 1, 2)
    assert (tried.rulings, tried.rulings_today) == (2, 2)


def test_the_curve_shows_how_many_candidates_a_gap_sends(cast) -> None:
    for gap in (1, 3, 3, 4):
        rate(cast, (5 + gap, 5, 5, 5), (5, 5, 5, 5))
    sends = [point.criterion_gap.candidates for point in what_if(cast.campaign, CALM).curve]
    assert sends == [4, 3, 3, 1, 0, 0, 0, 0, 0, 0]


CALM = ConflictRules(10, 110, 110)


def test_what_is_ruled_needs_no_ruling_more(cast) -> None:
    rate(cast, (9, 5, 5, 5), (5, 5, 5, 5))
    assert what_if(cast.campaign, ConflictRules()).rulings == 1
    conflict = Conflict.objects.get()
    signed = Adjudication.objects.create(
        conflict=conflict,
        adjudicator=cast.carol,
        decision="mean",
        ratings_seen=[],
        made_at=timezone.now(),
    )
    ruling = Ruling.objects.create(adjudication=signed, candidate=conflict.candidate, scores={})
    found = what_if(cast.campaign, ConflictRules())
    assert (found.total.caught.conflicts, found.rulings) == (1, 0)
    Ruling.objects.filter(pk=ruling.pk).update(is_valid=False)
    assert what_if(cast.campaign, ConflictRules()).rulings == 1


def test_hours_are_unknown_without_a_measured_time(cast) -> None:
    rate(cast, (9, 5, 5, 5), (5, 5, 5, 5))
    assert what_if(cast.campaign, ConflictRules()).hours is None
    cast.campaign.conflicts.get().candidate.ratings.update(active_seconds=900)
    found = what_if(cast.campaign, ConflictRules())
    assert (found.hours, found.hours_today) == (0.5, 0.5)
