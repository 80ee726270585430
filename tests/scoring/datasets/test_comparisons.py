"""Two versions compared on a page: what differs, why, and for whom."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.models import Membership, Rating
from annotator.rubric import CRITERIA, OVERALL
from scoring.access.scopes import read_rows
from scoring.datasets.freezing.imports import import_dataset
from scoring.datasets.versions.comparisons import ComparedVersions
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion
from scoring.quadruplets import SplitPlan
from tests.scoring.conftest import FrozenScene, signed_in

pytestmark = [pytest.mark.django_db]
PAGE = "/datasets/compare/"


def compared(client: Client, one: object, other: object) -> ComparedVersions:
    answer = client.get(PAGE, {"one": str(one), "other": str(other)})
    assert answer.status_code == 200
    found: ComparedVersions = answer.context["compared"]
    return found


def revise(scene: FrozenScene, reference: int, number: int, score: int) -> None:
    """Have everybody who rated a candidate say another score throughout."""
    for rating in Rating.objects.filter(candidate=scene.scenario.candidate(reference, number)):
        for criterion in CRITERIA:
            setattr(rating, criterion, score)
        rating.overall_numerator = 11 * score
        rating.save()


@pytest.fixture
def rita(scene: FrozenScene) -> Client:
    return signed_in(scene.rita)


def test_a_version_equals_itself(scene: FrozenScene, rita: Client) -> None:
    version = scene.freeze()
    found = compared(rita, version, version).found
    assert (found.in_both, found.differing_count) == (9, 0)
    page = rita.get(PAGE, {"one": str(version), "other": str(version)}).content.decode()
    assert "the same quadruplets with the same labels in the same splits" in page


def test_added_and_removed_references_are_named(scene: FrozenScene, rita: Client) -> None:
    one = scene.freeze()
    reference = scene.scenario.candidate(0, 1).reference
    reference.may_train = False
    reference.save()
    other = scene.freeze()
    gone = [n for n, row in enumerate(read_rows(one), 1) if row.reference_id == "r0"]
    found = compared(rita, one, other)
    assert [row.number for row in found.removed] == gone and not found.added
    back = compared(rita, other, one)
    assert [row.number for row in back.added] == gone and not back.removed
    ids = {row.id for row in read_rows(one) if row.reference_id == "r0"}
    assert {row.row_id for row in back.added} == ids


def test_a_wider_tie_band_is_why_labels_changed(scene: FrozenScene, rita: Client) -> None:
    one, other = scene.freeze(), scene.freeze(tie_band=3.5)
    found = compared(rita, one, other)
    # c1 and c2, c2 and c3 lie three points apart; c1 and c3 six.
    assert found.found.changed_count == 6
    assert found.why == (("the tie band is another", 6),)
    name, count, moves = found.by_criterion[0]
    assert (name, count) == ("Feature completeness", 6)
    assert sum(int(move.split()[0]) for move in moves) == 6
    assert all(move.endswith("better → equal") for move in moves)


def test_a_revised_rating_is_why_a_label_changed(scene: FrozenScene, rita: Client) -> None:
    one = scene.freeze()
    revise(scene, 0, 3, 7)
    other = scene.freeze()
    found = compared(rita, one, other)
    assert found.why == (("a rating was revised", 1),)
    (change,) = found.changes
    row = list(read_rows(other))[change.at.number - 1]
    assert {row.b_id, row.c_id} == {"c2", "c3"} and row.reference_id == "r0"
    before, after = ("C", "B") if row.b_id == "c3" else ("B", "C")
    assert change.labels == (f"{before} → {after}",) * 5


def test_another_rating_is_why_a_label_changed(rated: Callable[..., Any], cast: Any) -> None:
    from tests.conftest import grant, make_user

    scenario = rated(3)
    scenario.rate_all(range(3))
    scene = FrozenScene(
        scenario, cast.ada, grant(make_user("rita-2"), scenario.campaign, "researcher")
    )
    one = scene.freeze(tie_band=3.0)
    scene.add_carl()
    # 9 and 9 become 9, 9 and 10: a third of a point beyond the tie band.
    scenario.rate("carl", 0, 1, 10, 10, 10, 10)
    other = scene.freeze(tie_band=3.0)
    found = compared(signed_in(scene.rita), one, other)
    assert found.why == (("ratings were added", 1),)
    (change,) = found.changes
    row = list(read_rows(other))[change.at.number - 1]
    assert {row.b_id, row.c_id} == {"c1", "c2"} and row.reference_id == "r0"
    better = "B" if row.b_id == "c1" else "C"
    assert change.labels == (f"= → {better}",) * 5


def test_another_seed_moves_rows_between_splits_and_swaps_sides_and_changes_no_label(
    scene: FrozenScene, rita: Client
) -> None:
    one = scene.freeze()
    others = [scene.freeze(seed=seed) for seed in range(8, 14)]
    moved = 0
    for other in others:
        found = compared(rita, one, other).found
        assert (found.in_both, found.changed_count) == (9, 0)
        moved += found.moved_count
    assert moved > 0
    sides = {tuple(row.b_id for row in read_rows(version)) for version in (one, *others)}
    assert len(sides) > 1


def test_versions_of_fewer_criteria_lack_labels(scene: FrozenScene, rita: Client) -> None:
    found = compared(rita, scene.freeze(), scene.freeze(criteria=[OVERALL]))
    assert [name for name, _, _ in found.by_criterion] == [
        *("Feature completeness", "Conceptual clarity", "Terminology consistency"),
        "Logical linkage",
    ]
    assert all("→ no label" in move for _, _, moves in found.by_criterion for move in moves)


def test_versions_that_are_none_are_reported_at_their_fields(
    scene: FrozenScene, rita: Client
) -> None:
    scene.freeze()
    for query, wrong in (
        ({"one": "room@1"}, ["other"]),
        ({"one": "room@9", "other": "room@1"}, ["one"]),
        ({"one": "elsewhere@1", "other": "\x00"}, ["one", "other"]),
        ({"one": "", "other": "room@1"}, ["one"]),
    ):
        answer = rita.get(PAGE, query)
        assert answer.status_code == 422, query
        assert list(answer.context["form"].errors) == wrong


def test_a_version_of_another_campaign_is_as_one_that_is_not_there(
    scene: FrozenScene, cast: Any
) -> None:
    scene.freeze()
    stranger = signed_in(cast.rita)
    answers = [stranger.get(PAGE, {"one": name, "other": name}) for name in ("room@1", "no@1")]
    assert [answer.status_code for answer in answers] == [422, 422]
    pages = [answer.content.decode() for answer in answers]
    assert "room@1" not in pages[0] and "Choose" in pages[0]


def test_a_researcher_reads_no_text_and_references_once_the_campaign_is_closed(
    scene: FrozenScene, rita: Client
) -> None:
    query = {"one": str(scene.freeze()), "other": str(scene.freeze(tie_band=3.5))}
    page = rita.get(PAGE, query).content.decode()
    assert "A cup" not in page and ">r0<" not in page
    scene.close()
    page = rita.get(PAGE, query).content.decode()
    assert "A cup" not in page and ">r0<" in page


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_who_rates_in_an_open_campaign_compares_nothing(scene: FrozenScene, role: str) -> None:
    one, other = scene.freeze(), scene.freeze(tie_band=3.5)
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role=role)
    query = {"one": str(one), "other": str(other)}
    answer = signed_in(alice).get(PAGE, query)
    assert answer.status_code == 422
    assert "You rate in the campaign" in answer.content.decode()
    assert "→" not in answer.content.decode()
    scene.close()
    assert signed_in(alice).get(PAGE, query).status_code == 200


def test_a_damaged_file_is_reported(scene: FrozenScene, rita: Client, data_directory: Path) -> None:
    version: DatasetVersion = scene.freeze()
    (data_directory / "datasets" / f"{version.sha256}.jsonl").unlink()
    answer = rita.get(PAGE, {"one": str(version), "other": str(version)})
    assert answer.status_code == 422
    assert "is missing" in answer.content.decode()


def test_versions_of_two_datasets_are_compared(
    cast: Any, data_directory: Path, rows: Callable[..., list[DatasetRow]]
) -> None:
    for name, many in (("small", 3), ("large", 5)):
        import_dataset(name=name, rows=rows(many), plan=SplitPlan("reference"))
    found = compared(signed_in(cast.rita), "small@1", "large@1").found
    assert (found.in_both, found.added_count, found.removed_count) == (9, 6, 0)
