import re

import pytest
from django.urls import reverse

from scoring.models import ModelVersion, Promotion
from tests.scoring.conftest import shown

pytestmark = pytest.mark.django_db
ASKED = {"act": "ask", "reason": "Best so far.", "is_aware": "on"}


@pytest.fixture
def address(model: ModelVersion) -> str:
    return reverse("scoring:promotion", kwargs={"pk": model.pk})


def test_a_researcher_asks_and_an_admin_agrees_on_the_page(rita, ada, model, address) -> None:
    page = shown(rita, address)
    assert "No agreement report holds this model" in page
    assert "Agree" not in page.partition("<form")[2]
    assert rita.post(address, ASKED, follow=True).status_code == 200
    page = shown(ada, address)
    assert "Best so far." in page
    assert "rita" in page
    answer = ada.post(address, {"act": "agree", "reason": "Read."}, follow=True)
    assert "The model is promoted" in answer.content.decode()
    assert "<strong>Promoted</strong>" in shown(rita, f"/models/{model.pk}/")


def test_what_speaks_against_it_stops_who_does_not_say_they_know_and_keeps_the_reason(
    rita, address
) -> None:
    answer = rita.post(address, {"act": "ask", "reason": "Typed words."})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Typed words." in page
    assert "confirm that you know" in page
    assert not Promotion.objects.exists()


def test_a_button_of_somebody_else_is_refused(rita, ada, address) -> None:
    assert ada.post(address, ASKED).status_code == 403
    rita.post(address, ASKED)
    for client, sent, status in (
        (rita, {"act": "agree", "reason": "x"}, 403),
        (ada, {"act": "agree", "reason": " "}, 422),
        (ada, {"act": "withdraw", "reason": "x"}, 409),
        (ada, {"reason": "x"}, 422),
    ):
        assert client.post(address, sent).status_code == status
    assert Promotion.objects.count() == 1


def test_researchers_read_what_was_done_and_admins_by_whom(rita, ada, address) -> None:
    rita.post(address, ASKED)
    ada.post(address, {"act": "decline", "reason": "Too few."})
    page = shown(rita, address)
    assert "Too few." in page
    assert "<td>an admin</td>" in page
    # As a word: the letters may stand in an id.
    assert not re.search(r"\bada\b", page.partition("<table")[2])
    assert "<td>rita</td>" in shown(ada, address)
