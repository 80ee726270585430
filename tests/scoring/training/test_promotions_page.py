"""The page of a model's promotion."""

import re
from uuid import UUID

import pytest
from django.urls import reverse

from scoring.datasets.freezing.imports import import_dataset
from scoring.models import DatasetVersion, ModelVersion, Promotion
from scoring.quadruplets import SplitPlan
from scoring.training.model_versions.promotions import promoted
from tests.scoring.conftest import dataset_rows, signed_in
from tests.scoring.model_builders import make_model

pytestmark = pytest.mark.django_db


@pytest.fixture
def model(cast, data_directory) -> ModelVersion:
    version: DatasetVersion = import_dataset(
        name="cups", rows=dataset_rows(2), plan=SplitPlan("file"), campaign=cast.campaign
    ).version
    return make_model(version)


def address(model: ModelVersion) -> str:
    return reverse("scoring:promotion", kwargs={"pk": model.pk})


def test_a_researcher_asks_and_an_admin_agrees_on_the_page(cast, model) -> None:
    rita, ada = signed_in(cast.rita), signed_in(cast.ada)
    page = rita.get(address(model)).content.decode()
    assert "No agreement report holds this model" in page
    assert "Agree" not in page.partition("<form")[2]
    asked = {"act": "ask", "reason": "Best so far.", "is_aware": "on"}
    assert rita.post(address(model), asked, follow=True).status_code == 200
    page = ada.get(address(model)).content.decode()
    assert "Best so far." in page
    assert "rita" in page
    answer = ada.post(address(model), {"act": "agree", "reason": "Read."}, follow=True)
    assert "The model is promoted" in answer.content.decode()
    assert promoted(cast.rita)["feature_completeness"].model == model
    page = rita.get(reverse("scoring:model", kwargs={"pk": model.pk})).content.decode()
    assert "<strong>Promoted</strong>" in page


def test_what_speaks_against_it_stops_who_does_not_confirm_it_and_shows_the_reason_again(
    cast, model
) -> None:
    answer = signed_in(cast.rita).post(address(model), {"act": "ask", "reason": "Typed words."})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Typed words." in page
    assert "say that you know" in page
    assert not Promotion.objects.exists()


def test_a_button_of_somebody_else_is_refused(cast, model) -> None:
    rita, ada = signed_in(cast.rita), signed_in(cast.ada)
    sent = {"act": "ask", "reason": "x", "is_aware": "on"}
    assert ada.post(address(model), sent).status_code == 403
    rita.post(address(model), sent)
    assert rita.post(address(model), {"act": "agree", "reason": "x"}).status_code == 403
    assert ada.post(address(model), {"act": "agree", "reason": " "}).status_code == 422
    assert ada.post(address(model), {"act": "withdraw", "reason": "x"}).status_code == 409
    assert ada.post(address(model), {"reason": "x"}).status_code == 422
    assert Promotion.objects.count() == 1


def test_researchers_read_what_was_done_and_admins_by_whom(cast, model) -> None:
    asked = {"act": "ask", "reason": "x", "is_aware": "on"}
    signed_in(cast.rita).post(address(model), asked)
    signed_in(cast.ada).post(address(model), {"act": "decline", "reason": "Too few."})
    page = signed_in(cast.rita).get(address(model)).content.decode()
    assert "Too few." in page
    assert "<td>an admin</td>" in page
    # As a word: the letters may stand in an id.
    assert not re.search(r"\bada\b", page.partition("<table")[2])
    assert "<td>rita</td>" in signed_in(cast.ada).get(address(model)).content.decode()


def test_a_model_out_of_scope_is_not_found(cast, model) -> None:
    rita = signed_in(cast.rita)
    missing = reverse("scoring:promotion", kwargs={"pk": UUID(int=7)})
    assert rita.get(missing).status_code == 404
    assert signed_in(cast.mallory).get(address(model)).status_code in (403, 404)
