"""The pages on which a matter's erasure is asked for and answered."""

from typing import Any

import pytest
from django.test import Client

from annotator.models import Campaign, User
from scoring.models import Erasure

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_an_admin_asks_and_a_site_admin_answers_without_seeing_a_text(cast: Any) -> None:
    reference = cast.reference("r1", 2)
    page, ask = (
        f"/datasets/references/{reference.pk}/",
        f"/datasets/references/{reference.pk}/erase/",
    )
    ada = signed_in(cast.ada)
    assert "Ask a site admin to erase it" in ada.get(page).content.decode()
    assert ada.post(ask, {"reason": ""}).status_code == 422
    assert ada.post(ask, {"reason": "the cup of the client"}).status_code == 303
    assert "has to agree" in ada.get(page).content.decode()
    assert ada.post(ask, {"reason": "again"}).status_code == 409
    row = Erasure.objects.get()
    sam = signed_in(User.objects.create(username="sam", is_superuser=True))
    shown = sam.get("/erasures/").content.decode()
    assert "2 candidates" in shown
    assert str(reference.pk) in shown
    for secret in ("cup", "Title of", "handle", "r1<"):
        assert secret not in shown.replace("cups", "")
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
    assert "within a minute" in ada.get(page).content.decode()


def test_a_legal_hold_is_shown_instead_of_the_form(cast: Any) -> None:
    reference = cast.reference("r1", 1)
    Campaign.objects.update(has_legal_hold=True)
    ada = signed_in(cast.ada)
    shown = ada.get(f"/datasets/references/{reference.pk}/").content.decode()
    assert "under legal hold" in shown
    assert "Ask a site admin" not in shown
    sent = ada.post(f"/datasets/references/{reference.pk}/erase/", {"reason": "x"})
    assert sent.status_code == 422
    assert "legal hold" in ada.get("/campaigns/cups/").content.decode()
