"""An adjudicator rules in a real Chromium."""

import os
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.models import (
    Adjudication,
    Candidate,
    Conflict,
    PreparedRuling,
    Rating,
    Reference,
    Ruling,
    User,
)
from annotator.rating.services import revise_rating
from patclaimeval.rubric import CRITERIA
from tests.browser.axe import faults
from tests.browser.long_claims import hundred
from tests.browser.scene import PASSWORD, frame_overflow, furnish, press, sign_in
from tests.browser.test_typed_tens import LONGEST_PAUSE_MS, type_at

SHOTS = os.environ.get("SCREENSHOTS", "")

TAGGED = "[...CSS.highlights.get('tagged')].map(String)"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def carol(cast: Any, transactional_db: None) -> User:
    user: User = cast.carol
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def ratings(cast, carol: User) -> list[Rating]:
    """Two candidates in opposite order, with comments, a note and a tag on a passage of a claim."""
    reference = cast.reference("r1", 2)
    furnish(reference)
    first, second = reference.candidates.order_by("candidate_id")
    made = []
    for person, values in ((cast.alice, (2, 9)), (cast.bob, (8, 3))):
        rows = {row.candidate_id: row for row in cast.assign(person, reference)}
        for candidate, value in zip((first, second), values, strict=True):
            rating = cast.submit(rows[candidate.pk], [value, value, 5, value])
            start = candidate.claims.index("a lid") if "a lid" in candidate.claims else 14
            made.append(
                revise_rating(
                    rating_id=rating.pk,
                    annotator=person,
                    version=1,
                    scores=rating.scores,
                    comment=f"The hinge is {'missing' if value < 5 else 'implied by the lid'}.",
                    note="See claim 1 of the reference.",
                    error_tags=[{"tag": "vagueness", "start": start, "end": start + 12}],
                )
            )
    return made


@pytest.fixture
def listed(ratings, site: str, page: Page, complaints) -> Page:
    """The list of conflicts, reached by keyboard from the sign-in page."""
    page.goto(f"{site}/login/?next=/adjudication/")
    sign_in(page, "carol")
    page.wait_for_url(f"{site}/adjudication/")
    return page


@pytest.fixture
def scene(listed: Page) -> Page:
    """The first conflict, taken by one key."""
    expect(listed.get_by_role("button", name="Take the first free conflict")).to_be_focused()
    listed.keyboard.press("Enter")
    listed.wait_for_url("**/adjudication/*-*/")
    expect(listed.get_by_role("button", name="Keys")).to_be_visible()
    return listed


def shoot(page: Page, name: str) -> None:
    """Save pictures where somebody asked for them, in both colour schemes."""
    for scheme in ("light", "dark") if SHOTS else ():
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=f"{SHOTS}/{name}-{scheme}.png")
    if SHOTS:
        page.emulate_media(color_scheme="light")


def open_flip(page: Page, site: str) -> None:
    page.goto(f"{site}/adjudication/{Conflict.objects.get(kind='order_flip').pk}/")
    take = page.get_by_role("button", name="Take this conflict")
    if take.count():
        take.press("Enter")
        page.wait_for_selector("#held-until")
    expect(page.get_by_role("button", name="Keys")).to_be_visible()


def test_a_conflict_is_ruled_by_keyboard_alone(scene: Page, site: str) -> None:
    shoot(scene, "one")
    scene.keyboard.press("Y")
    scene.keyboard.type("the ratings")
    scene.keyboard.press("Tab")
    scene.keyboard.type("Claim 1 keeps the lid: 1 and 2 are words here.")
    press(scene, "Tab", "Space", "Tab")
    scene.keyboard.type(PASSWORD)
    here = scene.url
    scene.keyboard.press("Enter")
    # The next one opens at once, with what was given.
    scene.wait_for_url(lambda url: "/adjudication/" in url and url != here)
    expect(scene.get_by_text("ruled and signed")).to_be_visible()
    expect(scene.locator("#held-until")).to_be_visible()
    row = Adjudication.objects.get()
    assert (row.decision, row.reason_code) == ("take", "both-defensible")
    assert row.has_guideline_gap
    assert row.reason == "Claim 1 keeps the lid: 1 and 2 are words here."
    scene.goto(f"{site}/adjudication/")
    expect(scene.get_by_role("link", name="Candidate")).to_have_count(2)


