"""An own note on a reference, on the rate page: it saves itself, and a submit loses none of it."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Rating, ReferenceNote
from tests.browser.scene import press, wait_for_another

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_note_saves_itself_and_stands_beside_the_next_candidate(
    scene: Page, work: list[Assignment], complaints: list[str]
) -> None:
    expect(scene.locator("#id_own_note")).not_to_be_visible()
    scene.get_by_text("My note").click()
    box = scene.get_by_label("For your eyes only")
    box.fill("The lid is the point.")
    expect(scene.locator("#own-note-state")).to_contain_text("Saved")
    assert ReferenceNote.objects.get().text == "The lid is the point."
    # Not waited for: the submit takes the rest along.
    box.press_sequentially(" Read claim 3 again.")
    press(scene, "Escape")
    here = scene.url
    press(scene, "7", "5", "9", "t", "Control+Enter")
    wait_for_another(scene, here)
    assert Rating.objects.count() == 1
    summary = scene.locator("#own-note summary")
    expect(summary).to_contain_text("written")
    summary.click()
    expect(scene.get_by_label("For your eyes only")).to_have_value(
        "The lid is the point. Read claim 3 again."
    )


def test_a_note_of_another_tab_is_shown_before_it_is_replaced(
    scene: Page, work: list[Assignment]
) -> None:
    other = scene.context.new_page()
    other.goto(scene.url)
    for page, text in ((other, "from the other tab"), (scene, "from here")):
        page.get_by_text("My note").click()
        page.get_by_label("For your eyes only").fill(text)
        expect(page.locator("#own-note-state")).not_to_be_empty()
    expect(scene.locator("#own-note-state")).to_contain_text("“from the other tab”")
    assert ReferenceNote.objects.get().text == "from the other tab"
    scene.get_by_label("For your eyes only").press_sequentially("!")
    expect(scene.locator("#own-note-state")).to_contain_text("Saved")
    assert ReferenceNote.objects.get().text == "from here!"
