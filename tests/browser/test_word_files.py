"""Word files and drafts in a real Chromium: taken from the pages, at three sizes."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Campaign, DraftClaimsEdit, Reference
from patclaimeval.documents.reading import read_document
from patclaimeval.documents.records import ReadOptions, TrackedChanges
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.scene import CANDIDATE, CLAIMS, frame_overflow, go_to, press, wait_until_stored

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = ((1440, 900), (1280, 800), (390, 844))


def read(path: Path, changes: str = "accepted") -> str:
    options = ReadOptions(TrackedChanges(changes))
    return read_document(path.read_bytes(), "docx", options).claims.text


@pytest.fixture
def allowed(work: Any) -> None:
    """Have the campaign let annotators take their marks."""
    Campaign.objects.update(has_mark_files=True)


@pytest.mark.usefixtures("allowed")
def test_an_annotator_takes_a_word_file_by_keyboard_and_stays_on_the_page(
    scene: Page, complaints: list[str]
) -> None:
    scene.get_by_label("Comment", exact=False).first.fill("Not quite.")
    wait_until_stored(scene)
    go_to(scene, scene.locator(".word-file summary"))
    press(scene, "Enter")
    for label in ("Reference signs", "Articles", "Connecting", "Number and form", "Punctuation"):
        scene.locator(".word-file").get_by_label(label, exact=False).check()
    with scene.expect_download() as found:
        go_to(scene, scene.get_by_role("button", name="Download"))
        press(scene, "Enter")
    assert found.value.suggested_filename == "r1-Candidate-1.docx"
    path = found.value.path()
    assert (read(path), read(path, "original")) == (CANDIDATE, CLAIMS)
    expect(scene.get_by_label("Comment", exact=False).first).to_have_value("Not quite.")


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_choices_fit_beside_the_claims(scene: Page, size: tuple[int, int]) -> None:
    scene.set_viewport_size({"width": size[0], "height": size[1]})
    scene.locator(".word-file summary").click()
    expect(scene.get_by_role("button", name="Download")).to_be_visible()
    assert frame_overflow(scene)[0] == 0
    assert faults(scene) == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_an_admin_takes_claims_and_corrects_a_draft(
    cast: Any, page: Page, enter: Enter, work: Any, site: str, size: tuple[int, int]
) -> None:
    reference = Reference.objects.get()
    enter(page.context, cast.ada)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{site}/datasets/references/{reference.pk}/")
    with page.expect_download() as found:
        page.get_by_role("button", name="The reference").click()
    assert read(found.value.path()) == CLAIMS
    with page.expect_download() as found:
        page.get_by_role("button", name="This candidate").click()
    assert read(found.value.path()) == CANDIDATE
    page.get_by_text("Add one", exact=True).click()
    page.get_by_label("Draft:").fill("1. A pot.")
    page.get_by_role("button", name="Store this draft").click()
    expect(page.get_by_label("Draft:")).to_have_value("1. A pot.")
    expect(page.get_by_text("This field is required.")).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Reason of the change:").fill("found in the file")
    page.get_by_role("button", name="Store this draft").click()
    expect(page.get_by_text("The draft was changed", exact=False)).to_be_visible()
    page.get_by_text("Changed 1 time", exact=False).click()
    expect(page.get_by_text("found in the file", exact=False)).to_be_visible()
    assert DraftClaimsEdit.objects.get().edited_by == cast.ada
    assert frame_overflow(page)[0] == 0
    assert faults(page) == []
