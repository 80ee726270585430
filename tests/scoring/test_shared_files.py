# ruff: noqa: F811 - fixtures are imported
"""Dataset versions, models and states of trainings on hosts that share an artefact store."""

import os
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Reference
from annotator.operations.health.store import look_at_store
from annotator.operations.shared import share_files
from core.artefacts import kinds
from core.artefacts.copies import IN_USE_SECONDS, evict_copies
from core.artefacts.settings import StoreSettings
from core.artefacts.store import put
from core.artefacts.trees import put_tree
from core.errors import OutOfDate
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.datasets.versions.queries import Filter, page_of
from scoring.erasures.services import erase_copies
from scoring.files import ABANDONED_SECONDS, DatasetErased, StoredFileDamaged
from scoring.models import DatasetVersion, Erasure, ModelVersion, TrainingRun
from scoring.operations import dataset_and_model_files, look_at_stored_files
from scoring.training.model_versions.files import directory_of
from scoring.training.runs.services import request_training
from scoring.training.runs.states import state_directory
from scoring.training.runs.work import carry_out_training
from tests.s3_servers import (  # noqa: F401 - fixtures
    Between,
    OwnS3,
    between,
    on_another_host,
    s3,
    shared,
    shared_between,
)
from tests.scoring.conftest import dataset_rows, imported

pytestmark = [pytest.mark.broker, pytest.mark.django_db]

CRITERION = "feature_completeness"


@pytest.fixture(autouse=True)
def no_lease_is_due(settings: Any) -> None:
    """The heartbeat's own connection sees no row of a test's open transaction."""
    settings.JOB_LEASE_SECONDS = 3600


@pytest.fixture
def version(shared: StoreSettings, db: None) -> DatasetVersion:
    """A version whose file was stored on this host."""
    return imported("tiny", dataset_rows())


def dataset_key(digest: str) -> str:
    return f"of-this-site/datasets/{digest}/{digest}"


def test_version_is_read_and_browsed_on_another_host(
    version: DatasetVersion, settings: Any, tmp_path: Path
) -> None:
    here = scoring_files.dataset_path(version.sha256).read_bytes()

    with on_another_host(settings, tmp_path):
        rows, count, _ = page_of(version, Filter(), 1, 5)
        assert (len(rows), count) == (5, version.items)
        with scoring_files.open_dataset(version.sha256) as file:
            assert file.read() == here
        assert {one.name for one in dataset_and_model_files()} == {
            f"datasets/{version.sha256}.jsonl"
        }


def test_missing_version_is_named_with_the_store(
    version: DatasetVersion,
    shared: StoreSettings,
    s3: OwnS3,
    settings: Any,
    tmp_path: Path,
) -> None:
    s3.client().delete_object(Bucket=shared.bucket, Key=dataset_key(version.sha256))

    with on_another_host(settings, tmp_path):
        with pytest.raises(StoredFileDamaged, match=f"artefact store {shared.address}"):
            scoring_files.open_dataset(version.sha256)
        (finding,) = [one for one in look_at_stored_files() if one.level == "missing"]
        assert "manage.py share_files" in finding.mend
    (finding,) = look_at_store()
    assert f"datasets/{version.sha256}" in finding.found

    assert share_files() == 1
    (finding,) = look_at_store()
    assert finding.level == "ok"


def test_version_that_was_changed_in_the_store_is_refused_and_named(
    version: DatasetVersion, shared: StoreSettings, s3: OwnS3, settings: Any, tmp_path: Path
) -> None:
    key = dataset_key(version.sha256)
    s3.client().put_object(Bucket=shared.bucket, Key=key, Body=b"of somebody else")

    with on_another_host(settings, tmp_path), pytest.raises(StoredFileDamaged, match=key):
        scoring_files.open_dataset(version.sha256)


def erased(version: DatasetVersion, cast: Any) -> Erasure:
    """Note that a reference of the version was erased on some host, just now."""
    reference = cast.reference("r1", 1)
    now = timezone.now()
    Reference.objects.filter(pk=reference.pk).update(erased_at=now)
    return Erasure.objects.create(
        campaign=reference.campaign,
        reference=reference,
        status="agreed",
        asked_by=cast.ada,
        asked_at=now,
        answered_by=cast.carol,
        erased_at=now,
        result={"versions": [str(version.pk)]},
    )


