"""What ends at the provider ends here: by a logout token, or when the sweeper asks."""

import math
import time
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.entry import refreshing
from annotator.entry.refreshing import refresh_people
from annotator.entry.services import REFRESHED_EVERY, log_out
from annotator.models import ApiToken, AuditEvent, BrowserSession, Identity
from core.clock import database_now
from core.oidc.client import forget, renewed
from core.oidc.tokens import LOGOUT_EVENT
from tests.annotator.entry.conftest import sign_in
from tests.annotator.entry.test_sign_in_at_provider import who
from tests.oidc.signing_provider import STRANGE_KEY, unsigned

pytestmark = pytest.mark.django_db


@pytest.fixture
def linked(cast, firm) -> Identity:
    return Identity.objects.create(issuer=firm.issuer, subject="s-1", user=cast.alice)


@pytest.fixture
def there(client, firm, linked) -> Client:
    """Sign alice in at the provider, in its session `sid-1`."""
    firm.claims = {"sid": "sid-1"}
    sign_in(client, firm)
    firm.claims = {}
    return client


def due(firm: Any) -> None:
    """Let the time come at which the provider is asked."""
    rows = Identity.objects.filter(refresh_at__isnull=False)
    rows.update(refresh_at=F("refresh_at") - REFRESHED_EVERY)


def logout_token(firm: Any, **more: Any) -> dict[str, Any]:
    claims: dict[str, Any] = {
        "events": {LOGOUT_EVENT: {}},
        "nonce": None,
        "sid": "sid-1",
        "jti": "1",
    }
    return firm.fresh_claims(**claims | more)


def tell(firm: Any, token: str) -> Any:
    """Send a logout token as the provider does: without cookies, without a token of ours."""
    return Client(enforce_csrf_checks=True).post("/login/with/firm/ended/", {"logout_token": token})


def test_a_person_who_is_still_there_stays(there, firm, linked) -> None:
    assert refresh_people() == 0
    due(firm)
    firm.refreshed = {"access_token": "x", "refresh_token": "second"}
    assert refresh_people() == 1
    assert who(there) == "alice"
    assert refresh_people() == 0
    # What it gave in the place of the first is what it is asked with next.
    firm.refresh_token = "second"
    due(firm)
    assert refresh_people() == 1
    assert firm.forms[-1]["refresh_token"] == "second"
    assert who(there) == "alice"


def test_a_person_whom_the_provider_knows_no_more_is_out(there, cast, firm, linked) -> None:
    create_token(user=cast.alice)
    cast.alice.set_password("a long enough phrase")
    cast.alice.save()
    due(firm)
    assert refresh_people() == 1
    assert who(there) == ""
    assert not ApiToken.objects.exists()
    linked.refresh_from_db()
    assert linked.ended_at and not linked.refresh_token
    assert AuditEvent.objects.filter(action="identity.ended").count() == 1

    # The password is no way around the provider; the provider is the way back.
    sent = {"username": "alice", "password": "a long enough phrase"}
    assert there.post("/login/", sent).status_code == 422
    assert who(there) == ""
    sign_in(there, firm)
    assert who(there) == "alice"
    there.post("/logout/")
    assert there.post("/login/", sent).status_code == 302


def test_the_sweeper_asks(there, firm, linked) -> None:
    due(firm)
    call_command("sweep")
    assert who(there) == ""


def test_groups_follow_at_a_refresh(there, cast, firm, linked) -> None:
    from annotator.entry.groups import add_group_role
    from annotator.models import Membership

    Membership.objects.filter(user=cast.alice).delete()
    key = {"issuer": firm.issuer, "campaign": cast.campaign, "by": cast.ada}
    add_group_role(group="patents", role="reader", **key)
    for said in ({"id_token": lambda: firm.sign(firm.fresh_claims(groups=["patents"]))}, {}):
        firm.refreshed = {"access_token": "x"} | {name: make() for name, make in said.items()}
        firm.person = {"sub": "s-1", "groups": []}
        due(firm)
        refresh_people()
        assert Membership.objects.filter(user=cast.alice).exists() is bool(said)


@pytest.mark.parametrize("kind", ["id_token", "person"])
def test_a_refresh_that_speaks_of_somebody_else_changes_nothing(there, firm, linked, kind) -> None:
    firm.refreshed = {"access_token": "x", "refresh_token": "of another"}
    if kind == "id_token":
        firm.refreshed["id_token"] = firm.sign(firm.fresh_claims(sub="s-2"))
    firm.person = {"sub": "s-2", "groups": ["all"]}
    before = linked.refresh_token
    due(firm)
    refresh_people()
    linked.refresh_from_db()
    assert linked.groups == [] and linked.refresh_token != "of another"
    assert before == "" and who(there) == "alice"


