"""A timesheet: switched on by an admin, announced to annotators, taken away as a file."""

from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, User, WorkDay
from tests.browser.axe import faults
from tests.browser.conftest import Enter

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_timesheet_is_announced_before_it_is_taken(
    cast: Any,
    alice: User,
    work: list[Assignment],
    enter: Enter,
    site: str,
    page: Page,
    complaints: list[str],
) -> None:
    own = f"{site}/campaigns/{cast.campaign.slug}"
    enter(page.context, cast.ada)
    page.goto(f"{own}/timesheet/")
    page.get_by_role("link", name="rules", exact=True).click()
    page.get_by_label("Keep a timesheet").check()
    page.get_by_role("button", name="Save the rules").click()
    page.context.clear_cookies()
    enter(page.context, alice)
    page.goto(f"{site}/")
    expect(page.get_by_text("Cups keeps a timesheet")).to_be_visible()
    assert faults(page) == []
    with page.expect_response("**/ping/"):
        page.goto(f"{site}/rate/{work[0].pk}/")
    page.goto(f"{site}/rated/")
    page.get_by_text("What is recorded of you by day").click()
    expect(page.locator("#timesheet + details tbody")).to_contain_text("Cups")
    assert faults(page) == []
    row = WorkDay.objects.get(annotator=alice)
    assert row.begun == 1
    values = {"day": date(2026, 1, 15), "seconds": 5400, "begun": 9}
    WorkDay.objects.create(annotator=alice, campaign=cast.campaign, **values)
    page.context.clear_cookies()
    enter(page.context, cast.ada)
    page.goto(f"{own}/timesheet/")
    assert faults(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the timesheet").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[1:] == ["cups,alice,2026-01-15,2026-01-15,1.50"]
