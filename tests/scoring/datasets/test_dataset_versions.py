import json

import pytest

from annotator.models import AuditEvent
from core.errors import Refused
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import DatasetVersion
from tests.conftest import make_user
from tests.scoring.conftest import NO_SPLIT, imported
from tests.scoring.stored import stored_bytes, stored_files

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def test_the_same_content_is_the_same_version(rated, data_directory) -> None:
    campaign = rated(3).rate_all().campaign
    first, again = (freeze_dataset(campaign=campaign) for _ in range(2))
    assert again.version.pk == first.version.pk
    assert (first.is_new, again.is_new) == (True, False)
    assert DatasetVersion.objects.count() == 1
    assert len(stored_files(data_directory)) == 1
    assert AuditEvent.objects.filter(action="dataset.freeze").count() == 1
    other = freeze_dataset(campaign=campaign, seed=5)
    assert (other.is_new, other.version.number) == (True, 2)


def test_a_later_rating_changes_no_frozen_version(rated) -> None:
    scene = rated(2).rate_all([0])
    first = scene.freeze(**NO_SPLIT)
    before = stored_bytes(first.sha256)
    second = scene.rate_all([1]).freeze(**NO_SPLIT)
    assert (first.number, second.number) == (1, 2)
    assert stored_bytes(first.sha256) == before
    assert second.sha256 != first.sha256


def test_a_name_of_another_campaigns_dataset_is_free(rated) -> None:
    for scene in (rated(3).rate_all(), rated(3, "other").rate_all()):
        # Also the other's short name, which its own dataset has unless it is given another.
        for name in ("shared", "trial", "other"):
            version = scene.freeze(name=name)
            assert (version.dataset.campaign, version.number) == (scene.campaign, 1)
    found = {row.full_name for row in DatasetVersion.objects.all()}
    assert found == {
        *("trial@1", "trial.other@1", "trial.shared@1"),
        *("other@1", "other.trial@1", "other.shared@1"),
    }


@pytest.mark.parametrize("first", ["campaign", "none"])
def test_a_dataset_of_no_campaign_shares_its_name_with_none(
    rated, rows, data_directory, first
) -> None:
    scene = rated(3).rate_all()
    makers = {
        "campaign": lambda: scene.freeze(name="shared"),
        "none": lambda: imported("shared", rows(3)),
    }
    makers.pop(first)()
    (second,) = makers.values()
    files = stored_files(data_directory)
    with pytest.raises(Refused, match="choose another name"):
        second()
    assert DatasetVersion.objects.count() == 1
    assert stored_files(data_directory) == files


def test_a_version_is_audited_without_claim_text(rated) -> None:
    scene, person = rated(3).rate_all(), make_user("rita")
    version = scene.freeze(created_by=person)
    event = AuditEvent.objects.get(action="dataset.freeze")
    assert (event.actor, event.campaign) == (person, scene.campaign)
    assert event.object_id == str(version.pk)
    assert event.details == {"dataset": "trial@1", "sha256": version.sha256, "items": 9}
    assert "cup" not in json.dumps(version.card)
