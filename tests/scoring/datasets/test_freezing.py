import math
from datetime import timedelta

import pytest

from annotator.adjudication.rulings.services import rule, void_adjudication
from annotator.models import Campaign, Conflict, Rating, Reference
from core.errors import Refused
from patclaimeval.rubric import CRITERIA
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.queries import preview_freeze
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import DatasetVersion
from tests.conftest import grant, make_user
from tests.scoring.conftest import NO_SPLIT
from tests.scoring.stored import nothing_is_stored, stopping_at, stored_bytes

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

FRESH = timedelta(hours=1)


def pairs_of(version: DatasetVersion) -> set[tuple[str, str, str]]:
    return {(r.reference_id, *sorted((r.b_id, r.c_id))) for r in read_rows(version)}  # type: ignore[misc]


def test_a_freeze_compares_every_two_candidates_and_splits_by_reference(rated) -> None:
    frozen = freeze_dataset(
        campaign=rated(4).rate_all().campaign, test_share=0.25, validation_share=0.25
    )
    version = frozen.version
    assert frozen.is_new
    assert (version.dataset.name, version.number, version.items) == ("trial", 1, 12)
    assert version.card["splits"] == {"train": 6, "validation": 3, "test": 3}
    assert version.card["counts"]["texts_in_several_splits"] == 0
    assert version.card["left_out"] == {}
    for row in read_rows(version):
        better = min(row.b_id, row.c_id)  # c1 is above c2 is above c3
        assert set(row.y.values()) == {1 if row.b_id == better else -1}
        assert row.extras["office"] == "EPO"


def test_a_row_names_the_ratings_it_came_from(rated) -> None:
    scene = rated(1).rate_all()
    for row in read_rows(scene.freeze(**NO_SPLIT)):
        expected = Rating.objects.filter(
            candidate__in=[scene.candidate(0, int(name[1])) for name in (row.b_id, row.c_id)]
        )
        assert row.provenance["ratings"] == sorted(str(rating.pk) for rating in expected)
        assert row.provenance["annotators"] == 2
        assert row.provenance["policy"] == "settled"


def test_a_row_shows_no_name_of_a_person(rated) -> None:
    scene = rated(2).rate_all()
    version = scene.freeze(policy="per-annotator", **NO_SPLIT)
    content = stored_bytes(version.sha256).decode()
    assert version.items == 12
    assert {row.extras["annotator"] for row in read_rows(version)} == {"annotator-1", "annotator-2"}
    for person in scene.people.values():
        assert person.username not in content
        assert str(person.pk) not in content


def test_unlocked_ratings_are_left_out_unless_asked_for(rated) -> None:
    scene = rated(1)
    for number in (1, 2):
        for name in scene.people:
            scene.rate(name, 0, number, 9, 9, 9, number)
    scene.rate("alice", 0, 3, 5, 5, 5, 5)  # the overlap of two is not complete
    version = scene.freeze(**NO_SPLIT)
    assert pairs_of(version) == {("r0", "c1", "c2")}
    assert version.card["left_out"] == {"not locked": 1}
    trial = scene.freeze(include_unlocked=True, **NO_SPLIT)
    assert len(pairs_of(trial)) == 3
    assert (trial.card["include_unlocked"], trial.number) == (True, 2)


def test_a_rating_within_the_revision_window_is_not_frozen(rated) -> None:
    scene = rated(1)
    for number in (1, 2):
        scene.rate("alice", 0, number, 9, 9, 9, number)
        scene.rate("bob", 0, number, 9, 9, 9, number, ago=FRESH)
    with pytest.raises(Refused, match="2 not locked"):
        scene.freeze(**NO_SPLIT)
    Campaign.objects.update(status="closed")
    scene.campaign.refresh_from_db()
    assert scene.freeze(**NO_SPLIT).items == 1


def test_candidates_with_an_open_conflict_are_left_out(rated) -> None:
    scene = rated(1)
    for number, of_bob in ((1, 9), (2, 9), (3, 1)):
        scene.rate("alice", 0, number, 9, 9, 9, 9)
        scene.rate("bob", 0, number, of_bob, 9, 9, 9)
    version = scene.freeze(**NO_SPLIT)
    assert pairs_of(version) == {("r0", "c1", "c2")}
    assert version.card["left_out"] == {"open conflict": 1}
    assert scene.freeze(include_unlocked=True, **NO_SPLIT).sha256 == version.sha256


