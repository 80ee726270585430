"""What a freeze makes of a campaign: rows, the ratings they follow from, the card."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.adjudication.settled import queries as settled_queries
from annotator.models import Candidate, Rating, Reference
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.services import freeze_dataset

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

NO_SPLIT = {"test_share": 0.0, "validation_share": 0.0}
Make = Callable[..., Any]


def test_the_card_says_by_how_many_and_how_far_they_agree(rated: Make) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    card = freeze_dataset(campaign=scene.campaign).version.card
    assert card["people"] == {"annotators": 2, "adjudicators": 0}
    for said in card["agreement"].values():
        assert (said["value"], said["n"], said["clusters"]) == (1.0, 9, 3)
        assert said["low"] is not None or said["reason"]
    assert card["tie_share"] == dict.fromkeys(card["labels"], 0.0)
    assert card["tokens"]["reference"]["n"] == 3
    assert card["tokens"]["candidate"]["n"] == 9
    assert card["claims_per_set"]["claims"]["mean"] == 1.0
    assert card["app_version"]


def test_the_ratings_that_labels_follow_from_are_stored_with_the_version(rated: Make) -> None:
    scene = rated(2)
    scene.rate_all([0])
    for name in scene.people:
        scene.rate(name, 1, 1, 5, 5, 5, 5)  # alone in its reference: compared with nothing
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    used = set(version.used_ratings.values_list("rating_id", flat=True))
    assert used == set(
        Rating.objects.filter(candidate__reference__reference_id="r0").values_list("pk", flat=True)
    )
    assert version.card["people"]["annotators"] == 2


def test_candidates_of_one_text_make_pairs_with_ids_of_their_own_over_all_references(
    rated: Make,
) -> None:
    scene = rated(2)
    Reference.objects.update(claims="1. A cup.")
    for number in (1, 2, 3):
        Candidate.objects.filter(candidate_id=f"c{number}").update(claims=f"1. A mug {number}.")
    scene.rate_all(range(2))
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    ids = [row.id for row in read_rows(version)]
    assert len(set(ids)) == len(ids) == 6
    assert sum(one.endswith("-2") for one in ids) == 3


def test_a_large_campaign_is_read_in_batches_with_the_same_result(
    rated: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = rated(5)
    scene.rate_all(range(5))
    whole = freeze_dataset(campaign=scene.campaign)
    monkeypatch.setattr(settled_queries, "BATCH", 2)
    again = freeze_dataset(campaign=scene.campaign)
    assert (again.version, again.is_new) == (whole.version, False)