def test_copy_elsewhere_is_not_read_once_the_rows_say_that_it_is_erased(
    version: DatasetVersion,
    shared: StoreSettings,
    s3: OwnS3,
    settings: Any,
    tmp_path: Path,
    cast: Any,
) -> None:
    with on_another_host(settings, tmp_path):
        page_of(version, Filter(), 1, 5)
        erased(version, cast)

        with pytest.raises(DatasetErased):
            page_of(version, Filter(), 1, 5)
        with pytest.raises(DatasetErased):
            scoring_files.open_dataset(version.sha256)
        assert not scoring_files.dataset_path(version.sha256).exists()


def test_copies_elsewhere_go_with_what_was_made_of_them(
    version: DatasetVersion,
    shared: StoreSettings,
    settings: Any,
    tmp_path: Path,
    cast: Any,
) -> None:
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    with on_another_host(settings, tmp_path):
        page_of(version, Filter(), 1, 5)
        state = state_directory(run)
        assert any(scoring_files.cache_directory().iterdir())
        erased(version, cast)

        assert erase_copies() == 1

        assert not scoring_files.dataset_path(version.sha256).exists()
        assert not state.exists()
        assert list(scoring_files.cache_directory().iterdir()) == []
        # Once: what is computed again afterwards stays.
        assert erase_copies() == 0
    assert scoring_files.dataset_path(version.sha256).exists()


