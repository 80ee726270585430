import pytest
from django.test import Client

from annotator.models import Membership, Rating, Reference
from patclaimeval.rubric import CRITERIA, OVERALL
from scoring.access.scopes import read_rows
from scoring.datasets.versions.comparisons import ComparedVersions
from scoring.models import DatasetVersion
from scoring.quadruplets import DatasetRow
from tests.scoring.conftest import FrozenScene, imported, shown, signed_in

pytestmark = [pytest.mark.django_db]
PAGE = "/datasets/compare/"


def compared(client: Client, one: object, other: object) -> ComparedVersions:
    answer = client.get(PAGE, {"one": str(one), "other": str(other)})
    assert answer.status_code == 200
    found: ComparedVersions = answer.context["compared"]
    return found


def only_change(found: ComparedVersions, other: DatasetVersion) -> tuple[DatasetRow, set[str]]:
    """Return the row of the other version whose labels changed, and how they did."""
    (change,) = found.changes
    row = list(read_rows(other))[change.number - 1]
    assert row.reference_id == "r0"
    assert len(change.labels) == 5
    return row, set(change.labels)


@pytest.fixture
def rita(scene: FrozenScene) -> Client:
    return signed_in(scene.rita)


def test_a_version_equals_itself(scene, rita) -> None:
    version = scene.freeze()
    found = compared(rita, version, version).found
    assert (found.in_both, found.differing_count) == (9, 0)
    page = shown(rita, PAGE, one=version, other=version)
    assert "the same quadruplets with the same labels in the same splits" in page


def test_added_and_removed_references_are_named(scene, rita) -> None:
    one = scene.freeze()
    Reference.objects.filter(reference_id="r0").update(may_train=False)
    other = scene.freeze()
    gone = {n: row.id for n, row in enumerate(read_rows(one), 1) if row.reference_id == "r0"}
    found, back = compared(rita, one, other), compared(rita, other, one)
    assert [number for number, _ in found.removed] == list(gone) and not found.added
    assert {number: row.id for number, row in back.added} == gone and not back.removed


def test_a_wider_tie_band_is_why_labels_changed(scene, rita) -> None:
    found = compared(rita, scene.freeze(), scene.freeze(tie_band=3.5))
    # c1 and c2, c2 and c3 lie three points apart; c1 and c3 six.
    assert (found.found.changed_count, found.why) == (6, (("the tie band is another", 6),))
    name, count, moves = found.by_criterion[0]
    assert (name, count) == ("Feature completeness", 6)
    assert sum(int(move.split()[0]) for move in moves) == 6
    assert all(move.endswith("better → equal") for move in moves)


def test_a_revised_rating_is_why_a_label_changed(scene, rita) -> None:
    one = scene.freeze()
    scores = dict.fromkeys(CRITERIA, 7) | {"overall_numerator": 77}
    Rating.objects.filter(candidate=scene.scenario.candidate(0, 3)).update(**scores)
    other = scene.freeze()
    found = compared(rita, one, other)
    assert found.why == (("a rating was revised", 1),)
    row, labels = only_change(found, other)
    assert {row.b_id, row.c_id} == {"c2", "c3"}
    assert labels == {"C → B" if row.b_id == "c3" else "B → C"}


def test_another_rating_is_why_a_label_changed(scene_of_two) -> None:
    one = scene_of_two.freeze(tie_band=3.0)
    scene_of_two.add_carl()
    # 9 and 9 become 9, 9 and 10: a third of a point beyond the tie band.
    scene_of_two.scenario.rate("carl", 0, 1, 10, 10, 10, 10)
    other = scene_of_two.freeze(tie_band=3.0)
    found = compared(signed_in(scene_of_two.rita), one, other)
    assert found.why == (("ratings were added", 1),)
    row, labels = only_change(found, other)
    assert {row.b_id, row.c_id} == {"c1", "c2"}
    assert labels == {"= → B" if row.b_id == "c1" else "= → C"}


def test_another_seed_moves_rows_and_swaps_sides_and_changes_no_label(scene, rita) -> None:
    one, *others = versions = [scene.freeze(seed=seed) for seed in range(7, 14)]
    found = [compared(rita, one, other).found for other in others]
    assert {(each.in_both, each.changed_count) for each in found} == {(9, 0)}
    assert any(each.moved_count for each in found)
    assert len({tuple(row.b_id for row in read_rows(version)) for version in versions}) > 1


def test_versions_of_fewer_criteria_lack_labels(scene, rita) -> None:
    found = compared(rita, scene.freeze(), scene.freeze(criteria=[OVERALL]))
    assert [name for name, _, _ in found.by_criterion] == [
        *("Feature completeness", "Conceptual clarity", "Terminology consistency"),
        "Logical linkage",
    ]
    assert all("→ no label" in move for _, _, moves in found.by_criterion for move in moves)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ({"one": "trial@1"}, ["other"]),
        ({"one": "trial@9", "other": "trial@1"}, ["one"]),
        ({"one": "elsewhere@1", "other": "\x00"}, ["one", "other"]),
        ({"one": "", "other": "trial@1"}, ["one"]),
    ],
)
def test_versions_that_are_none_are_refused_at_their_fields(scene, rita, query, wrong) -> None:
    scene.freeze()
    answer = rita.get(PAGE, query)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == wrong


def test_a_version_of_another_campaign_is_as_one_that_is_not_there(scene, cast) -> None:
    scene.freeze()
    for name in ("trial@1", "no@1"):
        page = shown(signed_in(cast.rita), PAGE, 422, one=name, other=name)
        assert "Choose" in page and "trial@1" not in page


def test_a_researcher_reads_no_text_and_references_once_the_campaign_is_closed(scene, rita) -> None:
    query = {"one": scene.freeze(), "other": scene.freeze(tie_band=3.5)}
    page = shown(rita, PAGE, **query)
    assert "A cup" not in page and ">r0<" not in page
    scene.close()
    page = shown(rita, PAGE, **query)
    assert "A cup" not in page and ">r0<" in page


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_who_rates_in_an_open_campaign_compares_nothing(scene, role) -> None:
    query = {"one": scene.freeze(), "other": scene.freeze(tie_band=3.5)}
    alice = scene.people["alice"]
    Membership.objects.create(user=alice, campaign=scene.campaign, role=role)
    page = shown(signed_in(alice), PAGE, 422, **query)
    assert "You rate in the campaign" in page and "→" not in page
    scene.close()
    assert "→" in shown(signed_in(alice), PAGE, **query)


def test_a_missing_file_is_reported(scene, rita, data_directory) -> None:
    version = scene.freeze()
    (data_directory / "datasets" / f"{version.sha256}.jsonl").unlink()
    assert "is missing" in shown(rita, PAGE, 422, one=version, other=version)


def test_versions_of_two_datasets_are_compared(cast, data_directory, rows) -> None:
    small, large = (imported(f"of-{n}", rows(n), "reference") for n in (3, 5))
    found = compared(signed_in(cast.rita), small, large).found
    assert (found.in_both, found.added_count, found.removed_count) == (9, 6, 0)
