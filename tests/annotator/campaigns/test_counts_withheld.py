"""An admin who rates is told no count of the open campaign: see `reliability_access`."""

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.campaigns.services import close_campaign
from tests.conftest import grant

COUNTED = ("counts/", "what-if/", "plan/", "rulings/")


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def statuses(client: Client) -> set[int]:
    return {client.get(f"/campaigns/cups/{page}").status_code for page in COUNTED}


@pytest.mark.django_db
def test_an_admin_who_rates_plans_before_the_first_rating_and_counts_after_closing(cast) -> None:
    grant(cast.ada, cast.campaign, "annotator")
    rows = cast.assign(cast.alice, cast.reference())
    ada = signed_in(cast.ada)
    assert statuses(ada) == {200}
    cast.submit(rows[0])
    assert statuses(ada) == {403}
    assert (
        "another admin of the campaign has them"
        in ada.get("/campaigns/cups/what-if/").content.decode()
    )
    page = ada.get("/campaigns/cups/")
    assert page.status_code == 200 and "another admin" in page.content.decode()
    assert "data-live" not in page.content.decode() and "alice" not in page.content.decode()
    assert ada.post("/campaigns/cups/plan/by-name/", {"annotator": "alice"}).status_code == 403
    token = create_token(user=cast.ada).token
    api = Client(headers={"Authorization": f"Token {token}"})
    answer = api.get("/api/v1/campaigns/cups/progress/")
    assert answer.status_code == 403 and "another admin" in answer.json()["detail"]
    grant(cast.rita, cast.campaign, "admin")
    assert statuses(signed_in(cast.rita)) == {200}
    close_campaign(campaign=cast.campaign, reason="done", closed_by=cast.ada)
    assert statuses(ada) == {200}
    assert api.get("/api/v1/campaigns/cups/progress/").status_code == 200
