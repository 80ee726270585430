"""From a rating by keyboard to the report about it, in a real Chromium."""

import os
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotator.models import BrowserSession, Campaign, Membership, Rating, User
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import AgreementReport, Dataset, DatasetVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.reports.work import carry_out_report
from tests.browser.conftest import Enter
from tests.browser.scene import PASSWORD, sign_in
from tests.scoring.conftest import dataset_rows

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def arrive(page: Page, site: str, username: str) -> None:
    page.goto(f"{site}/login/")
    sign_in(page, username)
    page.wait_for_url(f"{site}/")


def rate_by_keyboard(page: Page, *keys: str) -> None:
    """Rate the candidate on screen and wait for the next page."""
    here = page.url
    page.wait_for_selector("fieldset.marked, fieldset:focus-within")
    for key in keys:
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != here)


def test_ratings_by_keyboard_are_frozen_and_the_report_is_read(
    cast: Any,
    alice: User,
    site: str,
    page: Page,
    complaints: list[str],
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.DATA_DIR = tmp_path
    for name in ("r1", "r2"):
        reference = cast.reference(name, candidates=2)
        reference.may_train = True
        reference.claims = f"1. A cup {name} comprising a body and a handle."
        reference.save()
        for candidate in reference.candidates.all():
            candidate.claims = f"{candidate.claims[:-1]} like {name}."
            candidate.save()
        cast.assign(alice, reference)
    arrive(page, site, "alice")
    expect(page.locator("[data-start]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/rate/**")
    for keys in ("9876", "5432", "8t79", "1234"):
        rate_by_keyboard(page, *keys)
    assert Rating.objects.count() == 4

    arguments = ("cups", "--include-unlocked", "--test-share", "0", "--validation-share", "0")
    call_command("freeze_dataset", *arguments, "--json", stdout=StringIO(), stderr=StringIO())
    cast.rita.set_password(PASSWORD)
    cast.rita.save()
    page.click("text=Sign out")
    arrive(page, site, "rita")
    page.goto(f"{site}/reports/")
    page.select_option("[name=version]", str(DatasetVersion.objects.get().pk))
    page.select_option("[name=split]", "all")
    page.click("text=Calculate the report")
    page.wait_for_url("**/reports/*-*/")
    expect(page.locator("#report-body")).to_contain_text("Waiting for a worker.")
    carry_out_report(AgreementReport.objects.get().pk)
    # The page polls by itself; nobody reloads it.
    expect(page.locator("#report-body table.figures tbody tr").first).to_contain_text("BLEU-1")
    assert Dataset.objects.get().name == "cups"


@pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no published file")
def test_a_published_claim_set_is_taken_and_rated_by_keyboard(
    cast: Any, alice: User, site: str, page: Page, complaints: list[str]
) -> None:
    arguments = ("--campaign", "published", "--format", "patent-ce")
    call_command("import_claims", SAMPLE, *arguments, stdout=StringIO(), stderr=StringIO())
    campaign = Campaign.objects.get(slug="published")
    Membership.objects.create(user=alice, campaign=campaign, role="annotator")
    arrive(page, site, "alice")
    page.click("form[action='/campaigns/published/next/'] button")
    page.wait_for_url("**/rate/**")
    assert page.locator(".claim").count() > 4
    rate_by_keyboard(page, *"7658")
    rating = Rating.objects.get(candidate__reference__campaign=campaign)
    assert list(rating.scores.values()) == [7, 6, 5, 8]


def test_a_page_that_asks_for_progress_says_when_the_session_has_ended(
    cast: Any, enter: Enter, site: str, page: Page, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    rows = dataset_rows()
    version = import_dataset(name="tiny", rows=rows, plan=SplitPlan("file")).version
    run = TrainingRun.objects.create(
        dataset_version=version, criterion="logical_linkage", settings={}
    )
    enter(page.context, cast.rita)
    page.goto(f"{site}/runs/{run.pk}/")
    BrowserSession.objects.all().delete()
    expect(page.locator("#problem")).to_contain_text("You were signed out.")
    expect(page.locator("#run-progress")).to_contain_text("Queued")
