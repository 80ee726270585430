"""A campaign that chose its order: its rows say so, and its reports rest on the control share."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.models import Reference
from scoring.access.scopes import read_rows
from scoring.datasets.cards import measure_agreement
from scoring.datasets.freezing import queries as freezing
from scoring.datasets.markdown import limits
from scoring.models import DatasetVersion
from scoring.quadruplets import DatasetRow
from scoring.reports.inputs import report_rows
from scoring.reports.page_parts import cautions
from scoring.reports.work import ONLY_CHOSEN
from scoring.scores.scorers import LEFT_OUT_NAME
from tests.scoring.asked_reports import CRITERION, carried_out, finished, request
from tests.scoring.conftest import NO_SPLIT, RatedCampaign
from tests.scoring.stored import stored_bytes

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
FIGURES = ("tau_b", "tau_b_labels", "spearman", "accuracy")


def long_to_short(scene: RatedCampaign) -> RatedCampaign:
    """Make c1 the longest candidate and c3 the shortest."""
    for row in scene.campaign.candidates.all():
        row.claims += " It has a handle." * (3 - int(row.candidate_id[1]))
        row.save()
    return scene


@pytest.fixture
def scene(rated: Callable[..., RatedCampaign]) -> RatedCampaign:
    """Eight references of which the longest is best, and four in which the shortest is."""
    scene = long_to_short(rated(12)).rate_all(range(8))
    for reference in range(8, 12):
        for number, value in ((1, 1), (2, 4), (3, 8)):
            for name, more in (("alice", 0), ("bob", 1)):
                scene.rate(name, reference, number, *[value + more] * 4)
    return scene


def draw(scene: RatedCampaign, control: range, chosen: range) -> None:
    rows = Reference.objects.filter(campaign=scene.campaign)
    for names, is_control in ((control, True), (chosen, False)):
        rows.filter(reference_id__in=[f"r{n}" for n in names]).update(is_control=is_control)


def freeze(scene: RatedCampaign, **more: Any) -> DatasetVersion:
    return scene.freeze(include_unlocked=True, **more)


def figures(result: dict[str, Any]) -> list[Any]:
    return [result["scorers"]["length"][name] for name in FIGURES]


def test_a_campaign_that_never_chose_has_the_files_that_it_had(scene) -> None:
    """No key more in the file or on the card."""
    version = freeze(scene, **NO_SPLIT)
    assert b"is_control" not in stored_bytes(version.sha256)
    assert "control" not in version.card
    result = finished(version, "length")
    assert "control" not in result["checks"]
    assert not any("chose what was rated" in one for one in cautions(result))


def test_each_row_says_whether_its_reference_is_control(scene) -> None:
    draw(scene, range(1, 8), range(8, 12))
    version = freeze(scene, **NO_SPLIT)
    said = {row.reference_id: row.extras.get("is_control") for row in read_rows(version)}
    assert said == {"r0": None} | {f"r{n}": n < 8 for n in range(1, 12)}
    counts = {"items": 21, "references": 7, "chosen_items": 12, "chosen_references": 4}
    assert version.card["control"] == counts
    assert any("4 of the references were chosen, 7 drawn" in one for one in limits(version.card))


def test_a_report_has_the_figures_of_the_control_share_alone(scene, rated) -> None:
    """The planted fault: on what was chosen, people judge the other way round."""
    everything = finished(freeze(scene, name="all", **NO_SPLIT), "length")
    draw(scene, range(1, 8), range(8, 12))
    version = freeze(scene, name="drawn", **NO_SPLIT)
    found = finished(version, "length")
    assert found["checks"]["items"] == 24
    assert found["checks"]["control"] == {"left_out": 12, "references": 8}
    (told,) = (one for one in cautions(found) if "chose what was rated" in one)
    assert "rest on 8 references" in told and "12 items of chosen references are left out" in told
    alone = finished(long_to_short(rated(8, "alone")).rate_all().freeze(**NO_SPLIT), "length")
    assert figures(found) == figures(alone)
    alike, turned = (one["scorers"]["length"]["tau_b"]["value"] for one in (found, everything))
    assert alike > 0.8 and turned < 0.3


def test_a_report_that_counts_what_was_chosen_is_found_out(scene, monkeypatch) -> None:
    draw(scene, range(1, 8), range(8, 12))
    version = freeze(scene, **NO_SPLIT)
    monkeypatch.setattr(DatasetRow, "is_chosen", False)
    assert finished(version, "length")["checks"]["items"] == 36


def test_all_rows_train_the_model_that_leaves_references_out(scene) -> None:
    draw(scene, range(3), range(3, 12))
    version = freeze(scene, **NO_SPLIT)
    read = report_rows(version, CRITERION, "all", chosen_counted=True)
    assert (len(read.rows), read.chosen) == (36, 0)
    # With three references alone it would be refused: too few to learn from the others.
    result = finished(version, LEFT_OUT_NAME)
    assert result["checks"]["items"] == 9
    assert result["scorers"][LEFT_OUT_NAME]["tau_b"]["value"] is not None


def test_test_and_validation_come_from_the_control_share_first(scene) -> None:
    draw(scene, range(8, 12), range(8))
    version = freeze(scene, test_share=0.2, validation_share=0.2)
    splits = {row.reference_id: row.split for row in read_rows(version)}
    held_out = {name for name, split in splits.items() if split != "train"}
    assert len(held_out) == 4
    assert held_out == {"r8", "r9", "r10", "r11"}
    assert finished(version, "length", split="test")["checks"]["items"] == 6


def test_a_split_of_nothing_but_chosen_references_says_so(scene) -> None:
    draw(scene, range(2), range(2, 12))
    version = freeze(scene, test_share=0.1, validation_share=0.1)
    row = carried_out(request(version, "length", split="train"))
    assert (row.status, row.message) == ("failed", ONLY_CHOSEN)


def test_the_card_measures_agreement_without_what_was_chosen(scene, monkeypatch) -> None:
    counted: list[int] = []

    def measured(ratings: Any, criteria: Any) -> Any:
        given = list(ratings)
        counted.append(len(given))
        return measure_agreement(given, criteria)

    monkeypatch.setattr(freezing, "measure_agreement", measured)
    draw(scene, range(1, 8), range(8, 12))
    version = freeze(scene, **NO_SPLIT)
    assert counted == [8 * 3 * 2]
    assert version.card["agreement"][CRITERION]["value"] == 1.0
