import pytest

from annotator.adjudication.settled import queries as settled_queries
from annotator.models import Candidate, Rating, Reference
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.services import freeze_dataset
from tests.scoring.conftest import NO_SPLIT

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_the_card_holds_by_how_many_and_how_far_they_agree(rated) -> None:
    card = rated(3).rate_all().freeze().card
    assert card["people"] == {"annotators": 2, "adjudicators": 0}
    for one in card["agreement"].values():
        assert (one["value"], one["n"], one["clusters"]) == (1.0, 9, 3)
        assert one["low"] is not None or one["reason"]
    assert card["tie_share"] == dict.fromkeys(card["labels"], 0.0)
    assert card["tokens"]["reference"]["n"] == 3
    assert card["tokens"]["candidate"]["n"] == 9
    assert card["claims_per_set"]["claims"]["mean"] == 1.0
    assert card["app_version"]


def test_the_ratings_that_labels_follow_from_are_stored_with_the_version(rated) -> None:
    scene = rated(2).rate_all([0])
    for name in scene.people:
        scene.rate(name, 1, 1, 5, 5, 5, 5)  # alone in its reference: compared with nothing
    version = scene.freeze(**NO_SPLIT)
    used = Rating.objects.filter(candidate__reference__reference_id="r0")
    assert {one.rating for one in version.used_ratings.all()} == set(used)
    assert version.card["people"]["annotators"] == 2


def test_candidates_of_one_text_make_pairs_with_ids_of_their_own_over_all_references(rated) -> None:
    scene = rated(2)
    Reference.objects.update(claims="1. A cup.")
    for number in (1, 2, 3):
        Candidate.objects.filter(candidate_id=f"c{number}").update(claims=f"1. A mug {number}.")
    ids = [row.id for row in read_rows(scene.rate_all().freeze(**NO_SPLIT))]
    assert len(set(ids)) == len(ids) == 6
    assert sum(one.endswith("-2") for one in ids) == 3


def test_a_large_campaign_is_read_in_batches_with_the_same_result(rated, monkeypatch) -> None:
    scene = rated(5).rate_all()
    whole = scene.freeze()
    monkeypatch.setattr(settled_queries, "BATCH", 2)
    again = freeze_dataset(campaign=scene.campaign)
    assert (again.version, again.is_new) == (whole, False)
