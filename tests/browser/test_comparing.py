"""A person compares in a real Chromium."""

import re
from collections.abc import Iterator
from itertools import combinations

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.comparisons.services import assign_comparisons
from annotator.models import Campaign, Comparison, ComparisonDraft, Preference, Reference, User
from patclaimeval.rubric import ALL_CRITERIA
from tests.browser.axe import faults
from tests.browser.long_claims import hundred
from tests.browser.scene import (
    PASSWORD,
    frame_overflow,
    go_to,
    press,
    sign_in,
    wait_until_stored,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def rows(cast, alice: User) -> list[Comparison]:
    pairs = list(combinations(cast.reference("r1", 3).candidates.all(), 2))
    return assign_comparisons(campaign=cast.campaign, annotator=alice, pairs=pairs[:2])


@pytest.fixture
def queue(rows, site: str, page: Page, complaints) -> Page:
    page.goto(f"{site}/")
    sign_in(page, "alice")
    page.wait_for_url(f"{site}/")
    return page


@pytest.fixture
def compare_page(queue: Page) -> Page:
    wanted = queue.get_by_role("link", name="Comparison 1", exact=True)
    go_to(queue, wanted)
    queue.keyboard.press("Enter")
    queue.wait_for_url("**/compare/**")
    # The script marks what it has taken charge of by showing it.
    expect(queue.get_by_role("button", name="Keys")).to_be_visible()
    return queue


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.name || document.activeElement.textContent"))


def stored_judgements() -> list[list[int]]:
    rows = Preference.objects.order_by("comparison__position")
    return [list(row.judgements.values()) for row in rows]


def test_pairs_are_compared_by_keyboard_alone(compare_page: Page, rows, site: str) -> None:
    first = compare_page.url
    assert focused(compare_page) == ALL_CRITERIA[0]
    press(compare_page, "1", "2", "3", "2", "1", "Enter")
    compare_page.wait_for_url(lambda url: "/compare/" in url and url != first)
    expect(compare_page.get_by_role("button", name="Keys")).to_be_visible()
    press(compare_page, *"33333", "c")
    compare_page.keyboard.type("1 and 2 are words here")
    compare_page.keyboard.press("Control+Enter")
    compare_page.wait_for_url(f"{site}/")
    assert stored_judgements() == [[1, 0, -1, 0, 1], [-1] * 5]
    assert Preference.objects.get(comparison=rows[1]).comment == "1 and 2 are words here"
    expect(compare_page.get_by_role("link", name="Comparison")).to_have_count(0)


def test_a_draft_is_there_after_a_reload_and_two_tabs_show_both_texts(compare_page: Page) -> None:
    other = compare_page.context.new_page()
    other.goto(compare_page.url)
    press(compare_page, "1", "3", "c")
    compare_page.keyboard.type("half a thought")
    press(compare_page, "Escape")
    wait_until_stored(compare_page)
    press(other, "2")
    expect(other.locator("#draft-clash")).to_contain_text("half a thought")
    other.get_by_role("button", name="Take what is there").click()
    expect(other.locator("input[type=radio]:checked")).to_have_count(2)
    other.close()
    compare_page.reload()
    expect(compare_page.locator(".draft-note")).to_contain_text("not submitted yet")
    expect(compare_page.get_by_label("Comment")).to_have_value("half a thought")
    chosen = compare_page.locator("input[type=radio]:checked")
    expect(chosen).to_have_count(2)
    compare_page.get_by_role("button", name="Discard the draft").click()
    expect(compare_page.get_by_text("2 answers, your comment")).to_be_visible()
    compare_page.get_by_role("button", name="Discard the draft").click()
    expect(compare_page.get_by_text("Draft discarded.")).to_be_visible()
    expect(chosen).to_have_count(0)
    assert not ComparisonDraft.objects.exists() and not Preference.objects.exists()


def test_keys_move_between_criteria_and_correct_an_answer(compare_page: Page) -> None:
    compare_page.keyboard.press("j")
    assert focused(compare_page) == ALL_CRITERIA[1]
    press(compare_page, "ArrowDown", "k", "ArrowUp")
    assert focused(compare_page) == ALL_CRITERIA[0]
    press(compare_page, "1", "k", "3")
    chosen = compare_page.locator("input[type=radio]:checked")
    expect(chosen).to_have_count(1)
    expect(chosen).to_have_attribute("value", "-1")
    press(compare_page, "k", "ArrowLeft")
    expect(chosen).to_have_attribute("value", "0")
    assert focused(compare_page) == ALL_CRITERIA[0]


def test_aids_are_switched_by_keys_and_nothing_chosen_is_lost(compare_page: Page) -> None:
    compare_page.keyboard.press("1")
    panes = compare_page.locator("#panes")
    expect(panes).to_have_class(re.compile("shows-diff"))
    compare_page.keyboard.press("d")
    expect(panes).not_to_have_class(re.compile("shows-diff"))
    expect(compare_page.locator("input[type=radio]:checked")).to_have_count(1)
    reference = compare_page.locator(".row:not(.heads) .of-reference").first
    expect(reference).to_be_visible()
    compare_page.keyboard.press("a")
    expect(reference).to_be_hidden()
    # What the server sends anew leaves the reference folded.
    compare_page.keyboard.press("m")
    expect(panes).not_to_have_class(re.compile("shows-marks"))
    expect(reference).to_be_hidden()
    compare_page.reload()
    button = compare_page.locator("[data-action=toggle-diff]")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(reference).to_be_visible()


def test_the_list_of_keys_opens_and_takes_no_answers(compare_page: Page) -> None:
    compare_page.keyboard.press("?")
    expect(compare_page.get_by_role("dialog", name="Keys")).to_be_visible()
    press(compare_page, "1", "Escape")
    expect(compare_page.locator("#keys")).to_be_hidden()
    expect(compare_page.locator("input[type=radio]:checked")).to_have_count(0)


def test_what_is_missing_takes_the_focus(compare_page: Page, complaints: list[str]) -> None:
    press(compare_page, "1", "c")
    compare_page.keyboard.type("kept")
    with compare_page.expect_navigation():
        compare_page.keyboard.press("Control+Enter")
    expect(compare_page.locator(".error:visible")).to_have_count(4)
    expect(compare_page.get_by_label("Comment")).to_have_value("kept")
    assert focused(compare_page) == ALL_CRITERIA[1]
    assert not Preference.objects.exists()
    # The browser notes the two refusals, of the script's request and of the form's.
    assert all("422" in line for line in complaints)
    complaints.clear()


def test_only_the_claims_scroll_on_a_wide_screen(compare_page: Page) -> None:
    for width, height in ((1440, 900), (1280, 800)):
        compare_page.set_viewport_size({"width": width, "height": height})
        assert frame_overflow(compare_page) == (0, 0)
    compare_page.set_viewport_size({"width": 360, "height": 740})
    assert frame_overflow(compare_page)[0] == 0


def test_three_columns_stand_side_by_side_on_a_wide_screen_only(compare_page: Page) -> None:
    def tops() -> int:
        cells = compare_page.locator(".row:not(.heads)").first.locator(".side")
        return len(set(cells.evaluate_all("cells => cells.map(c => c.getBoundingClientRect().y)")))

    counts = []
    for width in (1440, 1280, 360):
        compare_page.set_viewport_size({"width": width, "height": 800})
        counts.append(tops())
    assert counts == [1, 2, 3]


def test_a_pair_is_read_with_the_tools_of_the_rate_page(compare_page: Page, rows) -> None:
    reference = rows[0].left.reference
    Reference.objects.filter(pk=reference.pk).update(claims=hundred())
    reference.candidates.filter(pk=rows[0].left_id).update(claims=hundred(is_candidate=True))
    reference.candidates.filter(pk=rows[0].right_id).update(claims=hundred())
    compare_page.reload()
    expect(compare_page.get_by_role("button", name="Keys")).to_be_visible()
    marked = compare_page.locator(".minimap [aria-current=true]")
    expect(marked).to_have_text("1 matched")
    press(compare_page, "g", "6", "0")
    expect(marked).to_have_text("60 changed: left; matched: right")
    for side in ("reference", "left", "right"):
        claim = compare_page.locator(f".claim[data-side={side}]").filter(has_text="of type 60,")
        expect(claim).to_be_in_viewport()
    press(compare_page, "Escape", "/")
    compare_page.keyboard.type("arranged between")
    counts = compare_page.locator("#tools output").last
    expect(counts).to_have_text("Reference: 98, Left: 88, Right: 98")
    press(compare_page, "Escape", "=")
    expect(compare_page.locator(".claim.is-folded")).to_have_count(3 * 89)
    press(compare_page, "=", ">", ".")
    expect(compare_page.locator(".is-current")).to_have_count(1)
    expect(compare_page.locator("input[type=radio]:checked")).to_have_count(0)
    assert not faults(compare_page)
    assert frame_overflow(compare_page) == (0, 0)


@pytest.mark.exhaustive
def test_no_compare_page_breaks_a_rule(compare_page: Page, rows, complaints: list[str]) -> None:
    found = faults(compare_page)
    compare_page.keyboard.press("?")
    expect(compare_page.locator("#keys")).to_be_visible()
    found += faults(compare_page)
    press(compare_page, "Escape", "a")
    found += faults(compare_page)
    with compare_page.expect_navigation():
        compare_page.keyboard.press("Control+Enter")
    expect(compare_page.locator(".error:visible")).to_have_count(5)
    found += faults(compare_page)
    for width in (1440, 360):
        compare_page.set_viewport_size({"width": width, "height": 800})
        found += faults(compare_page)
    Campaign.objects.update(status="closed")
    complaints.clear()
    compare_page.goto(compare_page.url)
    expect(compare_page.get_by_text("The campaign is closed")).to_be_visible()
    found += faults(compare_page)
    assert not found, "\n".join(found)


@pytest.fixture
def plain_page(browser: Browser, site: str) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False, base_url=site)
    yield context.new_page()
    context.close()


