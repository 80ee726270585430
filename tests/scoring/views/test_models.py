"""Screens of model versions: what a card says stands there, for who may see the dataset."""

from typing import Any

import pytest

from annotator.models import Membership
from scoring.models import DatasetVersion
from tests.scoring.model_rows import model_row
from tests.scoring.views.conftest import signed_in

pytestmark = [pytest.mark.django_db]


@pytest.fixture
def of_campaign(cast: Any, version: DatasetVersion) -> DatasetVersion:
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


def test_a_model_page_tells_its_card(cast: Any, of_campaign: DatasetVersion) -> None:
    model = model_row(of_campaign)
    page = signed_in(cast.rita).get(f"/models/{model.pk}/").content.decode()
    for words in (
        "tiny@1",
        "0.410",
        "0.20 … 0.60",
        '<abbr title="No order.">undefined</abbr>',
        "ROUGE-2",
        "cannot tell",
        "1 of 2 (50.0 %)",
        "beyond, they are repeated",
        "weight decay 12",
        'aria-label="Loss by epoch. 0.300 at epoch 1',
        "The curves as a table",
    ):
        assert words in page, words
    assert "<b>" not in page
    assert "/data/encoders" not in page


def test_a_model_without_figures_says_so(cast: Any, of_campaign: DatasetVersion) -> None:
    model = model_row(of_campaign, {})
    page = signed_in(cast.rita).get(f"/models/{model.pk}/").content.decode()
    assert "It was not measured" in page
    assert "Not known: the model was trained before" in page
    assert "<svg" not in page


def test_a_model_of_another_campaign_is_not_found(cast: Any, of_campaign: DatasetVersion) -> None:
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="researcher")
    model = model_row(of_campaign)
    assert signed_in(cast.mallory).get(f"/models/{model.pk}/").status_code == 404
