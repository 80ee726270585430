"""Models, states of trainings and encoders on hosts that share an artefact store."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from annotator.operations.shared import share_files
from core.artefacts.copies import tidy_copies
from core.artefacts.settings import StoreSettings
from core.artefacts.store import put
from core.artefacts.trees import fetch_tree, tree_of
from core.jobs import leases
from scoring import files as scoring_files
from scoring.files import StoredFileDamaged
from scoring.models import DatasetVersion, ModelVersion, TrainingRun
from scoring.operations import dataset_and_model_files, look_at_stored_files
from scoring.scores.scorers import ScoringModel, cached_scorer
from scoring.training.model_versions.files import directory_of, has_manifest, open_model
from scoring.training.runs.choices import encoders_directory
from scoring.training.runs.services import request_training
from scoring.training.runs.states import LATEST, SharedState, state_directory
from scoring.training.runs.work import carry_out_training, unchanged_model
from tests.s3_servers import (
    Between,
    OwnS3,
    between,
    on_another_host,
    s3,
    shared,
    shared_between,
)
from tests.scoring.conftest import dataset_rows, imported
from tests.scoring.test_shared_files import dataset_key, model, no_lease_is_due, version

__all__ = ["between", "model", "no_lease_is_due", "s3", "shared", "shared_between", "version"]
pytestmark = [pytest.mark.broker, pytest.mark.django_db]

CRITERION = "feature_completeness"


def test_model_scores_on_another_host(
    model: ModelVersion,
    settings: Any,
    tmp_path: Path,
    s3: OwnS3,
    shared: StoreSettings,
) -> None:
    from scoring.patclaimeval.checkpoint import read_checkpoint

    here = sorted(path.name for path in directory_of(model).iterdir())

    with on_another_host(settings, tmp_path):
        assert has_manifest(model)
        assert list(scoring_files.models_directory().iterdir()) == []

        directory = directory_of(model)

        read_checkpoint(directory, model.manifest_sha256)
        for entry in open_model(directory, model.manifest_sha256):
            entry.file.close()
        assert sorted(path.name for path in directory.iterdir()) == here
        assert [path.name for path in directory.parent.iterdir()] == [model.directory]
        assert {one.name.split("/")[0] for one in dataset_and_model_files()} == {
            "datasets",
            "models",
        }


def test_cache_of_another_host_changes_no_score(
    model: ModelVersion, settings: Any, tmp_path: Path
) -> None:
    scoring = ScoringModel(model.criterion, model)
    pairs = [(row.reference, row.b) for row in dataset_rows()]
    here = cached_scorer(scoring).score(pairs)
    assert cached_scorer(scoring).known(pairs) == here

    with on_another_host(settings, tmp_path):
        assert cached_scorer(scoring).known(pairs) is None
        assert cached_scorer(scoring).score(pairs) == here


def test_model_that_lost_a_file_in_the_store_is_fetched_not_at_all(
    model: ModelVersion,
    settings: Any,
    tmp_path: Path,
    s3: OwnS3,
    shared: StoreSettings,
) -> None:
    lost = next(
        name
        for name in s3.keys(shared.bucket, f"of-this-site/models/{model.directory}/")
        if not name.endswith(model.manifest_sha256)
    )
    s3.client().delete_object(Bucket=shared.bucket, Key=lost)

    with on_another_host(settings, tmp_path):
        assert not directory_of(model).exists()
        assert list(scoring_files.models_directory().iterdir()) == []
        (finding,) = [one for one in look_at_stored_files() if one.level == "missing"]
        assert "train the model again" in finding.mend


def test_training_that_was_not_registered_leaves_no_object(
    version: DatasetVersion,
    s3: OwnS3,
    shared: StoreSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost(*_: Any, **__: Any) -> None:
        raise leases.LostLease

    run = request_training(version=version, criterion=CRITERION, options={"method": "probe"})
    monkeypatch.setattr(leases, "close", lost)
    carry_out_training(run.pk)

    assert s3.keys(shared.bucket) == [dataset_key(version.sha256)]


def running(version: DatasetVersion) -> TrainingRun:
    run = TrainingRun.objects.create(dataset_version=version, criterion=CRITERION, settings={})
    claimed = leases.claim(TrainingRun, run.pk)
    assert claimed is not None
    return claimed


def save(directory: Path, step: int) -> None:
    for path in directory.iterdir():
        path.unlink()
    (directory / f"weights-{step}.safetensors").write_bytes(b"w" * step)
    (directory / LATEST).write_text(f"step {step}")
    os.utime(directory / LATEST, ns=(step, step))


def test_another_host_goes_on_from_the_newest_state(
    version: DatasetVersion,
    s3: OwnS3,
    shared: StoreSettings,
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.TRAINING_STATE_SECONDS = 0
    run = running(version)
    state = SharedState(run)
    for step in (1, 2):
        save(state_directory(run), step)
        assert state.renew() == ""
    run.refresh_from_db()

    with on_another_host(settings, tmp_path):
        found = state_directory(run)
        assert (found / LATEST).read_text() == "step 2"
        save(found, 3)
        assert SharedState(run).renew() == ""
        run.refresh_from_db()

    assert (state_directory(run) / LATEST).read_text() == "step 3"
    # The weights, the file that names them and the listing of both.
    assert len(s3.keys(shared.bucket, f"of-this-site/runs/{run.pk.hex}/")) == 3


def test_state_that_is_gone_lets_a_run_begin_anew(
    version: DatasetVersion,
    shared: StoreSettings,
) -> None:
    run = running(version)
    run.state_sha256 = "0" * 64

    assert list(state_directory(run).iterdir()) == []


def test_training_goes_on_while_the_store_is_away(
    shared_between: StoreSettings,
    between: Between,
    settings: Any,
) -> None:
    settings.TRAINING_STATE_SECONDS = 0
    run = running(imported("tiny", dataset_rows()))
    save(state_directory(run), 1)
    between.is_dead = True

    assert "the state is on this host alone" in SharedState(run).renew()


def test_encoder_that_was_installed_on_one_host_is_offered_on_the_others(
    shared: StoreSettings, s3: OwnS3, settings: Any, tmp_path: Path
) -> None:
    place = encoders_directory() / "tiny"
    (place / "1_Pooling").mkdir(parents=True)
    (place / "config.json").write_text("{}")
    (place.parent / "notes.txt").write_text("of whoever installed it")
    (place / "1_Pooling" / "config.json").write_text("[]")
    assert share_files() == 1
    (place / "config.json").write_text("{ }")
    assert share_files() == 1
    # Two files and their listing, which also stands where it is found by name.
    assert len(s3.keys(shared.bucket)) == 4

    with on_another_host(settings, tmp_path):
        tidy_copies()
        there = encoders_directory() / "tiny"
        assert tree_of(there) == tree_of(place)
        (there / "config.json").write_text("here")
        tidy_copies()
        assert (there / "config.json").read_text() == "here"
        assert [path.name for path in there.parent.iterdir()] == ["tiny"]


def test_model_that_was_changed_in_the_store_is_refused_and_named(
    model: ModelVersion, settings: Any, tmp_path: Path, s3: OwnS3, shared: StoreSettings
) -> None:
    key = s3.keys(shared.bucket, f"of-this-site/models/{model.directory}/")[0]
    s3.client().put_object(Bucket=shared.bucket, Key=key, Body=b"of somebody else")

    with on_another_host(settings, tmp_path):
        with pytest.raises(StoredFileDamaged, match=key):
            directory_of(model)
        assert unchanged_model(model.run) is None
        assert list(scoring_files.models_directory().iterdir()) == []


def test_model_that_nobody_has_cannot_be_promoted(
    model: ModelVersion, settings: Any, tmp_path: Path, s3: OwnS3, shared: StoreSettings
) -> None:
    key = f"of-this-site/models/{model.directory}/{model.manifest_sha256}"
    s3.client().delete_object(Bucket=shared.bucket, Key=key)

    assert has_manifest(model)
    with on_another_host(settings, tmp_path):
        assert not has_manifest(model)


def test_no_listing_leads_out_of_its_directory(shared: StoreSettings, tmp_path: Path) -> None:
    for number, name in enumerate(("../outside", "/tmp/outside")):
        listing = tmp_path / f"listing-{number}"
        listing.write_text(json.dumps({name: "0" * 64}))
        digest = hashlib.sha256(listing.read_bytes()).hexdigest()
        put("encoders", "tiny", digest, listing)
        with pytest.raises(ValueError, match="leads out"):
            fetch_tree("encoders", "tiny", digest, tmp_path / "tiny")
        assert not (tmp_path / "tiny").exists()