def test_new_scores_of_two_candidates_are_typed_by_keyboard(scene: Page, site: str) -> None:
    open_flip(scene, site)
    shoot(scene, "two")
    scene.keyboard.press("N")
    for score in ("7", "6", "10", "5", "3", "2", "1", "0"):
        scene.keyboard.type(score)
        scene.keyboard.press("Tab")
    scene.locator("#id_reason_code").select_option("overlooked")
    scene.locator("#id_reason").fill("Both overlooked the hinge.")
    scene.locator("#id_password").fill(PASSWORD)
    scene.keyboard.press("Control+Enter")
    expect(scene.get_by_text("ruled and signed")).to_be_visible()
    rows = [[row.scores[key] for key in CRITERIA] for row in Ruling.objects.all()]
    assert sorted(rows) == [["3", "2", "1", "0"], ["7", "6", "10", "5"]]
    scene.goto(f"{site}/adjudication/{Conflict.objects.get(kind='order_flip').pk}/")
    expect(scene.get_by_text("Signed by carol")).to_be_visible()
    shoot(scene, "ruled")


def test_a_column_is_corrected_by_a_column_and_a_digit_by_a_digit(scene: Page) -> None:
    scene.keyboard.press("X")
    expect(scene.locator("#id_reason_code")).to_be_focused()
    scene.keyboard.press("M")
    expect(scene.get_by_label("Mean")).to_be_checked()
    scene.keyboard.press("N")
    first = scene.locator(".scores select").first
    expect(first).to_be_focused()
    for keys, value in (("7", "7"), ("3", "3"), ("t", "10"), ("1", "1"), ("0", "10"), ("0", "0")):
        scene.keyboard.press(keys)
        expect(first).to_have_value(value)


def test_keys_of_columns_set_no_score_and_keys_of_scores_choose_no_column(scene: Page) -> None:
    press(scene, "1", "2", "3", "4")
    expect(scene.locator("input[name=decision]:checked")).to_have_count(0)
    press(scene, "N", "1")
    first = scene.locator(".scores select").first
    expect(first).to_have_value("1")
    press(scene, "X")
    expect(scene.get_by_label("Annotator 1")).to_be_checked()
    expect(first).to_have_value("1")
    press(scene, "1")
    expect(scene.get_by_label("Annotator 1")).to_be_checked()


def test_a_zero_after_a_second_takes_the_place_of_a_one(scene: Page) -> None:
    press(scene, "N")
    first = scene.locator(".scores select").first
    for pause, value in ((LONGEST_PAUSE_MS, "10"), (LONGEST_PAUSE_MS + 1, "0")):
        type_at(scene, ("1", 5000), ("0", 5000 + pause))
        expect(first).to_have_value(value)


def test_enter_goes_to_what_a_ruling_lacks_and_signs_once_it_lacks_nothing(scene: Page) -> None:
    def focused() -> str:
        return str(scene.evaluate("document.activeElement.name"))

    scene.get_by_label("Mean").focus()
    press(scene, "Enter")
    assert focused() == "decision"
    press(scene, "N", "7", "Enter")
    assert focused() == CRITERIA[1]
    press(scene, "6", "Tab", "5", "Tab", "4", "Enter")
    assert focused() == "reason_code"
    scene.keyboard.type("the ratings")
    press(scene, "Tab")
    # In a text it begins a line.
    press(scene, "a", "Enter", "b", "Tab", "Tab")
    assert focused() == "password"
    press(scene, "Enter")
    assert focused() == "password"
    scene.keyboard.type(PASSWORD)
    press(scene, "Enter")
    expect(scene.get_by_text("ruled and signed")).to_be_visible()
    row = Adjudication.objects.get()
    assert (row.decision, row.reason) == ("scores", "a\nb")


