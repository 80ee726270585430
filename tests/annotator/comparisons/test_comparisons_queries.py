from itertools import combinations

import pytest

from annotator.comparisons.queries import (
    CLOSED_SENTENCE,
    RECUSED_SENTENCE,
    closed_because,
    comparisons_for,
    next_comparison,
    open_comparisons,
)
from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.models import Campaign, Comparison, Membership
from annotator.rating.services import recuse
from annotator.rubric import ALL_CRITERIA

pytestmark = pytest.mark.postgres


@pytest.fixture
def rows(cast) -> list[Comparison]:
    pairs = [
        pair
        for name in ("r1", "r2")
        for pair in combinations(cast.reference(name, 3).candidates.all(), 2)
    ]
    return assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs)


def answer(row: Comparison) -> None:
    submit_preference(
        comparison_id=row.pk, annotator=row.annotator, judgements=dict.fromkeys(ALL_CRITERIA, 0)
    )


def test_one_sees_ones_own_while_one_is_annotator(cast, rows) -> None:
    assert list(comparisons_for(cast.alice)) == rows
    assert not comparisons_for(cast.bob).exists()
    Membership.objects.filter(user=cast.alice).update(role="reader")
    assert not comparisons_for(cast.alice).exists()


def test_open_is_what_has_no_answer_in_an_open_campaign(cast, rows) -> None:
    answer(rows[0])
    assert list(open_comparisons(cast.alice)) == rows[1:]
    Campaign.objects.update(status="closed")
    assert not open_comparisons(cast.alice).exists()
    rows[1].refresh_from_db()
    assert closed_because(rows[1]) == CLOSED_SENTENCE


def test_a_reference_one_recused_oneself_from_is_closed(cast, rows) -> None:
    assert closed_because(rows[0]) == ""
    recuse(assignment=cast.assign(cast.alice, rows[0].left.reference)[0])
    assert list(open_comparisons(cast.alice)) == rows[3:]
    assert closed_because(rows[0]) == RECUSED_SENTENCE
    assert closed_because(rows[3]) == ""


def test_next_is_of_the_same_reference_while_there_is_one(cast, rows) -> None:
    answer(rows[4])
    assert next_comparison(cast.alice, rows[4]) == rows[3]
    for row in (rows[3], rows[5]):
        answer(row)
    assert next_comparison(cast.alice, rows[5]) == rows[0]
    for row in rows[:3]:
        answer(row)
    assert next_comparison(cast.alice, rows[2]) is None


def test_the_list_reads_no_claim_text(cast, rows, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        listed = [(row.left.reference.title, row.position) for row in open_comparisons(cast.alice)]
    assert len(listed) == 6
    deferred = open_comparisons(cast.alice)[0].left.reference.get_deferred_fields()
    assert {"claims", "draft_claims"} <= deferred
