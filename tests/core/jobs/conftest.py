"""A job to claim, to close and to enqueue."""

from typing import Any

import pytest

from scoring.models import AgreementReport, Dataset, DatasetVersion


def make_job(**more: Any) -> AgreementReport:
    """Return a queued job."""
    version = DatasetVersion.objects.create(
        dataset=Dataset.objects.create(name="tiny"), number=1, sha256="0" * 64, items=0, card={}
    )
    return AgreementReport.objects.create(
        dataset_version=version, criterion="x", scorers=[], split="all", tie_threshold=0, **more
    )


@pytest.fixture
def job(db: None) -> AgreementReport:
    return make_job()
