"""What moved an encoder is asked for on the pages of an item and of scores, and comes by itself."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scoring.models import ModelVersion, ScoreRequest
from scoring.scores.services import carry_out_scores
from tests.browser.axe import faults
from tests.browser.conftest import Enter
from tests.browser.test_datasets import go
from tests.conftest import Cast
from tests.scoring.asked_reports import carried_out, request
from tests.scoring.conftest import dataset_rows, imported, listing_rows, tiny_encoder  # noqa: F401
from tests.scoring.model_builders import promote, train_tiny

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ASK = "Leave out each limitation"
MOVED = "What moved the score of candidate"


@pytest.fixture
def encoder(
    cast: Cast,
    transactional_db: None,
    settings: Any,
    tmp_path: Path,
    tiny_encoder: Path,  # noqa: F811
) -> ModelVersion:
    settings.DATA_DIR = tmp_path
    version = imported("listing", listing_rows(dataset_rows()), campaign=cast.campaign)
    found = train_tiny(version, tiny_encoder)
    promote(found, cast.ada)
    return found


def test_an_item_says_what_moved_its_encoder_once_it_is_asked(
    cast: Cast, encoder: ModelVersion, enter: Enter, site: str, page: Page, complaints: list[str]
) -> None:
    report = carried_out(request(encoder.run.dataset_version, f"model:{encoder.pk}"))
    enter(page.context, cast.ada)
    page.goto(f"{site}/reports/{report.pk}/items/2/")
    go(page, ASK)
    expect(page.get_by_role("progressbar")).to_be_visible()
    assert faults(page) == []
    carry_out_scores(ScoreRequest.objects.get().pk)
    expect(page.get_by_role("heading", name=f"{MOVED} B beside candidate C")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    page.get_by_text("more limitations").click()
    assert faults(page) == []


def test_scores_are_explained_by_the_button_below_them(
    cast: Cast, encoder: ModelVersion, enter: Enter, site: str, page: Page, complaints: list[str]
) -> None:
    row = listing_rows(dataset_rows())[0]
    asked = ScoreRequest.objects.create(
        asked_by=cast.rita,
        reference_text=row.reference,
        candidate_texts=[row.b, row.c],
        models_by_criterion={encoder.criterion: str(encoder.pk)},
    )
    carry_out_scores(asked.pk)
    enter(page.context, cast.rita)
    page.goto(f"{site}/score/{asked.pk}/")
    expect(page.get_by_role("heading", name=MOVED)).to_have_count(0)
    go(page, ASK)
    expect(page.get_by_role("progressbar")).to_be_visible()
    carry_out_scores(ScoreRequest.objects.exclude(pk=asked.pk).get().pk)
    expect(page.get_by_role("heading", name=MOVED)).to_be_visible()
    assert faults(page) == []
