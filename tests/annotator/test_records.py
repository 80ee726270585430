import random
from itertools import combinations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.models import (
    Candidate,
    Comparison,
    Membership,
    Preference,
    Purpose,
    ReadingPreference,
    Role,
)
from annotator.rating_values import AIDS
from annotator.reading import save_keys, show_aid
from annotator.records import (
    ALONE,
    BY_ADMIN,
    LATER_ROUND,
    NOT_BLIND,
    UNKNOWN_DAMAGE,
    Inputs,
    State,
    given_preferences,
    given_ratings,
    inputs_of,
    preference_table,
    repeated_ratings,
    score_table,
    sentinels_of,
)
from core.errors import Refused
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, OVERALL
from patclaimeval.statistics.tables import Table
from tests.annotator.rating_rows import prefer, rate, revise

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def three(cast) -> list[Candidate]:
    return list(cast.reference("r1").candidates.order_by("candidate_id"))


def first_scores(campaign) -> list[int]:
    return sorted(row.scores[CRITERIA[0]] for row in given_ratings(campaign).rows)


def test_a_rating_changed_in_a_later_round_counts_as_it_stood_before(cast, three) -> None:
    row = rate(cast.alice, three[0], (1, 1, 1, 1))
    revise(row, (2, 2, 2, 2))
    revise(row, (9, 9, 9, 9), round=2)
    revise(row, (8, 8, 8, 8), round=2)
    found = given_ratings(cast.campaign)
    assert first_scores(cast.campaign) == [2]
    assert found.rows[0].scores["overall_quality"] == 22
    assert not found.left_out
    # A first round that was blind counts though the second was not.
    revise(row, (7, 7, 7, 7), round=2, is_blind=False)
    assert first_scores(cast.campaign) == [2]


def test_what_was_not_first_given_blind_by_an_annotator_alone_is_left_out_and_counted(cast, three):
    Membership.objects.create(campaign=cast.campaign, user=cast.bob, role=Role.ADMIN)
    rate(cast.alice, three[0], (1, 1, 1, 1))
    rate(cast.alice, three[1], (2, 1, 1, 1), round=2)
    rate(cast.alice, three[2], (3, 1, 1, 1), is_blind=False)
    rate(cast.bob, three[0], (4, 2, 2, 2))
    prefer(cast.bob, three[0], three[1], overall_quality=1)
    other = cast.reference("r1", 1, campaign=cast.elsewhere).candidates.get()
    rate(cast.mallory, other, (5, 1, 1, 1))
    assert first_scores(cast.campaign) == [1]
    left_out = dict(given_ratings(cast.campaign).left_out)
    assert left_out == {LATER_ROUND: 1, NOT_BLIND: 1, BY_ADMIN: 1}
    assert given_preferences(cast.campaign).by_admins == 1


def test_positions_count_the_own_work_in_the_order_of_giving(cast, three) -> None:
    for candidate in (three[2], three[0]):
        rate(cast.alice, candidate, (1, 1, 1, 1))
    rate(cast.bob, three[0], (1, 1, 1, 1))
    places = {(r.annotator, r.candidate): r.position for r in given_ratings(cast.campaign).rows}
    alice, bob = str(cast.alice.pk), str(cast.bob.pk)
    first, _, third = (str(one.pk) for one in three)
    assert places == {(alice, third): 1, (alice, first): 2, (bob, first): 1}


def test_repeats_and_sentinels_stay_out_of_the_table(cast, three) -> None:
    for candidate in three:
        rate(cast.alice, candidate, (1, 1, 1, 1))
    Candidate.objects.filter(pk=three[1].pk).update(purpose=Purpose.REPEAT)
    Candidate.objects.filter(pk=three[2].pk).update(purpose=Purpose.SENTINEL)
    table = score_table(given_ratings(cast.campaign).rows, CRITERIA[0])
    assert table.items == (str(three[0].pk),)
    assert table.clusters == (str(three[0].reference_id),)


def test_a_repeat_without_its_first_rating_is_left_out_and_counted(cast, three) -> None:
    Candidate.objects.filter(pk=three[1].pk).update(purpose=Purpose.REPEAT, original=three[0])
    rate(cast.alice, three[1], (1, 1, 1, 1))
    rate(cast.bob, three[0], (2, 2, 2, 2))
    given = given_ratings(cast.campaign)
    assert repeated_ratings(cast.campaign, given) == ()
    assert dict(given.left_out) == {ALONE: 1}


def test_a_sentinel_is_held_against_the_own_rating_of_the_reference_where_there_is_one(cast, three):
    twin, sentinel, _ = three
    sha = twin.reference.claims_sha256
    Candidate.objects.filter(pk=twin.pk).update(claims_sha256=sha)
    Candidate.objects.filter(pk=sentinel.pk).update(
        purpose=Purpose.SENTINEL, damage={"criterion": CRITERIA[1]}
    )
    rate(cast.alice, twin, (9, 8, 9, 9))
    for user in (cast.alice, cast.bob):
        rate(user, sentinel, (9, 5, 9, 9))
    found, assumed = sentinels_of(cast.campaign, given_ratings(cast.campaign))
    untouched = {one.annotator: one.untouched[CRITERIA[1]] for one in found}
    assert untouched == {str(cast.alice.pk): 8, str(cast.bob.pk): 10}
    assert assumed == 1


