"""Description and drawings beside the claims, by keyboard alone, and without a script."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.context.services import store_context
from annotator.models import Assignment
from patclaimeval.documents.context import Context, Paragraph
from patclaimeval.documents.drawings import sheets_of
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_accessibility import sideways
from tests.patclaimeval.documents.pictures import pages

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SIZES = [(1440, 900), (1280, 800), (640, 400), (390, 844)]
LONG = " It is made of clay, fired twice, and glazed on the inside." * 4
PARAGRAPHS = (
    Paragraph("abstract", "A cup with a handle."),
    Paragraph("description", "BACKGROUND", is_heading=True),
    *(Paragraph("description", f"Cup {n} has no saucer.{LONG}", f"{n:04}") for n in range(1, 150)),
    Paragraph("description", "A body holds the tea.", "0150"),
)


@pytest.fixture
def rows(work: list[Assignment]) -> list[Assignment]:
    sheets = tuple(sheets_of(pages(2), "fig.tif"))
    reference = work[0].candidate.reference
    store_context([(reference.pk, Context(PARAGRAPHS, sheets))])
    return work


@pytest.fixture
def beside(
    rows: list[Assignment], alice: Any, enter: Enter, site: str, page: Page, complaints: list[str]
) -> Page:
    """The rate page of a candidate whose reference has context."""
    enter(page.context, alice)
    page.goto(f"{site}/rate/{rows[0].pk}/")
    page.wait_for_selector(".fold")
    return page


def tab_to(page: Page, selector: str) -> None:
    """Move the focus on until it has reached something."""
    for _ in range(30):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by Tab")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_it_is_read_searched_and_closed_by_keyboard(beside: Page, width: int, height: int) -> None:
    beside.set_viewport_size({"width": width, "height": height})
    pane = beside.locator("#context")
    expect(pane).to_be_empty()
    beside.keyboard.press("i")
    expect(beside.locator("#context-heading")).to_be_focused()
    expect(pane).to_contain_text("A cup with a handle.")
    assert sideways(beside) == []
    tab_to(beside, "#context [name=q]")
    beside.keyboard.type("SAUCER")
    beside.keyboard.press("Enter")
    expect(pane.get_by_role("status")).to_have_text("149 paragraphs have it, 149 times in all.")
    expect(pane.locator("mark")).to_have_count(100)
    # No key of the search was a score, nor a key of the page.
    expect(beside.locator(".step input:checked")).to_have_count(0)
    tab_to(beside, "#context [name=page]")
    beside.keyboard.press("Enter")
    expect(pane.locator("mark")).to_have_count(49)
    tab_to(beside, "#context [name=at]")
    beside.keyboard.press("Enter")
    expect(beside.locator("#paragraph-103")).to_be_focused()
    expect(pane.locator("mark")).to_have_count(0)
    beside.keyboard.press("Escape")
    expect(pane).to_be_empty()
    expect(beside.locator("[data-action=context]")).to_be_focused()
    beside.keyboard.press("i")
    expect(pane).to_contain_text("A cup with a handle.")


def test_a_term_of_a_claim_leads_to_its_paragraphs(beside: Page) -> None:
    beside.keyboard.press("i")
    pane = beside.locator("#context")
    expect(pane.locator("option").first).to_have_text("any")
    supported = pane.locator("option", has_text=re.compile(r"\([1-9]"))
    name = str(supported.first.get_attribute("value"))
    tab_to(beside, "#context [name=term]")
    pane.locator("[name=term]").select_option(name)
    tab_to(beside, "#context [name=find]")
    beside.keyboard.press("Enter")
    expect(pane.locator("mark").first).to_have_text(re.compile(name, re.IGNORECASE))
    expect(pane.locator("[name=find]")).to_be_focused()
    assert faults(beside) == []


def test_a_drawing_is_made_larger_by_key_and_no_key_is_a_score(beside: Page) -> None:
    beside.keyboard.press("i")
    tab_to(beside, "#context [value=drawings]")
    beside.keyboard.press("Enter")
    pane, sheet = beside.locator("#context"), beside.locator("#context .sheet")
    expect(pane.get_by_role("status")).to_have_text("Drawing 1 of 2: fig, page 1")
    picture = sheet.locator("img")
    expect(picture).to_have_js_property("naturalWidth", 60)
    tab_to(beside, "#context .sheet")
    fit = picture.evaluate("(image) => image.clientWidth")
    beside.keyboard.press("+")
    beside.keyboard.press("+")
    assert picture.evaluate("(image) => image.clientWidth") >= 1.9 * fit
    beside.keyboard.press("-")
    expect(sheet).to_have_class(re.compile("size-2"))
    beside.keyboard.press("0")
    expect(sheet).to_have_class(re.compile("size-fit"))
    expect(beside.locator(".step input:checked")).to_have_count(0)
    assert faults(beside) == []
    pane.locator("[name=sheet]").press("Enter")
    expect(pane.get_by_role("status")).to_have_text("Drawing 2 of 2: fig, page 2")
    expect(sheet).to_be_focused()
    beside.keyboard.press("Escape")
    expect(pane).to_be_empty()


def test_it_is_a_page_of_its_own_without_a_script(
    browser: Browser, rows: list[Assignment], alice: Any, enter: Enter, site: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, alice)
    page = context.new_page()
    page.goto(f"{site}/rate/{rows[0].pk}/")
    page.get_by_role("link", name="Context").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Description and drawings")
    page.get_by_label("Search").fill("tea")
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_text(["tea"])
    assert "tea" not in page.url
    page.get_by_role("button", name="0150").click()
    expect(page.locator("#paragraph-151")).to_be_visible()
    page.get_by_role("button", name="Drawings 2").click()
    expect(page.locator(".sheet img")).to_have_js_property("naturalWidth", 60)
    page.get_by_role("link", name="Back to the claims").click()
    expect(page.locator("#rating-form")).to_be_visible()
