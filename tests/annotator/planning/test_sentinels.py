from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotator.adjudication.settled.queries import freezable_references
from annotator.comparisons.services import _pairs, ask_comparisons
from annotator.models import (
    Assignment,
    AuditEvent,
    Candidate,
    Comparison,
    Conflict,
    Purpose,
    Reference,
)
from annotator.planning.queries import plan_facts
from annotator.planning.sentinels import _originals, _references, add_sentinels
from annotator.planning.services import assign_by_name, give_qualification, mark_qualification
from core.clock import database_now
from core.errors import OutOfDate, Refused
from patclaimeval.text_io.text import text_sha256

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

TEXTS = [
    path.read_text("utf-8")
    for path in sorted(Path("fixtures/demo/references").resolve().glob("*.txt"))
]


@pytest.fixture
def references(cast) -> list[Reference]:
    """Eight references with claims that can be damaged."""
    rows = [cast.reference(f"r{number}", 2) for number in range(8)]
    for row, text in zip(rows, TEXTS, strict=False):
        Reference.objects.filter(pk=row.pk).update(claims=text)
    return list(cast.campaign.references.all())


def add(cast, count: int, seed: int = 1) -> list[Candidate]:
    return add_sentinels(campaign=cast.campaign, count=count, seed=seed, by=cast.ada)


def test_each_is_a_reference_with_one_damage_and_the_criteria_take_turns(cast, references) -> None:
    made = add(cast, 4) + add(cast, 4)
    assert len({row.reference_id for row in made}) == 8
    assert set(Counter(row.damage["criterion"] for row in made).values()) == {2}
    for row in Candidate.objects.filter(purpose=Purpose.SENTINEL).select_related("reference"):
        assert row.claims != row.reference.claims
        assert row.claims_sha256 == text_sha256(row.claims)
        assert set(row.damage) == {"criterion", "kind", "places"}
        assert (row.system, row.places, row.held, row.has_room) == ("", 2, 0, True)
        assert row.queue_position == row.reference.position
        assert row.candidate_id[-2] == "-" and "candidateidcanary" not in row.candidate_id
    event = AuditEvent.objects.filter(action="sentinels.added").first()
    assert event is not None and event.details["count"] == 4


def test_a_seed_draws_the_same_references_and_damage(cast, references) -> None:
    def drawn() -> set[tuple[object, str]]:
        made: set[tuple[object, str]] = {
            (row.reference_id, row.claims) for row in add(cast, 3, seed=9)
        }
        Candidate.objects.filter(purpose=Purpose.SENTINEL).delete()
        return made

    assert drawn() == drawn()


def test_what_nobody_has_begun_comes_first_and_qualification_never(cast, references) -> None:
    for row in references[:5]:
        cast.assign(cast.alice, row)
    mark_qualification(campaign=cast.campaign, references=[references[7]], by=cast.ada)
    made = {row.reference_id for row in add(cast, 2)}
    assert made == {references[5].pk, references[6].pk}


def test_too_many_are_refused_with_a_sentence_and_none_is_made(cast, references) -> None:
    with pytest.raises(Refused, match="Only 8 of 9 sentinels"):
        add(cast, 9)
    Reference.objects.update(claims="A cup")
    with pytest.raises(Refused, match="offer no place for damage"):
        add(cast, 1)
    assert not Candidate.objects.filter(purpose=Purpose.SENTINEL).exists()


@pytest.mark.parametrize("count", [0, -1, 501])
def test_an_odd_number_and_a_closed_campaign_are_refused(cast, references, count) -> None:
    with pytest.raises(Refused, match="Between 1 and 500"):
        add(cast, count)
    cast.campaign.status = "closed"
    cast.campaign.save()
    with pytest.raises(OutOfDate):
        add(cast, 1)


def test_ratings_of_a_sentinel_conflict_freeze_and_compare_with_nothing(cast, references) -> None:
    Candidate.objects.filter(reference=references[0]).exclude(
        pk=references[0].candidates.all()[0].pk
    ).delete()
    Reference.objects.exclude(pk=references[0].pk).update(claims="A cup")
    (sentinel,) = add(cast, 1)
    for user, score in ((cast.alice, 0), (cast.bob, 10)):
        for row in cast.assign(user, references[0]):
            if row.candidate_id == sentinel.pk:
                cast.submit(row, (score,) * 4)
    assert sentinel.ratings.count() == 2
    assert not Conflict.objects.exists()
    Reference.objects.update(may_train=True)
    left_out: Counter[str] = Counter()
    found = list(freezable_references(cast.campaign, include_unlocked=True, left_out=left_out))
    assert found == []
    assert left_out.total() == Candidate.objects.exclude(purpose=Purpose.SENTINEL).count()
    Candidate.objects.exclude(reference=references[0]).delete()
    with pytest.raises(Refused, match="two candidates"):
        ask_comparisons(campaign=cast.campaign, share=1, seed=0, asked_by=cast.ada)


@pytest.fixture
def erased(cast) -> Reference:
    cast.reference("whole", 2)
    reference = cast.reference("erased", 2)
    reference.candidates.update(claims="", has_room=False)
    Reference.objects.filter(pk=reference.pk).update(claims="", erased_at=database_now())
    return reference


def by_name(cast, references: list[Reference]) -> Any:
    return assign_by_name(
        campaign=cast.campaign, annotator=cast.bob, references=references, due_at=None, by=cast.ada
    )


def as_qualification(cast, references: list[Reference]) -> Any:
    return mark_qualification(campaign=cast.campaign, references=references, by=cast.ada)


@pytest.mark.parametrize("give", [by_name, as_qualification])
def test_giving_it_by_name_is_refused_with_a_sentence_and_nothing_is_given(cast, erased, give):
    with pytest.raises(Refused, match="erased and cannot be given") as refusal:
        give(cast, list(Reference.objects.filter(campaign=cast.campaign)))
    assert "references" in refusal.value.fields
    assert not Assignment.objects.exists()
    give(cast, list(Reference.objects.filter(reference_id="whole")))
    assert Assignment.objects.count() >= 2


def test_one_that_was_for_qualification_is_not_given_to_who_joins_later(cast, erased) -> None:
    erased.candidates.update(purpose="qualification")
    assert give_qualification(campaign=cast.campaign, annotator=cast.alice) == 0
    as_qualification(cast, [Reference.objects.get(reference_id="whole")])
    assert set(Assignment.objects.values_list("candidate__reference__reference_id", flat=True)) == {
        "whole"
    }
    assert not erased.candidates.filter(has_room=True).exists()


def test_plans_comparisons_sentinels_and_repeats_leave_it_out(cast, erased: Reference) -> None:
    whole = Reference.objects.get(reference_id="whole")
    references, _ = plan_facts(cast.campaign, [cast.alice])
    assert [one.key for one in references] == [str(whole.pk)]
    assert {row.reference_id for pair in _pairs(cast.campaign) for row in pair} == {whole.pk}
    assert [row.pk for row in _references(cast.campaign, 1)] == [whole.pk]
    cast.campaign.repeat_percent, cast.campaign.repeat_lag = 100, 0
    for reference in (erased, whole):
        for row in cast.assign(cast.alice, reference):
            cast.submit(row)
    assert set(_originals(cast.campaign, cast.alice)) == set(
        whole.candidates.values_list("pk", flat=True)
    )
    assert not Comparison.objects.exists()
