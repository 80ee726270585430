"""Freezing campaigns into immutable versions."""

import math
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotator.accounts.services import create_user
from annotator.adjudication.rulings.services import rule, void_adjudication
from annotator.campaigns.members.services import grant_role
from annotator.models import Campaign, Conflict, Rating, Reference, User
from annotator.rubric import CRITERIA
from core.errors import Refused
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import DatasetVersion
from tests.scoring.stored import nothing_is_stored, stored_bytes

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

NO_SPLIT = {"test_share": 0.0, "validation_share": 0.0}
FRESH = timedelta(hours=1)
Make = Callable[..., Any]


def pairs_of(version: DatasetVersion) -> set[tuple[str, str, str]]:
    return {(r.reference_id, *sorted((r.b_id, r.c_id))) for r in read_rows(version)}  # type: ignore[misc]


def test_a_freeze_compares_every_two_candidates_and_splits_by_reference(rated: Make) -> None:
    scene = rated(4)
    scene.rate_all(range(4))
    frozen = freeze_dataset(campaign=scene.campaign, test_share=0.25, validation_share=0.25)
    version = frozen.version
    assert frozen.is_new
    assert (version.dataset.name, version.number, version.items) == ("room", 1, 12)
    assert version.card["splits"] == {"train": 6, "validation": 3, "test": 3}
    assert version.card["counts"]["texts_in_several_splits"] == 0
    assert version.card["left_out"] == {}
    for row in read_rows(version):
        better = min(row.b_id, row.c_id)  # c1 is above c2 is above c3
        assert set(row.y.values()) == {1 if row.b_id == better else -1}
        assert row.extras["office"] == "EPO"


def test_a_row_names_the_ratings_it_came_from(rated: Make) -> None:
    scene = rated(1)
    scene.rate_all([0])
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    for row in read_rows(version):
        expected = Rating.objects.filter(
            candidate__in=[scene.candidate(0, int(name[1])) for name in (row.b_id, row.c_id)]
        )
        assert row.provenance["ratings"] == sorted(str(rating.pk) for rating in expected)
        assert row.provenance["annotators"] == 2
        assert row.provenance["policy"] == "settled"


def test_a_row_shows_no_name_of_a_person(rated: Make) -> None:
    scene = rated(2)
    scene.rate_all(range(2))
    version = freeze_dataset(campaign=scene.campaign, policy="per-annotator", **NO_SPLIT).version
    content = stored_bytes(version.sha256).decode()
    assert version.items == 12
    assert {row.extras["annotator"] for row in read_rows(version)} == {"annotator-1", "annotator-2"}
    for person in scene.people.values():
        assert person.username not in content
        assert str(person.pk) not in content


def test_unlocked_ratings_are_left_out_unless_asked_for(rated: Make) -> None:
    scene = rated(1)
    for number in (1, 2):
        scene.rate("alice", 0, number, 9, 9, 9, number)
        scene.rate("bob", 0, number, 9, 9, 9, number)
    scene.rate("alice", 0, 3, 5, 5, 5, 5)  # the overlap of two is not complete
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    assert pairs_of(version) == {("r0", "c1", "c2")}
    assert version.card["left_out"] == {"not locked": 1}
    trial = freeze_dataset(campaign=scene.campaign, include_unlocked=True, **NO_SPLIT).version
    assert len(pairs_of(trial)) == 3
    assert trial.card["include_unlocked"] is True
    assert trial.number == 2


def test_a_rating_within_the_revision_window_is_not_frozen(rated: Make) -> None:
    scene = rated(1)
    for number in (1, 2):
        scene.rate("alice", 0, number, 9, 9, 9, number)
        scene.rate("bob", 0, number, 9, 9, 9, number, ago=FRESH)
    with pytest.raises(Refused, match="2 not locked"):
        freeze_dataset(campaign=scene.campaign, **NO_SPLIT)
    Campaign.objects.update(status="closed")
    scene.campaign.refresh_from_db()
    assert freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version.items == 1


def test_candidates_with_an_open_conflict_are_left_out(rated: Make) -> None:
    scene = rated(1)
    for number in (1, 2):
        scene.rate("alice", 0, number, 9, 9, 9, 9)
        scene.rate("bob", 0, number, 9, 9, 9, 9)
    scene.rate("alice", 0, 3, 9, 9, 9, 9)
    scene.rate("bob", 0, 3, 1, 9, 9, 9)
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    assert pairs_of(version) == {("r0", "c1", "c2")}
    assert version.card["left_out"] == {"open conflict": 1}
    trial = freeze_dataset(campaign=scene.campaign, include_unlocked=True, **NO_SPLIT).version
    assert trial.sha256 == version.sha256


