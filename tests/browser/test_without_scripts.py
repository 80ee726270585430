"""The rate page with JavaScript off: every button is a plain form."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.models import (
    Assignment,
    BrowserSession,
    Draft,
    Flag,
    Rating,
    ReadingPreference,
    User,
)
from patclaimeval.rubric import CRITERIA
from tests.browser.conftest import Enter
from tests.browser.scene import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def plain(
    browser: Browser, site: str, alice: User, work: list[Assignment], enter: Enter
) -> Iterator[Page]:
    """The rate page of alice's first candidate in a browser that runs no script."""
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, alice)
    page = context.new_page()
    page.goto(f"/rate/{work[0].pk}/")
    yield page
    context.close()


def choose(page: Page, *values: int) -> None:
    for criterion, value in zip(CRITERIA, values, strict=False):
        page.locator(f"input[name={criterion}][value='{value}']").check()


def chosen(page: Page) -> list[str]:
    return [str(radio.input_value()) for radio in page.locator(".scale input:checked").all()]


def click(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()


def open_leave(page: Page) -> None:
    """Open the list of ways to leave, unless the page has opened it already."""
    if not page.locator("#skip").is_visible():
        page.locator("#leave summary").click()


def test_a_rating_is_refused_with_everything_in_it_then_taken(plain: Page) -> None:
    choose(plain, 6, 6, 6)
    plain.get_by_label("Comment").fill("kept")
    click(plain, "Submit rating")
    expect(plain.get_by_text("Choose a score from 0 to 10.")).to_be_visible()
    expect(plain.get_by_label("Comment")).to_have_value("kept")
    choose(plain, 6, 6, 6, 10)
    click(plain, "Submit rating")
    expect(plain.get_by_text("Candidate 1: rating stored.")).to_be_visible()
    assert "Candidate 2" in plain.title()
    assert list(Rating.objects.get().scores.values()) == [6, 6, 6, 10]


def test_tags_are_added_and_removed_and_all_else_stays(plain: Page, work: list) -> None:
    choose(plain, 4)
    for tag in ("vagueness", "antecedent-reference-errors"):
        plain.get_by_label("Error tag").select_option(f"add {tag}")
        click(plain, "Add")
    expect(plain.locator("#tags .chip")).to_have_count(2)
    plain.locator("#tags .chip button").first.click()
    expect(plain.locator("#tags .chip")).to_have_count(1)
    assert chosen(plain) == ["4"]
    choose(plain, 4, 5, 6, 7)
    click(plain, "Submit rating")
    expect(plain.get_by_text("Candidate 1: rating stored.")).to_be_visible()
    assert [tag["tag"] for tag in Rating.objects.get().error_tags] == [
        "antecedent-reference-errors"
    ]


def test_reading_aids_are_switched_and_what_is_typed_stays(plain: Page, alice: User) -> None:
    choose(plain, 3)
    plain.get_by_label("Comment").fill("still here")
    plain.locator("[data-action=toggle-aligned]").click()
    expect(plain.locator(".columns")).to_be_visible()
    plain.locator("[data-action=toggle-diff]").click()
    expect(plain.locator("#panes:not(.is-aligned, .shows-diff)")).to_be_visible()
    assert chosen(plain) == ["3"]
    expect(plain.get_by_label("Comment")).to_have_value("still here")
    row = ReadingPreference.objects.get(user=alice)
    assert (row.shows_aligned, row.shows_diff, row.shows_marks) == (False, False, True)


def test_a_candidate_is_flagged_skipped_and_taken_back(plain: Page, work: list[Assignment]) -> None:
    choose(plain, 2, 3)
    open_leave(plain)
    click(plain, "Skip the candidate …")
    click(plain, "Skip the candidate")
    expect(plain.get_by_text("Choose a reason.")).to_be_visible()
    plain.get_by_role("link", name="Keep it").click()
    assert chosen(plain) == ["2", "3"]
    # The draft that the button stored is this page's own, and no other tab's.
    choose(plain, 2, 3, 4)
    open_leave(plain)
    plain.get_by_label("What").select_option(index=1)
    click(plain, "Flag")
    expect(plain.get_by_text("flagged for the campaign's admin")).to_be_visible()
    assert Flag.objects.count() == 1
    assert chosen(plain) == ["2", "3", "4"]
    open_leave(plain)
    click(plain, "Skip the candidate …")
    plain.get_by_label("Reason").select_option("not-now")
    click(plain, "Skip the candidate")
    expect(plain.get_by_text("Candidate 1 is skipped.")).to_be_visible()
    plain.goto(f"/rate/{work[0].pk}/")
    expect(plain.locator("fieldset.scale:disabled")).to_have_count(4)
    click(plain, "Take it back")
    expect(plain.locator("fieldset.scale:disabled")).to_have_count(0)
    assert chosen(plain) == ["2", "3", "4"]


def test_a_draft_is_stored_and_discarded(plain: Page) -> None:
    choose(plain, 9)
    click(plain, "Save as draft")
    expect(plain.get_by_text("Draft saved.")).to_be_visible()
    plain.reload()
    assert chosen(plain) == ["9"]
    click(plain, "Discard the draft …")
    expect(plain.get_by_text("cannot be taken back")).to_be_visible()
    click(plain, "Discard the draft")
    expect(plain.get_by_text("Draft discarded.")).to_be_visible()
    assert chosen(plain) == []
    assert not Draft.objects.exists()


def test_a_submit_without_a_session_is_sent_again(plain: Page, work: list[Assignment]) -> None:
    choose(plain, 1, 2, 3, 4)
    plain.get_by_label("Comment").fill("two hours of thought\nover two lines")
    BrowserSession.objects.all().delete()
    click(plain, "Submit rating")
    expect(plain.get_by_text("What you typed is saved")).to_be_visible()
    for password in ("wrong", PASSWORD):
        plain.get_by_label("User name").fill("alice")
        plain.get_by_label("Password").fill(password)
        click(plain, "Sign in")
    expect(plain.get_by_text("is kept as a draft")).to_be_visible()
    assert chosen(plain) == ["1", "2", "3", "4"]
    expect(plain.get_by_label("Comment")).to_have_value("two hours of thought\nover two lines")
    click(plain, "Submit rating")
    expect(plain.get_by_text("Candidate 1: rating stored.")).to_be_visible()
    assert Rating.objects.get().comment == "two hours of thought\nover two lines"
