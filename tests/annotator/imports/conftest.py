"""Imports whose files lie apart, and a campaign to fill."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.campaigns.services import create_campaign
from annotator.imports import services as imports_services
from annotator.models import Campaign
from tests.annotator.imports.import_files import drop_at_once
from tests.conftest import signed_in


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path / "data"
    drop_at_once(monkeypatch)


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    for module in ("api", "views"):
        monkeypatch.setattr(f"annotator.imports.{module}.enqueue_on_commit", found.append)
    return found


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SMALL_BYTES", "SMALL_PACKED_BYTES"):
        monkeypatch.setattr(imports_services, name, 0)


@pytest.fixture
def campaign(db: None) -> Campaign:
    return create_campaign(slug="mugs")


@pytest.fixture
def ada(cast) -> Client:
    return signed_in(cast.ada)
