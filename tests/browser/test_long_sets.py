"""A set of a hundred claims on the rate page: the minimap, what is seen, ways through it."""

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.models import Assignment, Campaign, ReadingPreference, Reference, User
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.long_claims import CLAIMS, hundred
from tests.browser.scene import press
from tests.browser.test_layout import START_AT_THE_TOP

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# Whether the marked cell is that of the first claim whose text reaches below the heads.
IS_READ = """() => {
  const pane = document.querySelector("#reading");
  const line = pane.querySelector(".row.heads, .pane-head").getBoundingClientRect().bottom + 4;
  const claims = [...pane.querySelectorAll(".claim")];
  const first = claims.find((claim) => claim.getBoundingClientRect().bottom > line);
  const marked = [...document.querySelectorAll(".minimap [aria-current]")];
  return marked.length === 1 && marked[0].dataset.places.split(" ").includes(first.id);
}"""
# The whole claims that are seen: below the sticky heads, above the end of the pane.
SEEN = """() => {
  const end = document.getElementById("reading").getBoundingClientRect().bottom;
  const top = document.querySelector(".row.heads").getBoundingClientRect().bottom;
  return [...document.querySelectorAll(".claim[data-side=candidate]")].filter((claim) => {
    const text = claim.querySelector(".claim-text").getBoundingClientRect();
    return text.top >= top - 1 && text.bottom <= end + 1;
  }).length;
}"""


@pytest.fixture
def long_work(work: list[Assignment]) -> list[Assignment]:
    Reference.objects.update(claims=hundred())
    work[0].candidate.reference.candidates.update(claims=hundred(is_candidate=True))
    return work


@pytest.fixture
def long_scene(long_work: list[Assignment], scene: Page) -> Page:
    scene.reload()
    scene.wait_for_selector(".fold")
    return scene


def test_eight_claims_of_a_hundred_are_seen_and_the_set_at_a_glance(long_scene: Page) -> None:
    assert long_scene.evaluate(SEEN) >= 8
    cells = long_scene.locator(".minimap a")
    expect(cells).to_have_count(CLAIMS + 1)
    for state, count in (("changed", 10), ("missing", 1), ("added", 1), ("matched", 89)):
        expect(long_scene.locator(f".minimap .state-{state}")).to_have_count(count)
    expect(long_scene.locator(".states")).to_have_text(["1 missing", "10 changed 1 added"])
    for folded in long_scene.locator(".tree").all():
        expect(folded).to_be_hidden()
    height = long_scene.locator(".minimap").bounding_box()
    assert height and height["height"] <= 50


def test_an_open_tree_or_list_of_marks_leaves_most_of_the_claims(long_scene: Page) -> None:
    for name in ("Tree", "marks"):
        for summary in long_scene.locator("summary").filter(has_text=name).all():
            summary.click()
        heads = long_scene.locator(".row.heads").bounding_box()
        assert heads and heads["height"] < 145, name
        if name == "Tree":
            long_scene.locator("#candidate-head .tree").get_by_text("60", exact=True).click()
            claim = long_scene.locator(".claim[data-side=candidate]").filter(has_text="type 60,")
            box = claim.bounding_box()
            assert box and box["y"] >= heads["y"] + heads["height"] - 1


def test_a_cell_leads_to_its_claims_by_click_and_by_arrow(long_scene: Page) -> None:
    long_scene.get_by_role("link", name="60 changed").click()
    for side in ("reference", "candidate"):
        claim = long_scene.locator(f".claim[data-side={side}]").filter(has_text="of type 60,")
        expect(claim).to_be_in_viewport()
    expect(long_scene.locator(".minimap [aria-current]")).to_have_text("60 changed")
    stops = long_scene.locator(".minimap a:not([tabindex='-1'])")
    expect(stops).to_have_count(1)
    stops.focus()
    press(long_scene, "ArrowRight", "ArrowRight")
    expect(long_scene.get_by_role("link", name="3 matched", exact=True)).to_be_focused()
    press(long_scene, "End")
    added = long_scene.locator(".claim").filter(has_text="a camera films")
    expect(added).to_be_in_viewport()
    expect(stops).to_have_count(1)
    press(long_scene, "Control+Enter")
    expect(long_scene.locator(".scale.field-wrong")).to_have_count(4)


