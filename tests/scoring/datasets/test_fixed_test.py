"""Freezes whose test part is that of an earlier version."""

import pytest

from annotator.models import Reference
from core.errors import Refused
from scoring.access.scopes import read_rows
from scoring.datasets.exports.queries import card_files
from scoring.datasets.versions.queries import describe_making
from scoring.models import DatasetVersion
from tests.scoring.conftest import SETTINGS, make_campaign

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def references_by_split(version: DatasetVersion) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in read_rows(version):
        found.setdefault(row.split, set()).add(row.reference_id)
    return found


@pytest.mark.parametrize("split_by", ["reference", "time"])
def test_references_that_were_tested_once_are_tested_again_and_no_others(rated, split_by) -> None:
    scene = rated(14).rate_all(range(6))
    first = scene.freeze(test_share=0.4, validation_share=0.0)
    tested = references_by_split(first)["test"]
    scene.rate_all(range(6, 14))
    for seed in range(4):
        more = {"split_by": split_by, "seed": seed, "validation_share": 0.2}
        later = references_by_split(scene.freeze(test_of=str(first.pk), **more))
        assert later["test"] == tested
        assert len(later["validation"]) == 2
        assert len(later["train"]) == 10


def test_a_new_reference_with_a_text_of_a_tested_one_is_tested_too(rated) -> None:
    scene = rated(8).rate_all(range(6))
    first = scene.freeze(test_share=0.3, validation_share=0.0)
    tested = references_by_split(first)["test"]
    (one, *_) = sorted(tested)
    same = Reference.objects.get(campaign=scene.campaign, reference_id=one)
    Reference.objects.filter(campaign=scene.campaign, reference_id="r7").update(claims=same.claims)
    scene.rate_all(range(6, 8))
    later = references_by_split(scene.freeze(test_of=str(first.pk), validation_share=0.0))
    assert later["test"] == tested | {"r7"}


def test_a_version_says_whose_test_references_it_has(rated) -> None:
    scene = rated(7).rate_all(range(6))
    first = scene.freeze(**SETTINGS)
    scene.rate_all(range(6, 7))
    later = scene.freeze(**SETTINGS, test_of=str(first.pk))
    said = "test references of trial@1, 0 validation"
    assert said in dict(describe_making(later.card, shows_files=False))["Split"]
    page = card_files(later)["trial-2.card.md"].decode()
    assert "tested on the test references of trial@1" in page


def test_another_campaigns_test_references_are_refused(rated) -> None:
    elsewhere = make_campaign(3, "elsewhere").rate_all().freeze(validation_share=0.0)
    scene = rated(3).rate_all()
    with pytest.raises(Refused, match="no such version"):
        scene.freeze(test_of=str(elsewhere.pk))


def test_where_only_tested_references_are_left_nothing_is_split(rated) -> None:
    scene = rated(4).rate_all()
    first = scene.freeze(test_share=0.5, validation_share=0.0)
    trained = references_by_split(first)["train"]
    Reference.objects.filter(reference_id__in=trained).update(may_train=False)
    with pytest.raises(Refused, match="group split is impossible"):
        scene.freeze(test_of=str(first.pk), validation_share=0.0)
