"""All candidates of a reference side by side in a real Chromium."""

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.models import Assignment, Candidate, Reference, User
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.long_claims import CLAIMS, hundred
from tests.browser.scene import frame_overflow, press

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def rated(cast, work: list[Assignment]) -> list[Assignment]:
    """Three candidates of a hundred claims, all rated; the first differs from the reference."""
    Reference.objects.update(claims=hundred())
    Candidate.objects.update(claims=hundred())
    Candidate.objects.filter(pk=work[0].candidate_id).update(claims=hundred(is_candidate=True))
    for number, row in enumerate(work):
        cast.submit(row, [number, 5, 5, 5])
    return work


def test_the_way_there_through_the_claims_and_back_is_by_keys(
    rated, scene: Page, site: str, complaints: list[str]
) -> None:
    scene.reload()
    scene.wait_for_selector(".fold")
    press(scene, "v")
    scene.wait_for_url("**/all/")
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    current = scene.locator(".minimap [aria-current=page]")
    expect(current).to_have_text("1 matched")
    press(scene, "n")
    scene.wait_for_url("**/all/?claim=2")
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    expect(scene.locator(".across .claim")).to_have_count(4)
    press(scene, "p")
    scene.wait_for_url("**/all/?claim=1")
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    press(scene, "g", "2", "3", "Enter")
    scene.wait_for_url("**/all/?claim=23")
    one, *others = (str(row.position) for row in rated)
    expect(current).to_have_text(f"23 missing: {one}; matched: {', '.join(others)}")
    expect(scene.get_by_text("no such claim")).to_be_visible()
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    # The stop of the minimap is the claim that is shown, and an arrow alone leads nowhere.
    scene.locator(".minimap a:not([tabindex='-1'])").focus()
    press(scene, "ArrowRight")
    expect(scene.locator(".minimap a:focus")).to_have_text("24 matched")
    assert scene.url.endswith("claim=23")
    press(scene, "Enter")
    scene.wait_for_url("**/all/?claim=24")
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    press(scene, "v")
    scene.wait_for_url(f"**/rate/{rated[0].pk}/")


def test_an_aid_is_switched_where_one_reads_and_remembered(rated, scene: Page) -> None:
    scene.goto(f"{scene.url}all/?claim=60")
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    press(scene, "d")
    scene.wait_for_selector("#panes:not(.shows-diff)")
    expect(scene.locator(".minimap [aria-current=page]")).to_contain_text("60")
    expect(scene.locator(".claim").filter(has_text="of type 60,")).to_have_count(4)
    scene.reload()
    scene.wait_for_selector("#panes:not(.shows-diff)")
    expect(scene.get_by_role("button", name="Keys")).to_be_visible()
    press(scene, "/")
    scene.keyboard.type("arranged behind")
    expect(scene.locator("#tools output").last).to_have_text(
        ", ".join(["Reference: 0", f"{rated[0].label}: 1", *(f"{r.label}: 0" for r in rated[1:])])
    )


def test_without_scripts_every_claim_is_reached(
    rated, browser: Browser, site: str, alice: User, enter: Enter
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, alice)
    page = context.new_page()
    page.goto("/rated/")
    page.get_by_role("link", name="side by side").first.click()
    expect(page.locator(".minimap a")).to_have_count(CLAIMS + 1)
    page.get_by_role("link", name="60 changed").click()
    expect(page.locator(".claim").filter(has_text="of type 60,")).to_have_count(4)
    page.get_by_role("button", name="Marks").click()
    expect(page.locator("#panes")).not_to_contain_class("shows-marks")
    expect(page.locator(".claim").filter(has_text="of type 60,")).to_have_count(4)
    page.get_by_role("link", name="Next claim").click()
    expect(page.locator(".claim").filter(has_text="of type 61,")).to_have_count(4)
    context.close()


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 800), (390, 844), pytest.param(640, 400, id="at-200-percent")]
)
def test_it_breaks_no_rule_and_never_scrolls_sideways(
    rated, scene: Page, width: int, height: int
) -> None:
    scene.set_viewport_size({"width": width, "height": height})
    found, address = [], scene.url
    for claim in ("23", "60", "added"):
        scene.goto(f"{address}all/?claim={claim}")
        expect(scene.get_by_role("button", name="Keys")).to_be_visible()
        expect(scene.locator(".minimap [aria-current]")).to_be_in_viewport()
        found += faults(scene)
        assert frame_overflow(scene)[0] == 0
        assert width < 1000 or frame_overflow(scene)[1] == 0
    press(scene, "?")
    expect(scene.locator("#keys")).to_be_visible()
    found += faults(scene)
    assert not found, "\n".join(found)


def test_withheld_it_breaks_no_rule(scene: Page, work: list[Assignment]) -> None:
    scene.goto(f"{scene.url}all/")
    expect(scene.get_by_role("link", name=work[1].label, exact=True)).to_be_visible()
    assert not faults(scene)
