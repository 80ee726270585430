"""Sentinels are made from references, one damage each, in turn, and look like others."""

from collections import Counter
from pathlib import Path

import pytest

from annotator.adjudication.settled.queries import freezable_references
from annotator.comparisons.services import ask_comparisons
from annotator.models import AuditEvent, Candidate, Conflict, Purpose, Reference
from annotator.planning.sentinels import add_sentinels
from annotator.planning.services import mark_qualification
from core.errors import OutOfDate, Refused
from core.text_io.text import text_sha256

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