def test_a_ruling_that_was_refused_has_the_focus_on_what_is_wrong(
    scene: Page, complaints: list[str]
) -> None:
    scene.get_by_role("button", name="Sign the ruling").press("Enter")
    expect(scene.get_by_text("Choose a rating, the mean, or new scores.")).to_be_visible()
    assert scene.evaluate("document.activeElement.name") == "decision"
    scene.get_by_label("Mean").check()
    scene.get_by_role("button", name="Sign the ruling").press("Enter")
    expect(scene.get_by_text("Choose a rating, the mean, or new scores.")).to_have_count(0)
    assert scene.evaluate("document.activeElement.name") == "reason_code"
    assert all("422" in line for line in complaints)
    complaints.clear()


def test_an_order_flip_shows_both_overalls_and_how_to_send_it_back(scene: Page, site: str) -> None:
    open_flip(scene, site)
    for width, height in ((1440, 900), (1280, 800)):
        scene.set_viewport_size({"width": width, "height": height})
        overalls = scene.locator(".overalls [scope=row]")
        expect(overalls).to_have_text(["Candidate A apart", "Candidate B apart"])
        bottom = scene.locator(".scores-scroll").bounding_box()
        for row in overalls.all():
            box = row.bounding_box()
            assert box and bottom and box["y"] + box["height"] <= bottom["y"] + bottom["height"]
            assert box["y"] + box["height"] <= height
        box = scene.get_by_role("button", name="Send back").bounding_box()
        assert box and box["y"] + box["height"] <= height


def test_a_telephone_shows_the_mean_and_the_new_scores(scene: Page, site: str) -> None:
    open_flip(scene, site)
    scene.set_viewport_size({"width": 390, "height": 844})
    for place in (scene.get_by_label("Mean"), scene.locator(".scores select").first):
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_a_list_of_rulings_is_signed_by_one_password(scene: Page, site: str) -> None:
    for _ in range(3):
        scene.get_by_label("Mean").check()
        scene.locator("#id_reason_code").select_option("both-defensible")
        scene.locator("#id_reason").fill("Both can be defended.")
        with scene.expect_navigation():
            scene.get_by_role("button", name="Sign later").click()
    scene.wait_for_url(f"{site}/adjudication/")
    expect(scene.get_by_role("heading", name="To be signed")).to_be_visible()
    expect(scene.locator(".to-sign :checked")).to_have_count(3)
    shoot(scene, "to-sign")
    assert faults(scene) == []
    scene.get_by_label("Your password").fill(PASSWORD)
    scene.keyboard.press("Enter")
    expect(scene.get_by_text("signed, each with a signature of its own")).to_be_visible()
    # The order of the two is settled by the rulings on both.
    expect(
        scene.get_by_text("Not signed. r1: This conflict has already been ruled")
    ).to_be_visible()
    assert Adjudication.objects.count() == 2
    assert not PreparedRuling.objects.exists()


def test_all_that_was_typed_but_the_password_stays(scene: Page, complaints: list[str]) -> None:
    scene.locator("#id_reason").fill("Kept.")
    scene.locator("#id_password").fill(PASSWORD)
    with scene.expect_navigation():
        scene.get_by_role("button", name="Sign the ruling").press("Enter")
    expect(scene.locator(".error:visible")).to_have_count(2)
    expect(scene.locator("#id_reason")).to_have_value("Kept.")
    expect(scene.locator("#id_password")).to_have_value("")
    shoot(scene, "wrong")
    assert all("422" in line for line in complaints)
    complaints.clear()


def test_tagged_passages_are_marked_and_found_from_the_list_of_tags(scene: Page) -> None:
    assert scene.evaluate("[...CSS.highlights.get('tagged')].length") == 2
    link = scene.locator(".said [data-place]").first
    before = scene.url
    link.click()
    assert scene.url == before


