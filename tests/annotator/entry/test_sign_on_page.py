"""The page of single sign-on, and its calls: for site admins, who open no claim text by it."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.entry.groups import give_group_roles
from annotator.models import AuditEvent, GroupRole, Identity, Membership, User
from core.oidc.client import forget
from tests.annotator.entry.conftest import sign_in
from tests.conftest import make_user, signed_in

pytestmark = pytest.mark.django_db
PAGE = "/users/sign-on/"


@pytest.fixture
def boss(cast) -> User:
    return make_user("boss", is_superuser=True)


@pytest.fixture
def admin(boss) -> Client:
    return signed_in(boss)


@pytest.fixture
def waiting(client, firm) -> Identity:
    firm.claims = {"preferred_username": "nora", "email": "nora@firm.example"}
    sign_in(client, firm)
    return Identity.objects.get()


def answer(admin: Client, row: Identity, name: str, **sent: str) -> Any:
    return admin.post(f"{PAGE}people/{row.pk}/{name}/", sent)


def test_who_waits_stands_in_the_inbox_and_is_let_in(admin, boss, waiting) -> None:
    assert "1 sign-in waits to be let in" in admin.get("/").content.decode()
    page = admin.get(PAGE).content.decode()
    assert 'value="nora"' in page and "nora@firm.example" in page
    assert answer(admin, waiting, "approve", username="nora.k").status_code == 303
    waiting.refresh_from_db()
    assert waiting.user.username == "nora.k"
    event = AuditEvent.objects.get(action="identity.linked")
    assert (event.actor, event.details) == (boss, {"user": str(waiting.user_id)})
    assert "waits to be let in" not in admin.get("/").content.decode()
    assert answer(admin, waiting, "approve", username="again").status_code == 404


@pytest.mark.parametrize("name", ["alice", "", "nora\u200b"])
def test_a_name_that_is_none_or_somebodys_is_refused_and_stays_typed(admin, waiting, name) -> None:
    """An account that is there is linked by its owner alone: a site admin opens none by this."""
    page = answer(admin, waiting, "approve", username=name)
    assert page.status_code == 422
    assert f'value="{name}"' in page.content.decode()
    waiting.refresh_from_db()
    assert waiting.user is None


def test_who_is_refused_reads_so_and_may_be_let_in_later(admin, client, firm, waiting) -> None:
    answer(admin, waiting, "refuse")
    assert AuditEvent.objects.filter(action="identity.refused").count() == 1
    assert "waits to be let in" not in admin.get("/").content.decode()
    assert "has refused this sign-in" in sign_in(client, firm).content.decode()
    back = answer(admin, waiting, "refuse")
    assert "refused already" in admin.get(back["Location"]).content.decode()
    answer(admin, waiting, "approve", username="nora")
    waiting.refresh_from_db()
    assert (waiting.user.username, waiting.refused_at) == ("nora", None)


def test_too_many_strangers_are_turned_away(client, firm, waiting, monkeypatch) -> None:
    monkeypatch.setattr("annotator.entry.services.MOST_WAITING", 1)
    firm.claims = {"sub": "s-2"}
    page = sign_in(Client(), firm)
    assert page.status_code == 422
    assert "Too many sign-ins wait" in page.content.decode()
    assert Identity.objects.count() == 1


def add(admin: Client, **more: str) -> Any:
    sent = {"provider": "firm", "group": "patents", "campaign": "cups", "role": "reader"} | more
    return admin.post(PAGE, sent)


def test_a_group_is_given_a_role_and_loses_it(admin, boss, cast, firm, waiting) -> None:
    assert add(admin).status_code == 303
    row = GroupRole.objects.get()
    assert (row.issuer, row.group, row.role) == (firm.issuer, "patents", "reader")
    event = AuditEvent.objects.get(action="group_role.added")
    assert (event.actor, event.campaign) == (boss, cast.campaign)
    answer(admin, waiting, "approve", username="nora")
    waiting.refresh_from_db()
    give_group_roles(identity=waiting, groups=["patents"])

    page = admin.post(f"{PAGE}groups/{row.pk}/remove/").content.decode()
    assert "<strong>1 member</strong> loses it now" in page
    assert GroupRole.objects.exists()
    admin.post(f"{PAGE}groups/{row.pk}/remove/", {"confirmed": "1"})
    assert not GroupRole.objects.exists()
    assert not Membership.objects.filter(user__username="nora").exists()
    assert AuditEvent.objects.filter(action="group_role.removed", actor=boss).count() == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"campaign": "nothing"}, "no campaign of that short name"),
        ({"role": "king"}, "not one of the available choices"),
        ({"provider": "other"}, "not one of the available choices"),
        ({"group": " "}, "required"),
        ({"group": "g" * 256}, "255"),
    ],
)
def test_a_wrong_row_is_refused_and_stays_typed(admin, firm, wrong, words) -> None:
    page = add(admin, **wrong)
    assert page.status_code == 422
    assert words in page.content.decode()
    assert not GroupRole.objects.exists()


def test_over_rest_the_table_is_read_and_changed(boss, cast, firm) -> None:
    headers = {"Authorization": f"Token {create_token(user=boss).token}"}
    sent = {"provider": "firm", "group": "patents", "campaign": "cups", "role": "reader"}
    client, url, of_json = Client(headers=headers), "/api/v1/group-roles/", "application/json"
    made = client.post(url, json.dumps(sent), content_type=of_json)
    assert made.status_code == 201
    row = made.json()
    assert row | {"provider": "firm"} == sent | {
        "id": row["id"],
        "people": 0,
        "is_agreed": True,
    }
    assert client.get(url).json() == [row]
    again = client.post(url, json.dumps(sent), content_type=of_json)
    assert "already" in str(again.json()) and again.status_code == 400
    nasty: Any = [None, True, 7, [], {}, "", " ", "x" * 300, "\u202e"]
    for field in sent:
        for value in nasty:
            body = json.dumps(sent | {"group": "other", field: value})
            wrong = client.post(url, body, content_type=of_json)
            assert (wrong.status_code, list(wrong.json())) == (400, [field]), (field, value)
    for body in ("[]", "{}", "{", '{"provider": "firm", "more": 1}', ""):
        assert client.post(url, body, content_type=of_json).status_code == 400
    assert client.delete(f"{url}{row['id']}/").json() == {"lost": 0, "stayed": 0}
    assert client.delete(f"{url}{row['id']}/").status_code == 404
    boss.memberships.create(campaign=cast.campaign, role="reader")
    narrow = create_token(user=boss, campaign=cast.campaign).token
    assert Client(headers={"Authorization": f"Token {narrow}"}).get(url).status_code == 403
    token = create_token(user=cast.ada).token
    assert Client(headers={"Authorization": f"Token {token}"}).get(url).status_code == 403


def findings(admin: Client) -> dict[str, tuple[bool | None, str]]:
    page = admin.post(f"{PAGE}providers/firm/test/")
    assert page.status_code == 200
    found = page.context["providers"][0]["findings"]
    return {one.about: (one.is_right, one.sentence) for one in found}


def test_the_connection_is_tested_and_all_is_right(admin, firm) -> None:
    found = findings(admin)
    assert {about: is_right for about, (is_right, _) in found.items()} == dict.fromkeys(
        ("Discovery", "Clock", "Keys", "Redirect URI", "Client secret", "Logout"),
        True,
    )
    page = admin.get(PAGE).content.decode()
    assert "http://testserver/login/with/firm/back/" in page
    assert "http://testserver/login/with/firm/ended/" in page


def test_the_test_says_what_is_wrong(admin, firm, monkeypatch, settings) -> None:
    firm.discovery = {"backchannel_logout_supported": False}
    firm.hours_off, firm.knows_redirect, firm.knows_secret = 1, False, False
    found = findings(admin)
    is_right, sentence = found["Clock"]
    assert is_right is False
    assert re.fullmatch(r"Its clock is \d+ s ahead of ours\. Set this machine's by NTP\.", sentence)
    assert found["Redirect URI"] == (
        False,
        "It is not, or the client id is wrong. "
        "Register exactly http://testserver/login/with/firm/back/ there.",
    )
    assert found["Client secret"][0] is False
    assert "invalid_client" in found["Client secret"][1]
    assert found["Logout"][0] is None

    firm.keys_given = []
    assert findings(admin)["Keys"] == (False, "Keys: there is none that can be read.")
    firm.discovery = {"issuer": "https://other.example"}
    assert findings(admin)["Discovery"][0] is False
    settings.OIDC_PROVIDERS = (replace(firm.settings, issuer="http://127.0.0.1:9"),)
    assert "refused the connection" in findings(admin)["Discovery"][1]
    forget(firm.settings)


def test_a_site_without_a_provider_says_so(admin) -> None:
    assert "No provider is set" in admin.get(PAGE).content.decode()
    assert "Single sign-on" in admin.get("/users/").content.decode()
