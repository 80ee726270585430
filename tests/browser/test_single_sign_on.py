"""Single sign-on in a real Chromium, against a certified provider in a process of its own."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.campaigns.members.services import invite
from annotator.entry.groups import add_group_role
from annotator.models import Adjudication, BrowserSession, Draft, Identity, Membership, Rating, User
from tests.browser.axe import faults
from tests.browser.scene import PASSWORD, furnish
from tests.browser.scene import sign_in as sign_in_here
from tests.oidc.real_provider import RealProvider, running

SHOTS = os.environ.get("SCREENSHOTS", "")
NORA = {"preferred_username": "nora", "email": "nora@firm.example", "groups": ["patents"]}

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def firm(site: str, cast: Any, settings: Any, page: Page) -> Iterator[RealProvider]:
    # Its pages ask for a font from elsewhere.
    page.context.route("**/*googleapis.com/**", lambda route: route.fulfill(body=""))
    with running(site, {"nora": NORA}) as provider:
        settings.OIDC_PROVIDERS = (provider.settings,)
        yield provider


@pytest.fixture
def ratings(cast: Any, transactional_db: None) -> list[Rating]:
    """Two candidates in opposite order."""
    reference = cast.reference("r1", 2)
    furnish(reference)
    candidates = reference.candidates.order_by("candidate_id")
    made = []
    for person, values in ((cast.alice, (2, 9)), (cast.bob, (8, 3))):
        rows = {row.candidate_id: row for row in cast.assign(person, reference)}
        for candidate, value in zip(candidates, values, strict=True):
            made.append(cast.submit(rows[candidate.pk], [value] * 4))
    return made


def at_provider(page: Page, firm: RealProvider, name: str) -> None:
    """Sign in on the provider's own page."""
    page.wait_for_url(f"{firm.settings.issuer}/**")
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill("whatever")
    page.locator("button[type=submit]").click()


def shoot(page: Page, name: str) -> None:
    """Take pictures for who wants to look at the page."""
    for width, height in ((1440, 900), (1280, 800), (390, 844)) if SHOTS else ():
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)


def test_an_invited_adjudicator_comes_in_and_signs(
    page: Page, site: str, cast: Any, firm: RealProvider, ratings: Any, complaints: list[str]
) -> None:
    add_group_role(
        issuer=firm.settings.issuer,
        group="patents",
        campaign=cast.campaign,
        role="reader",
        by=cast.ada,
    )
    link = f"{site}/invitation/{invite(by=cast.ada, campaign=cast.campaign, role='adjudicator')}/"
    page.goto(link)
    shoot(page, "invitation")
    page.get_by_role("button", name="Join with Firm").click()
    at_provider(page, firm, "nora")
    page.wait_for_url(f"{site}/")
    expect(page.get_by_role("link", name="nora")).to_be_visible()
    roles = Membership.objects.filter(user__username="nora").values_list("role", flat=True)
    assert sorted(roles) == ["adjudicator", "reader"]

    page.goto(f"{site}/adjudication/")
    page.get_by_role("button", name="Take the first free conflict").click()
    page.wait_for_url("**/adjudication/*-*/")
    page.locator("[name=decision][value=mean]").check()
    page.locator("#id_reason_code").select_option("overlooked")
    page.locator("#id_reason").fill("Claim 2 was overlooked.")
    shoot(page, "ruling")
    page.get_by_role("button", name="Sign the ruling at Firm").click()
    # The session at the provider is alive; it asks all the same.
    at_provider(page, firm, "nora")
    page.wait_for_url(f"{site}/adjudication/**")
    expect(page.get_by_text("signed, each with a signature")).to_be_visible()
    assert Adjudication.objects.get().signed_as == "nora"


def test_a_stranger_is_let_in_by_a_site_admin_and_out_by_the_provider(
    page: Page, site: str, cast: Any, firm: RealProvider, browser: Browser, complaints: list[str]
) -> None:
    boss = User.objects.create(username="boss", is_superuser=True)
    boss.set_password(PASSWORD)
    boss.save()
    page.goto(f"{site}/account/")
    shoot(page, "sign-in")
    assert faults(page) == []
    page.get_by_role("button", name="Sign in with Firm").click()
    at_provider(page, firm, "nora")
    expect(page.get_by_text("A site admin is asked to let you in")).to_be_visible()
    shoot(page, "waiting")

    admin = browser.new_context().new_page()
    admin.goto(f"{site}/login/")
    admin.get_by_label("User name").click()
    sign_in_here(admin, "boss")
    admin.get_by_role("link", name="1 sign-in waits to be let in").click()
    expect(admin.get_by_label("User name for nora")).to_have_value("nora")
    shoot(admin, "sign-on")
    assert faults(admin) == []
    admin.get_by_role("button", name="Let in", exact=True).click()
    expect(admin.get_by_text("nora may sign in now.")).to_be_visible()
    admin.get_by_role("button", name="Test the connection to Firm").click()
    expect(admin.get_by_text("Client secret ✓ It is accepted.")).to_be_visible()
    expect(admin.get_by_text("Redirect URI ✓")).to_be_visible()
    shoot(admin, "tested")
    assert faults(admin) == []

    page.get_by_role("link", name="Back to the sign-in").click()
    page.get_by_role("button", name="Sign in with Firm").click()
    page.wait_for_url(f"{site}/account/")
    expect(page.get_by_role("link", name="nora")).to_be_visible()

    # She signs out there, in another tab.
    other = page.context.new_page()
    other.goto(f"{firm.settings.issuer}/session/end")
    with other.expect_navigation():
        other.locator("button[name=logout], button[type=submit]").first.click()
    page.goto(f"{site}/account/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_session_that_ends_while_typing_is_renewed_at_the_provider(
    page: Page, site: str, cast: Any, firm: RealProvider, transactional_db: None
) -> None:
    reference = cast.reference()
    furnish(reference)
    work = cast.assign(cast.alice, reference)
    cast.alice.set_unusable_password()
    cast.alice.save()
    Identity.objects.create(issuer=firm.settings.issuer, subject="nora", user=cast.alice)
    page.goto(f"{site}/rate/{work[0].pk}/")
    page.get_by_role("button", name="Sign in with Firm").click()
    at_provider(page, firm, "nora")
    page.wait_for_url(f"{site}/rate/**")
    page.wait_for_selector(".fold")

    BrowserSession.objects.all().delete()
    page.get_by_label("Comment").fill("half a thought")
    dialog = page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_be_visible()
    shoot(page, "again")
    # The provider knows her still, and sends the new tab back at once.
    with page.expect_popup() as opened:
        dialog.get_by_role("button", name="Sign in with Firm").click()
    opened.value.wait_for_url(f"{site}/")
    opened.value.close()
    dialog.get_by_role("button", name="I have signed in there").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#draft-state")).to_contain_text("Draft saved")
    assert Draft.objects.get().typed["comment"] == "half a thought"
