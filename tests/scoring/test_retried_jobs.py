"""Jobs whose attempt failed because something was unreachable, and what pages say of them."""

from collections.abc import Callable

import pytest
from django.test import Client

from core.errors import Unreachable
from core.jobs.rows import JobRow, JobStatus
from scoring.datasets.freezing.services import request_freeze
from scoring.models import DatasetVersion, ScoreRequest
from scoring.training.runs.services import request_training
from tests.conftest import Cast
from tests.faults import raising
from tests.scoring.asked_reports import CRITERION, carried_out, failing, request
from tests.scoring.conftest import SETTINGS, shown

pytestmark = pytest.mark.django_db
WHY = "The bucket is away. This job is tried again in 2 minutes."


def test_a_report_is_tried_again_where_a_scorer_reaches_for_something(
    version: DatasetVersion, monkeypatch, settings
) -> None:
    settings.JOB_LEASE_SECONDS = 3600
    failing(monkeypatch, "bleu-1", raising(Unreachable("The bucket is away.")))
    row = carried_out(request(version, "bleu-1", "length"))
    assert (row.status, row.message, row.result) == (JobStatus.QUEUED, WHY, None)


def a_report(cast: Cast, version: DatasetVersion) -> tuple[JobRow, list[str], str]:
    row = request(version, "length", requested_by=cast.rita)
    return row, ["/reports/", f"/reports/{row.pk}/"], f"/api/v1/reports/{row.pk}/"


def a_run(cast: Cast, version: DatasetVersion) -> tuple[JobRow, list[str], str]:
    row = request_training(
        version=version, criterion=CRITERION, options={"method": "probe"}, requested_by=cast.rita
    )
    return row, ["/runs/", f"/runs/{row.pk}/"], f"/api/v1/training-runs/{row.pk}/"


def some_scores(cast: Cast, version: DatasetVersion) -> tuple[JobRow, list[str], str]:
    row = ScoreRequest.objects.create(
        asked_by=cast.rita,
        reference_text="1. A.",
        candidate_texts=["1. B."],
        models_by_criterion={},
    )
    return row, [f"/score/{row.pk}/"], f"/api/v1/score/{row.pk}/"


def a_freeze(cast: Cast, version: DatasetVersion) -> tuple[JobRow, list[str], str]:
    settings = SETTINGS | {"name": None, "include_unlocked": False}
    row = request_freeze(campaign=cast.campaign, settings=settings, asked_by=cast.rita)
    return row, ["/datasets/", f"/datasets/freezes/{row.pk}/"], ""


Make = Callable[[Cast, DatasetVersion], tuple[JobRow, list[str], str]]


@pytest.mark.parametrize("make", [a_report, a_run, some_scores, a_freeze])
def test_every_page_that_shows_the_job_says_why_it_is_tried_again(
    cast: Cast, of_campaign: DatasetVersion, rita: Client, make: Make
) -> None:
    row, pages, call = make(cast, of_campaign)
    type(row)._default_manager.filter(pk=row.pk).update(message=WHY, attempt=1)
    for page in pages:
        assert WHY in shown(rita, page), page
    if call:
        assert rita.get(call).json()["message"] == WHY
