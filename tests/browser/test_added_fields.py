"""A field that is added to a rating reaches the page's script, which holds no list of its own."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Draft, User
from annotator.rating import forms
from annotator.rating import page as rate_page
from annotator.rating_values import TEXT_FIELDS, TYPED, Kind, RatingField
from tests.browser.conftest import Enter
from tests.browser.scene import press, wait_until_stored

SCRIPTS = Path(__file__).parents[2] / "static" / "js"
COMMENT = re.compile(r"^\s*//.*$|\s//\s.*$", re.MULTILINE)


def test_no_script_holds_the_name_of_a_field() -> None:
    names = re.compile(rf"(?<![-\w])(?:id_)?(?:{'|'.join(TYPED)})(?![-\w])")
    found = {
        f"{path.relative_to(SCRIPTS)}: {match.group()}"
        for path in SCRIPTS.rglob("*.js")
        for match in names.finditer(COMMENT.sub("", path.read_text()))
    }
    assert found == set()


@pytest.mark.browser
@pytest.mark.slow
def test_a_text_in_an_added_field_is_kept_as_a_draft(
    monkeypatch: pytest.MonkeyPatch,
    work: list[Assignment],
    alice: User,
    enter: Enter,
    site: str,
    page: Page,
) -> None:
    added = RatingField("remedy", Kind.TEXT, "Remedy", "optional")
    for module in (forms, rate_page):
        monkeypatch.setattr(module, "TEXT_FIELDS", (*TEXT_FIELDS, added))
        monkeypatch.setattr(module, "TYPED", (*TYPED, added.name))
    enter(page.context, alice)
    page.goto(f"{site}/rate/{work[0].pk}/")
    page.wait_for_selector(".fold")
    page.get_by_label("Remedy").fill("Name the lid.")
    wait_until_stored(page)
    assert Draft.objects.get().typed["remedy"] == "Name the lid."
    page.reload()
    expect(page.get_by_label("Remedy")).to_have_value("Name the lid.")
    page.get_by_label("Remedy").fill("Name the lid twice.")
    press(page, "Escape", "u")
    expect(page.get_by_label("Remedy")).to_have_value("Name the lid.")
