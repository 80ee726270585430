"""The page and the calls of webhooks: who may, what is refused, what is shown once."""

from typing import Any

import pytest
from django.test import Client

from annotator.models import AuditEvent, Delivery, Webhook
from annotator.operations.health.database import Level
from annotator.operations.health.sealed_secrets import look_at_sealed, seal_anew
from annotator.outgoing.rules import EVENTS
from annotator.sealing import unseal
from annotator.webhooks.services import MOST_WEBHOOKS, OFF
from tests.annotator.webhooks.hooks import add, rate
from tests.conftest import grant, signed_in

pytestmark = pytest.mark.django_db
PAGE = "/campaigns/cups/webhooks/"
HOST = "hooks.example.org"
URL = f"https://{HOST}/a?token=urlcanary"


@pytest.fixture(autouse=True)
def allowed(settings) -> None:
    settings.WEBHOOK_HOSTS = [HOST]


@pytest.fixture
def ada(cast) -> Client:
    return signed_in(cast.ada)


def sent(**changed: Any) -> dict[str, Any]:
    return {"url": URL, "events": ["freeze", "settled"]} | changed


def test_a_webhook_is_added_and_its_secret_shown_once(ada, cast) -> None:
    answer = ada.post(PAGE, sent())
    assert answer.status_code == 200
    row = Webhook.objects.get()
    secret = unseal(row.secret, owner=str(row.pk))
    page = answer.content.decode()
    assert secret.startswith("whsec_") and secret in page
    again = ada.get(PAGE).content.decode()
    assert secret not in again and URL.replace("&", "&amp;") in again
    assert EVENTS["freeze"] in again
    act = AuditEvent.objects.get(action="webhook.added")
    assert act.details == {"host": HOST, "events": ["freeze", "settled"]}
    assert secret not in row.secret and secret.removeprefix("whsec_") not in row.secret


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"url": "https://elsewhere.example.org/a"}, "This site sends nothing to that host"),
        ({"url": f"http://{HOST}/a"}, "An address begins with https://."),
        ({"url": ""}, "This field is required."),
        ({"url": "x" * 501}, "at most 500 characters"),
        ({"url": f"https://{HOST}/\x00"}, "Null characters are not allowed."),
        ({"events": []}, "Choose at least one event."),
        ({"events": ["nonsense"]}, "Select a valid choice."),
    ],
)
def test_what_is_wrong_is_said_beside_what_was_typed(ada, cast, changed, why) -> None:
    answer = ada.post(PAGE, sent(**changed))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert why in page
    if changed.get("url") and "\x00" not in changed["url"]:
        assert f'value="{changed["url"]}"' in page
    assert not Webhook.objects.exists()


def test_a_site_that_names_no_hosts_has_none(ada, cast, settings) -> None:
    settings.WEBHOOK_HOSTS = []
    page = ada.get(PAGE).content.decode()
    assert "WEBHOOK_HOSTS" in page and "New webhook" not in page
    answer = ada.post(PAGE, sent())
    assert answer.status_code == 422 and OFF.split(".")[0] in answer.content.decode()
    assert not Webhook.objects.exists()


def test_a_campaign_has_a_few(ada, cast) -> None:
    for _ in range(MOST_WEBHOOKS):
        add(cast.campaign, cast.ada, URL)
    answer = ada.post(PAGE, sent())
    assert answer.status_code == 409 and "at most 5 webhooks" in answer.content.decode()


def test_a_test_is_queued_and_shown_and_not_too_often(ada, cast, rate_limits_stand_still) -> None:
    row = add(cast.campaign, cast.ada, URL).row
    for _ in range(5):
        assert ada.post(f"{PAGE}{row.pk}/test/")["Location"] == PAGE
    assert Delivery.objects.count() == 5
    assert "too often" in ada.post(f"{PAGE}{row.pk}/test/", follow=True).content.decode()
    assert Delivery.objects.count() == 5
    page = ada.get(PAGE).content.decode()
    assert "a test" in page and "0 of 6" in page
    Delivery.objects.update(status="failed", answer="404", attempt=1)
    page = ada.get(PAGE).content.decode()
    assert "given up" in page and ">404<" in page and "1 of 6" in page


