"""Texts scored on the page by keyboard, with the scores coming in by themselves."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import User
from patclaimeval.rubric import ALL_CRITERIA
from scoring.datasets.freezing.imports import import_dataset
from scoring.models import ModelVersion, ScoreRequest
from scoring.quadruplets import SplitPlan
from scoring.scores.services import carry_out_scores
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_datasets import fill, go
from tests.conftest import Cast
from tests.scoring.conftest import dataset_rows
from tests.scoring.model_builders import know, make_model, promote

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def model(cast: Cast, transactional_db: None, settings: Any, tmp_path: Any) -> ModelVersion:
    settings.DATA_DIR = tmp_path
    version = import_dataset(
        name="tiny", rows=dataset_rows(2), plan=SplitPlan("file"), campaign=cast.campaign
    ).version
    found = make_model(version)
    promote(found, cast.ada)
    return found


def test_two_candidates_are_scored_by_keyboard_and_the_scores_come_by_themselves(
    cast: Cast, model: ModelVersion, enter: Enter, site: str, page: Page, complaints: list[str]
) -> None:
    rita: User = cast.rita
    enter(page.context, rita)
    page.goto(f"{site}/score/")
    fill(page, "Reference:", "1. A cup with a lid.", "textbox")
    fill(page, "Candidate 1:", "1. A cup.", "textbox")
    go(page, "Add a candidate")
    expect(page.get_by_label("Candidate 2")).to_be_focused()
    expect(page.get_by_label("Candidate 1")).to_have_value("1. A cup.")
    page.keyboard.type("1. A lid.")
    go(page, "Score")
    expect(page.get_by_role("progressbar")).to_be_visible()
    row = ScoreRequest.objects.get()
    assert row.candidate_texts == ["1. A cup.", "1. A lid."]
    know(model, "1. A cup with a lid.", {"1. A cup.": 0.75, "1. A lid.": 0.25})
    carry_out_scores(row.pk)
    expect(page.get_by_role("cell", name="0.750 best")).to_have_count(len(ALL_CRITERIA))
    expect(page.get_by_role("heading", name="Why candidate 1 scores")).to_have_count(
        len(ALL_CRITERIA)
    )
    expect(page.get_by_role("progressbar")).to_have_count(0)
    assert faults(page) == []
    go(page, "Delete texts and scores …")
    expect(page.get_by_role("heading", name="Delete texts and scores?")).to_be_visible()
    assert faults(page) == []
    go(page, "Delete them")
    expect(page.get_by_text("The texts and their scores are deleted.")).to_be_visible()
    assert not ScoreRequest.objects.exists()