def test_the_cell_of_the_claim_that_is_read_is_marked(long_scene: Page) -> None:
    marked = long_scene.locator(".minimap [aria-current=true]")
    expect(marked).to_have_text("1 matched")
    # The first claim below the heads, whatever was scrolled by.
    for _ in range(3):
        press(long_scene, "PageDown")
        expect(marked).to_have_count(1)
        long_scene.wait_for_function(IS_READ)
        expect(marked).to_be_in_viewport()
    long_scene.locator("#reading").evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")
    long_scene.wait_for_function(IS_READ)
    expect(marked).to_be_in_viewport()
    # A jump marks its own cell, though the last claims cannot come to the top.
    long_scene.get_by_role("link", name="101 added").click()
    expect(marked).to_have_text("101 added")
    # A switched aid puts new cells there, with the mark where it was.
    press(long_scene, "d")
    long_scene.wait_for_selector("#panes:not(.shows-diff)")
    expect(marked).to_have_text("101 added")
    press(long_scene, "PageUp")
    long_scene.wait_for_function(IS_READ)


def test_the_cell_of_a_difference_gone_to_is_marked(long_scene: Page) -> None:
    press(long_scene, ".", ".")
    current = long_scene.locator(".is-current")
    claim = current.evaluate("one => one.closest('.claim').id")
    marked = long_scene.locator(".minimap [aria-current=true]")
    assert claim in str(marked.get_attribute("data-places")).split()


def test_in_columns_the_pane_that_was_scrolled_last_is_followed(long_scene: Page) -> None:
    press(long_scene, "a")
    long_scene.wait_for_selector(".columns")
    for pane in ("reference", "candidate"):
        long_scene.locator(f"#{pane}").evaluate("pane => pane.scrollTo(0, pane.scrollHeight / 2)")
        long_scene.wait_for_function(IS_READ.replace("#reading", f"#{pane}"))


def test_all_classes_of_differences_take_no_second_line(
    long_scene: Page, long_work: list[Assignment], alice: User
) -> None:
    # So that each class has a count of three digits.
    changed = hundred(is_candidate=True)
    for old, new in (("(1", "(2"), ("wherein", "in which")):
        changed = changed.replace(old, new)
    above, below = changed.split("\n40. ")
    changed = f"{above}\n40. {below.replace('of type', 'of kind')}"
    Reference.objects.update(claims=hundred().replace("the housing", "said housings,"))
    long_work[0].candidate.reference.candidates.update(claims=changed)
    Campaign.objects.update(name="a campaign whose name has no room beside the links of a page")
    changes = ["signs", "articles", "connectives", "forms", "punctuation"]
    ReadingPreference.objects.create(user=alice, shows_changes=changes)
    long_scene.reload()
    long_scene.wait_for_selector(".fold")
    expect(long_scene.locator(".aids .change[aria-pressed=true]")).to_have_count(len(changes))
    for count in long_scene.locator(".aids .legend").first.inner_text().split()[1::2]:
        assert 99 < int(count) < 1000
    for line in (".rate-head", ".aids"):
        box = long_scene.locator(line).bounding_box()
        assert box and box["height"] < 30
    assert long_scene.evaluate(SEEN) >= 7


def test_in_columns_a_cell_moves_both(long_scene: Page) -> None:
    press(long_scene, "a")
    long_scene.wait_for_selector(".columns")
    long_scene.get_by_role("link", name="60 changed").click()
    for side in ("reference", "candidate"):
        claim = long_scene.locator(f"#{side} .claim").filter(has_text="of type 60,")
        expect(claim).to_be_in_viewport()


def test_without_scripts_cells_are_links(
    browser: Browser, site: str, alice: User, long_work: list[Assignment], enter: Enter
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, alice)
    page = context.new_page()
    page.goto(f"/rate/{long_work[0].pk}/")
    page.get_by_role("link", name="60 changed").click()
    claim = page.locator(".claim[data-side=candidate]").filter(has_text="of type 60,")
    expect(claim).to_be_in_viewport()
    context.close()


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 800), (390, 844), pytest.param(640, 400, id="at-200-percent")]
)
def test_a_long_set_breaks_no_rule(long_scene: Page, width: int, height: int) -> None:
    long_scene.set_viewport_size({"width": width, "height": height})
    found = faults(long_scene)
    for summary in long_scene.locator("summary").filter(has_text="Tree").all():
        summary.click()
    found += faults(long_scene)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("width", "height"), [(390, 844), pytest.param(640, 400, id="at-200-percent")]
)
def test_a_small_screen_begins_at_claims_that_name_their_side(
    long_scene: Page, width: int, height: int
) -> None:
    long_scene.set_viewport_size({"width": width, "height": height})
    long_scene.reload()
    long_scene.wait_for_selector(".fold")
    assert long_scene.evaluate("scrollY") == 0
    for side in ("reference", "candidate"):
        heading = long_scene.get_by_role("heading", name=f"{side} claim 1", exact=True)
        expect(heading).to_be_in_viewport()
        box = heading.locator(".side-name").bounding_box()
        assert box and box["width"] > 40
    press(long_scene, "7")
    expect(long_scene.locator("fieldset").nth(1).locator("input").first).to_be_focused()