def test_a_sentinel_of_unknown_damage_is_left_out_and_counted(cast, three) -> None:
    Candidate.objects.filter(pk=three[0].pk).update(
        purpose=Purpose.SENTINEL, damage={"criterion": "style"}
    )
    rate(cast.alice, three[0], (1, 1, 1, 1))
    given = given_ratings(cast.campaign)
    assert sentinels_of(cast.campaign, given) == ((), 0)
    assert dict(given.left_out) == {UNKNOWN_DAMAGE: 1}


def test_rows_and_aggregates_give_the_same_digest_and_any_change_another(cast, three) -> None:
    row = rate(cast.alice, three[0], (1, 1, 1, 1))
    prefer(cast.alice, three[0], three[1], overall_quality=1)

    def read() -> Inputs:
        ratings, stated = given_ratings(cast.campaign), given_preferences(cast.campaign)
        return Inputs(ratings.state, stated.state, ())

    seen = [inputs_of(cast.campaign).sha256]
    assert read().sha256 == seen[0]
    revise(row, (2, 1, 1, 1))
    seen.append(inputs_of(cast.campaign).sha256)
    rate(cast.bob, three[0], (1, 1, 1, 1))
    seen.append(inputs_of(cast.campaign).sha256)
    prefer(cast.bob, three[0], three[1], overall_quality=1)
    seen.append(inputs_of(cast.campaign).sha256)
    assert read().sha256 == seen[-1]
    Membership.objects.create(campaign=cast.campaign, user=cast.bob, role=Role.ADMIN)
    seen.append(inputs_of(cast.campaign).sha256)
    assert len(set(seen)) == 5
    assert State(2, 3, "").revisions == 1


def test_the_digest_reads_no_rating(cast, three) -> None:
    for user in (cast.alice, cast.bob):
        for candidate in three:
            rate(user, candidate, (1, 1, 1, 1))
    with CaptureQueriesContext(connection) as asked:
        inputs_of(cast.campaign)
    assert len(asked) == 3
    assert all("claims" not in one["sql"] for one in asked)


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


def log(row: Comparison, **judged: int) -> Preference:
    judgements = dict.fromkeys(ALL_CRITERIA, 0) | judged
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
    (elsewhere,) = compare(cast.mallory, cast.reference("r1", 2, campaign=cast.elsewhere))
    log(elsewhere)
    assert table(cast).values.shape == (0, 0)
    first, second = cast.reference("r1", 3), cast.reference("r2", 2)
    rows = [*compare(cast.alice, first), *compare(cast.alice, second)]
    for row in rows:
        log(row)
    found = table(cast)
    assert set(found.items) == {row.pair for row in rows}
    assert sorted(found.clusters) == sorted([str(first.pk)] * 3 + [str(second.pk)])
    assert found.annotators == (str(cast.alice.pk),)


def test_what_was_not_said_leaves_a_gap_or_no_row(cast) -> None:
    reference = cast.reference("r1", 3)
    mine, yours = compare(cast.alice, reference), compare(cast.bob, reference)
    log(mine[0], overall_quality=1)
    stated = log(yours[0], overall_quality=-1)
    log(yours[1])
    Preference.objects.filter(pk=stated.pk).update(**dict.fromkeys(ALL_CRITERIA[:-1], None))
    assert table(cast).items == (mine[0].pair, mine[1].pair)
    assert np.isnan(column(cast, cast.alice)[1])
    assert int(table(cast, "logical_linkage").is_rated.sum()) == 2
    assert np.isnan(column(cast, cast.bob, "logical_linkage")[0])


def shown(user) -> dict[str, bool]:
    row = ReadingPreference.objects.get(user=user)
    return {aid: getattr(row, f"shows_{aid}") for aid in AIDS}


def test_a_class_of_differences_is_shown_beside_those_of_substance(cast) -> None:
    assert show_aid(user=cast.alice, aid="signs", is_shown=True).shows_changes == ["signs"]
    row = show_aid(user=cast.alice, aid="articles", is_shown=True)
    assert (row.shows_changes, row.shows_diff) == (["signs", "articles"], True)
    assert show_aid(user=cast.alice, aid="signs", is_shown=False).shows_changes == ["articles"]
    row = show_aid(user=cast.alice, aid="less-certain", is_shown=True)
    assert row.shows_changes == ["articles", "less-certain"]
    with pytest.raises(Refused, match="no reading aid 'substance'"):
        show_aid(user=cast.alice, aid="substance", is_shown=False)


@pytest.mark.parametrize("aid", AIDS)
def test_each_aid_is_switched_by_itself_and_for_one_person(cast, aid: str) -> None:
    show_aid(user=cast.alice, aid=aid, is_shown=False)
    assert shown(cast.alice) == {name: name != aid for name in AIDS}
    show_aid(user=cast.bob, aid=aid, is_shown=True)
    assert shown(cast.alice)[aid] is False
    show_aid(user=cast.alice, aid=aid, is_shown=True)
    assert all(shown(cast.alice).values())
    assert ReadingPreference.objects.count() == 2


def test_keys_and_aids_do_not_disturb_each_other(cast) -> None:
    save_keys(user=cast.alice, changes={"ten": "x"}, single_keys=False)
    show_aid(user=cast.alice, aid="diff", is_shown=False)
    row = save_keys(user=cast.alice, changes={"undo": "z"}, single_keys=True)
    row.refresh_from_db()
    assert (row.keys, row.single_keys, row.shows_diff) == ({"undo": "z"}, True, False)