def test_a_pair_is_compared_without_javascript(rows, site, plain_page: Page) -> None:
    plain_page.goto("/")
    plain_page.get_by_label("User name").fill("alice")
    plain_page.get_by_label("Password").fill(PASSWORD)
    plain_page.get_by_role("button", name="Sign in").click()
    plain_page.get_by_role("link", name="Comparison 1", exact=True).click()
    for criterion in ALL_CRITERIA[:4]:
        plain_page.locator(f"input[name={criterion}][value='-1']").check()
    plain_page.get_by_label("Comment").fill("kept")
    plain_page.get_by_role("button", name="Differences").click()
    expect(plain_page.get_by_label("Comment")).to_have_value("kept")
    plain_page.get_by_role("button", name="Submit preference").click()
    expect(plain_page.get_by_text("Choose left better, equal, or right better.")).to_be_visible()
    expect(plain_page.get_by_label("Comment")).to_have_value("kept")
    group = plain_page.get_by_role("group", name="Overall quality")
    group.get_by_label("Equal").check()
    plain_page.get_by_role("button", name="Submit preference").click()
    expect(plain_page.get_by_text("Comparison 1: preference stored.")).to_be_visible()
    expect(plain_page.get_by_role("heading", level=1)).to_contain_text("Comparison 2")
    assert stored_judgements() == [[-1, -1, -1, -1, 0]]
