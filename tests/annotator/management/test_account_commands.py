import io
import json
from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotator.accounts.sessions import token_digest
from annotator.management.base import asked_password
from annotator.models import ApiToken, AuditEvent, Campaign, Membership, User
from core.errors import Refused
from tests.scoring.management import commands

pytestmark = pytest.mark.django_db

GOOD, NEW = "Marmalade-on-Tuesday-7", "Marmalade-on-Friday-8"


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEW_USER_PASSWORD", GOOD)


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.objects.create(slug="mugs", name="Mugs")


def run(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=io.StringIO())
    assert GOOD not in out.getvalue()
    return json.loads(out.getvalue())


def refused(*arguments: str) -> str:
    (line,) = commands.refused(*arguments)
    return line


def test_a_user_is_created_with_a_role_and_then_given_another(campaign: Campaign) -> None:
    role = ("--role", "annotator", "--campaign", "mugs")
    assert run("create_user", "dora", *role)["created"] is True
    assert User.objects.get().check_password(GOOD)
    second = run("create_user", "dora", "--role", "adjudicator", "--campaign", "mugs")
    assert second == {"user": "dora", "created": False, "role": "adjudicator"}
    assert User.objects.count() == 1
    assert Membership.objects.count() == 2


def test_a_site_admin_is_created_without_a_campaign_and_no_account_becomes_one() -> None:
    run("create_user", "root", "--site-admin")
    assert User.objects.get().is_superuser
    assert not Membership.objects.exists()
    run("create_user", "dora")
    assert "only a new one" in refused("create_user", "dora", "--site-admin")
    assert not User.objects.get(username="dora").is_superuser


def test_a_role_without_its_campaign_is_refused(campaign: Campaign) -> None:
    assert "go together" in refused("create_user", "dora", "--role", "annotator")
    assert "go together" in refused("create_user", "dora", "--campaign", "mugs")
    role = ("--role", "annotator", "--campaign", "nowhere")
    assert "There is no campaign 'nowhere'" in refused("create_user", "dora", *role)
    assert not User.objects.exists()


def test_a_weak_or_missing_password_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEW_USER_PASSWORD", "short")
    assert "12 characters" in refused("create_user", "dora")
    monkeypatch.delenv("NEW_USER_PASSWORD")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert "NEW_USER_PASSWORD" in refused("create_user", "dora")
    assert not User.objects.exists()


def test_a_token_is_printed_once_and_stored_as_a_digest() -> None:
    assert "There is no user 'dora'" in refused("create_token", "dora")
    run("create_user", "dora")
    assert "1 to 90 days" in refused("create_token", "dora", "--days", "91")
    made = run("create_token", "dora", "--scope", "read", "--days", "7")
    row = ApiToken.objects.get()
    assert list(made) == ["user", "token", "expires_at"]
    assert row.token_sha256 == token_digest(made["token"])
    assert row.scope == "read"
    assert datetime.fromisoformat(made["expires_at"]) == row.expires_at


def test_a_new_password_ends_sessions_and_tokens(campaign, monkeypatch) -> None:
    for name in ("dora", "bob"):
        run("create_user", name, "--role", "annotator", "--campaign", "mugs")
    dora = User.objects.get(username="dora")
    page, tokens = Client(), [run("create_token", name)["token"] for name in ("dora", "bob")]
    page.force_login(dora)

    def ways_in() -> list[int]:
        headers = [{"Authorization": f"Token {token}"} for token in tokens]
        calls = [Client(headers=one).get("/api/v1/campaigns/").status_code for one in headers]
        return [page.get("/account/").status_code, *calls]

    assert ways_in() == [200, 200, 200]
    monkeypatch.setenv("NEW_USER_PASSWORD", "short")
    assert "12 characters" in refused("changepassword", "dora")
    assert "There is no user 'nora'" in refused("changepassword", "nora")
    assert ways_in() == [200, 200, 200]
    monkeypatch.setenv("NEW_USER_PASSWORD", NEW)
    changed = run("changepassword", "dora")
    assert changed == {"user": "dora", "changed": True, "sessions_ended": 1, "tokens_revoked": 1}
    assert ways_in() == [302, 401, 200]
    dora.refresh_from_db()
    assert dora.check_password(NEW)
    event = AuditEvent.objects.get(action="password.changed")
    assert (event.actor, event.object_id) == (None, str(dora.pk))
    assert AuditEvent.objects.filter(action="token.revoked").count() == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch):
    def answer(*typed: str) -> None:
        answers = iter(typed)
        monkeypatch.delenv("NEW_USER_PASSWORD", raising=False)
        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("getpass.getpass", lambda prompt: next(answers))

    return answer


def test_what_is_typed_twice_alike_is_taken_and_nothing_else(type_in) -> None:
    type_in("Marmalade-7", "Marmalade-7")
    assert asked_password() == "Marmalade-7"
    type_in("Marmalade-7", "Marmelade-7")
    with pytest.raises(Refused, match="not the same"):
        asked_password()
