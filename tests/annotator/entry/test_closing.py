"""What ends at the provider ends here, by a logout token."""

import math
import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotator.entry.services import log_out
from annotator.models import AuditEvent, BrowserSession, Identity
from core.clock import database_now
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


def test_a_logout_token_ends_the_session_that_it_names(there, firm, linked) -> None:
    other = Client()
    firm.claims = {"sid": "sid-2"}
    sign_in(other, firm)
    firm.claims = {}
    assert tell(firm, firm.sign(logout_token(firm, sub=None))).status_code == 200
    assert (who(there), who(other)) == ("", "alice")
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
    later = database_now() + timedelta(minutes=5)
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
