"""Comparisons given by name, and a share of all pairs that is drawn by a seed."""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from django.contrib.auth.hashers import make_password

from annotator.comparisons.queries import (
    CLOSED_SENTENCE,
    RECUSED_SENTENCE,
    closed_because,
    comparisons_for,
    next_comparison,
    open_comparisons,
)
from annotator.comparisons.services import (
    Pair,
    ask_comparisons,
    assign_comparisons,
    pair_key,
    submit_preference,
)
from annotator.models import (
    AuditEvent,
    Campaign,
    Candidate,
    Comparison,
    Membership,
    Preference,
    Reference,
    User,
)
from annotator.rating.services import recuse
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import ALL_CRITERIA
from tests.conftest import grant, make_user

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def ask(cast, share: Fraction | float = 1, seed: int = 0):
    return ask_comparisons(campaign=cast.campaign, share=share, seed=seed, asked_by=cast.ada)


def drawn() -> set[tuple[str, ...]]:
    return {
        tuple(sorted((row.left.candidate_id, row.right.candidate_id)))
        for row in Comparison.objects.select_related("left", "right")
    }


def join(cast, name: str, **more: object) -> User:
    return grant(make_user(name, **more), cast.campaign, "annotator")


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
    assert pair_key("b", "a") == pair_key("a", "b") == "a/b"
    assert len(give(cast.bob, reference)) == 3


def test_the_sides_and_the_order_are_chance_and_kept(cast) -> None:
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


JUDGED = dict(zip(ALL_CRITERIA, (1, 0, -1, 1, 0), strict=True))
OTHER = dict.fromkeys(ALL_CRITERIA, -1)


@pytest.fixture
def row(cast) -> Comparison:
    pairs = list(combinations(cast.reference().candidates.all(), 2))
    return assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs[:1])[0]


def log(row: Comparison, judgements=JUDGED, **more: object) -> Preference:
    return submit_preference(
        comparison_id=row.pk, annotator=row.annotator, judgements=judgements, **more
    )


def test_a_preference_is_stored_with_its_audit_row(row, cast) -> None:
    stored = log(row, comment="why")
    assert stored.judgements == JUDGED
    assert (stored.comment, stored.version, stored.rubric_version) == ("why", 1, "1")
    event = AuditEvent.objects.get(action="preference.submitted")
    assert event.actor == cast.alice
    assert event.details == {"version": 1, "judgements": JUDGED}


def test_every_revision_is_stored_and_the_trail_holds_no_words(row) -> None:
    log(row, comment="old words")
    revised = log(row, OTHER, comment="new words", version=1)
    assert (revised.judgements, revised.version) == (OTHER, 2)
    stored = [(r.number, r.judgements, r.comment) for r in revised.revisions.all()]
    assert stored == [(1, JUDGED, "old words"), (2, OTHER, "new words")]
    event = AuditEvent.objects.get(action="preference.revised")
    assert event.details == {"version": 2, "judgements": OTHER}


@pytest.mark.parametrize("version", [0, 1])
def test_the_same_sent_again_changes_nothing(row, version: int) -> None:
    first = log(row, comment="why")
    again = log(row, comment="why", version=version)
    assert (again.pk, again.version, again.revised_at) == (first.pk, 1, first.revised_at)
    assert AuditEvent.objects.filter(object_type="preference").count() == 1


@pytest.mark.parametrize("version", [0, 1, 3])
def test_a_stale_version_is_out_of_date_and_changes_nothing(row, version: int) -> None:
    with pytest.raises(OutOfDate):
        log(row, version=version or 1)
    log(row)
    log(row, OTHER, version=1)
    with pytest.raises(OutOfDate):
        log(row, dict.fromkeys(ALL_CRITERIA, 0), version=version)
    assert Preference.objects.get().judgements == OTHER


@pytest.mark.parametrize("value", [2, -2, True, 1.0, "1", None])
def test_a_bad_answer_is_refused_by_its_field(row, value: object) -> None:
    with pytest.raises(Refused) as caught:
        log(row, JUDGED | {"logical_linkage": value})
    assert list(caught.value.fields) == ["logical_linkage"]
    assert not Preference.objects.exists()


def test_missing_and_unknown_criteria_and_bad_comments_are_refused_by_field(row) -> None:
    with pytest.raises(Refused) as caught:
        log(row, {"beauty": 1, **dict(list(JUDGED.items())[1:])}, comment="\x00")
    assert list(caught.value.fields) == ["feature_completeness", "beauty", "comment"]
    with pytest.raises(Refused) as caught:
        log(row, comment="x" * 20_001)
    assert "20,001" in caught.value.fields["comment"][0]


def test_a_closed_campaign_takes_no_preference_but_answers_a_resend(row) -> None:
    log(row)
    Campaign.objects.update(status="closed")
    assert log(row).version == 1
    with pytest.raises(OutOfDate, match=CLOSED_SENTENCE):
        log(row, OTHER, version=1)


def test_who_recused_themself_from_the_reference_states_nothing(row, cast) -> None:
    recuse(assignment=cast.assign(cast.alice, row.left.reference)[0])
    with pytest.raises(OutOfDate, match=RECUSED_SENTENCE):
        log(row)


def test_error_tags_that_an_import_brought_stay(row) -> None:
    tags = [{"tag": "vagueness", "side": "right", "start": 0, "end": 2}]
    Preference.objects.filter(pk=log(row).pk).update(error_tags=tags)
    assert log(row, OTHER, version=1).error_tags == tags


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
