"""A passkey alone, where the site allows it: password and second factor at once."""

import re

import pytest

from annotator.accounts.sign_in import OF_ADDRESS
from annotator.models import AuditEvent, Draft, Identity, User
from annotator.rate_limits import take
from core.clock import database_now
from tests.annotator.passkeys.conftest import ALONE, asked_on, browser, who

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def allowed(settings) -> None:
    settings.PASSKEYS_ALONE = True


def test_it_lets_in_and_counts_as_the_second_factor(key, settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    client = browser()
    asked = asked_on(client.post(ALONE, {"next": "/rubric/"}))
    assert '"userVerification": "required"' in asked and "allowCredentials" not in asked
    answer = client.post(ALONE, {"passkey": key.use(asked), "next": "/rubric/"})
    assert answer["Location"] == "/rubric/" and client.get("/rated/").status_code == 200
    event = AuditEvent.objects.filter(action="sign_in.accepted").latest("pk")
    assert event.details == {"passkey": True}


def test_switched_off_the_page_is_not_there(key, settings) -> None:
    settings.PASSKEYS_ALONE = False
    client = browser()
    assert "Sign in with a passkey" not in client.get("/login/").content.decode()
    assert client.post(ALONE).status_code == 404


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/ok\r\nX: y"])
def test_next_leads_to_this_site_only(key, target) -> None:
    client = browser()
    asked = client.post(ALONE, {"next": target})
    assert "evil.example" not in asked.content.decode()
    sent = {"passkey": key.use(asked_on(asked)), "next": target}
    location = client.post(ALONE, sent)["Location"]
    assert location.startswith("/") and not location.startswith("//")


def test_what_a_form_held_is_there_after_it_and_after_a_refusal(key, cast) -> None:
    row = cast.assign(cast.alice, cast.reference("r1", 1))[0]
    more = {"carried": '{"comment": "carried words"}', "next": f"/rate/{row.pk}/"}
    client = browser()
    client.post(ALONE, more)
    refused = client.post(ALONE, {"passkey": "{}", **more})
    assert refused.status_code == 422 and refused.context["carried"] == more["carried"]
    asked = client.post(ALONE, more)
    client.post(ALONE, {"passkey": key.use(asked_on(asked)), **more})
    assert Draft.objects.get().typed["comment"] == "carried words"


def try_alone(key) -> tuple[str, str]:
    """Return whose session it is after a try, and what is said."""
    client = browser()
    answer = client.post(ALONE, {"passkey": key.use(asked_on(client.post(ALONE)))})
    return who(client), answer.content.decode()


def test_a_deactivated_account_stays_shut(key, alice) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    name, said = try_alone(key)
    assert name == "" and "deactivated" in said
    event = AuditEvent.objects.get(action="sign_in.refused")
    assert (event.actor, event.object_id) == (None, str(alice.pk))


def test_who_is_shut_out_by_their_provider_stays_out(key, alice, firm) -> None:
    row = Identity.objects.create(issuer=firm.issuer, subject="s-1", user=alice)
    assert try_alone(key)[0] == "alice"
    row.ended_at = database_now()
    row.save()
    assert "Sign in at your provider" in try_alone(key)[1]


def test_with_passwords_switched_off_it_is_for_the_emergency_account(
    key, alice, firm, settings
) -> None:
    settings.EMERGENCY_ACCOUNT = "bob"
    assert try_alone(key)[0] == ""
    settings.EMERGENCY_ACCOUNT = "alice"
    assert try_alone(key)[0] == "alice"
    event = AuditEvent.objects.get(action="sign_in.emergency")
    assert (event.actor, event.details) == (alice, {"passkey": True})


def test_questions_without_end_are_refused_with_a_wait(key) -> None:
    client = browser()
    assert client.post(ALONE).status_code == 200
    take([(OF_ADDRESS, "127.0.0.1")], count=58)
    # However much time passes between: each takes twenty of those that are left.
    for _ in range(20):
        if client.post(ALONE).status_code == 429:
            break
        take([(OF_ADDRESS, "127.0.0.1")], count=20)
    refused = client.post(ALONE, {"carried": "typed"})
    assert int(refused["Retry-After"]) > 0 and refused.context["carried"] == "typed"
    assert re.search("Nothing is locked: try again in", refused.content.decode())
