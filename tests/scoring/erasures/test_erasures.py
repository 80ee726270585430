import pytest

from annotator.models import Campaign, User
from scoring.models import Erasure
from tests.scoring.conftest import shown, signed_in

pytestmark = pytest.mark.django_db


def test_an_admin_asks_and_a_site_admin_answers_without_seeing_a_text(cast, ada) -> None:
    reference = cast.reference("r1", 2)
    page = f"/datasets/references/{reference.pk}/"
    ask = f"{page}erase/"
    assert "Ask a site admin to erase it" in shown(ada, page)
    assert ada.post(ask, {"reason": ""}).status_code == 422
    assert ada.post(ask, {"reason": "the cup of the client"}).status_code == 303
    assert "has to agree" in shown(ada, page)
    assert ada.post(ask, {"reason": "again"}).status_code == 409
    row = Erasure.objects.get()
    sam = signed_in(User.objects.create(username="sam", is_superuser=True))
    listed = shown(sam, "/erasures/")
    assert "2 candidates" in listed
    assert str(reference.pk) in listed
    for secret in ("cup", "Title of", "handle", "r1<"):
        assert secret not in listed.replace("cups", "")
    assert sam.get(page).status_code in {403, 404}
    unaware = sam.post(f"/erasures/{row.pk}/agree/")
    assert unaware.status_code == 422
    assert "Tick that you know" in unaware.content.decode()
    row.refresh_from_db()
    assert row.status == "asked"
    assert sam.post(f"/erasures/{row.pk}/agree/", {"is_aware": "yes"}).status_code == 303
    assert sam.post(f"/erasures/{row.pk}/decline/").status_code == 409
    row.refresh_from_db()
    assert row.status == "agreed"
    assert "within a minute" in shown(ada, page)


def test_a_legal_hold_is_shown_instead_of_the_form(cast, ada) -> None:
    reference = cast.reference("r1", 1)
    Campaign.objects.update(has_legal_hold=True)
    page = shown(ada, f"/datasets/references/{reference.pk}/")
    assert "under legal hold" in page
    assert "Ask a site admin" not in page
    sent = ada.post(f"/datasets/references/{reference.pk}/erase/", {"reason": "x"})
    assert sent.status_code == 422
    assert "legal hold" in shown(ada, "/campaigns/cups/")