def test_a_provider_that_is_down_ends_nobodys_work(there, firm, linked, caplog) -> None:
    forget(firm.settings)
    firm.status = 503
    due(firm)
    assert refresh_people() == 1
    assert who(there) == "alice"
    assert "discovery: it answered 503" in caplog.text
    linked.refresh_from_db()
    assert linked.refresh_at > database_now()


def test_wrong_settings_of_ours_end_nobodys_work(there, firm, linked, monkeypatch) -> None:
    monkeypatch.setattr(type(firm), "tokens", lambda *_: (401, {"error": "invalid_client"}))
    due(firm)
    assert refresh_people() == 1
    assert who(there) == "alice"


def test_a_provider_that_the_settings_name_no_more_vouches_for_nobody(
    there, cast, firm, linked, settings
) -> None:
    cast.alice.set_password("a long enough phrase")
    cast.alice.save()
    settings.OIDC_PROVIDERS = ()
    due(firm)
    refresh_people()
    assert who(there) == ""
    sent = {"username": "alice", "password": "a long enough phrase"}
    assert there.post("/login/", sent).status_code == 302


def test_nobody_is_asked_about_who_has_nothing_open(there, firm, linked) -> None:
    BrowserSession.objects.all().delete()
    due(firm)
    assert refresh_people() == 0


def test_who_has_signed_in_anew_meanwhile_is_not_shut_out(there, firm, linked, monkeypatch):
    """The answer to an old refresh token says nothing of the new one."""
    due(firm)
    real = renewed

    def slow(*asked: Any) -> Any:
        firm.refresh_token = "newer"
        sign_in(Client(), firm)
        return real(*asked)

    monkeypatch.setattr(refreshing, "renewed", slow)
    refresh_people()
    linked.refresh_from_db()
    assert linked.ended_at is None and linked.refresh_token
    assert who(there) == "alice"


def test_a_logout_token_ends_the_session_that_it_names(there, firm, linked) -> None:
    other = Client()
    firm.claims = {"sid": "sid-2"}
    sign_in(other, firm)
    firm.claims = {}
    assert tell(firm, firm.sign(logout_token(firm, sub=None))).status_code == 200
    assert (who(there), who(other)) == ("", "alice")
    linked.refresh_from_db()
    assert linked.refresh_at <= database_now()
    assert AuditEvent.objects.filter(action="session.ended").count() == 1


def test_a_logout_token_of_a_person_ends_all_that_began_there(there, cast, firm, linked) -> None:
    by_password = Client()
    by_password.force_login(cast.alice)
    assert tell(firm, firm.sign(logout_token(firm, sid=None))).status_code == 200
    assert (who(there), who(by_password)) == ("", "alice")


def test_a_logout_token_that_is_sent_again_ends_nothing_newer(there, firm, linked) -> None:
    token = firm.sign(logout_token(firm))
    tell(firm, token)
    firm.claims = {"sid": "sid-1"}
    sign_in(there, firm)
    later = database_now() + REFRESHED_EVERY
    BrowserSession.objects.update(started_at=later)
    assert tell(firm, token).status_code == 200
    assert who(there) == "alice"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"events": None}, "no logout token"),
        ({"events": {"other": {}}}, "no logout token"),
        ({"events": "x"}, "no logout token"),
        ({"nonce": "n"}, "ID token"),
        ({"aud": "other"}, "aud"),
        ({"iss": "https://evil.example"}, "iss"),
        ({"exp": 1}, "expired"),
        ({"iat": int(time.time()) - 3600}, "too old"),
        ({"sid": None, "sub": None}, "neither"),
        ({"sid": "", "sub": None}, "neither"),
        ({"sid": "", "sub": ""}, "neither"),
        ({"sid": ["sid-1"], "sub": "s-1"}, "neither"),
        ({"exp": math.nan}, "cannot be read"),
        ({"iat": math.nan}, "cannot be read"),
        ({"sid": "sid-1\ud800"}, "cannot be read"),
    ],
)
def test_a_logout_token_that_is_wrong_ends_nothing(there, firm, linked, wrong, words) -> None:
    answer = tell(firm, firm.sign(logout_token(firm, **wrong)))
    assert answer.status_code == 400
    assert words in answer.json()["error_description"]
    assert who(there) == "alice"


def test_a_logout_that_names_nobody_ends_nothing(there, firm, linked) -> None:
    ended = log_out(issuer=firm.issuer, subject="", provider_session="", made_at=int(time.time()))
    assert (ended, who(there)) == (0, "alice")


def test_a_logout_token_that_the_provider_did_not_sign_ends_nothing(there, firm, linked) -> None:
    claims = logout_token(firm)
    own, firm.key = firm.key, STRANGE_KEY
    strange = firm.sign(claims)
    firm.key = own
    for token in ("", "x", unsigned(claims), strange):
        assert tell(firm, token).status_code == 400
    assert who(there) == "alice"
