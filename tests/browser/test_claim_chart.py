"""The claim chart in a real Chromium: read by keyboard on both screens; marks tagged by a key."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.models import Assignment, Draft, Reference, User
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.long_claims import hundred
from tests.browser.scene import frame_overflow, go_to, press

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SCREENS = [pytest.param(WIDE, id="1280x800"), pytest.param(NARROW, id="390x844")]
COUNT = 60
FIRST = (
    "1. A pump comprising:\n"
    "a housing (10) of cast iron with an inlet and an outlet;\n"
    "a rotor (12) that is mounted in the housing between the inlet and the outlet;\n"
    "a hollow shaft that carries the rotor in two bearings;\n"
    "a magnet guide of bronze that leads a magnet along the rotor opposite to the inlet; and\n"
    "a controller (14) configured to stop the rotor when a pressure exceeds a limit."
)
# The shaft has become a dependent claim, half of the magnet guide and all of the controller are
# gone, a handle is new, and one claim refers to a claim that is not there.
CHANGED_FIRST = (
    "1. A pump comprising:\n"
    "a housing (10) of cast iron with an inlet and an outlet;\n"
    "a rotor (12) that is mounted in the housing between the inlet and the outlet; and\n"
    "a magnet guide of bronze that leads a magnet along the rotor."
)
OWN = (
    "61. The pump of claim 1, further comprising a hollow shaft that carries the rotor in two "
    "bearings.\n"
    "62. The pump of claim 99, wherein the folding handle is made of beech."
)
# A limitation that has moved, one in the midst of the chart, and its last one.
WALKED = (
    ("a hollow shaft that carries the rotor in two bearings", "demoted to dependent claim 61", 61),
    ("wherein the housing (10) holds a glass sensor of type 31", "in claim 31", 31),
    ("the silver cover being arranged between the rotor and a spring", "in claim 59", 59),
)


def sets() -> tuple[str, str]:
    """Return a reference of sixty claims and a candidate in which limitations have moved."""
    reference = hundred().split("\n")[1:COUNT]
    candidate = hundred(is_candidate=True).split("\n")[1 : COUNT - 1]
    return "\n".join([FIRST, *reference]), "\n".join([CHANGED_FIRST, *candidate, OWN])


@pytest.fixture
def charted(work: list[Assignment]) -> list[Assignment]:
    reference, candidate = sets()
    Reference.objects.update(claims=reference, language="en")
    work[0].candidate.reference.candidates.update(claims=candidate)
    return work


def open_chart(
    browser: Browser, site: str, alice: User, enter: Enter, row: Assignment, **options: Any
) -> Page:
    context = browser.new_context(**options)
    enter(context, alice)
    page = context.new_page()
    page.goto(f"{site}/rate/{row.pk}/")
    page.locator("summary").filter(has_text="Claim chart").click()
    page.get_by_role("link", name="Claim chart as a page").click()
    page.wait_for_url("**/chart/")
    return page


@pytest.mark.parametrize("is_scripted", [False, True], ids=["no scripts", "scripts"])
@pytest.mark.parametrize("screen", SCREENS)
def test_rows_lead_to_both_texts_and_back_by_keyboard(
    charted: list[Assignment],
    browser: Browser,
    site: str,
    alice: User,
    enter: Enter,
    screen: dict,
    is_scripted: bool,
) -> None:
    page = open_chart(
        browser, site, alice, enter, charted[0], viewport=screen, java_script_enabled=is_scripted
    )
    for words, verdict, number in WALKED:
        row = page.locator(".is-wide tr").filter(has_text=words)
        expect(row.locator(".judged strong")).to_have_text(verdict)
        for side, link in zip(
            ("reference", "candidate"), row.locator(".chart-places a").all(), strict=True
        ):
            link.focus()
            press(page, "Enter")
            claim = page.locator(f"article[data-side={side}]:target")
            expect(claim).to_be_in_viewport(ratio=0.9)
            # The limitation stands there word for word.
            expect(claim).to_contain_text(words)
            assert page.url.endswith(f"#{claim.get_attribute('id')}")
            # The next stop of Tab is the way back, to the first row that is about the claim.
            press(page, "Tab")
            expect(claim.get_by_role("link", name="chart")).to_be_focused()
            press(page, "Enter")
            first = page.locator("tr:target")
            for part in ("th", ".judged"):
                expect(first.locator(part)).to_be_in_viewport(ratio=0.9)
            press(page, "Tab")
            expect(first.locator(".chart-places a").first).to_be_focused()
            assert frame_overflow(page)[0] == 0
        # The last way back was that of the candidate's claim.
        expect(first.locator(".chart-places a").last).to_have_text(f"claim {number}")


@pytest.mark.parametrize("screen", SCREENS)
def test_the_chart_fits_both_screens(
    charted: list[Assignment], browser: Browser, site: str, alice: User, enter: Enter, screen: dict
) -> None:
    page = open_chart(browser, site, alice, enter, charted[0], viewport=screen)
    assert frame_overflow(page)[0] == 0
    region = page.get_by_role("region", name="Where the limitations of the reference stand")
    verdict = page.locator("tr").filter(has_text="a magnet guide").first.locator(".judged")
    expect(verdict).to_contain_text("opposite to the inlet")
    if screen == WIDE:
        # Sixty-one columns scroll in their own region, between the limitation and the verdict.
        go_to(page, region)
        across = region.evaluate("one => one.scrollWidth - one.clientWidth")
        assert across > 1000
        region.evaluate("one => one.scrollTo(600, 0)")
        head, last = page.locator("thead th").first, page.locator(".is-wide thead th").last
        for sticky in (head, last, verdict):
            expect(sticky).to_be_in_viewport(ratio=0.5)
    else:
        expect(page.locator(".place").first).to_be_hidden()
        box = verdict.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= screen["width"]
    assert faults(page) == []


@pytest.mark.parametrize("screen", SCREENS)
def test_all_candidates_fit_both_screens(
    charted: list[Assignment],
    cast: Any,
    browser: Browser,
    site: str,
    alice: User,
    enter: Enter,
    screen: dict,
) -> None:
    for assignment in charted:
        cast.submit(assignment)
    context = browser.new_context(viewport=screen)
    enter(context, alice)
    page = context.new_page()
    page.goto(f"{site}/rate/{charted[0].pk}/all/")
    page.get_by_role("link", name="Claim chart").click()
    page.wait_for_url("**/all/chart/**")
    assert frame_overflow(page)[0] == 0
    row = page.locator("tr").filter(has_text="a hollow shaft").first
    expect(row.get_by_role("link", name="demoted to dependent claim 61")).to_have_count(3)
    assert faults(page) == []
    row.get_by_role("link").nth(1).click()
    page.wait_for_url(f"**/rate/{charted[1].pk}/chart/#*")
    expect(page.locator("tr:target")).to_contain_text("a hollow shaft")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_panel_above_the_claims_leads_to_them(
    charted: list[Assignment], scene: Page, complaints: list[str], screen: dict
) -> None:
    scene.set_viewport_size(screen)
    scene.reload()
    scene.wait_for_selector(".fold")
    assert scene.locator(".chart-table").count() == 0
    summary = scene.locator("summary").filter(has_text="Claim chart")
    summary.focus()
    press(scene, "Enter")
    row = scene.locator(".chart-panel tr").filter(has_text="a hollow shaft").first
    expect(row).to_contain_text("demoted to dependent claim 61")
    across, down = frame_overflow(scene)
    assert across == 0
    # On a wide screen the page itself never scrolls; on a narrow one nothing lies over the chart.
    assert down == 0 or screen == NARROW
    table = scene.locator(".chart-panel .chart-table.is-wide").bounding_box()
    own = scene.locator(".chart-panel h3").first.bounding_box()
    assert table and own
    assert screen == WIDE or table["y"] + table["height"] <= own["y"]
    row.get_by_role("link", name="claim 61").focus()
    press(scene, "Enter")
    claim = scene.locator("article[data-side=candidate]").filter(has_text="hollow shaft")
    expect(claim).to_be_in_viewport()
    scene.get_by_role("region", name="Where the limitations").focus()
    press(scene, "ArrowDown")
    expect(scene.get_by_role("region", name="Where the limitations")).to_be_focused()
    assert faults(scene) == []


def tags(row: Assignment) -> list[dict[str, Any]]:
    draft = Draft.objects.filter(assignment=row).first()
    found: list[dict[str, Any]] = json.loads(draft.typed["error_tags"]) if draft else []
    return found


def test_a_key_tags_the_mark_in_focus_with_its_error(
    charted: list[Assignment], scene: Page, complaints: list[str]
) -> None:
    candidate = charted[0].candidate
    text = sets()[1].replace("62. The", "64. The")
    candidate.reference.candidates.update(claims=text)
    scene.reload()
    scene.wait_for_selector(".fold")
    wanted = {
        "no-antecedent": "Antecedent Reference Errors",
        "broken": "Dependency Clarity Error",
        "fault": "Claim Numbering Error",
    }
    seen: dict[str, str] = {}
    for kind, name in wanted.items():
        mark = scene.locator(f"[data-side=candidate] .{kind}:focus")
        for _ in range(200):
            press(scene, ">")
            if mark.count():
                break
        expect(mark).to_have_count(1)
        press(scene, "E")
        chip = scene.locator("#tags .chip").filter(has_text=name)
        words = "64." if kind == "fault" else mark.inner_text()
        expect(chip).to_contain_text(words)
        expect(mark).to_be_focused()
        seen[kind] = words
    # The draft follows a moment after each chip.
    for _ in range(100):
        if len(tags(charted[0])) == len(wanted):
            break
        scene.wait_for_timeout(100)
    stored = {one["tag"]: one for one in tags(charted[0])}
    assert [one["side"] for one in stored.values()] == ["candidate"] * len(wanted)
    for kind, name in wanted.items():
        one = stored[name.lower().replace(" ", "-")]
        assert text[one["start"] : one["end"]].strip() == seen[kind]


def test_the_key_says_so_where_nothing_is_in_focus_and_is_listed(scene: Page) -> None:
    scene.locator("#reading").focus()
    press(scene, "E")
    expect(scene.locator("#problem")).to_contain_text("Go to a mark of another kind first")
    expect(scene.locator("#tags .chip")).to_have_count(0)
    press(scene, "?")
    expect(scene.locator("#keys")).to_contain_text("Tag the mark in focus with its error")
