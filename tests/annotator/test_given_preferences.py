"""The preferences of a campaign: one orientation a pair, nothing where nothing was said."""

import random
from itertools import combinations

import numpy as np
import pytest

from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.models import Candidate, Comparison, Preference
from annotator.records import given_preferences, preference_table
from annotator.rubric import ALL_CRITERIA, OVERALL
from core.statistics.tables import Table

pytestmark = pytest.mark.postgres


class Shown(random.Random):
    """Chance that puts the pair's first candidate left, or right."""

    def __init__(self, *, first_left: bool) -> None:
        super().__init__()
        self.first_left = first_left

    def random(self) -> float:
        return 0.0 if self.first_left else 0.9


def compare(user, reference, *, first_left: bool = True) -> list[Comparison]:
    pairs = list(combinations(reference.candidates.order_by("candidate_id"), 2))
    chance = Shown(first_left=first_left)
    rows = assign_comparisons(
        campaign=reference.campaign, annotator=user, pairs=pairs, chance=chance
    )
    return sorted(rows, key=lambda row: row.pair)


def log(row: Comparison, **said: int) -> Preference:
    judgements = dict.fromkeys(ALL_CRITERIA, 0) | said
    return submit_preference(comparison_id=row.pk, annotator=row.annotator, judgements=judgements)


def table(cast, criterion: str = OVERALL) -> Table:
    return preference_table(given_preferences(cast.campaign).rows, criterion)


def column(cast, user, criterion: str = OVERALL) -> list[float]:
    found = table(cast, criterion)
    return found.values[:, found.annotators.index(str(user.pk))].tolist()


def test_a_pair_shown_the_other_way_round_is_read_as_it_was_first_shown(cast) -> None:
    reference = cast.reference("r1", 2)
    (one,) = compare(cast.alice, reference)
    (other,) = compare(cast.bob, reference, first_left=False)
    assert one.left_id == other.right_id
    log(one, overall_quality=1)
    log(other, overall_quality=-1, logical_linkage=1)
    assert column(cast, cast.alice) == column(cast, cast.bob) == [1.0]
    assert column(cast, cast.bob, "logical_linkage") == [-1.0]


def test_who_answers_first_does_not_change_the_way_round(cast) -> None:
    reference = cast.reference("r1", 2)
    (one,) = compare(cast.alice, reference)
    (other,) = compare(cast.bob, reference, first_left=False)
    log(other, overall_quality=1)
    log(one, overall_quality=1)
    assert (column(cast, cast.alice), column(cast, cast.bob)) == ([1.0], [-1.0])


def test_items_are_pairs_and_clusters_are_references(cast) -> None:
    first, second = cast.reference("r1", 3), cast.reference("r2", 2)
    rows = [*compare(cast.alice, first), *compare(cast.alice, second)]
    for row in rows:
        log(row)
    found = table(cast)
    assert set(found.items) == {row.pair for row in rows}
    assert sorted(found.clusters) == sorted([str(first.pk)] * 3 + [str(second.pk)])
    assert found.annotators == (str(cast.alice.pk),)


def test_what_was_not_answered_leaves_a_gap_or_no_row(cast) -> None:
    reference = cast.reference("r1", 3)
    mine, yours = compare(cast.alice, reference), compare(cast.bob, reference)
    log(mine[0], overall_quality=1)
    said = log(yours[0], overall_quality=-1)
    log(yours[1])
    Preference.objects.filter(pk=said.pk).update(**dict.fromkeys(ALL_CRITERIA[:-1], None))
    assert table(cast).items == (mine[0].pair, mine[1].pair)
    assert np.isnan(column(cast, cast.alice)[1])
    assert int(table(cast, "logical_linkage").is_rated.sum()) == 2
    assert np.isnan(column(cast, cast.bob, "logical_linkage")[0])


def test_another_campaigns_preferences_are_not_in_it(cast) -> None:
    reference = cast.reference("r1", 2, campaign=cast.elsewhere)
    (row,) = compare(cast.mallory, reference)
    log(row)
    assert table(cast).values.shape == (0, 0)
    assert Candidate.objects.filter(campaign=cast.campaign).count() == 0
