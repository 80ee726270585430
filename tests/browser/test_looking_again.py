"""An adjudicator sends a conflict back, two annotators look again, another adjudicator rules."""

import os
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotator.models import Adjudication, Conflict, Rating, Round, User
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import member, rate_all
from tests.browser.axe import faults
from tests.browser.scene import PASSWORD, furnish, press

QUESTION = "Is the hinge of claim 1 kept?"
SHOTS = os.environ.get("SCREENSHOTS", "")

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def people(cast, transactional_db: None) -> dict[str, User]:
    reference = cast.reference("r1", 1)
    furnish(reference)
    rate_all(cast, cast.alice, reference, [(2, 5, 5, 2)])
    rate_all(cast, cast.bob, reference, [(8, 5, 5, 8)])
    people = {"carol": cast.carol, "carla": member(cast, "carla", "adjudicator")}
    people |= {"alice": cast.alice, "bob": cast.bob}
    for user in people.values():
        user.set_password(PASSWORD)
        user.save()
    return people


def page_of(browser: Browser, enter: Any, user: User, errors: list[str]) -> Page:
    context: BrowserContext = browser.new_context()
    enter(context, user)
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    return page


def sound(page: Page, name: str) -> None:
    """No fault that axe finds, and no scrolling sideways on a telephone."""
    assert faults(page) == [], name
    size = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}-360.png", full_page=True)
    page.set_viewport_size(size or {"width": 1280, "height": 800})
    for scheme in ("light", "dark") if SHOTS else ():
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=f"{SHOTS}/{name}-{scheme}.png")


def test_a_conflict_is_sent_back_looked_at_again_by_keyboard_and_ruled_by_another(
    people, browser: Browser, site: str, enter
) -> None:
    errors: list[str] = []
    carol = page_of(browser, enter, people["carol"], errors)
    carol.goto(f"{site}/adjudication/")
    carol.keyboard.press("Enter")
    carol.wait_for_url("**/adjudication/*-*/")
    carol.locator("#id_reason").fill("Typed for the ruling.")
    carol.get_by_role("button", name="Send back").press("Enter")
    expect(carol.get_by_text("2 annotators")).to_be_visible()
    # Who rules after all finds the ruling as it was typed.
    leave = carol.get_by_role("button", name="Rule on it myself")
    expect(leave).to_be_focused()
    leave.press("Enter")
    expect(carol.locator("#id_reason")).to_have_value("Typed for the ruling.")
    carol.get_by_role("button", name="Send back").press("Enter")
    carol.get_by_label("the same annotators look again").press("Space")
    sound(carol, "send-back")
    # Without a question it is refused in place.
    carol.get_by_role("button", name="Send it back").press("Enter")
    expect(carol.get_by_text("Say what the annotators shall look at again.")).to_be_visible()
    expect(carol.locator("#id_back_question")).to_be_focused()
    assert [line for line in errors if "422" not in line] == []
    errors.clear()
    carol.keyboard.type(QUESTION)
    press(carol, "Tab", "Tab", "Enter")
    carol.wait_for_url(f"{site}/adjudication/")
    expect(carol.get_by_text("Round 2: the same annotators look again")).to_be_visible()
    sound(carol, "waiting")
    for name, digit in (("alice", "6"), ("bob", None)):
        page = page_of(browser, enter, people[name], errors)
        page.goto(f"{site}/")
        expect(page.get_by_text(QUESTION)).to_be_visible()
        sound(page, f"queue-{name}")
        page.keyboard.press("Enter")
        page.wait_for_url("**/rate/**")
        expect(page.get_by_text(QUESTION)).to_be_visible()
        sound(page, f"again-{name}")
        page.get_by_role("button", name="Submit rating").wait_for()
        if digit:
            page.locator(f"input[name={CRITERIA[0]}]:checked").focus()
            page.keyboard.press(digit)
        page.keyboard.press("Control+Enter")
        page.wait_for_url(f"{site}/")
        expect(page.get_by_text("Asked to look again")).to_have_count(0)
        page.context.close()
    assert Round.objects.get().finished_at
    scores = Rating.objects.order_by("annotator__username").values_list(CRITERIA[0], "round")
    assert list(scores) == [(6, 2), (8, 2)]
    carla = page_of(browser, enter, people["carla"], errors)
    carla.goto(f"{site}/adjudication/")
    expect(carla.get_by_text("round 2")).to_be_visible()
    carla.keyboard.press("Enter")
    carla.wait_for_url("**/adjudication/*-*/")
    expect(carla.get_by_text(QUESTION)).to_be_visible()
    expect(carla.locator(".was")).to_have_count(2)
    sound(carla, "after")
    carla.get_by_label("Mean").check()
    carla.locator("#id_reason_code").select_option("overlooked")
    carla.locator("#id_reason").fill("The hinge is there.")
    carla.locator("#id_password").fill(PASSWORD)
    carla.keyboard.press("Enter")
    carla.wait_for_url(f"{site}/adjudication/")
    assert Adjudication.objects.get().adjudicator == people["carla"]
    assert errors == []
    for page in (carol, carla):
        page.context.close()


def test_it_is_sent_and_called_back_without_scripts(
    people, browser: Browser, site: str, enter
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, people["carol"])
    page = context.new_page()
    page.goto(f"{site}/adjudication/")
    page.get_by_role("button", name="Take the first free conflict").click()
    page.get_by_role("button", name="Send back …").click()
    page.get_by_label("the same annotators look again").check()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Send it back").click()
    page.get_by_role("button", name="Call back").click()
    expect(page.get_by_text("called back")).to_be_visible()
    assert set(Conflict.objects.values_list("status", flat=True)) == {"open"}
    context.close()
