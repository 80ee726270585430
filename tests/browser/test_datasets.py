"""A dataset from its preview to the comparison of two versions, by keyboard."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scoring.datasets.freezing.services import carry_out_freeze
from scoring.models import Freeze
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.scene import go_to
from tests.conftest import grant, make_user
from tests.scoring.conftest import RatedCampaign, make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Scenario = tuple[RatedCampaign, Any]


@pytest.fixture
def scenario(transactional_db: None, settings: Any, tmp_path: Any) -> Scenario:
    """A campaign of three references that two people have rated, and its admin."""
    settings.DATA_DIR = tmp_path
    scene = make_campaign(3)
    scene.rate_all(range(3))
    return scene, grant(make_user("trial-ada"), scene.campaign, "admin")


def tab_to(page: Page, name: str, role: Any = "button") -> None:
    go_to(page, page.get_by_role(role, name=name, exact=True).first)


def fill(page: Page, name: str, value: str, role: Any = "spinbutton") -> None:
    tab_to(page, name, role)
    page.keyboard.press("Control+a")
    page.keyboard.type(value)


def go(page: Page, name: str, role: Any = "button") -> None:
    tab_to(page, name, role)
    page.keyboard.press("Enter")


def ask(page: Page, tie_band: str) -> None:
    page.keyboard.press("Tab")
    tab_to(page, "Campaign", "combobox")
    page.keyboard.type("trial")
    fill(page, "Tie band, in rating points", tie_band)
    fill(page, "Test share", "0.3")
    fill(page, "Validation share", "0")


def test_a_dataset_goes_from_its_preview_to_a_comparison_by_keyboard(
    scenario: Scenario, enter: Enter, site: str, page: Page, complaints: list[str]
) -> None:
    _, ada = scenario
    enter(page.context, ada)
    found: list[str] = []
    page.goto(f"{site}/datasets/")
    go(page, "Freeze a campaign", "link")
    page.wait_for_url("**/datasets/freeze/")
    ask(page, "0")
    go(page, "Preview")
    expect(page.get_by_role("heading", name="Preview: 9 quadruplets")).to_be_in_viewport()
    expect(page.get_by_label("Test share")).to_have_value("0.3")
    found += faults(page)
    assert not Freeze.objects.exists()

    go(page, "Freeze dataset")
    page.wait_for_url("**/datasets/freezes/**")
    expect(page.locator("#freeze-progress")).to_contain_text("Waiting for a worker.")
    found += faults(page)
    carry_out_freeze(Freeze.objects.get().pk)
    # The page polls by itself; nobody reloads it.
    go_when_there(page, "Open trial@1")
    page.wait_for_url("**/datasets/trial/1/")
    expect(page.locator("svg.plot")).to_have_count(11)
    found += faults(page)

    go(page, "Quadruplets", "link")
    page.wait_for_url("**/quadruplets/")
    tab_to(page, "Labelled for:", "combobox")
    page.keyboard.type("Overall")
    tab_to(page, "With label:", "combobox")
    page.keyboard.type("B better")
    go(page, "Show")
    expect(page.get_by_role("status")).to_contain_text("of 9 quadruplets")
    rows = page.locator("table.quadruplets tbody tr")
    expect(rows.first.locator("td.sign").last).to_have_text("B")
    first = rows.first.get_by_role("link")
    name = first.inner_text()
    go(page, name, "link")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    expect(page.get_by_role("region", name="Ratings").locator("tbody tr")).to_have_count(4)
    found += faults(page)
    rating = page.get_by_role("region", name="Ratings").get_by_role("link").first.inner_text()
    go(page, rating, "link")
    expect(page.get_by_role("link", name="trial@1")).to_be_visible()
    found += faults(page)

    second_version(page, site)
    found += compare(page)
    assert not found, "\n".join(found)


def go_when_there(page: Page, name: str) -> None:
    expect(page.get_by_role("link", name=name)).to_be_visible()
    go(page, name, "link")


def second_version(page: Page, site: str) -> None:
    page.goto(f"{site}/datasets/freeze/")
    ask(page, "3.5")
    go(page, "Freeze dataset")
    page.wait_for_url("**/datasets/freezes/**")
    carry_out_freeze(Freeze.objects.get(status="queued").pk)
    go_when_there(page, "Open trial@2")
    page.wait_for_url("**/datasets/trial/2/")


def compare(page: Page) -> list[str]:
    go(page, "Compare trial@1 with trial@2", "link")
    page.wait_for_url("**/datasets/compare/**")
    expect(page.get_by_role("heading", name="trial@1 and trial@2")).to_be_visible()
    expect(page.locator("dl.facts")).to_contain_text("6: the tie band is another")
    changed = page.get_by_role("region", name="Changed quadruplets").locator("tbody tr")
    expect(changed).to_have_count(6)
    return faults(page)


def test_the_form_works_without_scripts(
    scenario: Scenario, enter: Enter, site: str, browser: Any
) -> None:
    _, ada = scenario
    context = browser.new_context(java_script_enabled=False)
    enter(context, ada)
    page = context.new_page()
    page.goto(f"{site}/datasets/freeze/?campaign=trial")
    page.get_by_label("Validation share").fill("0")
    page.get_by_label("Test share").fill("2")
    page.get_by_role("button", name="Freeze dataset").click()
    expect(page.locator("#id_test_share_error")).to_be_visible()
    page.get_by_label("Test share").fill("0.3")
    page.get_by_role("button", name="Freeze dataset").click()
    page.wait_for_url("**/datasets/freezes/**")
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    carry_out_freeze(Freeze.objects.get().pk)
    page.get_by_role("link", name="Refresh").click()
    page.get_by_role("link", name="Open trial@1").click()
    expect(page.get_by_role("heading", name="trial@1")).to_be_visible()
    context.close()
