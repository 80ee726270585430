"""A calibration from the admin's page to the first rating, by keyboard."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, CalibrationAnswer, CalibrationItem, Rating, User
from patclaimeval.rubric import CRITERIA
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.scene import furnish, press

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def set_up(page: Page, cast: Any, site: str) -> None:
    """Add a candidate and a worked example, and switch the calibration on, as an admin."""
    reference = cast.reference("r0", 1)
    furnish(reference)
    page.goto(f"{site}/campaigns/{cast.campaign.slug}/calibration/")
    page.get_by_label("Reference id").fill("r0")
    page.get_by_label("Candidate id").fill(reference.candidates.get().candidate_id)
    for criterion, score in zip(CRITERIA, "6475", strict=True):
        page.locator(f"[name={criterion}]").fill(score)
        page.locator(f"[name=reason_{criterion}]").fill(f"Reasons on {criterion}.")
    page.get_by_role("button", name="Add the candidate").click()
    page.get_by_label("The steps are there").check()
    page.get_by_role("button", name="Add the examples").click()
    page.get_by_role("button", name="Switch on").click()
    expect(page.get_by_text("starts with the calibration.")).to_be_visible()
    assert CalibrationItem.objects.count() == 2
    assert faults(page) == []


def test_an_annotator_learns_after_each_answer_and_then_rates(
    cast: Any,
    alice: User,
    work: list[Assignment],
    enter: Enter,
    site: str,
    page: Page,
    complaints: list[str],
) -> None:
    enter(page.context, cast.ada)
    set_up(page, cast, site)
    page.context.clear_cookies()
    enter(page.context, alice)
    page.goto(f"{site}/")
    expect(page.get_by_role("heading", name="starts with a calibration")).to_be_visible()
    page.get_by_role("link", name="Start the calibration").press("Enter")
    page.wait_for_selector(".fold")
    expect(page.get_by_text("Reasons on")).to_have_count(0)
    assert faults(page) == []
    press(page, "8", "4", "t", "5", "Enter")
    expect(page.get_by_text("Your scores beside the agreed ones")).to_be_visible()
    expect(page.get_by_text("Reasons on")).to_have_count(4)
    shown = page.locator(".calibrated td.number").all_text_contents()
    assert shown[:6] == ["8", "6", "+2", "4", "4", "same"]
    assert faults(page) == []
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Calibration 2 of 2")).to_be_visible()
    page.wait_for_selector(".fold")
    press(page, "7", "8", "t", "4", "Enter")
    expect(page.get_by_text("Humidity is measured for nothing")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_role("link", name="Rate Candidate 1")).to_be_visible()
    assert (CalibrationAnswer.objects.count(), Rating.objects.count()) == (2, 0)
    page.goto(f"{site}/rate/{work[0].pk}/")
    expect(page.get_by_role("button", name="Submit rating")).to_be_visible()


def test_an_item_is_rated_without_scripts(
    cast: Any, alice: User, work: list[Assignment], enter: Enter, site: str, browser: Any
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, cast.ada)
    page = context.new_page()
    page.goto(f"{site}/campaigns/{cast.campaign.slug}/calibration/")
    page.get_by_label("The steps are there").check()
    page.get_by_role("button", name="Add the examples").click()
    page.get_by_role("button", name="Switch on").click()
    context.clear_cookies()
    enter(context, alice)
    page.goto(f"{site}/rate/{work[0].pk}/")
    expect(page.get_by_role("heading", name="Calibration 1 of 1")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Choose a score from 0 to 10.")).to_have_count(4)
    for criterion in CRITERIA:
        page.locator(f"input[name={criterion}][value='7']").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your scores beside the agreed ones")).to_be_visible()
    page.get_by_role("link", name="Calibration done: to your queue").click()
    expect(page.get_by_role("link", name="Rate Candidate 1")).to_be_visible()
    context.close()
