"""A report is asked for and read in a real Chromium: table, verdict, plots, file, keyboard."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from scoring.datasets.freezing.imports import import_dataset
from scoring.models import AgreementReport, DatasetVersion
from scoring.quadruplets import SplitPlan
from scoring.reports.work import carry_out_report
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_accessibility import sideways
from tests.scoring.conftest import dataset_rows
from tests.scoring.report_documents import report_document
from tests.scoring.report_rows import stored

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NARROW = {"width": 320, "height": 640}


@pytest.fixture
def version(cast: Any, transactional_db: None, settings: Any, tmp_path: Path) -> DatasetVersion:
    """A dataset of the cast's campaign, which rita may work on."""
    settings.DATA_DIR = tmp_path
    found = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    found.dataset.campaign = cast.campaign
    found.dataset.save()
    return found


@pytest.fixture
def rita(cast: Any, enter: Enter, page: Page, complaints: list[str]) -> Page:
    enter(page.context, cast.rita)
    return page


def rows_of(page: Page) -> list[str]:
    return page.locator("#figures tbody th").all_inner_texts()


def test_a_report_is_asked_for_followed_and_read(
    rita: Page, version: DatasetVersion, site: str, complaints: list[str]
) -> None:
    rita.goto(f"{site}/reports/")
    rita.get_by_label("Dataset version").select_option(str(version.pk))
    rita.get_by_label("Split").select_option("all")
    rita.get_by_label("another one:").check()
    rita.get_by_role("button", name="Calculate the report").click()
    expect(rita.locator("#id_tie_threshold_error")).to_contain_text("Give the threshold")
    expect(rita.get_by_label("Split")).to_have_value("all")
    # The browser notes the 422 that was asked for.
    complaints.clear()
    rita.get_by_label("Another threshold").fill("0.01")
    rita.get_by_role("button", name="Calculate the report").click()
    rita.wait_for_url("**/reports/*-*/")
    expect(rita.get_by_role("status").last).to_contain_text("Waiting for a worker.")
    carry_out_report(AgreementReport.objects.get().pk)
    # The page polls by itself; nobody reloads it.
    expect(rita.get_by_role("heading", name="Verdict")).to_be_visible()
    table = rita.locator("#figures table")
    expect(table.get_by_role("row").filter(has_text="ROUGE-L")).to_be_visible()
    picture = rita.get_by_role("img", name=re.compile("ROUGE-L -?[01][.]"))
    expect(picture.first).to_be_visible()
    with rita.expect_download() as saved:
        rita.get_by_role("link", name="One HTML file").click()
    assert saved.value.suggested_filename == "agreement-tiny-1-feature-completeness-all.html"


def test_a_heading_sorts_by_keyboard(rita: Page, version: DatasetVersion, site: str) -> None:
    report = stored(version, report_document())
    rita.goto(f"{site}/reports/{report.pk}/")
    before = rows_of(rita)
    rita.get_by_role("link", name="tau-b", exact=True).focus()
    rita.keyboard.press("Enter")
    heading = rita.locator("#figures th[aria-sort=descending]")
    expect(heading).to_contain_text("tau-b")
    assert rows_of(rita) != before and rows_of(rita)[0].startswith("rouge-l")
    expect(rita.get_by_role("link", name="tau-b", exact=True)).to_be_focused()
    rita.keyboard.press("Enter")
    expect(rita.locator("#figures th[aria-sort=ascending]")).to_contain_text("tau-b")
    assert "sort=tau_b" in rita.url


@pytest.mark.exhaustive
def test_a_full_report_fits_a_narrow_screen(rita: Page, version: DatasetVersion, site: str) -> None:
    report, other = stored(version, report_document()), stored(version, report_document())
    found = []
    pair = f"a={report.pk}&first=bleu-1&second=rouge-l"
    for path in (
        f"/reports/{report.pk}/",
        f"/reports/{report.pk}/?scorer=rouge-l&sort=tau_b&order=asc",
        f"/reports/compare/?a={report.pk}&b={other.pk}",
        f"/reports/compare/?{pair}",
        "/reports/",
    ):
        rita.goto(site + path)
        rita.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found += faults(rita) + sideways(rita)
        rita.set_viewport_size(NARROW)
        over = rita.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        found += [f"{path} is {over} px too wide at 320 px"] if over > 0 else []
        rita.set_viewport_size({"width": 1280, "height": 800})
    assert not found, "\n".join(found)


def test_a_report_is_read_sorted_and_compared_without_scripts(
    cast: Any, enter: Enter, version: DatasetVersion, site: str, browser: Browser
) -> None:
    report = stored(version, report_document())
    with browser.new_context(java_script_enabled=False) as context:
        enter(context, cast.rita)
        page = context.new_page()
        page.goto(f"{site}/reports/{report.pk}/")
        page.get_by_role("link", name="tau-b", exact=True).click()
        expect(page.locator("#figures th[aria-sort=descending]")).to_contain_text("tau-b")
        assert rows_of(page)[0].startswith("rouge-l")
        page.get_by_role("link", name="rouge-l", exact=True).click()
        expect(page.get_by_text("Score differences of rouge-l by label")).to_be_visible()
        page.get_by_role("link", name="Compare two scorers").click()
        page.get_by_label("First scorer").select_option("rouge-l")
        page.get_by_label("Second scorer").select_option("bleu-1")
        page.get_by_role("button", name="Compare scorers").click()
        expect(page.get_by_text("rouge-l: better.")).to_be_visible()


def test_the_file_opens_from_a_disk_and_breaks_no_rule(
    rita: Page, version: DatasetVersion, site: str, tmp_path: Path
) -> None:
    report = stored(version, report_document())
    address = reverse("scoring:download_report", kwargs={"pk": report.pk})
    saved = tmp_path / "report.html"
    saved.write_bytes(rita.request.get(site + address).body())
    asked: list[str] = []
    rita.on("request", lambda request: asked.append(request.url))
    rita.goto(saved.as_uri())
    expect(rita.get_by_role("heading", name="Verdict")).to_be_visible()
    expect(rita.get_by_text("Score differences of rouge-l by label")).to_be_attached()
    assert asked == [saved.as_uri()]
    # The page's own colour shows that its styles were read.
    assert rita.locator("#figures table").evaluate(
        "one => getComputedStyle(one).borderCollapse"
    ) == ("collapse")
    assert sideways(rita) == []
