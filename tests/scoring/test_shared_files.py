"""Dataset versions and models on hosts that share a bucket."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Reference
from core import storage
from core.errors import OutOfDate
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.datasets.versions.queries import Filter, page_of
from scoring.erasures.services import erase_copies
from scoring.files import ABANDONED_SECONDS, DatasetErased, StoredFileDamaged
from scoring.models import DatasetVersion, Erasure, ModelVersion, TrainingRun
from scoring.operations import dataset_and_model_files
from scoring.scores.scorers import ScoringModel, cached_scorer
from scoring.training.model_versions.files import directory_of, has_manifest, open_model
from scoring.training.runs.services import clear_ended_runs, request_training, state_directory
from scoring.training.runs.work import carry_out_training, unchanged_model
from tests.s3_servers import OwnS3, bucket, on_another_host, s3, unreachable
from tests.scoring.conftest import dataset_rows, imported

__all__ = ["bucket", "s3", "unreachable"]
pytestmark = [pytest.mark.broker, pytest.mark.django_db]
CRITERION = "feature_completeness"
LEFT = [b"of a freeze that was killed\n"]


@pytest.fixture(autouse=True)
def no_lease_is_due(settings: Any) -> None:
    """The heartbeat's own connection sees no row of a test's open transaction."""
    settings.JOB_LEASE_SECONDS = 3600


@pytest.fixture
def version(bucket: str, db: None) -> DatasetVersion:
    """A version whose file was stored on this host."""
    return imported("tiny", dataset_rows())


def trained(version: DatasetVersion) -> TrainingRun:
    run = request_training(version=version, criterion=CRITERION, options={"method": "probe"})
    carry_out_training(run.pk)
    run.refresh_from_db()
    return run


@pytest.fixture
def model(version: DatasetVersion) -> ModelVersion:
    return ModelVersion.objects.get(run=trained(version))


def test_a_version_is_read_and_browsed_on_another_host(
    version: DatasetVersion, s3: OwnS3, bucket: str, settings: Any, tmp_path: Path
) -> None:
    here = scoring_files.dataset_path(version.sha256).read_bytes()
    with on_another_host(settings, tmp_path) as there:
        rows, page = page_of(version, Filter(), "1", 5)
        assert (len(rows), page.paginator.count) == (5, version.items)
        (there / scoring_files.stored_name(version.sha256)).unlink()
        with scoring_files.open_dataset(version.sha256) as file:
            assert file.read() == here
        name = f"datasets/{version.sha256}.jsonl"
        assert {one.name for one in dataset_and_model_files()} == {name}

        scoring_files.dataset_path(version.sha256).unlink()
        s3.client().put_object(Bucket=bucket, Key=name, Body=b"of somebody else")
        with pytest.raises(StoredFileDamaged, match="was changed"):
            scoring_files.open_dataset(version.sha256)
        s3.client().delete_object(Bucket=bucket, Key=name)
        with pytest.raises(StoredFileDamaged, match=f"missing from the bucket {bucket}"):
            scoring_files.open_dataset(version.sha256)


def test_what_was_erased_on_one_host_is_deleted_on_the_others(
    version: DatasetVersion, settings: Any, tmp_path: Path, cast: Any
) -> None:
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    with on_another_host(settings, tmp_path):
        page_of(version, Filter(), "1", 5)
        state = state_directory(run)
        assert any(scoring_files.cache_directory().iterdir())
        reference, now = cast.reference("r1", 1), timezone.now()
        Reference.objects.filter(pk=reference.pk).update(erased_at=now)
        Erasure.objects.create(
            campaign=reference.campaign,
            reference=reference,
            status="agreed",
            asked_by=cast.ada,
            asked_at=now,
            answered_by=cast.carol,
            erased_at=now,
            result={"versions": [str(version.pk)]},
        )
        with pytest.raises(DatasetErased):
            page_of(version, Filter(), "1", 5)
        assert not scoring_files.dataset_path(version.sha256).exists()

        assert erase_copies() == 1

        assert not state.exists()
        assert list(scoring_files.cache_directory().iterdir()) == []
        # Once: what is computed again afterwards stays.
        assert erase_copies() == 0
    assert scoring_files.dataset_path(version.sha256).exists()


def test_the_file_of_a_killed_freeze_is_swept_from_the_bucket_too(
    version: DatasetVersion, bucket: str, s3: OwnS3
) -> None:
    for digest in (scoring_files.store_dataset(LEFT), version.sha256):
        old = time.time() - ABANDONED_SECONDS - 1
        os.utime(scoring_files.dataset_path(digest), (old, old))

    assert scoring_files.remove_unnamed_datasets() == 1

    assert s3.keys(bucket) == [scoring_files.stored_name(version.sha256)]
    assert scoring_files.dataset_path(version.sha256).exists()
    # An erasure does not wait, wherever the file was written.
    left = scoring_files.store_dataset(LEFT)
    scoring_files.dataset_path(left).unlink()
    scoring_files.remove_unnamed_from_bucket()
    assert s3.keys(bucket) == [scoring_files.stored_name(version.sha256)]


def test_a_version_is_not_stored_without_its_file(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = scoring_files.store_dataset

    def swept(pieces: Any) -> str:
        digest = store(pieces)
        scoring_files.remove_unnamed_from_bucket()
        return digest

    monkeypatch.setattr(scoring_files, "store_dataset", swept)
    with pytest.raises(OutOfDate, match="start it again"):
        imported("tiny", dataset_rows())

    assert not DatasetVersion.objects.exists()


def test_a_model_scores_on_another_host_also_after_some_files_left_its_cache(
    model: ModelVersion, settings: Any, tmp_path: Path
) -> None:
    here = sorted(path.name for path in directory_of(model).iterdir())
    scoring = ScoringModel(model.criterion, model)
    pairs = [(row.reference, row.b) for row in dataset_rows()]
    scores = cached_scorer(scoring).score(pairs)
    with on_another_host(settings, tmp_path):
        for name in (None, *here):
            directory = directory_of(model)
            assert sorted(path.name for path in directory.iterdir()) == here
            for entry in open_model(directory, model.manifest_sha256):
                entry.file.close()
            if name:
                (directory / name).unlink()
        assert cached_scorer(scoring).known(pairs) is None
        assert cached_scorer(scoring).score(pairs) == scores
        assert unchanged_model(model.run) == model


def test_a_model_that_was_changed_in_the_bucket_is_refused(
    model: ModelVersion, settings: Any, tmp_path: Path, s3: OwnS3, bucket: str
) -> None:
    for key in s3.keys(bucket, f"models/{model.directory}/"):
        s3.client().put_object(Bucket=bucket, Key=key, Body=b"of somebody else")

    assert has_manifest(model)
    with on_another_host(settings, tmp_path):
        assert not has_manifest(model)
        with pytest.raises(StoredFileDamaged, match="was changed in the bucket"):
            directory_of(model)
        assert unchanged_model(model.run) is None
    s3.client().delete_object(Bucket=bucket, Key=f"models/{model.directory}/MANIFEST.json")
    with on_another_host(settings, tmp_path):
        assert not has_manifest(model)
        assert not directory_of(model).exists()


def test_a_training_that_cannot_store_its_model_is_tried_again_and_leaves_nothing(
    version: DatasetVersion, unreachable: Callable[[], None], bucket: str, s3: OwnS3, settings: Any
) -> None:
    unreachable()
    run = trained(version)
    assert (run.status, run.is_retried) == (JobStatus.QUEUED, True)
    assert "is tried again in 2 minutes" in run.message
    assert not ModelVersion.objects.exists()

    settings.STORAGE_ENDPOINT = s3.url
    settings.STORAGES["files"]["OPTIONS"]["endpoint_url"] = s3.url
    storage._connected.cache_clear()
    TrainingRun.objects.update(due_at=run.created_at)
    carry_out_training(run.pk)
    run.refresh_from_db()
    assert run.status == JobStatus.SUCCEEDED
    clear_ended_runs()
    model = ModelVersion.objects.get()
    assert [path.name for path in scoring_files.models_directory().iterdir()] == [model.directory]
    assert {key.split("/")[1] for key in s3.keys(bucket, "models/")} == {model.directory}