def test_a_wide_screen_begins_at_the_scales(long_scene: Page) -> None:
    expect(long_scene.locator("fieldset").first.locator("input").first).to_be_focused()


def test_claims_marks_and_scores_are_six_stops_from_the_top(long_scene: Page) -> None:
    for name, target in (
        ("Skip to the claims", "#reading"),
        ("Skip to the marks", ".row.heads summary"),
        ("Skip to the scores", ".scales input"),
    ):
        long_scene.reload()
        long_scene.wait_for_selector(".fold")
        long_scene.evaluate(START_AT_THE_TOP)
        link = long_scene.get_by_role("link", name=name)
        stops = 0
        while not link.evaluate("link => link === document.activeElement"):
            press(long_scene, "Tab")
            stops += 1
            assert stops < 6
        expect(link).to_be_in_viewport()
        press(long_scene, "Enter", "Tab")
        assert long_scene.evaluate("target => document.activeElement.matches(target)", target), name


def test_names_of_controls_hold_no_letters_of_keys(long_scene: Page) -> None:
    for role, name in (
        ("button", "Aligned"),
        ("button", "Differences"),
        ("button", "Marks"),
        ("button", "Keys"),
        ("button", "Undo"),
        ("link", "Rubric"),
        ("textbox", "Comment optional"),
        ("textbox", "Note to the adjudicator only"),
    ):
        within = long_scene.locator("main").get_by_role(role, name=name, exact=True)
        expect(within).to_have_count(1)


def test_a_number_after_g_goes_to_the_claim_and_gives_no_score(long_scene: Page) -> None:
    press(long_scene, "g", "6", "0")
    for side in ("reference", "candidate"):
        claim = long_scene.locator(f".claim[data-side={side}]").filter(has_text="of type 60,")
        expect(claim).to_be_in_viewport()
    press(long_scene, "9")
    expect(long_scene.get_by_text("no claim 609")).to_be_visible()
    assert long_scene.locator(".scale input:checked").count() == 0
    press(long_scene, "Escape", "7")
    assert long_scene.locator(".scale input:checked").input_value() == "7"


def test_a_term_is_found_and_counted_on_both_sides_over_marks(
    long_scene: Page, long_work: list[Assignment]
) -> None:
    press(long_scene, "/")
    long_scene.keyboard.type("ARRANGED between  the rotor")
    counts = long_scene.locator("#tools output").last
    expect(counts).to_have_text(f"Reference: 98, {long_work[0].label}: 88")
    size = "CSS.highlights.get('found').size"
    assert long_scene.evaluate(size) == 186
    press(long_scene, "Control+A")
    long_scene.keyboard.type("camera (")
    expect(counts).to_have_text(f"Reference: 0, {long_work[0].label}: 0")
    assert not faults(long_scene)
    press(long_scene, "Backspace", "Backspace", "Enter")
    expect(long_scene.locator(".claim").filter(has_text="a camera films")).to_be_in_viewport()
    assert long_scene.evaluate(size) == 1


def test_all_or_what_is_equal_is_folded(long_scene: Page) -> None:
    folded = long_scene.locator(".claim.is-folded")
    press(long_scene, "=")
    expect(folded).to_have_count(2 * 89)
    for claim in folded.all()[:6]:
        box = claim.bounding_box()
        assert box and box["height"] < 30
    for text in ("of type 60,", "a camera films"):
        for claim in long_scene.locator(".claim").filter(has_text=text).all():
            assert "is-folded" not in str(claim.get_attribute("class"))
    press(long_scene, "=")
    expect(folded).to_have_count(0)
    press(long_scene, "F")
    expect(folded).to_have_count(200)


def test_marks_are_walked_through_from_where_the_last_walk_ended(long_scene: Page) -> None:
    press(long_scene, "F", ".", ">")
    current = long_scene.locator(".is-current")
    expect(current).to_have_count(1)
    first = current.evaluate(
        "mark => [mark.tagName, mark.closest('.claim').classList.contains('is-folded')]"
    )
    assert first == ["MARK", False]
    # Claim 10 holds the first difference, so that the marks before it are passed.
    assert current.evaluate("mark => Number(mark.closest('.claim').dataset.start)") > 1000
    press(long_scene, ">", "<")
    expect(current).to_have_count(1)
    expect(current).to_be_in_viewport()


def test_the_size_of_the_text_is_remembered(long_scene: Page) -> None:
    size = "() => parseFloat(getComputedStyle(document.querySelector('.claim-text')).fontSize)"
    normal = long_scene.evaluate(size)
    long_scene.get_by_text("Find and fold", exact=True).click()
    long_scene.get_by_role("button", name="Larger text").click()
    larger = long_scene.evaluate(size)
    assert larger > normal
    long_scene.reload()
    long_scene.wait_for_selector(".fold")
    assert long_scene.evaluate(size) == larger
