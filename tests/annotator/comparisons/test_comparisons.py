"""Comparisons given by name."""

import random
from itertools import combinations

import pytest

from annotator.comparisons.services import Pair, assign_comparisons, pair_key
from annotator.models import AuditEvent, Candidate, Comparison, Reference, User
from core.errors import Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def pairs_of(reference: Reference) -> list[Pair]:
    return list(combinations(reference.candidates.order_by("candidate_id"), 2))


def give(user: User, reference: Reference, chance: random.Random | None = None) -> list[Comparison]:
    return assign_comparisons(
        campaign=reference.campaign, annotator=user, pairs=pairs_of(reference), chance=chance
    )


def test_each_pair_is_given_once_with_its_ids_in_order(cast) -> None:
    rows = give(cast.alice, cast.reference())
    assert len(rows) == Comparison.objects.count() == 3
    for row in rows:
        assert row.pair.split("/") == sorted((str(row.left_id), str(row.right_id)))
    assert [row.position for row in rows] == [1, 2, 3]
    event = AuditEvent.objects.get(action="comparisons.made")
    assert (event.object_id, event.details) == (str(cast.alice.pk), {"count": 3})


def test_a_pair_given_before_is_passed_over_whichever_way_round(cast) -> None:
    reference = cast.reference()
    give(cast.alice, reference)
    turned = [(other, one) for one, other in pairs_of(reference)]
    more = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=turned)
    assert more == []
    assert len(give(cast.bob, reference)) == 3


def test_the_sides_and_the_order_are_chance_and_stored(cast) -> None:
    reference = cast.reference("r1", 6)
    orders, lefts = set(), set()
    for seed, user in enumerate((cast.alice, cast.bob)):
        rows = give(user, reference, random.Random(seed))
        orders.add(tuple(row.pair for row in rows))
        # Pairs come with their candidate ids in order: only chance turns one round.
        lefts.add(tuple(row.left.candidate_id < row.right.candidate_id for row in rows))
        stored = Comparison.objects.filter(annotator=user)
        assert [(r.left_id, r.right_id) for r in stored] == [(r.left_id, r.right_id) for r in rows]
    assert len(orders) == len(lefts) == 2
    assert all(0 < sum(sides) < 15 for sides in lefts)


def test_references_stay_together_and_positions_go_on(cast) -> None:
    first, second = cast.reference("r1"), cast.reference("r2")
    mixed = [pair for two in zip(pairs_of(first), pairs_of(second), strict=True) for pair in two]
    rows = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=mixed)
    assert [row.left.reference_id for row in rows] == [first.pk] * 3 + [second.pk] * 3
    third = give(cast.alice, cast.reference("r3", 2))
    assert [row.position for row in third] == [7]


@pytest.mark.parametrize("wrong", ["two references", "one candidate", "another campaign"])
def test_only_two_candidates_of_one_reference_of_the_campaign_are_a_pair(cast, wrong: str) -> None:
    here, there = cast.reference("r1"), cast.reference("r2")
    far = cast.reference("r3", campaign=cast.elsewhere)
    one = here.candidates.first()
    other: Candidate = {
        "two references": there.candidates.first(),
        "one candidate": one,
        "another campaign": far.candidates.last(),
    }[wrong]
    pair = (far.candidates.first(), other) if wrong == "another campaign" else (one, other)
    with pytest.raises(Refused):
        assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=[pair])
    assert not Comparison.objects.exists()


def test_who_is_no_annotator_of_the_campaign_is_given_nothing(cast) -> None:
    for user in (cast.carol, cast.mallory):
        with pytest.raises(Refused):
            give(user, cast.reference(user.username))
    assert not Comparison.objects.exists()


def test_the_key_of_a_pair_does_not_know_sides() -> None:
    assert pair_key("b", "a") == pair_key("a", "b") == "a/b"