def test_a_new_secret_and_a_removal_are_asked_about_first(ada, cast) -> None:
    row = add(cast.campaign, cast.ada, URL).row
    for act in ("secret", "remove"):
        asked = ada.post(f"{PAGE}{row.pk}/{act}/").content.decode()
        assert "cannot be taken back" in asked
    before = Webhook.objects.get()
    assert before.secret == row.secret
    page = ada.post(f"{PAGE}{row.pk}/secret/", {"confirmed": "1"}).content.decode()
    after = Webhook.objects.get()
    assert after.secret != row.secret and unseal(after.secret, owner=str(row.pk)) in page
    assert ada.post(f"{PAGE}{row.pk}/remove/", {"confirmed": "1"}).status_code == 303
    assert not Webhook.objects.exists()
    assert ada.post(f"{PAGE}{row.pk}/remove/", {"confirmed": "1"}).status_code == 404


def test_another_campaigns_webhook_is_not_found(ada, cast, call) -> None:
    row = add(cast.elsewhere, cast.mallory, URL).row
    for act in ("test", "secret", "remove"):
        answer = ada.post(f"{PAGE}{row.pk}/{act}/", {"confirmed": "1"})
        assert answer.status_code == 404
    assert call(cast.ada, "delete", f"campaigns/cups/webhooks/{row.pk}/").status_code == 404
    assert Webhook.objects.count() == 1 and not Delivery.objects.exists()


def test_who_rates_in_an_open_campaign_does_not_see_when_candidates_settle(cast) -> None:
    rate(cast, cast.reference().candidates.all()[0], cast.alice)
    grant(cast.ada, cast.campaign, "annotator")
    assert signed_in(cast.ada).get(PAGE).status_code == 403


def test_a_program_adds_tries_renews_and_removes(cast, call) -> None:
    path = "campaigns/cups/webhooks/"
    answer = call(cast.ada, "post", path, sent())
    assert answer.status_code == 201
    made = answer.json()
    assert made.keys() == {"id", "secret"}
    tried = call(cast.ada, "post", f"{path}{made['id']}/test/")
    assert tried.status_code == 202 and tried.json()["status"] == "queued"
    (listed,) = call(cast.ada, "get", path).json()
    assert listed["url"] == URL and listed["events"] == ["freeze", "settled"]
    assert listed["deliveries"] == [tried.json()]
    assert "secret" not in listed
    renewed = call(cast.ada, "post", f"{path}{made['id']}/secret/").json()
    assert renewed["id"] == made["id"] and renewed["secret"] != made["secret"]
    assert call(cast.ada, "delete", f"{path}{made['id']}/").status_code == 204
    assert call(cast.ada, "get", path).json() == []


@pytest.mark.parametrize(
    "body", [sent(url=7), sent(events="freeze"), sent(events=["a"]), sent(more=1), {}, []]
)
def test_a_bad_body_is_refused(cast, call, body) -> None:
    assert call(cast.ada, "post", "campaigns/cups/webhooks/", body).status_code == 400


def test_a_call_that_is_refused_says_where(cast, call) -> None:
    answer = call(cast.ada, "post", "campaigns/cups/webhooks/", sent(url="https://a.org/"))
    assert answer.status_code == 400 and "url" in answer.json()


def test_secrets_are_sealed_anew_with_todays_key(cast, settings) -> None:
    made = add(cast.campaign, cast.ada, URL)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret that is long enough to be one, and is none of ours"
    assert seal_anew() == {"sealed": 1, "unopened": 0}
    settings.SECRET_KEY_FALLBACKS = []
    row = Webhook.objects.get()
    assert unseal(row.secret, owner=str(row.pk)) == made.secret
    assert seal_anew() == {"sealed": 0, "unopened": 0}
    settings.SECRET_KEY = "a third secret that is long enough to be one, and is none of ours"
    assert seal_anew() == {"sealed": 0, "unopened": 1}


def test_doctor_finds_a_secret_that_no_key_opens(cast, settings) -> None:
    add(cast.campaign, cast.ada, URL)
    (found,) = (one for one in look_at_sealed() if one.part == "webhooks")
    assert found.level == Level.OK
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another secret that is long enough to be one, and is none of ours"
    (found,) = (one for one in look_at_sealed() if one.part == "webhooks")
    assert found.level == Level.WARNING
    settings.SECRET_KEY_FALLBACKS = []
    (found,) = (one for one in look_at_sealed() if one.part == "webhooks")
    assert found.level == Level.MISSING and "give them new secrets" in found.mend
