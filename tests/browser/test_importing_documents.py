"""Documents in a real Chromium: sent, asked about, put right and stored, at three sizes."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.imports.services import carry_out_import
from annotator.models import ClaimImport, ReadClaimSet, Reference, User
from tests.annotator.imports.test_documents_page import STRUCK, WORD
from tests.browser.axe import faults
from tests.browser.conftest import EITHER_WAY, Enter, Seat
from tests.browser.scene import frame_overflow, go_to, press
from tests.patclaimeval.documents.word_files import zipped

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = ((1440, 900), (1280, 800), (390, 844))
# A word of a claim, an id and a path that nothing breaks.
LONG = "w" * 300
ARCHIVE = zipped(
    {
        f"{LONG[:150]}/reference.txt": f"1. A lamp with a {LONG}.\n2. The lamp of claim 7.",
        f"{LONG[:150]}/candidates/{LONG[:90]}.txt": "Hello",
    }
)


@pytest.fixture(autouse=True)
def is_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave what is queued to the test."""
    monkeypatch.setattr("annotator.imports.views.enqueue_on_commit", lambda row: None)


@pytest.fixture(params=EITHER_WAY)
def desk(request: Any, seat: Seat, ada: User) -> Page:
    """Ada at the page of imports."""
    return seat(ada, "/campaigns/cups/import/", java_script_enabled=request.param)


def send(page: Page, name: str, content: bytes) -> None:
    """Send a file and be the worker that reads it."""
    page.get_by_label("File:").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    work(page)


def work(page: Page) -> None:
    carry_out_import(ClaimImport.objects.order_by("-created_at")[0].pk)
    if page.get_by_role("link", name="Refresh").is_visible():
        page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_a_document_is_answered_put_right_and_stored_by_keyboard(desk: Page) -> None:
    send(desk, "lamp.docx", STRUCK)
    expect(desk.get_by_role("heading", name="Please answer")).to_be_visible()
    assert desk.get_by_role("button", name="Import these").count() == 0
    go_to(desk, desk.get_by_label("Reference id:"))
    desk.keyboard.type("EP1")
    press(desk, "Enter")
    expect(desk.get_by_role("heading", name="Please answer")).to_have_count(0)
    expect(desk.get_by_text("Text is struck out by hand", exact=False)).to_be_visible()
    go_to(desk, desk.get_by_label("Claims:"))
    press(desk, "ControlOrMeta+a")
    desk.keyboard.type("1. A lamp.")
    go_to(desk, desk.get_by_role("button", name="Take this text"))
    press(desk, "Enter")
    expect(desk.get_by_role("cell", name="by ada", exact=False)).to_be_visible()
    go_to(desk, desk.get_by_role("button", name="Import these"))
    press(desk, "Enter")
    expect(desk.get_by_text("New: 1 reference", exact=False)).to_be_visible()
    assert Reference.objects.get().claims == "1. A lamp."
    assert ReadClaimSet.objects.get().edited_by is not None


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_of_an_import_leaves_its_page_or_breaks_rules(
    page: Page, enter: Enter, ada: User, site: str, size: tuple[int, int]
) -> None:
    enter(page.context, ada)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    found: list[Any] = []
    page.goto(f"{site}/campaigns/cups/import/")
    page.locator("details.choices summary").click()
    expect(page.get_by_label("Tracked changes:")).to_be_visible()
    found += faults(page)
    assert frame_overflow(page)[0] == 0
    for name, content in (("lamp.docx", WORD), (f"{LONG[:200]}.zip", ARCHIVE)):
        page.goto(f"{site}/campaigns/cups/import/")
        send(page, name, content)
        expect(page.get_by_role("heading", name="What was read")).to_be_visible()
        found += faults(page)
        assert frame_overflow(page)[0] == 0, name
    page.get_by_role("link", name="reference", exact=True).click()
    expect(page.get_by_text("cites claim 7", exact=False).first).to_be_visible()
    found += faults(page)
    assert frame_overflow(page)[0] == 0
    assert found == []
