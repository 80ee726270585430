"""No page breaks a rule that axe-core can check, in light or in dark, for any role."""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotator.campaigns.members.services import invite
from annotator.models import Assignment, Campaign, CampaignStatus, User
from annotator.reliability.services import carry_out_reliability, request_reliability
from scoring.erasures.services import ask_erasure
from scoring.models import ModelVersion, ScoreRequest
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.pages import VISITORS, readable
from tests.browser.scene import press, wait_until_stored
from tests.guards.blindness.marks import HERE
from tests.guards.blindness.measured_rows import CRITERION
from tests.guards.blindness.states import Scenario, furnish
from tests.scoring.training.card_builders import MODEL

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def scenario(transactional_db: None, settings: Any, tmp_path: Path) -> Scenario:
    """A campaign with everything in it, so that each page has something to show."""
    settings.DATA_DIR = tmp_path
    scenario = furnish(HERE, "taken")
    scenario.people["boss"] = User.objects.create(username="boss", is_superuser=True)
    ModelVersion.objects.update(card=MODEL)
    ScoreRequest.objects.update(
        candidate_texts=["1. A cup.", "1. A mug " + "with a handle " * 40],
        scores={CRITERION: [{"score": 0.7}, {"error": "The pair has 5000 tokens."}]},
    )
    carry_out_reliability(request_reliability(campaign=scenario.campaign).pk)
    # Of another reference, so that the page of this one still shows the way to ask.
    ask_erasure(
        reference=scenario.claims.second,
        asked_by=scenario.people["admin"],
        reason="The client left.",
    )
    return scenario


def sideways(page: Page) -> list[str]:
    """Return by how much the page is wider than a telephone, and than a screen at 200 %."""
    found = []
    for width, height in ((360, 740), (640, 400)):
        page.set_viewport_size({"width": width, "height": height})
        over = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        found += [f"{page.url} is {over} px too wide at {width} px"] if over > 0 else []
    page.set_viewport_size({"width": 1280, "height": 800})
    return found


@pytest.mark.exhaustive
@pytest.mark.parametrize("who", VISITORS)
def test_no_page_of_a_role_breaks_a_rule_or_scrolls_sideways(
    scenario: Scenario, enter: Enter, site: str, page: Page, who: str
) -> None:
    enter(page.context, scenario.people[who])
    paths = [path for _, path, _, is_page in readable(scenario, who) if is_page]
    token = invite(by=scenario.people["admin"], campaign=scenario.campaign, role="reader")
    paths.append(reverse("annotator:invitation", kwargs={"token": token}))
    found = []
    for path in paths:
        answer = page.goto(site + path)
        assert answer and answer.ok, (path, answer and answer.status)
        found += faults(page) + sideways(page)
    assert not found, "\n".join(found)
    assert len(paths) > 8


@pytest.mark.exhaustive
def test_no_page_without_a_session_breaks_a_rule(alice: User, site: str, page: Page) -> None:
    page.goto(f"{site}/login/?next=/rated/")
    expect(page.get_by_label("User name")).to_be_focused()
    found = faults(page)
    page.keyboard.type("alice")
    press(page, "Tab", "x", "Enter")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("not right")
    found += faults(page)
    page.context.add_cookies([{"name": "csrftoken", "value": "x" * 32, "url": site}])
    press(page, "Tab", "x", "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The form was not accepted")
    found += faults(page)
    assert not found, "\n".join(found)


def test_no_refused_page_breaks_a_rule(
    alice: User, work: list[Assignment], enter: Enter, site: str, page: Page
) -> None:
    enter(page.context, alice)
    found = []
    for address, status in (("/nothing/", 404), ("/datasets/", 403)):
        answer = page.goto(site + address)
        assert answer and answer.status == status
        found += faults(page)
    page.goto(f"{site}/keys/")
    page.get_by_label("Next criterion").fill("7")
    page.get_by_role("button", name="Save keys").click()
    expect(page.get_by_text("always give scores.").first).to_be_visible()
    found += faults(page)
    assert not found, "\n".join(found)


@pytest.mark.exhaustive
def test_no_state_of_the_rate_page_breaks_a_rule(scene: Page) -> None:
    found = faults(scene)

    def look(ready: str) -> None:
        expect(scene.locator(ready).first).to_be_visible()
        found.extend(faults(scene))

    press(scene, "?")
    look("#keys[open]")
    press(scene, "Escape", "b")
    look("#exemplars[open] .lesson")
    press(scene, "Escape", "s")
    look("#leave[open]")
    press(scene, "Escape", "7", "e", "v", "Enter")
    look("#tags .chip")
    press(scene, "Escape", "f")
    look(".is-folded")
    press(scene, "f", ".")
    look(".limitation.is-current")
    scene.locator(".findings").first.evaluate("list => { list.open = true; }")
    look(".findings[open]")
    press(scene, "a")
    look(".columns")
    press(scene, "d", "m")
    look("#panes:not(.shows-diff, .shows-marks)")
    scene.context.clear_cookies()
    press(scene, "c", "x")
    look("#sign-in-again[open]")
    assert not found, "\n".join(found)


@pytest.mark.exhaustive
def test_no_answer_to_a_rating_breaks_a_rule(
    cast: Any, scene: Page, work: list[Assignment]
) -> None:
    found = []

    def look(ready: str) -> None:
        expect(scene.locator(ready).first).to_be_visible()
        found.extend(faults(scene))

    press(scene, "7", "Control+Enter")
    look(".scale.field-wrong .error")
    wait_until_stored(scene)
    scene.goto(scene.url)
    look(".draft-note")
    cast.submit(work[0], comment="From another tab.")
    press(scene, "1", "2", "3", "4", "Control+Enter")
    look("text=Sending again replaces what is stored")
    scene.goto(urljoin(scene.url, "/"))
    look(".queue")
    scene.goto(urljoin(scene.url, f"/rate/{work[1].pk}/"))
    press(scene, "s", "Enter")
    look("#id_leave_code")
    scene.locator("#id_leave_code").select_option("not-now")
    scene.get_by_role("button", name="Skip the candidate").click()
    scene.wait_for_url(f"**/rate/{work[2].pk}/")
    look(".message-success")
    scene.goto(urljoin(scene.url, f"/rate/{work[1].pk}/"))
    look("text=Take it back")
    Campaign.objects.update(status=CampaignStatus.CLOSED)
    scene.goto(urljoin(scene.url, f"/rate/{work[0].pk}/"))
    look("text=can no longer be changed")
    scene.goto(urljoin(scene.url, "/"))
    look("text=No campaign of yours is open")
    assert not found, "\n".join(found)
