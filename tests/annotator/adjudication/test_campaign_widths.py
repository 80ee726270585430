"""How far the ratings of a whole campaign are apart."""

import pytest

from annotator.adjudication.what_if.queries import campaign_widths
from annotator.adjudication.what_if.rules import found_by
from annotator.conflicts.rules import ConflictRules
from annotator.models import Candidate, Conflict, Purpose

pytestmark = pytest.mark.postgres


@pytest.fixture
def disputed(cast) -> None:
    """Have alice and bob differ on two references, and on one of another campaign."""
    values = {"alice": ((9, 5, 5, 5), (2, 2, 2, 2), (5, 5, 5, 5))}
    values["bob"] = ((4, 5, 5, 5), (6, 6, 6, 6), (5, 5, 5, 4))
    for name in ("r1", "r2"):
        reference = cast.reference(name, 3)
        for user in (cast.alice, cast.bob):
            by_candidate = {row.candidate_id: row for row in cast.assign(user, reference)}
            candidates = reference.candidates.order_by("candidate_id")
            for candidate, scores in zip(candidates, values[user.username], strict=True):
                cast.submit(by_candidate[candidate.pk], scores)
    cast.submit(cast.assign(cast.mallory, cast.reference("x", campaign=cast.elsewhere))[0])


@pytest.mark.usefixtures("disputed")
def test_what_is_measured_at_once_conflicts_as_what_was_measured_with_each_rating(cast) -> None:
    found = found_by(ConflictRules(), campaign_widths(cast.campaign))
    stored = Conflict.objects.values_list("kind", "candidate_id", "other_candidate_id", "criterion")
    assert len(found) == len(stored) > 2
    assert {width.place for width in found} == {
        (kind, one.hex, "" if other is None else other.hex, criterion)
        for kind, one, other, criterion in stored
    }
    assert {width.kind for width in found} == {"criterion_gap", "overall_gap", "order_flip"}


@pytest.mark.usefixtures("disputed")
def test_repeats_and_sentinels_are_not_measured(cast) -> None:
    assert campaign_widths(cast.campaign)
    Candidate.objects.update(purpose=Purpose.REPEAT)
    assert campaign_widths(cast.campaign) == []


def test_a_campaign_with_nothing_in_it_measures_nothing(cast) -> None:
    assert campaign_widths(cast.campaign) == []