def test_a_reference_whose_owner_did_not_allow_training_is_left_out(rated: Make) -> None:
    scene = rated(2)
    scene.rate_all(range(2))
    Reference.objects.filter(reference_id="r1").update(may_train=False)
    version = freeze_dataset(campaign=scene.campaign, include_unlocked=True, **NO_SPLIT).version
    assert {row.reference_id for row in read_rows(version)} == {"r0"}
    assert version.card["left_out"] == {"training not allowed": 3}
    assert "cup number 1" not in stored_bytes(version.sha256).decode()


def test_a_candidate_without_a_rating_is_left_out_and_counted(rated: Make) -> None:
    scene = rated(2)
    scene.rate_all([0])
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    assert version.card["left_out"] == {"not rated": 3}


def test_one_reference_cannot_be_split_and_nothing_is_stored(
    rated: Make, data_directory: Path
) -> None:
    scene = rated(1)
    scene.rate_all([0])
    with pytest.raises(Refused, match="1 independent references cannot fill 3 splits"):
        freeze_dataset(campaign=scene.campaign)
    assert nothing_is_stored(data_directory)


def test_an_unrated_campaign_is_refused_in_a_sentence(rated: Make, data_directory: Path) -> None:
    scene = rated(1)
    with pytest.raises(Refused, match=r"gives no quadruplet.*3 not rated"):
        freeze_dataset(campaign=scene.campaign)
    assert nothing_is_stored(data_directory)


WRONG: list[dict[str, Any]] = [
    {"policy": "mean"},
    {"tie_band": -1.0},
    {"tie_band": math.nan},
    {"tie_band": math.inf},
    {"test_share": 1.0},
    {"test_share": math.nan},
    {"validation_share": -0.1},
    {"criteria": []},
    {"criteria": ["clarity"]},
    {"split_by": "item"},
    {"name": "no good name"},
    {"name": "x" * 81},
]


def test_a_freeze_that_makes_no_sense_is_refused_and_nothing_stored(
    rated: Make, data_directory: Path
) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    for wrong in WRONG:
        with pytest.raises(Refused):
            freeze_dataset(campaign=scene.campaign, **wrong)
        assert nothing_is_stored(data_directory), wrong


def test_a_ruling_settles_what_its_item_is_and_stands_in_the_provenance(
    rated: Make, quick_passwords: None
) -> None:
    scene = rated(1)
    people = list(scene.people)
    for number in (1, 2):
        scene.rate(people[0], 0, number, 9, 9, 9, 9)
        scene.rate(people[1], 0, number, 1, 1, 1, 1)
    carol = create_user(username="carol", password="a long enough phrase")
    grant_role(user=carol, campaign=scene.campaign, role="adjudicator")
    with pytest.raises(Refused, match="2 open conflict"):
        freeze_dataset(campaign=scene.campaign, **NO_SPLIT)
    said = {"reason_code": "overlooked", "reason": "Claim 2.", "password": "a long enough phrase"}
    made = [
        rule(
            conflict_id=Conflict.objects.get(
                candidate=scene.candidate(0, number), kind="overall_gap"
            ).pk,
            adjudicator=carol,
            decision="scores",
            scores=dict.fromkeys(CRITERIA, score),
            **said,
        )
        for number, score in ((1, 3), (2, 4))
    ]
    version = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    (row,) = read_rows(version)
    assert row.provenance["adjudications"] == sorted(str(one.pk) for one in made)
    assert set(row.y.values()) == {1 if row.b_id == "c2" else -1}
    assert version.card["counts"]["ruled"] == 1
    void_adjudication(adjudication_id=made[0].pk, reason="A slip.", by=admin_of(scene.campaign))
    with pytest.raises(Refused, match="1 open conflict"):
        freeze_dataset(campaign=scene.campaign, **NO_SPLIT)


def admin_of(campaign: Campaign) -> User:
    ada = create_user(username="ada", password=None)
    grant_role(user=ada, campaign=campaign, role="admin")
    return ada


def test_progress_is_reported_and_stops_a_freeze_that_it_is_to_stop(
    rated: Make, data_directory: Path
) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    said: list[tuple[float, str]] = []

    def stop_at(words: str) -> Callable[[float, str], None]:
        def on_step(share: float, now: str) -> None:
            if now == words:
                raise KeyboardInterrupt

        return on_step

    for words in ("Reading the ratings.", "Comparing candidates.", "Writing the file."):
        with pytest.raises(KeyboardInterrupt):
            freeze_dataset(campaign=scene.campaign, progress=stop_at(words))
        assert nothing_is_stored(data_directory)
    freeze_dataset(campaign=scene.campaign, progress=lambda share, now: said.append((share, now)))
    assert said == sorted(said, key=lambda one: one[0])
    assert 0 <= said[0][0] <= said[-1][0] <= 1
    assert len({words for _, words in said}) == 4
