"""Enter on a form of scores: it submits what is complete, else it goes to what is missing."""

from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.comparisons.services import assign_comparisons
from annotator.models import Assignment, CalibrationAnswer, Preference, Rating, User
from annotator.rating.calibration.queries import EXAMPLES
from annotator.rating.calibration.services import add_examples, switch_calibration
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.browser.conftest import Enter, Seat
from tests.browser.scene import press, wait_for_another

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.name"))


def test_enter_on_a_score_submits_a_complete_rating(scene: Page) -> None:
    here = scene.url
    press(scene, "7", "5", "9", "8", "k")
    assert focused(scene) == CRITERIA[3]
    press(scene, "Enter")
    wait_for_another(scene, here)
    assert list(Rating.objects.get().scores.values()) == [7, 5, 9, 8]


def test_enter_on_a_score_goes_to_the_first_criterion_without_one(scene: Page) -> None:
    here = scene.url
    press(scene, "7", "j", "9", "k", "Enter")
    assert focused(scene) == CRITERIA[1]
    assert scene.url == here
    press(scene, "6", "j", "4", "k", "Enter")
    wait_for_another(scene, here)
    assert list(Rating.objects.get().scores.values()) == [7, 6, 9, 4]


def test_enter_begins_a_line_in_a_text_and_presses_the_button_in_focus(scene: Page) -> None:
    press(scene, "7", "5", "9", "8", "c", "a", "Enter", "b", "Escape")
    expect(scene.get_by_label("Comment")).to_have_value("a\nb")
    scene.get_by_role("button", name="Undo").press("Enter")
    expect(scene.get_by_label("Comment")).to_have_value("")
    assert not Rating.objects.exists()


def test_enter_submits_without_scripts(
    browser: Browser, site: str, alice: User, work: list[Assignment], enter: Enter
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, alice)
    page = context.new_page()
    page.goto(f"/rate/{work[0].pk}/")
    for criterion in CRITERIA[:3]:
        page.locator(f"input[name={criterion}][value='6']").check()
    page.locator(f"input[name={CRITERIA[2]}][value='6']").press("Enter")
    expect(page.get_by_text("Choose a score from 0 to 10.")).to_be_visible()
    page.locator(f"input[name={CRITERIA[3]}][value='6']").check()
    page.locator(f"input[name={CRITERIA[3]}][value='6']").press("Enter")
    expect(page.get_by_text("Candidate 1: rating stored.")).to_be_visible()
    assert list(Rating.objects.get().scores.values()) == [6] * 4
    context.close()


def test_enter_on_the_calibration_page(
    cast: Any, alice: User, work: list[Assignment], seat: Seat
) -> None:
    (item,) = add_examples(campaign=cast.campaign, keys=[*EXAMPLES][:1], by=cast.ada)
    switch_calibration(campaign=cast.campaign, is_on=True, by=cast.ada)
    page = seat(alice, f"/calibrate/{item.pk}/")
    page.wait_for_selector(".fold")
    press(page, "7", "5", "9", "Enter")
    assert focused(page) == CRITERIA[3]
    page.locator(f"input[name={CRITERIA[1]}]:checked").focus()
    press(page, "Enter")
    assert focused(page) == CRITERIA[3]
    assert not CalibrationAnswer.objects.exists()
    page.locator(f"input[name={CRITERIA[3]}][value='6']").check()
    press(page, "Enter")
    expect(page.get_by_text("Your scores beside the agreed ones")).to_be_visible()
    scores = CalibrationAnswer.objects.get().scores
    assert [scores[key] for key in CRITERIA] == [7, 5, 9, 6]


def test_enter_on_the_compare_page(cast: Any, alice: User, seat: Seat) -> None:
    pairs = list(combinations(cast.reference("r1", 3).candidates.all(), 2))
    row, _ = assign_comparisons(campaign=cast.campaign, annotator=alice, pairs=pairs[:2])
    page = seat(alice, f"/compare/{row.pk}/")
    expect(page.get_by_role("button", name="Keys")).to_be_visible()
    press(page, "1", "2", "j", "3", "k", "Enter")
    assert focused(page) == ALL_CRITERIA[2]
    assert not Preference.objects.exists()
    press(page, "1", "j", "3", "k", "Enter")
    expect(page.get_by_text("Comparison 1: preference stored.")).to_be_visible()
    assert list(Preference.objects.get().judgements.values()) == [1, 0, 1, -1, -1]
