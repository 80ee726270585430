"""Time counts while somebody reads, whether or not they touch anything."""

from typing import Any

import pytest
from playwright.sync_api import Page

from annotator.models import Assignment
from tests.browser.conftest import Enter

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EVERY = 15_000
IDLE = 120_000
LOOKED_AT = """
Object.defineProperty(document, "visibilityState", {get: () => window.state ?? "visible"});
document.hasFocus = () => window.hasIt ?? true;
"""


@pytest.fixture
def reading(cast: Any, work: list[Assignment], enter: Enter, site: str, page: Page) -> Page:
    """Open a rate page with a clock that the test turns, and gather its pings."""
    enter(page.context, cast.alice)
    page.clock.install()
    page.add_init_script(LOOKED_AT)
    page.goto(f"{site}/rate/{work[0].pk}/")
    page.wait_for_selector(".fold")
    return page


def pings_in(page: Page, milliseconds: int) -> int:
    """Turn the clock and return how many pings that made."""
    sent: list[str] = []

    def note(request: Any) -> None:
        if request.url.endswith("/ping/"):
            sent.append(request.url)

    page.on("request", note)
    page.clock.run_for(milliseconds)
    page.evaluate("null")
    page.remove_listener("request", note)
    return len(sent)


def test_who_only_reads_is_counted_until_the_idle_limit_and_again_with_a_movement(
    reading: Page,
) -> None:
    # The last one falls on the limit itself.
    assert pings_in(reading, IDLE) in (IDLE // EVERY - 1, IDLE // EVERY)
    assert pings_in(reading, 10 * EVERY) == 0
    reading.mouse.move(40, 50)
    assert pings_in(reading, 2 * EVERY) == 2


def test_a_page_that_nobody_looks_at_is_not_counted(reading: Page) -> None:
    reading.evaluate("window.hasIt = false")
    assert pings_in(reading, 2 * EVERY) == 0
    reading.evaluate("window.hasIt = true; window.state = 'hidden'")
    assert pings_in(reading, 2 * EVERY) == 0
    reading.evaluate("window.state = 'visible'")
    assert pings_in(reading, 2 * EVERY) == 2
