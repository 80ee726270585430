"""Ten is typed as 1 and 0, wherever scores are typed."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, CalibrationItem, Draft, ReadingPreference, User
from annotator.rating.calibration.queries import EXAMPLES
from annotator.rating.calibration.services import add_examples, switch_calibration
from patclaimeval.rubric import CRITERIA
from tests.browser.conftest import Seat
from tests.browser.scene import wait_until_stored
from tests.browser.test_rating_by_keyboard import chosen

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONGEST_PAUSE_MS = 1000

# Types digits, each at a time of the test's own, so that no pause depends on the machine.
TYPE = """typed => {
  for (const [key, at] of typed) {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: at });
    document.activeElement.dispatchEvent(event);
  }
}"""


def type_at(page: Page, *typed: tuple[str, int]) -> None:
    page.evaluate(TYPE, list(typed))


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.name"))


def test_one_and_zero_are_a_ten_and_the_next_criterion_is_untouched(scene: Page) -> None:
    scene.keyboard.type("10")
    assert chosen(scene) == ["10", "", "", ""]
    assert focused(scene) == CRITERIA[1]
    wait_until_stored(scene)
    typed = Draft.objects.get().typed
    assert [typed[key] for key in CRITERIA] == ["10", "", "", ""]
    scene.keyboard.type("100")
    assert chosen(scene) == ["10", "10", "0", ""]


def test_a_digit_that_is_held_down_gives_one_score(scene: Page) -> None:
    for _ in range(3):
        scene.keyboard.down("5")
    scene.keyboard.up("5")
    assert chosen(scene) == ["5", "", "", ""]
    assert focused(scene) == CRITERIA[1]


def test_four_tens_are_typed_in_a_row_and_submitted(scene: Page) -> None:
    scene.keyboard.type("10101010")
    assert chosen(scene) == ["10"] * 4
    expect(scene.get_by_role("button", name="Submit rating")).to_be_focused()


@pytest.mark.parametrize(
    ("pause", "expected"),
    [(LONGEST_PAUSE_MS, ["10", "", "", ""]), (LONGEST_PAUSE_MS + 1, ["1", "0", "", ""])],
)
def test_a_zero_after_a_second_is_the_score_of_the_next_criterion(
    scene: Page, pause: int, expected: list[str]
) -> None:
    type_at(scene, ("1", 5000), ("0", 5000 + pause))
    assert chosen(scene) == expected


@pytest.mark.parametrize("between", ["k", "j"])
def test_a_zero_elsewhere_is_a_zero(scene: Page, between: str) -> None:
    type_at(scene, ("1", 5000), (between, 5100), ("0", 5200))
    assert chosen(scene) == (["0", "", "", ""] if between == "k" else ["1", "", "0", ""])


def test_the_chip_of_ten_shows_its_key(scene: Page, alice: User) -> None:
    ten = scene.locator("fieldset.scale").first.locator(".step").last
    expect(ten.locator("kbd")).to_have_text("t")
    ReadingPreference.objects.create(user=alice, keys={"ten": "x"})
    scene.reload()
    expect(ten.locator("kbd")).to_have_text("x")


def test_a_ten_is_typed_on_the_calibration_page(
    cast: Any, alice: User, work: list[Assignment], seat: Seat
) -> None:
    add_examples(campaign=cast.campaign, keys=[*EXAMPLES][:1], by=cast.ada)
    switch_calibration(campaign=cast.campaign, is_on=True, by=cast.ada)
    page = seat(alice, f"/calibrate/{CalibrationItem.objects.get().pk}/")
    page.wait_for_selector(".fold")
    page.keyboard.type("10")
    assert chosen(page) == ["10", "", "", ""]
    assert focused(page) == CRITERIA[1]
    page.keyboard.type("5t")
    assert chosen(page) == ["10", "5", "10", ""]
    expect(page.locator("fieldset.scale").first.locator(".step").last.locator("kbd")).to_have_text(
        "t"
    )
