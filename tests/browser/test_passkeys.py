"""Passkeys in a real Chromium, with an authenticator of its own: made, used, lost, removed."""

import os
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from annotator.models import Adjudication, BrowserSession, Draft, Passkey
from tests.browser.axe import faults
from tests.browser.scene import PASSWORD, furnish, sign_in

SHOTS = os.environ.get("SCREENSHOTS", "")
PAGE = "/account/second-factor/"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Authenticator:
    """Chromium's virtual authenticator, which a person would hold in their hand."""

    def __init__(self, page: Page, **more: Any) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.session.send("WebAuthn.enable", {"enableUI": False})
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        made = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": options | more})
        self.named = {"authenticatorId": made["authenticatorId"]}

    def verifies(self, does: bool) -> None:
        """Have it recognise its owner from now on, or not."""
        self.session.send("WebAuthn.setUserVerified", self.named | {"isUserVerified": does})

    def forget(self) -> None:
        """Lose every key on it."""
        self.session.send("WebAuthn.clearCredentials", self.named)


@pytest.fixture
def key(page: Page) -> Authenticator:
    return Authenticator(page)


@pytest.fixture
def people(cast: Any, transactional_db: None) -> Any:
    for person in (cast.alice, cast.carol):
        person.set_password(PASSWORD)
        person.save()
    return cast


def shoot(page: Page, name: str) -> None:
    """Take pictures for who wants to look at the page."""
    for width, height in ((1440, 900), (1280, 800), (390, 844)) if SHOTS else ():
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)


def make(page: Page, site: str, name: str = "laptop") -> None:
    """Make a passkey on the page of a person who is signed in."""
    page.goto(site + PAGE)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Add a passkey").click()


def codes_on(page: Page) -> list[str]:
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    return re.findall(r"<code>([a-z0-9-]{19})</code>", page.content())


