"""When a job was asked for follows from the database, which all processes share."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from annotator.models import ReliabilityReport
from core.clock import database_now

pytestmark = pytest.mark.django_db


def test_a_web_server_with_a_wrong_clock_does_not_put_its_jobs_first(cast, monkeypatch) -> None:
    wrong = datetime(1999, 1, 1, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: wrong)
    row = ReliabilityReport.objects.create(campaign=cast.campaign)
    monkeypatch.undo()
    # Known at once, without another question to the database.
    assert isinstance(row.created_at, datetime)
    assert abs(database_now() - row.created_at) < timedelta(minutes=5)
    row.refresh_from_db()
    assert row.created_at.year > 1999