def test_a_reference_whose_owner_did_not_allow_training_is_left_out(rated) -> None:
    scene = rated(2).rate_all()
    Reference.objects.filter(reference_id="r1").update(may_train=False)
    version = scene.freeze(include_unlocked=True, **NO_SPLIT)
    assert {row.reference_id for row in read_rows(version)} == {"r0"}
    assert version.card["left_out"] == {"training not allowed": 3}
    assert "cup number 1" not in stored_bytes(version.sha256).decode()


@pytest.mark.parametrize(
    "asked",
    [{}, {"policy": "per-annotator", "split_by": "time", "criteria": ["overall_quality"]}],
    ids=["as usual", "otherwise"],
)
def test_a_preview_is_the_card_of_the_freeze_and_stores_nothing(
    rated, data_directory, asked
) -> None:
    scene = rated(4).rate_all(range(3))
    card = preview_freeze(campaign=scene.campaign, **asked)
    assert nothing_is_stored(data_directory)
    assert card["left_out"] == {"not rated": 3}
    assert card == scene.freeze(**asked).card


@pytest.mark.parametrize("act", [freeze_dataset, preview_freeze])
def test_what_gives_no_rows_or_cannot_be_split_is_refused(rated, data_directory, act) -> None:
    scene = rated(1)
    with pytest.raises(Refused, match=r"gives no quadruplet.*3 not rated"):
        act(campaign=scene.campaign)
    scene.rate_all()
    with pytest.raises(Refused, match="1 independent references cannot fill 3 splits"):
        act(campaign=scene.campaign)
    assert nothing_is_stored(data_directory)


def test_a_freeze_that_makes_no_sense_is_refused_and_nothing_stored(rated, data_directory) -> None:
    scene = rated(3).rate_all()
    for name, value in (
        *(("policy", "mean"), ("split_by", "item"), ("criteria", []), ("criteria", ["clarity"])),
        *(("tie_band", -1.0), ("tie_band", math.nan), ("tie_band", math.inf)),
        *(("test_share", 1.0), ("test_share", math.nan), ("validation_share", -0.1)),
        *(("name", "no good name"), ("name", "x" * 81)),
    ):
        with pytest.raises(Refused):
            scene.freeze(**{name: value})
        assert nothing_is_stored(data_directory), (name, value)


def test_a_ruling_settles_what_its_item_is_and_stands_in_the_provenance(
    rated, quick_passwords
) -> None:
    scene = rated(1)
    for number in (1, 2):
        scene.rate("alice", 0, number, 9, 9, 9, 9)
        scene.rate("bob", 0, number, 1, 1, 1, 1)
    carol = grant(make_user("carol"), scene.campaign, "adjudicator")
    carol.set_password("a long enough phrase")
    carol.save()
    with pytest.raises(Refused, match="2 open conflict"):
        scene.freeze(**NO_SPLIT)
    words = {"reason_code": "overlooked", "reason": "Claim 2.", "password": "a long enough phrase"}
    made = []
    for number, score in ((1, 3), (2, 4)):
        conflict = Conflict.objects.get(candidate=scene.candidate(0, number), kind="overall_gap")
        ruling = {"decision": "scores", "scores": dict.fromkeys(CRITERIA, score)}
        made.append(rule(conflict_id=conflict.pk, adjudicator=carol, **ruling, **words))
    version = scene.freeze(**NO_SPLIT)
    (row,) = read_rows(version)
    assert row.provenance["adjudications"] == sorted(str(one.pk) for one in made)
    assert set(row.y.values()) == {1 if row.b_id == "c2" else -1}
    assert version.card["counts"]["ruled"] == 1
    ada = grant(make_user("ada"), scene.campaign, "admin")
    void_adjudication(adjudication_id=made[0].pk, reason="A slip.", by=ada)
    with pytest.raises(Refused, match="1 open conflict"):
        scene.freeze(**NO_SPLIT)


def test_progress_counts_up_and_stops_a_freeze_that_it_is_to_stop(rated, data_directory) -> None:
    scene = rated(3).rate_all()
    for words in ("Reading the ratings.", "Comparing candidates.", "Writing the file."):
        with pytest.raises(KeyboardInterrupt):
            scene.freeze(progress=stopping_at(words))
        assert nothing_is_stored(data_directory)
    seen: list[tuple[float, str]] = []
    scene.freeze(progress=lambda share, now: seen.append((share, now)))
    assert seen == sorted(seen, key=lambda one: one[0])
    assert 0 <= seen[0][0] <= seen[-1][0] <= 1
    assert len({words for _, words in seen}) == 4
