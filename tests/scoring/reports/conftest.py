"""A finished report that everybody of the campaign may read."""

import pytest

from scoring.models import AgreementReport, DatasetVersion
from tests.scoring.report_documents import report_document
from tests.scoring.report_rows import stored


@pytest.fixture
def report(of_campaign: DatasetVersion) -> AgreementReport:
    return stored(of_campaign, report_document())
