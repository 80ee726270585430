"""Marks on the rate page: which are shown, which on request; claims that were split or merged."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, ReadingPreference, Reference, User
from tests.browser.axe import faults
from tests.browser.scene import press

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PUMP = (
    "1. A pump comprising a housing of cast iron, a rotor that turns in the housing, a hollow "
    "shaft on which the rotor is mounted, and a controller that saves a form and sends the filled "
    "form to the server when a pressure in the housing exceeds a limit."
)
SPRING = "2. The pump of claim 1, wherein a helical spring of steel presses the seal on the shaft."
COVER = "3. The pump of claim 1, wherein the cover is bolted to a flange of the outlet pipe."
BOTH = f"{SPRING[:-1]}, {COVER[COVER.index('wherein') :]}"
REST = "\n".join(
    f"{{}}. The pump of claim 1, wherein the rotor has {count} blades of a forged alloy, each "
    f"blade being welded to the hollow shaft at an angle of {count} degrees."
    for count in range(4, 24)
)


def numbered(*claims: str) -> str:
    lines = "\n".join(claims).split("\n")
    return "\n".join(line.replace("{}", str(place)) for place, line in enumerate(lines, start=1))


@pytest.fixture
def marked(work: list[Assignment], scene: Page) -> Page:
    """Return the rate page of a candidate that has two claims of the reference as one."""
    Reference.objects.update(claims=numbered(PUMP, SPRING, COVER, REST))
    work[0].candidate.reference.candidates.update(claims=numbered(PUMP, BOTH, REST))
    scene.reload()
    scene.wait_for_selector(".fold")
    return scene


def test_less_certain_marks_are_shown_on_request_and_remembered(marked: Page, alice: User) -> None:
    likely = marked.locator("[data-side=candidate] mark.likely-basis")
    expect(likely).to_have_text("the filled form")
    line = "node => getComputedStyle(node).textDecorationLine"
    assert likely.evaluate(line) == "none"
    certain = marked.locator("#candidate-head .findings li")
    count = certain.count()
    assert count and "filled form" not in " ".join(certain.all_inner_texts())
    switch = marked.get_by_role("button", name="less certain 2")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert likely.evaluate(line) == "underline"
    expect(certain).to_have_count(count + 1)
    marked.reload()
    marked.wait_for_selector("#panes.shows-less-certain .fold")
    assert ReadingPreference.objects.get(user=alice).shows_changes == ["less-certain"]
    # The key for the next mark stops at it, and no longer when it is not shown.
    press(marked, ">")
    expect(marked.locator("[data-side=reference] mark.likely-basis.is-current")).to_have_count(1)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    press(marked, ">")
    expect(marked.locator("mark.is-current")).to_have_text("the server")


def test_merged_claims_say_so_in_their_row_their_limitation_and_the_minimap(marked: Page) -> None:
    expect(marked.locator(".minimap .state-merged")).to_have_text("3 in claim 2 of the candidate")
    expect(marked.locator(".minimap .state-changed")).to_have_text("2 changed")
    expect(marked.locator(".minimap :is(.state-missing, .state-added)")).to_have_count(0)
    expect(marked.locator("#candidate-head .states")).to_contain_text("1 merged")
    lone = marked.locator(".row").filter(has_text="The pump of claim 1, wherein the cover").last
    expect(lone.locator(".nothing")).to_have_text("in claim 2 of the candidate")
    note = "one => getComputedStyle(one, '::before').content"
    for side, said in (("reference", "merged into claim 2"), ("candidate", "from claim 3")):
        cover = marked.locator(f"[data-side={side}] .limitation").filter(has_text="the cover is")
        assert cover.evaluate(note) == f'"{said}"'
    expect(marked.locator(".limitation.is-nowhere")).to_have_count(0)
    assert faults(marked) == []
