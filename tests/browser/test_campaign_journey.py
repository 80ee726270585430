"""A whole campaign in a real Chromium: its admin, two annotators, an adjudicator, its results."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.imports.claims.services import import_claims
from annotator.models import Campaign, Conflict, Rating, ReliabilityReport, Unblinding, User
from annotator.reliability.services import carry_out_reliability
from patclaimeval.documents.references import CandidateRecord, ReferenceRecord
from tests.browser.conftest import Seat
from tests.browser.scene import CANDIDATE, CLAIMS, PASSWORD, press, wait_for_another

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# What each annotator gives the candidates, in the order in which they meet them.
SCORES = {"alice": ("9", "9", "8", "8"), "bob": ("3", "4", "8", "8")}

Desk = Callable[[User], Page]


@pytest.fixture
def desk(seat: Seat, cast: Any, transactional_db: None) -> Desk:
    """Give a function that seats a person who knows their password."""

    def sit(user: User) -> Page:
        user.set_password(PASSWORD)
        user.save()
        return seat(user, viewport={"width": 1280, "height": 800})

    return sit


def kettles() -> str:
    """Return the short name, whose last letters the program drew."""
    return Campaign.objects.get(name="Kettles").slug


def import_kettles() -> None:
    """Two references of two candidates each, as an import would bring them."""
    records = [
        ReferenceRecord(
            reference_id=f"kettle-{name}",
            reference_claims=CLAIMS.replace("kettle", name),
            candidates=tuple(
                CandidateRecord(f"{name}-{n}", CANDIDATE.replace("kettle", f"{name} {n}"), f"s{n}")
                for n in range(2)
            ),
        )
        for name in ("pot", "jug")
    ]
    import_claims(campaign=Campaign.objects.get(name="Kettles"), records=records)


def found_campaign(page: Page, site: str, seat: Callable[[str], Page]) -> None:
    """Create the campaign and invite its people, as ada; each of them joins by the link."""
    page.goto(f"{site}/campaigns/new/")
    page.get_by_label("Short name:").fill("kettles")
    page.get_by_label("Name:", exact=True).fill("Kettles")
    page.keyboard.press("Enter")
    page.wait_for_url("**/campaigns/kettles-*/rules/")
    for name, role in (("alice", "annotator"), ("bob", "annotator"), ("carol", "adjudicator")):
        page.goto(f"{site}/campaigns/{kettles()}/members/")
        page.locator("#invite_role").select_option(role)
        page.get_by_role("button", name="Create the link").click()
        person = seat(name)
        person.goto(page.locator("code").inner_text())
        person.get_by_role("button", name=f"Join as {role}").click()
        expect(person.locator(".message-success")).to_contain_text(f"You are {role} of Kettles")
    page.goto(f"{site}/campaigns/{kettles()}/members/")
    expect(page.get_by_role("rowheader")).to_have_text(["ada", "alice", "bob", "carol"])
    import_kettles()


def plan_work(page: Page, site: str) -> None:
    page.goto(f"{site}/campaigns/{kettles()}/plan/")
    balance = page.locator("form").filter(has=page.get_by_role("button", name="Show the plan"))
    for name in ("alice", "bob"):
        balance.get_by_label(name).check()
    balance.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Make 8 assignments").click()
    expect(page.get_by_role("alert").or_(page.locator(".message-success"))).to_contain_text("8")


def rate_everything(page: Page, site: str, scores: tuple[str, ...]) -> None:
    page.goto(f"{site}/")
    expect(page.locator("[data-start]")).to_be_focused()
    here = page.url
    press(page, "Enter")
    for score in scores:
        wait_for_another(page, here)
        here = page.url
        press(page, *([score] * 4), "Enter")
    expect(page).not_to_have_url(here)


def test_a_campaign_goes_from_its_start_to_its_results(cast: Any, desk: Desk, site: str) -> None:
    ada = desk(cast.ada)
    found_campaign(ada, site, lambda name: desk(getattr(cast, name)))
    plan_work(ada, site)

    for name, scores in SCORES.items():
        page = desk(getattr(cast, name))
        rate_everything(page, site, scores)
        expect(page.get_by_role("region", name="Kettles 0 to rate, 4 rated")).to_be_visible()
        assert "conflict" not in page.content().lower()
    assert Rating.objects.filter(is_blind=True).count() == 8
    assert Conflict.objects.filter(status="open").exists()

    carol = desk(cast.carol)
    carol.goto(f"{site}/adjudication/")
    take = carol.get_by_role("button", name="Take the first free conflict")
    take.click()
    # After each the next one opens, after the last the list.
    while "-" in carol.url.split("/adjudication/")[1]:
        carol.get_by_label("Mean").check()
        carol.get_by_label("Reason").select_option("both-defensible")
        carol.get_by_label("In your words").fill("Both can be defended.")
        carol.get_by_label("Your password").fill(PASSWORD)
        with carol.expect_navigation():
            carol.get_by_role("button", name="Sign the ruling").click()
    assert not Conflict.objects.filter(status="open").exists()

    ada.goto(f"{site}/campaigns/{kettles()}/rules/")
    ada.get_by_role("button", name="Close …").click()
    ada.get_by_label("Reason:").fill("All is rated and ruled.")
    ada.get_by_role("button", name="Close the campaign").click()
    ada.get_by_role("link", name="Reliability").click()
    ada.get_by_role("button", name="Calculate").click()
    carry_out_reliability(ReliabilityReport.objects.get().pk)
    # The page looks again by itself.
    expect(ada.get_by_role("heading", name="Severity").first).to_be_visible()
    ada.get_by_role("link", name="Settled ratings").click()
    ada.get_by_role("link", name="pot-0").click()
    expect(ada.get_by_text("ruled").first).to_be_visible()

    alice = desk(cast.alice)
    alice.goto(f"{site}/")
    alice.get_by_role("link", name="Your results in Kettles").click()
    expect(alice.get_by_role("heading", name="You and the others")).to_be_visible()
    assert not re.search(r"\bbob\b", alice.content())
    shown = Unblinding.objects.order_by("at").values_list("user__username", "shown")
    assert list(shown) == [("ada", "systems"), ("alice", "feedback")]
