"""A share of all pairs, drawn by a seed, given first to those who rate both candidates."""

from collections import Counter
from fractions import Fraction

import pytest
from django.contrib.auth.hashers import make_password

from annotator.comparisons.services import ask_comparisons
from annotator.models import AuditEvent, Campaign, Comparison, Membership, User
from annotator.rating.services import recuse
from core.errors import OutOfDate, Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def ask(cast, share: Fraction | float = 1, seed: int = 0):
    return ask_comparisons(campaign=cast.campaign, share=share, seed=seed, asked_by=cast.ada)


def drawn() -> set[tuple[str, ...]]:
    return {
        tuple(sorted((row.left.candidate_id, row.right.candidate_id)))
        for row in Comparison.objects.select_related("left", "right")
    }


def join(cast, name: str, **more: object) -> User:
    user = User.objects.create(username=name, **more)
    Membership.objects.create(user=user, campaign=cast.campaign, role="annotator")
    return user


def test_all_pairs_within_references_go_to_overlap_annotators(cast) -> None:
    cast.reference("r1", 3)
    cast.reference("r2", 2)
    asked = ask(cast)
    assert (asked.pairs, asked.of, asked.comparisons) == (4, 4, 8)
    assert set(Counter(Comparison.objects.values_list("pair", flat=True)).values()) == {2}
    event = AuditEvent.objects.get(action="comparisons.asked")
    assert event.actor == cast.ada
    assert event.details == {"share": "1", "seed": 0, "pairs": 4, "count": 8}


@pytest.mark.parametrize(("share", "pairs"), [(0.1, 1), (Fraction(1, 3), 4), (0.5, 5), (1.0, 10)])
def test_a_share_is_taken_exactly_and_rounded_up(cast, share, pairs: int) -> None:
    cast.reference("r1", 5)
    assert ask(cast, share).pairs == pairs == len(drawn())


def test_a_seed_draws_the_same_pairs_again_and_another_seed_draws_others(cast) -> None:
    cast.reference("r1", 6)
    seen = []
    for seed in (1, 1, 2):
        ask(cast, 0.2, seed)
        seen.append(drawn())
        Comparison.objects.all().delete()
    assert seen[0] == seen[1] != seen[2]


def test_a_larger_share_adds_to_a_smaller_one_and_asking_again_adds_nothing(cast) -> None:
    cast.reference("r1", 5)
    assert ask(cast, 0.2).comparisons == 4
    first = drawn()
    assert ask(cast, 0.2).comparisons == 0
    assert ask(cast, 0.5).comparisons == 6
    assert first < drawn()


def test_who_has_rated_both_comes_first_then_who_will_then_the_least_busy(cast) -> None:
    reference = cast.reference("r1", 2)
    cast.campaign.overlap = 1
    cast.campaign.save()
    zoe, yan = join(cast, "zoe"), join(cast, "yan")
    for row in cast.assign(zoe, reference):
        cast.submit(row)
    cast.assign(yan, reference)
    chosen = []
    for _ in range(2):
        ask(cast)
        chosen.append(Comparison.objects.get().annotator.username)
        Membership.objects.filter(user=zoe).delete()
        Comparison.objects.all().delete()
    assert chosen == ["zoe", "yan"]


def test_those_alike_are_given_equally_many(cast) -> None:
    join(cast, "zoe")
    cast.reference("r1", 6)
    ask(cast)
    counts = Counter(Comparison.objects.values_list("annotator__username", flat=True))
    assert counts == {"alice": 10, "bob": 10, "zoe": 10}


def test_who_recused_themself_left_or_cannot_sign_in_is_never_asked(cast) -> None:
    reference = cast.reference("r1", 2)
    recuse(assignment=cast.assign(cast.alice, reference)[0])
    join(cast, "zoe", password=make_password(None))
    join(cast, "yan", is_active=False)
    assert ask(cast).comparisons == 1
    assert Comparison.objects.get().annotator == cast.bob


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan"), float("inf")])
def test_a_share_outside_nought_to_one_is_refused(cast, share: float) -> None:
    cast.reference()
    with pytest.raises(Refused) as caught:
        ask(cast, share)
    assert "share" in caught.value.fields
    assert not Comparison.objects.exists()


def test_a_campaign_without_pairs_or_people_or_that_is_closed_gives_nothing(cast) -> None:
    cast.reference("r1", 1)
    with pytest.raises(Refused, match="two candidates"):
        ask(cast)
    cast.reference("r2", 2)
    Membership.objects.filter(role="annotator").delete()
    with pytest.raises(Refused, match="no annotator"):
        ask(cast)
    Campaign.objects.update(status="closed")
    with pytest.raises(OutOfDate):
        ask(cast)
