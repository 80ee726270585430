"""A person rates in a real Chromium."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from annotator.models import Rating, User
from annotator.rubric import CRITERIA
from tests.browser.scene import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def rate_page(cast, alice: User, site: str, page: Page, complaints) -> Page:
    """Open the first of alice's candidates, by keyboard alone."""
    cast.assign(alice, cast.reference())
    page.goto(f"{site}/")
    sign_in(page, "alice")
    expect(page.locator("[data-start]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/rate/**")
    return page


def test_a_candidate_is_rated_by_keyboard_alone_from_sign_in_to_the_next_page(rate_page) -> None:
    first = rate_page.url
    for key in ("7", "5", "9", "t"):
        rate_page.keyboard.press(key)
    expect(rate_page.locator("#overall-quality")).to_have_text("7.82")
    expect(rate_page.locator("#overall-band")).to_have_text("High.")
    rate_page.keyboard.press("c")
    rate_page.keyboard.type("0 and t are words here")
    rate_page.keyboard.press("Control+Enter")
    rate_page.wait_for_url(lambda url: "/rate/" in url and url != first)
    rating = Rating.objects.get()
    assert list(rating.scores.values()) == [7, 5, 9, 10]
    assert rating.comment == "0 and t are words here"


def test_after_the_last_key_enter_submits(rate_page) -> None:
    first = rate_page.url
    for key in "5678":
        rate_page.keyboard.press(key)
    rate_page.keyboard.press("Enter")
    rate_page.wait_for_url(lambda url: "/rate/" in url and url != first)
    assert Rating.objects.get().overall_numerator == 4 * 5 + 2 * 6 + 2 * 7 + 3 * 8


def test_keys_move_between_criteria_and_correct_a_score(rate_page) -> None:
    def focused() -> str:
        return str(rate_page.evaluate("document.activeElement.name"))

    assert focused() == CRITERIA[0]
    rate_page.keyboard.press("j")
    assert focused() == CRITERIA[1]
    rate_page.keyboard.press("ArrowDown")
    assert focused() == CRITERIA[2]
    rate_page.keyboard.press("k")
    rate_page.keyboard.press("ArrowUp")
    assert focused() == CRITERIA[0]
    rate_page.keyboard.press("4")
    rate_page.keyboard.press("k")
    rate_page.keyboard.press("8")
    assert rate_page.locator(f"input[name={CRITERIA[0]}]:checked").get_attribute("value") == "8"
    assert rate_page.locator("input:checked").count() == 1


def test_the_sentence_of_the_chosen_band_is_shown(rate_page) -> None:
    rate_page.keyboard.press("6")
    shown = rate_page.locator(".sentence:visible")
    expect(shown).to_have_text(["The majority is covered; minor features are left out."])


def test_the_list_of_keys_opens_and_closes_and_takes_no_scores(rate_page) -> None:
    rate_page.keyboard.press("?")
    expect(rate_page.get_by_role("dialog", name="Keys")).to_be_visible()
    rate_page.keyboard.press("7")
    rate_page.keyboard.press("Escape")
    expect(rate_page.locator("#keys")).to_be_hidden()
    assert rate_page.locator("input:checked").count() == 0


def answering(status: int) -> Callable[[Route], None]:
    """Return a server that only refuses, as the fault page does."""
    return lambda route: route.fulfill(status=status, body="<main>no</main>")


def test_a_failed_live_request_is_shown_and_nothing_typed_is_lost(
    cast, alice, site, page: Page
) -> None:
    cast.assign(alice, cast.reference())
    page.goto(f"{site}/")
    sign_in(page, "alice")
    expect(page.locator("[data-start]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/rate/**")
    page.get_by_label("Comment").fill("my words")
    problem = page.locator("#problem")
    for value, (status, message) in enumerate(((500, "answered 500"), (403, "did not accept"))):
        page.route("**/overall/", answering(status))
        page.locator(f"input[name={CRITERIA[0]}][value='{value}']").check()
        expect(problem).to_contain_text(message)
        page.unroute("**/overall/")
    page.route("**/overall/", lambda route: route.abort())
    page.locator(f"input[name={CRITERIA[2]}][value='3']").check()
    expect(problem).to_contain_text("cannot be reached")
    expect(page.get_by_label("Comment")).to_have_value("my words")
    assert "/rate/" in page.url
    expect(page.locator("#overall-quality")).to_be_visible()
