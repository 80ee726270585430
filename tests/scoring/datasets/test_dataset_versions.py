"""Versions: numbered, immutable, once for the same content."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring.datasets.freezing.imports import import_dataset
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import DatasetVersion
from scoring.quadruplets import SplitPlan
from tests.conftest import make_user
from tests.scoring.stored import stored_bytes, stored_files

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

NO_SPLIT = {"test_share": 0.0, "validation_share": 0.0}
Make = Callable[..., Any]


def test_the_same_content_is_the_same_version(rated: Make, data_directory: Path) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    first = freeze_dataset(campaign=scene.campaign)
    again = freeze_dataset(campaign=scene.campaign)
    assert again.version.pk == first.version.pk
    assert (first.is_new, again.is_new) == (True, False)
    assert DatasetVersion.objects.count() == 1
    assert len(stored_files(data_directory)) == 1
    assert AuditEvent.objects.filter(action="dataset.freeze").count() == 1
    other = freeze_dataset(campaign=scene.campaign, seed=5)
    assert other.is_new
    assert other.version.number == 2


def test_a_later_rating_changes_no_frozen_version(rated: Make) -> None:
    scene = rated(2)
    scene.rate_all([0])
    first = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    before = stored_bytes(first.sha256)
    scene.rate_all([1])
    second = freeze_dataset(campaign=scene.campaign, **NO_SPLIT).version
    assert (first.number, second.number) == (1, 2)
    assert stored_bytes(first.sha256) == before
    assert second.sha256 != first.sha256


def test_a_name_of_another_campaigns_dataset_is_free(rated: Make) -> None:
    mine, other = rated(3), rated(3, "other")
    mine.rate_all(range(3))
    other.rate_all(range(3))
    for scene in (mine, other):
        # Also the other's short name, which its own dataset has unless it is told another.
        for name in ("shared", "room", "other"):
            version = freeze_dataset(campaign=scene.campaign, name=name).version
            assert (version.dataset.campaign, version.number) == (scene.campaign, 1)
    found = {row.full_name for row in DatasetVersion.objects.all()}
    assert found == {
        *("room@1", "room.other@1", "room.shared@1"),
        *("other@1", "other.room@1", "other.shared@1"),
    }


@pytest.mark.parametrize("first", ["campaign", "none"])
def test_a_dataset_of_no_campaign_shares_its_name_with_none(
    rated: Make, rows: Make, data_directory: Path, first: str
) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    makers = {
        "campaign": lambda: freeze_dataset(campaign=scene.campaign, name="shared"),
        "none": lambda: import_dataset(name="shared", rows=rows(3), plan=SplitPlan()),
    }
    makers.pop(first)()
    (second,) = makers.values()
    files = stored_files(data_directory)
    with pytest.raises(Refused, match="choose another name"):
        second()
    assert DatasetVersion.objects.count() == 1
    assert stored_files(data_directory) == files


def test_a_version_is_audited_without_claim_text(rated: Make) -> None:
    scene = rated(3)
    scene.rate_all(range(3))
    person = make_user("rita")
    version = freeze_dataset(campaign=scene.campaign, created_by=person).version
    event = AuditEvent.objects.get(action="dataset.freeze")
    assert (event.actor, event.campaign, event.object_id) == (
        person,
        scene.campaign,
        str(version.pk),
    )
    assert event.details == {"dataset": "room@1", "sha256": version.sha256, "items": 9}
    assert "cup" not in json.dumps(version.card)
