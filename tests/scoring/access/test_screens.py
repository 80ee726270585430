"""Screens of datasets, runs, models and reports: who sees what, and what a mistake gives."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.models import Membership, User
from core.jobs.rows import JobStatus
from scoring.models import AgreementReport, DatasetVersion, TrainingRun
from scoring.reports.services import request_report
from scoring.reports.work import carry_out_report
from scoring.training.runs.services import request_training

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def of_campaign(cast: Any, version: DatasetVersion) -> DatasetVersion:
    """A version that belongs to the cast's campaign: mallory is no part of it."""
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


def training_form(version: DatasetVersion, **changes: str) -> dict[str, str]:
    sent = {"version": str(version.pk), "criterion": CRITERION, "margin": "0.2"}
    return {**sent, "tolerance": "0.05", "seed": "0", **changes}


def test_an_outsiders_researcher_finds_nothing_of_another_campaign(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="researcher")
    mallory = signed_in(cast.mallory)
    run = request_training(version=of_campaign, criterion=CRITERION, options={})
    report = request_report(
        version=of_campaign, criterion=CRITERION, scorers=["length"], split="all"
    )
    for path in (
        "/datasets/tiny/1/",
        f"/runs/{run.pk}/",
        f"/runs/{run.pk}/progress/",
        f"/reports/{report.pk}/",
        "/api/v1/datasets/tiny/versions/1/",
        f"/api/v1/training-runs/{run.pk}/",
        f"/api/v1/reports/{report.pk}/",
    ):
        assert mallory.get(path).status_code == 404, path
    for path in ("/datasets/", "/runs/", "/reports/", "/api/v1/datasets/"):
        assert "tiny" not in mallory.get(path).content.decode(), path
    assert mallory.post(f"/runs/{run.pk}/cancel/").status_code == 404
    assert mallory.post("/runs/", training_form(of_campaign)).status_code == 422
    # A door shut to her roles is shut for what exists and for what does not alike.
    for name in ("tiny", "nothing"):
        assert mallory.get(f"/datasets/{name}/1/export/").status_code == 403


def test_a_researcher_starts_a_run_and_an_admin_does_not(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    assert signed_in(cast.ada).post("/runs/", training_form(of_campaign)).status_code == 403
    assert not TrainingRun.objects.exists()
    answer = signed_in(cast.rita).post("/runs/", training_form(of_campaign))
    run = TrainingRun.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/runs/{run.pk}/")
    assert run.requested_by == cast.rita
    assert run.settings["margin"] == 0.2


@pytest.mark.parametrize(
    ("field", "value"),
    [("margin", "0"), ("margin", "nan"), ("tolerance", "0.9"), ("seed", "-1"), ("criterion", "x")],
)
def test_a_bad_setting_is_named_and_nothing_is_queued(
    cast: Any, of_campaign: DatasetVersion, field: str, value: str
) -> None:
    answer = signed_in(cast.rita).post("/runs/", training_form(of_campaign, **{field: value}))
    assert answer.status_code == 422
    assert f'name="{field}"' in answer.content.decode()
    assert not TrainingRun.objects.exists()


def test_the_progress_fragment_polls_until_the_run_is_final(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    rita = signed_in(cast.rita)
    run = request_training(version=of_campaign, criterion=CRITERION, options={})
    waiting = rita.get(f"/runs/{run.pk}/progress/").content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert "Waiting for a worker." in waiting
    rita.post(f"/runs/{run.pk}/cancel/")
    run.refresh_from_db()
    assert run.status == JobStatus.CANCELLED
    ended = rita.get(f"/runs/{run.pk}/progress/").content.decode()
    assert "hx-trigger" not in ended
    assert "Cancel run" not in ended


def test_only_an_admin_downloads_claim_texts(
    cast: Any, of_campaign: DatasetVersion, data_directory: Path
) -> None:
    assert signed_in(cast.rita).get("/datasets/tiny/1/export/").status_code == 403
    answer = signed_in(cast.ada).get("/datasets/tiny/1/export/")
    assert answer.status_code == 200
    stored = data_directory / "datasets" / f"{of_campaign.sha256}.jsonl"
    assert b"".join(answer) == stored.read_bytes()  # type: ignore[arg-type]


def test_a_finished_report_shows_every_scorer_and_the_caution(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    rita = signed_in(cast.rita)
    report = request_report(
        version=of_campaign, criterion=CRITERION, scorers=["rouge-1"], split="all"
    )
    assert "Waiting for a worker." in rita.get(f"/reports/{report.pk}/").content.decode()
    carry_out_report(report.pk)
    page = rita.get(f"/reports/{report.pk}/").content.decode()
    for label in ("ROUGE-1", "Most frequent label", "Is it the reference?", "Number of words"):
        assert f'<th scope="row">{label}' in page
    assert "Only 6 references" in page
    assert AgreementReport.objects.get().result["signature"] in page.replace("&#x27;", "'")  # type: ignore[index]


def test_a_report_on_an_empty_split_is_refused_with_the_form_shown_again(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    form = {
        "version": str(of_campaign.pk),
        "criterion": "logical_linkage",
        "split": "all",
        "scorers": ["rouge-1"],
        "tie_threshold": "0.001",
    }
    answer = signed_in(cast.rita).post("/reports/", form)
    assert answer.status_code == 422
    assert 'value="0.001"' in answer.content.decode()
    assert not AgreementReport.objects.exists()


def test_a_waiting_report_is_cancelled_once(cast: Any, of_campaign: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    report = request_report(
        version=of_campaign, criterion=CRITERION, scorers=["rouge-1"], split="all"
    )
    assert "Cancel report" in rita.get(f"/reports/{report.pk}/").content.decode()
    for sentence in ("will stop within seconds", "has ended already"):
        page = rita.post(f"/reports/{report.pk}/cancel/", follow=True).content.decode()
        assert sentence in page
    report.refresh_from_db()
    assert report.status == JobStatus.CANCELLED


def test_label_counts_stand_under_their_own_headings(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    # The order of keys that PostgreSQL gives back.
    of_campaign.card["labels"] = {CRITERION: {"0": 22, "1": 11, "-1": 33}}
    of_campaign.save()
    page = signed_in(cast.rita).get("/datasets/tiny/1/").content.decode()
    places = [page.index(f'<td class="number">{count}</td>') for count in (11, 22, 33)]
    assert places == sorted(places)


def test_scorers_stand_in_the_order_that_was_asked_for(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    rita = signed_in(cast.rita)
    names = ["rouge-1", "meteor", "bleu-1"]
    report = request_report(version=of_campaign, criterion=CRITERION, scorers=names, split="all")
    carry_out_report(report.pk)
    shown = rita.get(f"/api/v1/reports/{report.pk}/").json()
    assert list(shown["scorers"]) == names
    assert next(iter(shown["baselines"])) == "majority"
    page = rita.get(f"/reports/{report.pk}/").content.decode()
    labels = ("ROUGE-1", "METEOR", "BLEU-1")
    places = [page.index(f'<th scope="row">{label}') for label in labels]
    assert places == sorted(places)
