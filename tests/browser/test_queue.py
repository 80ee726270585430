"""A queue of 200 candidates of real length: found by links, by keyboard and on a telephone."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotator.models import Assignment, Candidate, Draft, Rating, Reference, User
from annotator.rating.services import skip_assignment
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.scene import press

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CLAIM = (
    "A device for dispensing granular material onto a moving surface, comprising: a hopper having "
    "an outlet (12); a metering roller (14) arranged below the outlet and provided with pockets "
    "distributed over its circumference; and a drive unit (16) configured to rotate the roller."
)
FURTHER = "The device of claim {}, wherein the drive unit comprises a motor coupled to the roller."
CLAIMS = "\n".join(
    [f"1. {CLAIM}", *(f"{number}. {FURTHER.format(number - 1)}" for number in range(2, 30))]
)
FILTERS = ("To rate 199", "Drafts 1", "Skipped 1", "To look at again 0")


@pytest.fixture
def rows(cast: Any, alice: User) -> list[Assignment]:
    """Give alice 200 candidates of 50 references without a title, the last ten due first."""
    given = []
    for number in range(50):
        given += cast.assign(alice, cast.reference(f"EP{3_000_000 + number}B1", 4))
    Reference.objects.update(claims=CLAIMS, title="")
    Candidate.objects.update(claims=CLAIMS)
    due = timezone.now().replace(hour=23, minute=59, second=59) + timedelta(days=1)
    Assignment.objects.filter(pk__in=[row.pk for row in given[-40:]]).update(due_at=due)
    Draft.objects.create(assignment=given[0], saved_at=timezone.now())
    skip_assignment(assignment=given[1], reason_code="unreadable")
    return given


@pytest.fixture
def plain(browser: Browser, site: str, alice: User, enter: Enter) -> Iterator[Page]:
    """Alice's queue in a browser that runs no script."""
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, alice)
    yield context.new_page()
    context.close()


def shown(page: Page) -> list[str]:
    return page.locator(".to-rate a").all_text_contents()


def test_filters_and_pages_are_links_that_work_without_a_script(
    rows: list[Assignment], plain: Page
) -> None:
    plain.goto("/")
    expect(plain.get_by_text("20 a day to finish by")).to_be_visible()
    first = shown(plain)
    assert first[:4] == [f"Candidate {number}" for number in range(161, 165)]
    plain.get_by_role("link", name="Further references").click()
    expect(plain.get_by_text("Page 2 of 2")).to_be_visible()
    assert sorted(first + shown(plain)) == sorted(
        f"Candidate {number}" for number in range(1, 201) if number != 2
    )
    for name in FILTERS:
        plain.get_by_role("link", name=name, exact=True).click()
        expect(plain.locator(".queue-filters [aria-current]")).to_have_text(name)
    for name, candidate in (("Skipped 1", "Candidate 2"), ("Drafts 1", "Candidate 1")):
        plain.get_by_role("link", name=name).click()
        # A click does not wait for the page that it leads to.
        expect(plain.locator(".to-rate a")).to_have_text([candidate])
    plain.get_by_role("link", name="Candidate 1", exact=True).click()
    plain.wait_for_url(f"**/rate/{rows[0].pk}/")


def test_the_queue_starts_by_one_key_and_its_filters_are_a_few_stops_away(
    cast: Any, alice: User, rows: list[Assignment], enter: Enter, site: str, page: Page
) -> None:
    for row in rows[2:7]:
        cast.submit(row)
    Rating.objects.update(active_seconds=600)
    enter(page.context, alice)
    page.goto(f"{site}/")
    expect(page.locator("[data-start]")).to_be_focused()
    expect(page.get_by_text("A device for dispensing granular material").first).to_be_visible()
    length = f"{round(len(CLAIMS.split()), -1)} words, 10 min"
    expect(page.locator(".to-rate li").first).to_have_text(f"Candidate 161 {length}")
    press(page, "Tab", "Tab", "Tab", "Enter")
    page.wait_for_url("**/?show=skipped")
    expect(page.locator("[data-start]")).to_be_focused()
    press(page, "Enter")
    page.wait_for_url(f"{site}/rate/{rows[160].pk}/")


@pytest.mark.exhaustive
def test_no_part_of_a_long_queue_breaks_a_rule_or_scrolls_sideways(
    cast: Any, alice: User, rows: list[Assignment], enter: Enter, site: str, page: Page
) -> None:
    Assignment.objects.filter(pk=rows[-1].pk).update(due_at=timezone.now() - timedelta(days=1))
    enter(page.context, alice)
    found = []
    for path in ("", "?page=2", "?show=drafts", "?show=skipped", "?show=returned", "rated/"):
        page.goto(f"{site}/{path}")
        if path == "?show=returned":
            # The three steps go with the first rating.
            cast.submit(rows[5])
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            over = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
            found += [f"{path} is {over} px too wide at {width} px"] if over > 0 else []
            found += faults(page)
    assert not found, "\n".join(found)