def test_a_pair_is_read_with_the_tools_of_the_rate_page(scene: Page, site: str) -> None:
    reference = Reference.objects.get()
    Reference.objects.update(claims=hundred())
    first, second = reference.candidates.order_by("candidate_id")
    reference.candidates.filter(pk=first.pk).update(claims=hundred(is_candidate=True))
    reference.candidates.filter(pk=second.pk).update(claims=hundred())
    for is_flip in (False, True):
        if is_flip:
            open_flip(scene, site)
        else:
            scene.reload()
            expect(scene.get_by_role("button", name="Keys")).to_be_visible()
        tagged = scene.evaluate(TAGGED)
        assert len(tagged) == (4 if is_flip else 2) and all(tagged)
        press(scene, "g", "6", "0")
        marked = scene.locator(".minimap [aria-current=true]")
        expect(marked).to_contain_text("60")
        for claim in scene.locator(".claim").filter(has_text="of type 60,").all():
            expect(claim).to_be_in_viewport()
        press(scene, "Escape", "d")
        scene.wait_for_selector("#panes:not(.shows-diff)")
        expect(marked).to_contain_text("60")
        # The tagged words are marked in the new claims too.
        assert scene.evaluate(TAGGED) == tagged
        scene.reload()
        scene.wait_for_selector("#panes:not(.shows-diff)")
        expect(scene.get_by_role("button", name="Keys")).to_be_visible()
        press(scene, "d", "F")
        scene.wait_for_selector("#panes.shows-diff")
        expect(scene.locator(".claim.is-folded").first).to_be_visible()
        assert not faults(scene)
        assert frame_overflow(scene) == (0, 0)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_hundred_claims_to_rule_on_break_no_rule(
    scene: Page, site: str, width: int, height: int
) -> None:
    Reference.objects.update(claims=hundred())
    Candidate.objects.update(claims=hundred(is_candidate=True))
    open_flip(scene, site)
    scene.set_viewport_size({"width": width, "height": height})
    heads = scene.locator(".row.heads").bounding_box()
    assert heads and heads["height"] < 0.25 * height
    for summary in scene.locator("summary").filter(has_text="Tree").all():
        summary.click()
    assert faults(scene) == []


@pytest.mark.exhaustive
def test_the_pages_have_no_fault_that_axe_core_finds(scene: Page, site: str) -> None:
    assert faults(scene) == []
    scene.goto(f"{site}/adjudication/")
    shoot(scene, "list")
    assert faults(scene) == []
    open_flip(scene, site)
    assert faults(scene) == []


def test_the_frame_never_scrolls_sideways(scene: Page, site: str) -> None:
    for _ in range(2):
        for width, height in ((1440, 900), (1280, 800), (360, 740)):
            scene.set_viewport_size({"width": width, "height": height})
            across, down = frame_overflow(scene)
            assert across == 0 and (width < 1000 or down == 0)
        open_flip(scene, site)


def test_without_a_script_a_conflict_is_taken_ruled_and_given_back(
    ratings, browser: Browser, site: str, carol: User, enter
) -> None:
    context = browser.new_context(java_script_enabled=False)
    enter(context, carol)
    page = context.new_page()
    page.goto(f"{site}/adjudication/")
    page.get_by_role("link", name="Candidate").first.click()
    page.get_by_role("button", name="Take this conflict").click()
    page.get_by_role("button", name="Give back").click()
    expect(page.get_by_text("Given back")).to_be_visible()
    page.get_by_role("button", name="Take the first free conflict").click()
    page.get_by_label("Mean").check()
    page.get_by_label("Reason").select_option("overlooked")
    page.get_by_label("In your words").fill("Overlooked.")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Sign the ruling").click()
    expect(page.get_by_text("ruled and signed")).to_be_visible()
    assert Adjudication.objects.get().decision == "mean"
    context.close()
