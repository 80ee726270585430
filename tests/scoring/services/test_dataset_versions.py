"""Versions: numbered, immutable, once for the same content."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.models import AuditEvent
from annotator.refusals import Refused
from scoring.models import DatasetVersion
from scoring.services.freezing import freeze_dataset
from tests.scoring.stored import stored_bytes, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

NO_SPLIT = {"test_share": 0.0, "validation_share": 0.0}
Make = Callable[..., Any]


def test_the_same_content_is_the_same_version(rated: Make, data_directory: Path) -> None:
    room = rated(3)
    room.rate_all(range(3))
    first = freeze_dataset(campaign=room.campaign)
    again = freeze_dataset(campaign=room.campaign)
    assert again.version.pk == first.version.pk
    assert (first.is_new, again.is_new) == (True, False)
    assert DatasetVersion.objects.count() == 1
    assert len(stored_files(data_directory)) == 1
    assert AuditEvent.objects.filter(action="dataset.freeze").count() == 1
    other = freeze_dataset(campaign=room.campaign, seed=5)
    assert other.is_new
    assert other.version.number == 2


def test_a_later_rating_changes_no_frozen_version(rated: Make) -> None:
    room = rated(2)
    room.rate_all([0])
    first = freeze_dataset(campaign=room.campaign, **NO_SPLIT).version
    before = stored_bytes(first.sha256)
    room.rate_all([1])
    second = freeze_dataset(campaign=room.campaign, **NO_SPLIT).version
    assert (first.number, second.number) == (1, 2)
    assert stored_bytes(first.sha256) == before
    assert second.sha256 != first.sha256


def test_a_name_of_another_campaigns_dataset_is_refused(rated: Make, data_directory: Path) -> None:
    mine, other = rated(3), rated(3, "other")
    mine.rate_all(range(3))
    other.rate_all(range(3))
    freeze_dataset(campaign=mine.campaign, name="shared")
    files = stored_files(data_directory)
    with pytest.raises(Refused, match="belongs to another campaign"):
        freeze_dataset(campaign=other.campaign, name="shared", seed=1)
    assert DatasetVersion.objects.count() == 1
    assert stored_files(data_directory) == files


def test_a_version_is_audited_without_claim_text(rated: Make) -> None:
    room = rated(3)
    room.rate_all(range(3))
    person = room.people["alice"]
    version = freeze_dataset(campaign=room.campaign, created_by=person).version
    event = AuditEvent.objects.get(action="dataset.freeze")
    assert (event.actor, event.campaign, event.object_id) == (
        person,
        room.campaign,
        str(version.pk),
    )
    assert event.details == {"dataset": "room@1", "sha256": version.sha256, "items": 9}
    assert "cup" not in json.dumps(version.card)