def test_file_of_a_killed_freeze_is_swept_once_it_is_old(
    version: DatasetVersion,
    shared: StoreSettings,
    s3: OwnS3,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = scoring_files.store_dataset([b"of a freeze that was killed\n"])
    assert scoring_files.remove_unnamed_datasets() == 0
    assert kinds.sweep_unnamed(scoring_files.DATASETS) == 0

    old = time.time() - ABANDONED_SECONDS - 1
    for digest in (left, version.sha256):
        os.utime(scoring_files.dataset_path(digest), (old, old))
    assert scoring_files.remove_unnamed_datasets() == 1
    assert not scoring_files.dataset_path(left).exists()
    assert s3.keys(shared.bucket) == sorted(map(dataset_key, (left, version.sha256)))

    grown_old(monkeypatch, kinds.YOUNG)
    assert kinds.sweep_store() == 1
    assert s3.keys(shared.bucket) == [dataset_key(version.sha256)]
    assert scoring_files.dataset_path(version.sha256).exists()


def grown_old(monkeypatch: pytest.MonkeyPatch, age: timedelta) -> None:
    """Have the sweep believe that it is so much later."""

    class Later:
        @staticmethod
        def now(zone: Any) -> datetime:
            return datetime.now(zone) + age + timedelta(seconds=5)

    monkeypatch.setattr(kinds, "datetime", Later)


def test_freeze_that_comes_again_makes_what_was_left_young(
    shared: StoreSettings,
    s3: OwnS3,
) -> None:
    digest = scoring_files.store_dataset([b"of a freeze that was killed\n"])
    old = time.time() - ABANDONED_SECONDS - 1
    os.utime(scoring_files.dataset_path(digest), (old, old))
    before = changed_at(s3, shared, digest)
    time.sleep(1.1)  # S3 counts seconds

    scoring_files.store_dataset([b"of a freeze that was killed\n"])

    assert scoring_files.remove_unnamed_datasets() == 0
    assert changed_at(s3, shared, digest) > before


def changed_at(s3: OwnS3, shared: StoreSettings, digest: str) -> Any:
    return s3.client().head_object(Bucket=shared.bucket, Key=dataset_key(digest))["LastModified"]


def test_version_is_not_stored_without_its_file(
    shared: StoreSettings,
    s3: OwnS3,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = scoring_files.store_dataset

    def swept(pieces: Any) -> str:
        digest = store(pieces)
        s3.client().delete_object(Bucket=shared.bucket, Key=dataset_key(digest))
        return digest

    monkeypatch.setattr(scoring_files, "store_dataset", swept)
    with pytest.raises(OutOfDate, match="start it again"):
        imported("tiny", dataset_rows())

    assert not DatasetVersion.objects.exists()


@pytest.fixture
def model(version: DatasetVersion) -> ModelVersion:
    run = request_training(version=version, criterion=CRITERION, options={"method": "probe"})
    carry_out_training(run.pk)
    return ModelVersion.objects.get(run=run)


def test_ended_run_leaves_no_state_in_the_store(
    version: DatasetVersion,
    s3: OwnS3,
    shared: StoreSettings,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    (state_directory(run) / "weights").write_bytes(b"w")
    put_tree(scoring_files.RUNS, run.pk.hex, state_directory(run))
    prefix = f"of-this-site/runs/{run.pk.hex}/"
    grown_old(monkeypatch, kinds.LONGEST_UPLOAD)
    assert kinds.sweep_unnamed(scoring_files.RUNS) == 0

    TrainingRun.objects.filter(pk=run.pk).update(status=JobStatus.FAILED)

    assert kinds.sweep_unnamed(scoring_files.RUNS) == 2
    assert s3.keys(shared.bucket, prefix) == []


def used(path: Path, seconds_ago: float) -> None:
    at = time.time_ns() - int(seconds_ago * 10**9)
    for file in path.iterdir() if path.is_dir() else [path]:
        os.utime(file, ns=(at, file.stat().st_mtime_ns))


def test_least_recently_used_copies_go_beyond_the_bound(
    version: DatasetVersion,
    model: ModelVersion,
    s3: OwnS3,
    shared: StoreSettings,
    settings: Any,
) -> None:
    alone = scoring_files.store_dataset([b"not in the store\n"])
    s3.client().delete_object(Bucket=shared.bucket, Key=dataset_key(alone))
    dataset, directory = scoring_files.dataset_path(version.sha256), directory_of(model)
    size = dataset.stat().st_size + scoring_files.dataset_path(alone).stat().st_size
    for path, age in ((scoring_files.dataset_path(alone), 9), (directory, 3), (dataset, 2)):
        used(path, age * IN_USE_SECONDS)

    settings.ARTEFACT_CACHE_BYTES = 10**9
    assert evict_copies() == 0
    settings.ARTEFACT_CACHE_BYTES = size
    assert evict_copies() == 1
    assert (dataset.exists(), directory.exists()) == (True, False)
    used(dataset, IN_USE_SECONDS - 60)
    settings.ARTEFACT_CACHE_BYTES = 0
    assert evict_copies() == 0
    used(dataset, IN_USE_SECONDS + 60)
    assert evict_copies() == 1
    assert scoring_files.dataset_path(alone).exists()

    scoring_files.check_dataset(version.sha256)
    assert directory_of(model).exists()


def test_reading_a_copy_counts_as_use(version: DatasetVersion, model: ModelVersion) -> None:
    used(directory := directory_of(model), 10**6)
    directory_of(model)
    assert max(file.stat().st_atime for file in directory.iterdir()) > time.time() - 60
    path = scoring_files.dataset_path(version.sha256)
    page_of(version, Filter(), 1, 5)
    changed = path.stat().st_mtime_ns
    for read in (
        lambda: scoring_files.check_dataset(version.sha256),
        lambda: page_of(version, Filter(), 1, 5),
    ):
        used(path, 10**6)
        read()
        assert path.stat().st_atime > time.time() - 60
    assert path.stat().st_mtime_ns == changed


def test_sweep_takes_nothing_that_a_row_names(
    model: ModelVersion,
    s3: OwnS3,
    shared: StoreSettings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    named = s3.keys(shared.bucket)
    stray = tmp_path / "stray"
    stray.write_bytes(b"x")
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    for kind in ("sources", "drawings"):
        put(kind, "00000000-0000-4000-8000-000000000000", digest, stray)
    for kind, owner in (("datasets", digest), ("models", "model-0"), ("runs", "0" * 32)):
        put(kind, owner, digest, stray)
    grown_old(monkeypatch, kinds.LONGEST_UPLOAD)

    assert kinds.sweep_store() == 5
    assert s3.keys(shared.bucket) == named
    assert kinds.sweep_store() == 0
    assert Counter(kind.name for kind in kinds.kinds()) == Counter(
        ("sources", "drawings", "datasets", "models", "runs")
    )


def test_store_is_swept_at_once_on_a_machine_that_has_just_started(
    version: DatasetVersion, shared: StoreSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = scoring_files.store_dataset([b"of a freeze that was killed\n"])
    scoring_files.dataset_path(left).unlink()
    grown_old(monkeypatch, kinds.YOUNG)
    seconds_since_start = [5.0]
    clock = SimpleNamespace(monotonic=lambda: seconds_since_start[0])
    monkeypatch.setattr(kinds, "time", clock)

    assert kinds.sweep_store() == 1

    scoring_files.store_dataset([b"of a freeze that was killed\n"])
    assert kinds.sweep_store() == 0
    seconds_since_start[0] += kinds.SECONDS_BETWEEN_SWEEPS
    assert kinds.sweep_store() == 1
