"""Importing claim sets in a real Chromium, by keyboard alone, with and without JavaScript."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.imports import services as imports_services
from annotator.imports.services import carry_out_import
from annotator.models import ClaimImport, Reference, User
from core.jobs.rows import JobStatus
from tests.annotator.imports.import_files import bad, good, lines, reference
from tests.browser.axe import faults
from tests.browser.conftest import EITHER_WAY, Enter, Seat
from tests.browser.scene import frame_overflow, go_to, press

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(params=EITHER_WAY)
def desk(request: Any, seat: Seat, ada: User, site: str) -> Page:
    """Ada at the campaign's page."""
    page = seat(ada, java_script_enabled=request.param)
    # Somebody listens all the time: the browser's own dialogue is held back only then, and a key
    # that comes while a first listener is being announced opens that one instead.
    page.on("filechooser", lambda chooser: None)
    page.goto(f"{site}/campaigns/cups/")
    return page


def choose(page: Page, name: str, content: bytes) -> None:
    """Open the file field by keyboard, and choose a file in the dialogue of the system."""
    with page.expect_file_chooser() as opened:
        page.keyboard.press("Space")
    opened.value.set_files({"name": name, "mimeType": "text/plain", "buffer": content})


def test_a_bad_file_is_put_right_and_stored_by_keyboard(desk: Page) -> None:
    go_to(desk, desk.get_by_role("link", name="Import", exact=True))
    press(desk, "Enter")
    go_to(desk, desk.get_by_label("File:"))
    choose(desk, "cups.jsonl", bad())
    go_to(desk, desk.get_by_role("button", name="Check the file"))
    press(desk, "Enter")
    # The field of the file has the focus again, and the list shows what is wrong where.
    expect(desk.get_by_label("File:")).to_be_focused()
    rows = desk.get_by_role("table").first.get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("line 2")
    expect(rows.nth(2)).to_contain_text("scroe")
    assert not Reference.objects.exists()
    choose(desk, "cups.jsonl", good(3))
    go_to(desk, desk.get_by_label("Models may be trained on these claims"))
    press(desk, "Space")
    go_to(desk, desk.get_by_role("button", name="Check the file"))
    press(desk, "Enter")
    expect(desk.get_by_text("Checked, not stored.")).to_be_visible()
    go_to(desk, desk.get_by_role("button", name="Import these"))
    press(desk, "Enter")
    expect(desk.get_by_text("New: 3 references and 6 candidates")).to_be_visible()
    expect(desk.get_by_role("row", name="References 3 0")).to_be_visible()
    assert Reference.objects.filter(may_train=True).count() == 3


def test_a_check_is_given_up_by_keyboard(desk: Page) -> None:
    desk.get_by_role("link", name="Import", exact=True).click()
    go_to(desk, desk.get_by_label("File:"))
    choose(desk, "cups.jsonl", good(1))
    press(desk, "Enter")
    go_to(desk, desk.get_by_role("button", name="Check the file"))
    press(desk, "Enter")
    go_to(desk, desk.get_by_role("button", name="Cancel"))
    press(desk, "Enter")
    expect(desk.get_by_role("link", name="Go on with it")).to_be_focused()
    press(desk, "Tab", "Enter")
    expect(desk.get_by_text("nothing of this file is stored")).to_be_visible()
    assert not Reference.objects.exists()


@pytest.fixture
def page_of_long_file(
    page: Page, enter: Enter, ada: User, site: str, monkeypatch: pytest.MonkeyPatch
) -> Page:
    """The page of an import that waits for a worker; the test is the worker."""
    for name in ("SMALL_BYTES", "SMALL_PACKED_BYTES"):
        monkeypatch.setattr(imports_services, name, 0)
    monkeypatch.setattr("annotator.imports.views.enqueue_on_commit", lambda row: None)
    enter(page.context, ada)
    page.goto(f"{site}/campaigns/cups/import/")
    wide = "1. A cup \u202e" + "w" * 500
    content = lines(
        reference(number, title="T" * 200, reference_claims=wide) for number in range(3)
    )
    page.get_by_label("File:").set_input_files(
        {"name": f"{'y' * 200}.jsonl", "mimeType": "text/plain", "buffer": content}
    )
    page.get_by_role("button", name="Check the file").click()
    return page


def test_the_page_follows_a_worker_to_its_end(
    page_of_long_file: Page, complaints: list[str]
) -> None:
    page = page_of_long_file
    asked: list[int] = []
    page.on(
        "response",
        lambda answer: asked.append(answer.status) if answer.url.endswith("/progress/") else None,
    )
    expect(page.get_by_role("progressbar")).to_be_visible()
    row = ClaimImport.objects.get()
    ClaimImport.objects.filter(pk=row.pk).update(
        status=JobStatus.RUNNING, progress=0.4, message="Checking: 4,000 records read."
    )
    expect(page.get_by_text("4,000 records read")).to_be_visible()
    found = faults(page)
    ClaimImport.objects.filter(pk=row.pk).update(status=JobStatus.QUEUED)
    carry_out_import(row.pk)
    expect(page.get_by_role("button", name="Import these")).to_be_visible()
    page.locator("summary").first.click()
    expect(page.get_by_text("U+202E").first).to_be_visible()
    found += faults(page)
    page.set_viewport_size({"width": 360, "height": 740})
    assert frame_overflow(page)[0] == 0
    assert asked[-1] == 286 and set(asked[:-1]) == {200}
    count = len(asked)
    page.wait_for_timeout(5000)
    assert len(asked) == count
    page.get_by_role("button", name="Import these").click()
    expect(page.get_by_text("waits to be stored", exact=False)).to_be_visible()
    carry_out_import(row.pk)
    expect(page.get_by_text("New: 3 references")).to_be_visible()
    assert frame_overflow(page)[0] == 0
    assert found == []


def test_no_answer_to_a_bad_file_breaks_rules(
    page: Page, enter: Enter, ada: User, site: str
) -> None:
    enter(page.context, ada)
    page.goto(f"{site}/campaigns/cups/import/")
    page.get_by_label("File:").set_input_files(
        {"name": "<b>\u202ex.jsonl", "mimeType": "text/plain", "buffer": bad()}
    )
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="What is wrong with")).to_be_visible()
    found = faults(page)
    page.set_viewport_size({"width": 360, "height": 740})
    assert frame_overflow(page)[0] == 0
    assert found == []
