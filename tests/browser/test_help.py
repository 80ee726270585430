"""Help and the description of the REST API, as a browser shows them."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import User
from tests.browser.axe import faults
from tests.browser.conftest import Enter

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_question_mark_opens_the_guide_of_the_role(
    alice: User, enter: Enter, site: str, page: Page
) -> None:
    enter(page.context, alice)
    page.goto(site)
    page.keyboard.press("?")
    expect(page.get_by_role("heading", level=1)).to_have_text("Annotator guide")
    assert not faults(page)


def test_the_description_of_the_api_names_its_calls_under_the_policy(
    cast: Any, transactional_db: None, enter: Enter, site: str, page: Page
) -> None:
    enter(page.context, cast.ada)
    page.goto(f"{site}/api/docs/")
    expect(page.locator(".opblock-summary-path").first).to_be_visible()
    assert page.locator(".opblock").count() > 40
    page.get_by_role("button", name="POST /api/v1/campaigns/", exact=True).click()
    expect(page.locator(".opblock.is-open")).to_contain_text("The world has moved on")
