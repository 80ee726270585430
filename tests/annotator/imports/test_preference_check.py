"""Derived y against direct preference."""

from itertools import combinations

import pytest
from django.utils import timezone

from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.imports.preferences.queries import preference_check, wilson_interval
from annotator.models import Comparison, Preference
from annotator.rubric import ALL_CRITERIA, CRITERIA, OVERALL

pytestmark = pytest.mark.postgres


def compare(cast, user, reference) -> Comparison:
    pairs = list(combinations(reference.candidates.all(), 2))
    return assign_comparisons(campaign=reference.campaign, annotator=user, pairs=pairs)[0]


def log(row: Comparison, **said: int) -> None:
    judgements = dict.fromkeys(ALL_CRITERIA, 0) | said
    submit_preference(comparison_id=row.pk, annotator=row.annotator, judgements=judgements)


def rate(cast, row: Comparison, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    for assignment in cast.assign(row.annotator, row.left.reference):
        cast.submit(assignment, left if assignment.candidate_id == row.left_id else right)


def test_nothing_is_counted_before_both_are_there(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    empty = preference_check(cast.campaign)
    assert (empty.asked, empty.answered, empty.n) == (1, 0, 0)
    assert all(entry.share is None for entry in empty.criteria)
    log(row)
    first, second = cast.assign(cast.alice, row.left.reference)
    cast.submit(first)
    assert (preference_check(cast.campaign).answered, preference_check(cast.campaign).n) == (1, 0)
    cast.submit(second)
    assert preference_check(cast.campaign).n == 1


def test_anothers_ratings_and_another_campaign_do_not_count(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row)
    for assignment in cast.assign(cast.bob, row.left.reference):
        cast.submit(assignment)
    assert preference_check(cast.campaign).n == 0
    assert preference_check(cast.elsewhere).asked == 0


def test_each_criterion_counts_derived_against_direct(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row, feature_completeness=1, conceptual_clarity=-1, logical_linkage=1)
    rate(cast, row, (9, 9, 4, 4), (3, 5, 4, 8))
    found = {entry.key: entry for entry in preference_check(cast.campaign).criteria}
    assert found["feature_completeness"].table == ((1, 0, 0), (0, 0, 0), (0, 0, 0))
    assert found["conceptual_clarity"].table == ((0, 0, 1), (0, 0, 0), (0, 0, 0))
    assert found["terminology_consistency"].table == ((0, 0, 0), (0, 1, 0), (0, 0, 0))
    assert found["logical_linkage"].table == ((0, 0, 0), (0, 0, 0), (1, 0, 0))
    assert [entry.same for entry in found.values()] == [1, 0, 1, 0, 0]
    assert found[OVERALL].table == ((0, 1, 0), (0, 0, 0), (0, 0, 0))


def test_the_overall_goes_by_exact_numerators(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row, overall_quality=0)
    # 4·5 + 3·4 = 4·2 + 3·8: equal overalls of unequal scores.
    rate(cast, row, (5, 0, 0, 4), (2, 0, 0, 8))
    overall = preference_check(cast.campaign).criteria[-1]
    assert (overall.key, overall.same, overall.n) == (OVERALL, 1, 1)


def test_a_preference_of_the_overall_only_counts_there_only(cast) -> None:
    row = compare(cast, cast.alice, cast.reference("r1", 2))
    log(row, overall_quality=1)
    Preference.objects.update(**dict.fromkeys(ALL_CRITERIA[:-1], None))
    rate(cast, row, (9, 9, 9, 9), (3, 3, 3, 3))
    check = preference_check(cast.campaign)
    assert [entry.n for entry in check.criteria] == [0, 0, 0, 0, 1]
    assert [entry.share is None for entry in check.criteria] == [True] * 4 + [False]
    assert (check.n, check.criteria[-1].same) == (1, 1)


def test_wilsons_interval_equals_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81 of 263 and 15 of 148.
    for hits, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)):
        found = wilson_interval(hits, n)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    # The same table: 0 of 20 and 1 of 29.
    assert wilson_interval(0, 20).low == 0
    assert round(wilson_interval(0, 20).high, 4) == 0.1611
    assert round(wilson_interval(1, 29).high, 4) == 0.1718
    assert wilson_interval(29, 29).high == 1


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_a_share_of_nothing_has_no_interval(hits: int, n: int) -> None:
    with pytest.raises(ValueError):
        wilson_interval(hits, n)


def test_a_preference_on_the_overall_only_counts_there_only(cast) -> None:
    reference = cast.reference("r1", 2)
    for row, score in zip(cast.assign(cast.alice, reference), (9, 3), strict=True):
        cast.submit(row, (score,) * 4)
    pair = tuple(reference.candidates.all())
    (asked,) = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=[pair])
    Preference.objects.create(
        comparison=asked,
        overall_quality=1,
        rubric_version="1",
        submitted_at=timezone.now(),
        revised_at=timezone.now(),
    )
    check = preference_check(cast.campaign)
    assert {row.key: row.n for row in check.criteria} == dict.fromkeys(CRITERIA, 0) | {OVERALL: 1}
    assert check.n == 1
