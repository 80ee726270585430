from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import AuditEvent
from core.errors import OutOfDate, Refused
from core.jobs import leases
from core.jobs.registry import sweep
from core.jobs.rows import JobStatus
from scoring import tasks as scoring_tasks
from scoring.datasets.freezing import services as freezing_services
from scoring.datasets.freezing.services import (
    cancel_freeze,
    carry_out_freeze,
    freeze_dataset,
    request_freeze,
)
from scoring.models import Dataset, DatasetVersion, Freeze
from tests.conftest import make_user
from tests.scoring import conftest

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

SETTINGS: dict[str, Any] = conftest.SETTINGS | {"name": None, "include_unlocked": False}


@pytest.fixture
def scene(rated: Any) -> Any:
    """Three references that two people have rated long ago."""
    return rated(3).rate_all()


def asked(scene: Any, **changes: Any) -> Freeze:
    return request_freeze(campaign=scene.campaign, settings=SETTINGS | changes)


def again(row: Freeze) -> Freeze:
    row.refresh_from_db()
    return row


def carried_out(row: Freeze) -> Freeze:
    carry_out_freeze(row.pk)
    return again(row)


def test_a_freeze_ends_in_the_version_that_the_service_makes(scene, data_directory) -> None:
    rita = make_user("rita")
    row = request_freeze(campaign=scene.campaign, settings=SETTINGS, asked_by=rita)
    assert (row.status, row.version) == (JobStatus.QUEUED, None)
    carried_out(row)
    assert (row.status, row.is_new, row.progress) == (JobStatus.SUCCEEDED, True, 1.0)
    assert row.version is not None
    assert (str(row.version), row.version.created_by) == ("trial@1", rita)
    assert row.version.card["split"]["seed"] == 7
    # The index for the pages is there.
    (index,) = (data_directory / "cache").glob("rows-*.sqlite3")
    assert row.version.sha256 in index.name
    same = freeze_dataset(campaign=scene.campaign, **SETTINGS)
    assert (same.version, same.is_new) == (row.version, False)


def test_the_same_request_gives_the_row_that_is_under_way(scene) -> None:
    row = asked(scene)
    assert asked(scene) == row
    assert leases.claim(Freeze, row.pk)
    assert asked(scene) == row
    assert asked(scene, seed=8) != row
    assert Freeze.objects.count() == 2
    assert AuditEvent.objects.filter(action="freeze.requested").count() == 2


def test_a_freeze_that_has_ended_or_is_to_stop_is_not_given_again(scene) -> None:
    first, second = carried_out(asked(scene)), carried_out(asked(scene))
    assert (first.is_new, second.is_new) == (True, False)
    assert DatasetVersion.objects.get() == first.version == second.version
    third = asked(scene)
    assert third not in {first, second}
    assert leases.claim(Freeze, third.pk)
    cancel_freeze(freeze=third)
    assert asked(scene) not in {first, second, third}


def test_a_name_of_another_campaign_is_refused_before_anything_is_queued(scene) -> None:
    Dataset.objects.create(name="taken")
    with pytest.raises(Refused) as refused:
        asked(scene, name="taken")
    assert list(refused.value.fields) == ["name"]
    assert not Freeze.objects.exists()


def test_a_freeze_that_gives_nothing_fails_and_says_why(rated) -> None:
    row = carried_out(asked(rated(2)))
    assert row.status == JobStatus.FAILED
    assert "gives no quadruplet" in row.message and "6 not rated" in row.message
    assert AuditEvent.objects.filter(action="freeze.failed").count() == 1


def test_a_queued_freeze_is_cancelled_at_once_and_never_carried_out(scene) -> None:
    row = asked(scene)
    cancel_freeze(freeze=row, cancelled_by=scene.people["bob"])
    assert carried_out(row).status == JobStatus.CANCELLED
    assert not DatasetVersion.objects.exists()
    with pytest.raises(OutOfDate):
        cancel_freeze(freeze=row)


def test_a_running_freeze_that_is_cancelled_stores_no_version(scene, monkeypatch) -> None:
    monkeypatch.setattr(freezing_services, "RENEW_EVERY_SECONDS", 0)
    row = asked(scene)
    steps: list[str] = []

    def cancelling(**kwargs: Any) -> Any:
        def progress(share: float, words: str) -> None:
            steps.append(words)
            if len(steps) == 2:
                cancel_freeze(freeze=again(row))
            kwargs["progress"](share, words)

        return freeze_dataset(**kwargs | {"progress": progress})

    monkeypatch.setattr(freezing_services, "freeze_dataset", cancelling)
    assert carried_out(row).status == JobStatus.CANCELLED
    assert len(steps) == 2
    assert not DatasetVersion.objects.exists()


def test_a_freeze_whose_worker_died_is_queued_again_and_finished_once(scene, monkeypatch) -> None:
    # The first worker dies after the version was stored and before its row was closed.
    row = asked(scene)
    assert leases.claim(Freeze, row.pk)
    stored = freeze_dataset(campaign=scene.campaign, **SETTINGS).version
    # Nobody's while the dead worker's lease lasts.
    assert carried_out(row).status == JobStatus.RUNNING
    late = timezone.now() - timedelta(minutes=1)
    Freeze.objects.update(lease_until=late, rung_at=late)
    queued: list[str] = []
    monkeypatch.setattr(scoring_tasks.freeze, "delay", queued.append)
    sweep()
    assert queued == [str(row.pk)]
    carry_out_freeze(queued[0])
    assert (again(row).status, row.attempt, row.version) == (JobStatus.SUCCEEDED, 2, stored)
    assert row.is_new
    assert DatasetVersion.objects.count() == 1


def test_progress_is_written_down_with_its_words(scene, monkeypatch) -> None:
    monkeypatch.setattr(freezing_services, "RENEW_EVERY_SECONDS", 0)
    row = asked(scene)
    seen: list[tuple[float, str]] = []
    renew_lease = leases.renew_lease

    def noting(of: Any, **fields: Any) -> None:
        renew_lease(of, **fields)
        seen.append((again(row).progress, row.message))

    monkeypatch.setattr(leases, "renew_lease", noting)
    carry_out_freeze(row.pk)
    shares = [share for share, _ in seen]
    assert shares == sorted(shares) and len(set(shares)) > 3
    assert all(words for _, words in seen)
