"""What the files of the demo campaign have, and what its guides say of them."""

from datetime import timedelta
from pathlib import Path

import pytest

from annotator.demo import DemoRating, read_demo_ratings, read_demo_references
from patclaimeval.claims.parsing import parse_claims
from patclaimeval.documents.references import ReferenceRecord
from patclaimeval.rubric import CRITERIA, is_score

DEMO = Path(__file__).parents[3] / "fixtures" / "demo"


@pytest.fixture(scope="module")
def references() -> tuple[ReferenceRecord, ...]:
    return read_demo_references(DEMO)


@pytest.fixture(scope="module")
def ratings() -> tuple[DemoRating, ...]:
    return read_demo_ratings(DEMO)


def test_eighteen_references_of_both_offices_have_five_candidates_each(references) -> None:
    assert len({one.reference_id for one in references}) == 18
    assert {one.office for one in references} == {"USPTO", "EPO"}
    assert all(3 <= len(parse_claims(one.reference_claims)) <= 15 for one in references)
    for one in references:
        assert [each.candidate_id for each in one.candidates] == ["c1", "c2", "c3", "c4", "c5"]
        assert len({each.system for each in one.candidates}) == 5
    texts = [one.reference_claims for one in references]
    texts += [each.claims for one in references for each in one.candidates]
    assert len(set(texts)) == 18 * 6


def test_two_annotators_rated_fourteen_references_but_for_one_candidate(
    references, ratings
) -> None:
    expected = {
        (one.reference_id, each.candidate_id) for one in references[:14] for each in one.candidates
    }
    expected.remove((references[13].reference_id, "c5"))
    for annotator in ("demo-1", "demo-2"):
        own = [one for one in ratings if one.annotator == annotator]
        assert {(one.reference_id, one.candidate_id) for one in own} == expected
        assert len(own) == 69
        ages = [one.before_now for one in own]
        assert ages == sorted(ages, reverse=True) and ages[-1] >= timedelta(days=2)
    assert len(ratings) == 2 * 69
    assert all(is_score(one.scores[key]) for one in ratings for key in CRITERIA)


def test_they_differ_by_three_points_on_some_candidates(ratings) -> None:
    wide = [
        (one.reference_id, one.candidate_id)
        for one, two in zip(ratings[::2], ratings[1::2], strict=True)
        if any(abs(one.scores[key] - two.scores[key]) >= 3 for key in CRITERIA)
    ]
    assert len(wide) == 5
