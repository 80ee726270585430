"""Digests and links are copied by a button, and a digest is short for the eye."""

from typing import Any

import pytest
from django.shortcuts import resolve_url
from playwright.sync_api import Page, expect

from annotator.models import User
from tests.annotator.imports.import_files import good, stored
from tests.browser.axe import faults
from tests.browser.conftest import Seat

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_the_link_of_an_invitation_is_copied_by_keyboard(seat: Seat, ada: User) -> None:
    page = seat(ada, "/campaigns/cups/members/", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Create the link").click()
    link = page.locator("code", has_text="/invitation/")
    expect(link).to_be_visible()
    page.get_by_role("button", name="Copy").press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_focused()
    assert clipboard(page) == link.text_content()
    assert faults(page) == []


def test_a_digest_is_short_for_the_eye_and_copied_whole(seat: Seat, ada: User, cast: Any) -> None:
    row = stored(cast, good(1))
    page = seat(ada, resolve_url("annotator:claim_import", "cups", row.pk))
    digest = page.locator("code", has_text=row.file_sha256)
    box = digest.bounding_box()
    assert box is not None and box["width"] < 200
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Selected: now copy it")).to_be_visible()
    assert page.evaluate("getSelection().toString()") == row.file_sha256
