"""How the rate page lies on a screen: no scrolling of its frame, order of focus, no motion."""

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Reference, User
from tests.browser.conftest import Enter
from tests.browser.scene import frame_overflow, press, wait_until_stored

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONG_WORDS = 390
# As if the address bar had the focus: what comes next is what the first Tab reaches.
START_AT_THE_TOP = """() => {
  const button = document.createElement("button");
  document.body.prepend(button);
  button.focus();
  button.remove();
}"""
# The element in focus: its name, and whether it can be seen where it is.
FOCUSED = """() => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const height = Math.min(box.height, innerHeight - box.top);
  const top = document.elementFromPoint(box.left + box.width / 2, box.top + height / 2);
  const isRadio = element.matches("[type=radio]");
  const scale = isRadio ? element.closest("fieldset").querySelector("legend") : null;
  const named = scale ?? element.labels?.[0] ?? element;
  return {
    name: (element.ariaLabel ?? named.innerText).replaceAll(/\\s+/g, " ").trim(),
    tag: element.tagName,
    isSeen: element.contains(top) || (isRadio && top.closest("label").contains(element)),
    outline: getComputedStyle(isRadio ? element.nextElementSibling : element).outlineStyle,
  };
}"""
MOVING = """() => [...document.querySelectorAll("*")].filter((element) => {
  const style = getComputedStyle(element);
  return style.transitionDuration !== "0s" || style.animationName !== "none"
    || style.scrollBehavior !== "auto";
}).map((element) => element.outerHTML.slice(0, 80))"""


def long_claims(words: int, part: str) -> str:
    each = words // 10
    first = f"1. A device comprising a {part} and a housing"
    claims = [first + " with a further part" * ((each - 8) // 4) + "."]
    for number in range(2, 11):
        start = f"{number}. The device of claim {number - 1}, wherein the {part}"
        claims.append(start + " is of metal" * ((each - 8) // 3) + ".")
    # A claim's number is no word of it.
    missing = words - sum(len(claim.split()) - 1 for claim in claims)
    claims[-1] = claims[-1][:-1] + " and" * missing + "."
    return "\n".join(claims)


@pytest.fixture
def long_scene(scene: Page, work: list[Assignment]) -> Page:
    Reference.objects.update(claims=long_claims(LONG_WORDS, "spring"))
    work[0].candidate.reference.candidates.update(claims=long_claims(LONG_WORDS, "lever"))
    scene.reload()
    scene.wait_for_selector(".fold")
    return scene


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 800), pytest.param(1440, 900, marks=pytest.mark.exhaustive)]
)
def test_the_rate_page_itself_never_scrolls(long_scene: Page, width: int, height: int) -> None:
    page = long_scene
    page.set_viewport_size({"width": width, "height": height})
    assert frame_overflow(page) == (0, 0)
    press(page, "3", "5", "c")
    page.keyboard.type("a word " * 40)
    press(page, "Escape")
    # By value, not by letters: a list joins letters that come within a second.
    for count, tag in enumerate(("add vagueness", "add terminological-inconsistency"), start=1):
        page.select_option("#id_tag", tag)
        page.press("#id_tag", "Enter")
        expect(page.locator("#tags .chip")).to_have_count(count)
    press(page, "Escape")
    wait_until_stored(page)
    assert frame_overflow(page) == (0, 0)
    press(page, "!", "t", "Tab", "Enter")
    expect(page.get_by_text("flagged for the campaign's admin")).to_be_visible()
    assert frame_overflow(page) == (0, 0)
    press(page, "Control+Enter")
    expect(page.locator(".scale.field-wrong")).to_have_count(2)
    assert frame_overflow(page) == (0, 0)
    press(page, "a")
    page.wait_for_selector(".columns")
    assert frame_overflow(page) == (0, 0)


def test_long_claim_sets_scroll_together_claim_beside_claim(long_scene: Page) -> None:
    page = long_scene
    page.set_viewport_size({"width": 1440, "height": 900})
    reading = page.locator("#reading")
    assert "390 words" in reading.inner_text()
    pairs = page.locator(".row:not(.heads)").all()
    assert len(pairs) == 10
    for row in (pairs[0], pairs[-1]):
        row.scroll_into_view_if_needed()
        left, right = (claim.bounding_box() for claim in row.locator(".claim").all())
        assert left and right
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] <= right["x"]
    # A glance holds nearly all of both claim sets.
    seen = reading.evaluate("pane => pane.clientHeight / pane.scrollHeight")
    assert seen >= 0.9
    page.set_viewport_size({"width": 1280, "height": 600})
    reading.evaluate("pane => pane.scrollTo(0, 0)")
    press(page, "PageDown")
    page.wait_for_function("document.getElementById('reading').scrollTop > 0")


def test_columns_scroll_one_by_one_by_their_own_keys(long_scene: Page) -> None:
    page = long_scene
    page.set_viewport_size({"width": 1280, "height": 700})
    press(page, "a")
    page.wait_for_selector(".columns")
    press(page, "PageDown")
    page.wait_for_function("document.getElementById('candidate').scrollTop > 0")
    assert page.evaluate("document.getElementById('reference').scrollTop") == 0
    press(page, "]")
    page.wait_for_function("document.getElementById('reference').scrollTop > 0")


def test_tab_goes_from_the_skip_link_through_the_page_in_the_order_of_reading(scene: Page) -> None:
    press(scene, "7")
    wait_until_stored(scene)
    scene.evaluate(START_AT_THE_TOP)
    stops = []
    for _ in range(80):
        press(scene, "Tab")
        stop = scene.evaluate(FOCUSED)
        if stop["tag"] == "BODY":
            break
        stops.append(stop)
    names = [stop["name"] for stop in stops]
    expected = (
        *(
            "Skip to the content",
            "Home",
            "Rated",
            "Rubric",
            "Sign out",
            "Next n \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
            "Rubric b",
        ),
        *("Keys ?", "Aligned a", "Differences d", "Marks m"),
        *("Reference and candidate, claim by claim", "Feature completeness weight 4"),
        *("Conceptual clarity weight 2", "Terminology consistency weight 2"),
        *("Logical linkage weight 3", "Comment c optional", "Note o to the adjudicator only"),
        *("Add", "Submit rating", "Undo u", "Later, skip, recuse, flag s r !"),
    )
    places = [names.index(name) for name in expected]
    assert places == sorted(places), names
    assert [stop["name"] for stop in stops if not stop["isSeen"]] == []
    assert [stop["name"] for stop in stops if stop["outline"] == "none"] == []


def test_the_skip_link_passes_the_navigation(
    alice: User, enter: Enter, site: str, page: Page
) -> None:
    enter(page.context, alice)
    page.goto(f"{site}/rubric/")
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    press(page, "Enter", "Tab")
    expect(page.locator("main a").first).to_be_focused()


def test_nothing_moves_for_those_who_asked_for_it(scene: Page) -> None:
    scene.emulate_media(reduced_motion="reduce")
    assert scene.evaluate(MOVING) == []
    # The rule holds for what a later style sheet sets in motion, too.
    scene.locator("#reading").evaluate(
        "pane => { pane.style.scrollBehavior = 'smooth'; pane.style.transition = 'all 1s'; }"
    )
    assert scene.evaluate(MOVING) == []
