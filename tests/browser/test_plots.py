"""Runs are chosen in the list and compared in a real Chromium; plots are saved as SVG and PNG."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotator.models import BrowserSession, User
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, TrainingRun
from scoring.quadruplets import SplitPlan
from scoring.training.runs.services import request_training
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_accessibility import sideways
from tests.scoring.conftest import dataset_rows, labelled_alike

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PNG = b"\x89PNG\r\n\x1a\n"
NARROW = {"width": 390, "height": 844}


@pytest.fixture
def runs(cast: Any, transactional_db: None, settings: Any, tmp_path: Path) -> list[TrainingRun]:
    """Three runs of one criterion that have recorded epochs."""
    settings.DATA_DIR = tmp_path
    rows = labelled_alike(dataset_rows())
    version: DatasetVersion = import_dataset(name="tiny", rows=rows, plan=SplitPlan("file")).version
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    found = []
    for seed in range(3):
        run = request_training(
            version=version, criterion="feature_completeness", options={"seed": seed}
        )
        run.history = [
            {"epoch": n, "loss": 1 / (n + seed), "validation_tau": n / 10} for n in range(1, 5)
        ]
        run.save()
        found.append(run)
    return found


@pytest.fixture
def rita(cast: Any, enter: Enter, page: Page, complaints: list[str]) -> Page:
    enter(page.context, cast.rita)
    return page


def saved(page: Page, name: str) -> tuple[str, bytes]:
    with page.expect_download() as download:
        page.get_by_label(name).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_runs_are_chosen_compared_and_their_chart_saved(
    rita: Page, runs: list[TrainingRun], site: str
) -> None:
    rita.goto(f"{site}/runs/")
    for run in runs[:2]:
        rita.locator(f"input[name=run][value='{run.pk}']").check()
    rita.get_by_role("button", name="Compare the chosen runs").click()
    expect(rita.get_by_role("heading", name="Settings that differ")).to_be_visible()
    expect(rita).to_have_url(re.compile(r"/runs/compare/\?run="))
    picture = rita.get_by_role("img", name=re.compile("^Validation tau-b by epoch"))
    expect(picture).to_be_visible()
    lines = picture.locator("line[class^=series]")
    colours = {lines.nth(n).evaluate("line => getComputedStyle(line).stroke") for n in (0, 4)}
    assert len(colours) == 2, "each run has its colour"
    # What is pointed at says the values of both, without a script.
    assert "epoch 2\n" in picture.locator("rect.hit title").nth(1).inner_html()
    name, content = saved(rita, "SVG of Validation tau-b by epoch, feature completeness")
    assert name == "validation-tau-b-by-epoch-feature-completeness.svg"
    assert content.startswith(b"<svg xmlns=")
    name, content = saved(rita, "PNG of Validation tau-b by epoch, feature completeness")
    assert name == "validation-tau-b-by-epoch-feature-completeness.png"
    width = int.from_bytes(content[16:20])
    assert content.startswith(PNG) and width == 2 * (560 + 24)
    assert len(set(content)) > 50, "the picture is not blank"
    expect(rita.locator("#problem")).to_be_hidden()
    assert faults(rita) == []
    rita.set_viewport_size(NARROW)
    assert sideways(rita) == []


def test_a_picture_that_cannot_be_drawn_says_so(
    rita: Page, runs: list[TrainingRun], site: str, complaints: list[str]
) -> None:
    rita.goto(f"{site}/runs/{runs[0].pk}/")
    BrowserSession.objects.all().delete()
    rita.get_by_label("PNG of Loss by epoch").click()
    expect(rita.locator("#problem")).to_contain_text("The picture could not be drawn")
    complaints.clear()


def test_without_scripts_a_plot_is_saved_as_svg_alone(
    browser: Browser, site: str, cast: Any, enter: Enter, runs: list[TrainingRun]
) -> None:
    rita: User = cast.rita
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, rita)
    page = context.new_page()
    page.goto(f"/runs/{runs[0].pk}/")
    expect(page.get_by_label("SVG of Loss by epoch")).to_be_visible()
    expect(page.get_by_label("PNG of Loss by epoch")).to_be_hidden()
    name, content = saved(page, "SVG of Loss by epoch")
    assert name == "loss-by-epoch.svg" and b"<title>Loss by epoch</title>" in content
    context.close()


def test_tags_and_a_note_are_written_and_found_without_scripts(
    browser: Browser, site: str, cast: Any, enter: Enter, runs: list[TrainingRun]
) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=site)
    enter(context, cast.rita)
    page = context.new_page()
    page.goto(f"/runs/{runs[1].pk}/")
    page.get_by_role("textbox", name="Tags").fill("Paper second-seed")
    page.get_by_role("textbox", name="Note").fill("Odd at the end.")
    page.get_by_role("button", name="Save tags and note").click()
    expect(page.get_by_text("Tags and note saved.")).to_be_visible()
    page.goto("/runs/")
    page.get_by_role("link", name="second-seed").click()
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_label("Search").fill("nothing so")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("No run is so.")).to_be_visible()
    context.close()
