"""One candidate's settled values with what they follow from."""

from collections.abc import Sequence

import pytest
from django.utils import timezone

from annotator.adjudication.settled.queries import CandidateTrace, candidate_trace, raters_of
from annotator.models import Adjudication, Candidate, Conflict, Purpose, Ruling
from annotator.rubric import ALL_CRITERIA

pytestmark = pytest.mark.postgres


def rate(cast, *values: Sequence[int]) -> Candidate:
    """Have alice, and bob when there are two, rate a new candidate."""
    reference = cast.reference("r1", 1)
    for user, scores in zip((cast.alice, cast.bob), values, strict=False):
        cast.submit(cast.assign(user, reference)[0], scores)
    return reference.candidates.get()


def trace(cast, candidate: Candidate, *, tells: bool = True) -> CandidateTrace:
    names = {str(cast.alice.pk): "Annotator 1", str(cast.bob.pk): "Annotator 2"}
    return candidate_trace(cast.campaign, candidate.pk, names if tells else {})


def ruled(cast, candidate: Candidate, decision: str) -> None:
    conflict = Conflict.objects.filter(candidate=candidate)[0]
    signed = Adjudication.objects.create(
        conflict=conflict,
        adjudicator=cast.carol,
        decision=decision,
        ratings_seen=[],
        made_at=timezone.now(),
    )
    taken = candidate.ratings.get(annotator=cast.bob) if decision == "take" else None
    Ruling.objects.create(
        adjudication=signed,
        candidate=candidate,
        rating=taken,
        scores=dict.fromkeys(ALL_CRITERIA, "3"),
    )


def test_a_mean_is_derived_term_by_term(cast) -> None:
    found = trace(cast, rate(cast, (6, 5, 5, 5), (6, 5, 5, 6)))
    assert found.derivations[0].settled == "the mean: (6 + 6) / 2 = 6"
    assert found.derivations[0].majority == "6, given by 2 of 2"
    overall = found.derivations[4]
    # 4*6 + 2*5 + 2*5 + 3*5 and 3*6, over 11.
    assert overall.settled.endswith("/ 2 = 11/2, shown as 5.50")
    assert {"59/11", "62/11"} <= set(overall.settled.replace("(", " ").replace(")", " ").split())
    assert overall.majority == "no majority"


def test_a_ruling_names_what_was_taken_or_decided(cast) -> None:
    candidate = rate(cast, (9, 9, 9, 9), (1, 1, 1, 1))
    ruled(cast, candidate, "take")
    assert {row.settled for row in trace(cast, candidate).derivations} == {
        "ruled, taken from Annotator 2: 3"
    }
    Ruling.objects.all().delete()
    ruled(cast, candidate, "scores")
    assert trace(cast, candidate).derivations[0].settled == "ruled, new scores: 3"
    assert len(trace(cast, candidate).rulings) == 1


def test_without_names_no_single_rating_is_shown(cast) -> None:
    found = trace(cast, rate(cast, (9, 9, 9, 9), (1, 1, 1, 1)), tells=False)
    assert found.ratings == ()
    assert found.derivations[0].settled == "the mean: (what was given) / 2 = 5"


def test_what_nobody_rated_has_no_value(cast) -> None:
    found = trace(cast, rate(cast))
    assert {(row.settled, row.majority) for row in found.derivations} == {
        ("nobody has rated it", "no majority")
    }


def test_only_genuine_candidates_of_the_campaign_have_a_page(cast) -> None:
    candidate = rate(cast, (5, 5, 5, 5))
    Candidate.objects.filter(pk=candidate.pk).update(purpose=Purpose.REPEAT)
    other = cast.reference("x", 1, campaign=cast.elsewhere).candidates.get()
    for one in (candidate, other):
        with pytest.raises(Candidate.DoesNotExist):
            trace(cast, one)


def test_who_has_rated_is_who_submitted_in_this_campaign(cast) -> None:
    rate(cast, (5, 5, 5, 5))
    cast.assign(cast.bob, cast.reference("r2", 1))
    cast.submit(cast.assign(cast.mallory, cast.reference("x", 1, campaign=cast.elsewhere))[0])
    assert raters_of(cast.campaign) == [str(cast.alice.pk)]
