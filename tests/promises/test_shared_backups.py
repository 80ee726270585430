"""A backup of hosts that share files is made on any of them, and a restore shares the files."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from annotator.operations.backups.sealing import seal_to
from annotator.operations.backups.services import make_backup
from core.artefacts.settings import StoreSettings
from scoring.models import ModelVersion
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.annotator.operations.conftest import key
from tests.promises.fresh_host import fresh_host
from tests.s3_servers import (
    OwnS3,
    on_another_host,
    s3,
    shared,
    store_settings,
)
from tests.scoring.conftest import dataset_rows, imported

__all__ = ["key", "s3", "shared"]
pytestmark = [pytest.mark.broker, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def model(shared: StoreSettings, transactional_db: None) -> ModelVersion:
    version = imported("tiny", dataset_rows())
    run = request_training(
        version=version, criterion="feature_completeness", options={"method": "probe"}
    )
    carry_out_training(run.pk)
    return ModelVersion.objects.get(run=run)


# Programs are started: one kind of server is enough.
@pytest.mark.parametrize("s3", ["rclone"], indirect=True)
def test_host_without_files_makes_a_backup_and_a_restore_fills_another_store(
    model: ModelVersion,
    shared: StoreSettings,
    s3: OwnS3,
    key: Any,
    settings: Any,
    tmp_path: Path,
) -> None:
    sealed = tmp_path / "of-a-web-host.backup"
    with on_another_host(settings, tmp_path):
        _, manifest = make_backup(target=sealed, seal=seal_to([key[0]]))
    files = {file.name.split("/")[0] for file in manifest.files}
    assert files == {"datasets", "models"}

    other = s3.make_bucket()
    with fresh_host(tmp_path / "restored") as host:
        host.env.update(store_settings(other, s3.url))
        host.restore(sealed, key[1])
        assert s3.keys(other) == s3.keys(shared.bucket)
        assert look(host, "artefact store") == "ok"
        # A host of the restored site that has no file at all.
        for folder in files:
            shutil.rmtree(tmp_path / "restored" / folder)
        assert look(host, "model files") == look(host, "dataset files") == "ok"

        lost = s3.keys(other)[0]
        s3.client().delete_object(Bucket=other, Key=lost)
        assert look(host, "artefact store") == "missing"
        assert host.command("share_files").returncode == 0
        assert s3.keys(other) == s3.keys(shared.bucket)


def look(host: Any, part: str) -> str:
    findings = json.loads(host.command("doctor", "--json").stdout)["findings"]
    (level,) = {one["level"] for one in findings if one["part"] == part}
    return str(level)
