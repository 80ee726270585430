"""From figures of a report to the claims behind them and back, in a real Chromium."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scoring.models import AgreementReport
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_accessibility import sideways
from tests.scoring.asked_reports import carried_out, request
from tests.scoring.conftest import dataset_rows, imported

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def report(cast: Any, transactional_db: None, settings: Any, tmp_path: Path) -> AgreementReport:
    """A report on a dataset of no campaign, whose texts rita may read."""
    settings.DATA_DIR = tmp_path
    version = imported("published", dataset_rows())
    return carried_out(request(version, "bleu-1", "random", "patclaimeval-0"))


@pytest.fixture
def rita(cast: Any, enter: Enter, page: Page, complaints: list[str]) -> Page:
    enter(page.context, cast.rita)
    return page


def read_and_return(page: Page) -> None:
    """From an item to its claims, then to the list and to the report."""
    reader = page.get_by_role("region", name="Reference, B and C, claim by claim")
    expect(reader).to_contain_text("comprising a housing")
    page.get_by_role("link", name="Back to the list").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Items of the report")
    page.get_by_role("link", name="published@1").click()
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()


def open_list(page: Page, count: str) -> None:
    """Look at the list that a count led to, and open its first item."""
    expect(page.get_by_role("status")).to_contain_text(f"{count} of 18 items")
    page.locator(".items tbody th a").first.click()


def test_three_figures_lead_to_the_claims_and_back(
    rita: Page, report: AgreementReport, site: str
) -> None:
    rita.goto(f"{site}/reports/{report.pk}/")
    # A cell of a confusion table.
    rita.get_by_text("Confusion tables").click()
    cell = rita.locator("#confusion table").first.get_by_role("link").first
    count = cell.inner_text()
    cell.click()
    open_list(rita, count)
    read_and_return(rita)
    # The items on which two scorers differ.
    differ = rita.locator("#tests td:last-child a").first
    count = differ.inner_text()
    differ.click()
    open_list(rita, count)
    read_and_return(rita)
    # A dot.
    rita.locator("#scatter circle").nth(4).click()
    expect(rita.get_by_role("heading", level=1)).to_contain_text("Item 5")
    read_and_return(rita)


def test_an_item_is_read_by_keyboard_with_its_aids_and_reasons(
    rita: Page, report: AgreementReport, site: str
) -> None:
    rita.goto(f"{site}/reports/{report.pk}/items/1/?sort=number")
    panes = rita.locator("#panes")
    expect(panes).to_have_class(["panes is-aligned shows-diff shows-marks"])
    # Who leaves at once may leave before it is remembered.
    with rita.expect_response("**/reading/**"):
        rita.keyboard.press("d")
    expect(panes).to_have_class(["panes is-aligned shows-marks"])
    rita.keyboard.press(".")
    expect(rita.get_by_text("Why candidate B scores as it does")).to_be_visible()
    with rita.expect_navigation():
        rita.keyboard.press("n")
    expect(rita.get_by_role("heading", level=1)).to_contain_text("Item 2")
    # The aid is remembered.
    expect(rita.locator("#panes")).to_have_class(["panes is-aligned shows-marks"])


def test_the_pages_break_no_rule_and_fit_a_telephone(
    rita: Page, report: AgreementReport, site: str
) -> None:
    found = []
    items = f"/reports/{report.pk}/items/"
    for path in (
        f"/reports/{report.pk}/",
        items,
        f"{items}?scorer=bleu-1&second=patclaimeval-0",
        f"{items}1/",
    ):
        rita.goto(site + path)
        rita.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found += faults(rita) + sideways(rita)
    assert not found, "\n".join(found)


def test_the_way_goes_without_scripts(
    cast: Any, enter: Enter, report: AgreementReport, site: str, browser: Browser
) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        enter(context, cast.rita)
        page = context.new_page()
        page.goto(f"{site}/reports/{report.pk}/")
        page.get_by_role("link", name="BLEU-1", exact=True).first.click()
        page.get_by_label("It is").select_option("right")
        page.get_by_role("button", name="Show").click()
        page.locator(".items tbody th a").first.click()
        page.get_by_role("button", name="Differences").click()
        expect(page.locator("#panes")).to_have_class(["panes is-aligned shows-marks"])
        read_and_return(page)