def leave(page: Page, site: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{site}/login/")


def test_made_used_as_second_factor_lost_and_removed(
    page: Page, site: str, people: Any, key: Authenticator, complaints: list[str]
) -> None:
    page.goto(f"{site}/login/")
    shoot(page, "sign-in")
    assert faults(page) == []
    sign_in(page, "alice")
    page.wait_for_url(f"{site}/")
    page.goto(site + PAGE)
    shoot(page, "set-up")
    assert faults(page) == []
    make(page, site)
    codes = codes_on(page)
    shoot(page, "codes")
    page.goto(site + PAGE)
    expect(page.get_by_role("row", name="laptop")).to_be_visible()
    shoot(page, "overview")
    assert faults(page) == []

    # The same authenticator makes no second one for her.
    make(page, site, "again")
    expect(page.get_by_text("holds a passkey of this account already")).to_be_visible()
    shoot(page, "again")
    assert faults(page) == []

    # As second factor: the page asks by itself, as there is nothing else.
    leave(page, site)
    sign_in(page, "alice")
    page.wait_for_url(f"{site}/")
    expect(page.get_by_role("link", name="alice")).to_be_visible()

    # Lost.
    key.forget()
    leave(page, site)
    sign_in(page, "alice")
    expect(page.get_by_text("it was cancelled, or took too long")).to_be_visible()
    shoot(page, "lost")
    assert faults(page) == []
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in with the code").click()
    page.wait_for_url(f"{site}/")
    page.goto(site + PAGE)
    page.get_by_role("button", name="Remove the passkey laptop").click()
    expect(page.get_by_role("heading", name="Remove the passkey laptop?")).to_be_visible()
    shoot(page, "remove")
    assert faults(page) == []
    page.get_by_label("Code").fill(codes[1])
    page.get_by_role("button", name="Remove the passkey").click()
    expect(page.get_by_text("The passkey is removed here")).to_be_visible()
    assert not Passkey.objects.exists()


def test_rulings_are_signed_and_new_codes_made_by_it(
    page: Page, site: str, people: Any, key: Authenticator, complaints: list[str]
) -> None:
    reference = people.reference("r1", 2)
    furnish(reference)
    candidates = reference.candidates.order_by("candidate_id")
    for person, values in ((people.alice, (2, 9)), (people.bob, (8, 3))):
        rows = {row.candidate_id: row for row in people.assign(person, reference)}
        for candidate, value in zip(candidates, values, strict=True):
            people.submit(rows[candidate.pk], [value] * 4)
    page.goto(f"{site}/login/")
    sign_in(page, "carol")
    page.wait_for_url(f"{site}/")
    make(page, site)
    codes_on(page)

    page.goto(f"{site}/adjudication/")
    page.get_by_role("button", name="Take the first free conflict").click()
    page.wait_for_url("**/adjudication/*-*/")
    page.locator("[name=decision][value=mean]").check()
    page.locator("#id_reason_code").select_option("overlooked")
    page.locator("#id_reason").fill("Claim 2 was overlooked.")
    shoot(page, "ruling")
    assert faults(page) == []
    # Cancelled, nothing typed is lost, and the button asks once more.
    key.verifies(False)
    page.get_by_role("button", name="Sign with a passkey").click()
    expect(page.get_by_text("It signs 1 ruling")).to_be_visible()
    expect(page.get_by_text("it was cancelled, or took too long")).to_be_visible()
    shoot(page, "sign")
    assert faults(page) == []
    key.verifies(True)
    page.get_by_role("button", name="Use the passkey").click()
    expect(page.get_by_text("1 ruling signed")).to_be_visible()
    row = Adjudication.objects.get()
    assert (row.adjudicator, row.signed_as) == (people.carol, "carol")

    page.goto(site + PAGE)
    page.get_by_role("button", name="With a passkey instead").click()
    assert len(codes_on(page)) == 10


def test_a_session_that_ends_while_typing_is_renewed_by_it(
    page: Page, site: str, people: Any, key: Authenticator
) -> None:
    reference = people.reference()
    furnish(reference)
    work = people.assign(people.alice, reference)
    page.goto(f"{site}/login/")
    sign_in(page, "alice")
    page.wait_for_url(f"{site}/")
    make(page, site)
    codes_on(page)
    page.goto(f"{site}/rate/{work[0].pk}/")
    page.wait_for_selector(".fold")
    BrowserSession.objects.all().delete()
    page.get_by_label("Comment").fill("half a thought")
    dialog = page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog.get_by_role("button", name="Use the passkey")).to_be_visible()
    shoot(page, "dialog")
    dialog.get_by_role("button", name="Use the passkey").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#draft-state")).to_contain_text("Draft saved")
    assert Draft.objects.get().typed["comment"] == "half a thought"


def test_a_copy_of_a_key_is_refused(page: Page, site: str, people: Any, key: Authenticator) -> None:
    page.goto(f"{site}/login/")
    sign_in(page, "alice")
    page.wait_for_url(f"{site}/")
    make(page, site)
    codes_on(page)
    # As if the other one had been used more often than this one.
    Passkey.objects.update(sign_count=1000)
    leave(page, site)
    sign_in(page, "alice")
    expect(page.get_by_text("Somebody may have copied it")).to_be_visible()
    shoot(page, "cloned")


def test_without_scripts_or_a_name_the_page_says_so(
    browser: Any, site: str, people: Any, enter: Any
) -> None:
    context: BrowserContext = browser.new_context(java_script_enabled=False)
    enter(context, people.alice)
    page = context.new_page()
    page.goto(site + PAGE)
    expect(page.get_by_text("It needs JavaScript; the app")).to_be_visible()
    expect(page.get_by_text("Open an authenticator app")).to_be_visible()
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_text("Passkeys need JavaScript")).to_be_visible()
    shoot(page, "no-scripts")
    numbered = f"http://127.0.0.1:{urlsplit(site).port}"
    enter(context, people.alice, numbered)
    page.goto(numbered + PAGE)
    expect(page.get_by_text("open this site as http://localhost")).to_be_visible()
    shoot(page, "no-name")
