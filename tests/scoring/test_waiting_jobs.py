"""Jobs that lack what another machine may have wait for it, and every page says so."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotator.imports.services import carry_out_import
from annotator.models import ClaimImport
from core.errors import Unreachable
from core.jobs import elsewhere
from core.jobs.rows import JobRow, JobStatus
from scoring import files as scoring_files
from scoring.datasets.freezing.services import request_freeze
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    ScoreRequest,
    TrainingRun,
)
from scoring.scores.services import carry_out_scores, request_scores
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.conftest import Cast
from tests.faults import raising
from tests.scoring import model_builders
from tests.scoring.asked_reports import CRITERION, carried_out, failing, make_model, request
from tests.scoring.conftest import SETTINGS, shown

pytestmark = pytest.mark.django_db
TEXTS = {"reference": "1. A housing, a pump.", "candidates": ["1. A pump."]}


@pytest.fixture
def others(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have other machines work on the jobs, too."""
    settings.JOB_LEASE_SECONDS = 3600
    monkeypatch.setattr(elsewhere, "_asks", [lambda: True])


def waits_for(row: JobRow, sentence: str) -> bool:
    row.refresh_from_db()
    return row.status == JobStatus.QUEUED and row.is_unreached and sentence in row.message


def test_a_report_waits_for_a_model_that_is_not_here(version, others) -> None:
    row = carried_out(request(version, f"model:{make_model(version).pk}", "length"))
    assert waits_for(row, "There is no model directory")
    assert row.result is None


def test_a_report_waits_where_a_scorer_reaches_for_something_half_way(version, monkeypatch) -> None:
    failing(monkeypatch, "bleu-1", raising(Unreachable("The store is away.")))
    assert waits_for(carried_out(request(version, "bleu-1", "length")), "The store is away.")


def test_a_report_waits_for_weights_that_were_there_for_who_asked(version, others) -> None:
    row = request(version, "bertscore", "length")
    AgreementReport.objects.update(question_sha256="a" * 64)
    assert waits_for(carried_out(row), "bertscore")


def test_a_report_says_which_weights_nobody_had_when_it_was_asked_for(version, others) -> None:
    row = carried_out(request(version, "bertscore", "length"))
    assert row.status == JobStatus.SUCCEEDED
    assert row.result is not None and row.result["scorers"]["bertscore"]["unavailable"]


def test_scores_wait_for_a_model_that_is_not_here(cast: Cast, version, others, tmp_path) -> None:
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    model = model_builders.make_model(version)
    (scoring_files.models_directory() / model.directory).rename(tmp_path / "aside")
    model_builders.promote(model, cast.ada)
    row = request_scores(asked_by=cast.rita, criteria=[CRITERION], **TEXTS)
    carry_out_scores(row.pk)
    assert waits_for(row, "There is no model directory")
    assert row.scores is None


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_training_waits_for_a_dataset_that_is_not_here(
    version: DatasetVersion, others, monkeypatch, is_alone
) -> None:
    if is_alone:
        monkeypatch.setattr(elsewhere, "_asks", [])
    run = request_training(version=version, criterion=CRITERION, options={"method": "probe"})
    path = scoring_files.dataset_path(version.sha256)
    aside = path.rename(path.with_suffix(".aside"))
    carry_out_training(run.pk)
    run.refresh_from_db()
    assert "is missing" in run.message
    assert run.status == (JobStatus.FAILED if is_alone else JobStatus.QUEUED)
    aside.rename(path)
    TrainingRun.objects.update(due_at=run.created_at)
    carry_out_training(run.pk)
    run.refresh_from_db()
    assert run.status == (JobStatus.FAILED if is_alone else JobStatus.SUCCEEDED)


def test_a_training_waits_for_an_encoder_that_is_not_here(
    version: DatasetVersion, tiny_encoder, others
) -> None:
    options = {"method": "finetune", "encoder": str(tiny_encoder), "epochs": 1, "device": "cpu"}
    run = request_training(version=version, criterion=CRITERION, options=options)
    TrainingRun.objects.update(settings=run.settings | {"encoder": "/nowhere/encoder"})
    carry_out_training(run.pk)
    assert waits_for(run, "There is no encoder directory at /nowhere/encoder")


def test_an_import_waits_for_an_upload_that_is_not_here_and_is_not_given_up(
    cast: Cast, settings, tmp_path, others
) -> None:
    settings.DATA_DIR = tmp_path / "there"
    settings.DATA_DIR.mkdir()
    row = ClaimImport.objects.create(campaign=cast.campaign, file_name="a", file_bytes=1)
    carry_out_import(row.pk)
    assert waits_for(row, "is not there any more")
    assert row.attempt == 0


def unreached(row: JobRow) -> None:
    told = {"message": "Waiting since then: It is away.", "unreached_at": row.created_at}
    type(row)._default_manager.filter(pk=row.pk).update(**told)


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
def test_what_is_waited_for_stands_on_every_page_that_shows_the_job(
    cast: Cast, of_campaign: DatasetVersion, rita: Client, make: Make
) -> None:
    row, pages, call = make(cast, of_campaign)
    for page in pages:
        assert "It is away." not in shown(rita, page)
    unreached(row)
    for page in (*pages, "/"):
        assert "Waiting since then: It is away." in shown(rita, page), page
    if call:
        assert rita.get(call).json()["message"] == "Waiting since then: It is away."


def test_what_is_waited_for_stands_on_the_pages_of_an_import(cast: Cast, ada: Client) -> None:
    row = ClaimImport.objects.create(campaign=cast.campaign, file_name="a", file_bytes=1)
    unreached(row)
    for page in ("/campaigns/cups/import/", f"/campaigns/cups/imports/{row.pk}/"):
        assert "Waiting since then: It is away." in shown(ada, page), page
