"""The counts of a campaign follow what happens, while it is open and somebody looks."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Campaign
from tests.browser.conftest import Enter

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EVERY = 5_000
# What a browser reports of a tab that lies behind another one.
HIDE = """
Object.defineProperty(document, "visibilityState", {get: () => window.state ?? "visible"});
"""


@pytest.fixture
def counts(cast: Any, work: list[Assignment], enter: Enter, site: str, page: Page) -> Page:
    """Give the campaign page to its admin, with a clock that the test turns."""
    enter(page.context, cast.ada)
    page.clock.install()
    page.add_init_script(HIDE)
    page.goto(f"{site}/campaigns/{cast.campaign.slug}/")
    return page


def questions(page: Page) -> list[str]:
    """Return a list that gathers each address at which the page asks for its counts."""
    asked: list[str] = []
    # A browser fetches the icon of a page at a moment of its own.
    page.on(
        "request", lambda sent: asked.append(sent.url) if sent.url.endswith("/counts/") else None
    )
    return asked


def test_a_rating_is_counted_on_an_open_page(
    cast: Any, work: list[Assignment], counts: Page
) -> None:
    expect(counts.locator("#counts")).to_contain_text("0 rated at least once")
    cast.submit(work[0])
    counts.clock.run_for(EVERY)
    expect(counts.locator("#counts")).to_contain_text("1 rated at least once")


def test_a_page_behind_another_asks_for_nothing_until_it_is_looked_at(
    cast: Any, work: list[Assignment], counts: Page
) -> None:
    asked = questions(counts)
    cast.submit(work[0])
    counts.evaluate("window.state = 'hidden'")
    counts.clock.run_for(4 * EVERY)
    assert asked == []
    counts.evaluate(
        "window.state = 'visible'; document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(counts.locator("#counts")).to_contain_text("1 rated at least once")
    assert len(asked) == 1


def test_a_campaign_that_is_closed_is_asked_for_once_more_and_then_never(counts: Page) -> None:
    asked = questions(counts)
    Campaign.objects.update(status="closed")
    counts.clock.run_for(EVERY)
    expect(counts.locator("#counts")).to_contain_text("the campaign is closed")
    counts.clock.run_for(4 * EVERY)
    assert len(asked) == 1
