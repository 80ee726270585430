"""What no honest provider sends, and what no honest browser brings back."""

import math
import time

import pytest
from django.test import Client

from annotator.models import Identity
from core.oidc.client import forget
from tests.annotator.entry.conftest import come_back, leave, sign_in, wish_of
from tests.annotator.entry.test_sign_in_at_provider import who
from tests.oidc.signing_provider import CLIENT, STRANGE_KEY, SigningProvider, serving, unsigned

pytestmark = pytest.mark.django_db
NOW = int(time.time())


@pytest.fixture(autouse=True)
def linked(cast, firm) -> Identity:
    return Identity.objects.create(issuer=firm.issuer, subject="s-1", user=cast.alice)


def refused(client: Client, page) -> str:
    """Return what the page says, of a sign-in that opened nothing."""
    assert page.status_code == 422
    assert who(client) == ""
    return page.content.decode()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"nonce": "of another sign-in"}, "nonce is not ours"),
        ({"nonce": None}, "nonce is not ours"),
        ({"aud": "somebody-else"}, "(aud)"),
        ({"aud": [CLIENT, "somebody-else"]}, "azp"),
        ({"azp": "somebody-else"}, "azp"),
        ({"iss": "https://evil.example"}, "(iss)"),
        ({"exp": NOW - 3600}, "expired"),
        ({"exp": None}, "when it ends"),
        ({"exp": math.nan}, "cannot be read"),
        ({"exp": math.inf}, "cannot be read"),
        ({"exp": "2099-01-01"}, "when it ends"),
        ({"iat": NOW + 3600}, "in the future"),
        ({"iat": None}, "when it was made"),
        ({"iat": True}, "when it was made"),
        ({"iat": math.nan}, "cannot be read"),
        ({"nbf": NOW + 3600}, "not valid yet"),
        ({"nbf": math.nan}, "cannot be read"),
        ({"aud": None}, "(aud)"),
        ({"aud": []}, "(aud)"),
        ({"iss": None}, "(iss)"),
        ({"sub": None}, "names no person"),
        ({"sub": 17}, "names no person"),
        ({"sub": "s" * 256}, "names no person"),
        ({"sub": "s-1\0"}, "cannot be read"),
        ({"sub": "s-1\ud800"}, "cannot be read"),
        ({"sid": "\ud800"}, "cannot be read"),
        ({"groups": ["\ud800"]}, "cannot be read"),
        ({"email": "a\0@firm.example"}, "cannot be read"),
    ],
)
def test_a_token_with_a_wrong_claim_opens_nothing(client, firm, wrong, words) -> None:
    firm.claims = wrong
    assert words in refused(client, sign_in(client, firm))


def test_a_token_that_nobody_signed_opens_nothing(client, firm) -> None:
    wish = leave(client, firm)
    firm.id_token = unsigned(firm.fresh_claims())
    assert "signature does not hold" in refused(client, come_back(client, firm, wish))


def test_a_token_signed_with_the_clients_secret_opens_nothing(client, firm) -> None:
    from joserfc import jwt
    from joserfc.jwk import OctKey

    wish = leave(client, firm)
    key = OctKey.import_key("hush" * 10)
    firm.id_token = jwt.encode({"alg": "HS256"}, firm.fresh_claims(), key, algorithms=["HS256"])
    assert "signature does not hold" in refused(client, come_back(client, firm, wish))


@pytest.mark.parametrize("key_id", ["one", "two"])
def test_a_token_signed_with_a_strange_key_opens_nothing(client, firm, key_id) -> None:
    sign_in(Client(), firm)  # the right keys are known from here on
    wish = leave(client, firm)
    own, firm.key = firm.key, STRANGE_KEY
    firm.id_token = firm.sign(firm.fresh_claims(), kid=key_id)
    firm.key = own
    assert "signature does not hold" in refused(client, come_back(client, firm, wish))


def test_new_keys_of_the_provider_are_fetched_when_a_token_names_one(client, firm, monkeypatch):
    sign_in(Client(), firm)
    monkeypatch.setattr("core.oidc.client.KEYS_APART_SECONDS", 0)
    firm.key = type(STRANGE_KEY).generate_key(2048, {"kid": "two", "use": "sig"})
    wish = leave(client, firm)
    firm.id_token = firm.sign(firm.fresh_claims(), kid="two")
    assert come_back(client, firm, wish).status_code == 302
    assert who(client) == "alice"


def test_an_answer_to_another_browser_opens_nothing(client, firm) -> None:
    """Whoever sends somebody their own answer would have them work in the wrong account."""
    wish = leave(Client(), firm)
    page = come_back(client, firm, wish)
    assert "begun in another browser" in refused(client, page)
    assert not firm.used


@pytest.mark.parametrize("sent", [{}, {"state": "made up"}, {"state": ""}, {"code": "code x"}])
def test_an_answer_without_a_question_opens_nothing(client, firm, sent) -> None:
    page = client.get("/login/with/firm/back/", sent)
    assert "begun in another browser" in refused(client, page)


def test_an_answer_counts_once(client, firm) -> None:
    wish = leave(client, firm)
    assert come_back(client, firm, wish, code="code 1").status_code == 302
    assert who(client) == "alice"
    assert come_back(client, firm, wish, code="code 2").status_code == 303
    assert "ended already" in client.get("/account/").content.decode()
    assert firm.used == {"code 1"}


def test_a_code_that_was_used_opens_nothing(client, firm) -> None:
    sign_in(Client(), firm)
    (used,) = firm.used
    page = come_back(client, firm, leave(client, firm), code=used)
    assert "did not accept this sign-in (invalid_grant)" in refused(client, page)


def test_a_code_goes_with_the_verifier_of_its_question(client, firm) -> None:
    import hashlib
    from base64 import urlsafe_b64encode

    wish = leave(client, firm)
    come_back(client, firm, wish)
    verifier = firm.forms[-1]["code_verifier"]
    digest = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode()
    assert (wish["code_challenge"], wish["code_challenge_method"]) == (digest.rstrip("="), "S256")


def test_a_question_grows_old(client, firm, monkeypatch) -> None:
    wish = leave(client, firm)
    monkeypatch.setattr("annotator.accounts.providers.LASTS_SECONDS", -1)
    assert "more than ten minutes" in refused(client, come_back(client, firm, wish))


def test_the_answer_of_one_provider_counts_for_no_other(client, firm, settings) -> None:
    with serving("evil") as evil:
        settings.OIDC_PROVIDERS = (firm.settings, evil.settings)
        wish = leave(client, evil)
        page = client.get("/login/with/firm/back/", {"code": "code 1", "state": wish["state"]})
        assert "begun in another browser" in refused(client, page)
        assert not firm.used

        wish = leave(client, evil)
        page = come_back(client, evil, wish, iss=firm.issuer)
        assert "not from Firm" in refused(client, page)

        # It may say what it likes of people: they are its own.
        evil.claims = {"sub": "s-1", "iss": firm.issuer}
        assert "(iss)" in refused(client, sign_in(client, evil))
        evil.claims = {"sub": "s-1"}
        assert "A site admin is asked" in sign_in(client, evil).content.decode()
        assert who(client) == ""


def test_the_address_of_somebody_elses_account_opens_nothing(client, cast, firm) -> None:
    cast.alice.email = "alice@firm.example"
    cast.alice.save()
    firm.claims = {
        "sub": "s-evil",
        "email": "alice@firm.example",
        "email_verified": True,
        "preferred_username": "alice",
    }
    assert "A site admin is asked" in sign_in(client, firm).content.decode()
    assert who(client) == ""
    assert Identity.objects.get(subject="s-evil").user is None


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "http:x",
    ],
)
def test_a_sign_in_leads_to_this_site_only(client, firm, target) -> None:
    back = sign_in(client, firm, next=target)
    assert (back.status_code, back["Location"]) == (302, "/")


def test_a_required_claim_is_required(client, firm, settings) -> None:
    from dataclasses import replace

    settings.OIDC_PROVIDERS = (replace(firm.settings, required=(("hd", "firm.example"),)),)
    assert "hd is not what this site requires" in refused(client, sign_in(client, firm))
    firm.claims = {"hd": "firm.example"}
    assert sign_in(client, firm).status_code == 302


def test_a_provider_that_speaks_of_two_people_opens_nothing(client, firm) -> None:
    firm.person = {"sub": "s-2", "groups": ["x"]}
    assert "two people" in refused(client, sign_in(client, firm))


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
@pytest.mark.parametrize("place", ["http://evil.example/", "ftp://x/", "", "javascript:x"])
def test_no_secret_goes_to_a_place_without_tls(client, firm, name, place) -> None:
    firm.discovery = {name: place}
    page = client.post("/login/with/firm/")
    assert page.status_code == 422
    assert f"discovery: {name} must begin with https://" in page.content.decode()


def test_discovery_of_another_issuer_is_refused(client, firm) -> None:
    firm.discovery = {"issuer": "https://evil.example"}
    assert "another issuer" in client.post("/login/with/firm/").content.decode()


def test_a_provider_that_is_slow_or_down_keeps_nobody_waiting(client, cast, firm, monkeypatch):
    monkeypatch.setattr("annotator.accounts.providers.Budget", lambda: Short())
    firm.delay = 2
    sent = {"next": "/rated/", "carried": "{}"}
    page = client.post("/login/with/firm/", sent)
    assert page.status_code == 422
    assert "Firm cannot be reached at the moment (discovery: no answer within" in (
        page.content.decode()
    )
    assert page.context["next"] == "/rated/"
    asked = len(firm.asked)
    page = client.post("/login/with/firm/", sent)
    assert "gave no answer a moment ago" in page.content.decode()
    assert len(firm.asked) == asked

    # Whoever has a password works on.
    cast.alice.set_password("a long enough phrase")
    cast.alice.save()
    client.post("/login/", {"username": "alice", "password": "a long enough phrase"})
    assert who(client) == "alice"


def Short():  # noqa: N802 - stands in the place of a class
    from core.oidc.client import Budget

    return Budget(0.2)


def test_one_budget_holds_for_all_requests_of_a_page(client, firm, monkeypatch) -> None:
    wish = leave(client, firm)
    forget(firm.settings)
    monkeypatch.setattr("annotator.accounts.providers.Budget", lambda: Short())
    firm.delay = 0.15
    page = come_back(client, firm, wish)
    assert "cannot be reached" in refused(client, page)


def test_many_tabs_leave_the_latest_five_questions(client, firm) -> None:
    wishes = [leave(client, firm) for _ in range(7)]
    assert len(client.session["provider_questions"]) == 5
    assert "begun in another browser" in refused(client, come_back(client, firm, wishes[0]))
    firm.nonce = wishes[-1]["nonce"]
    assert come_back(client, firm, wishes[-1]).status_code == 302


def test_beginning_is_limited_by_address(client, firm, monkeypatch) -> None:
    from annotator.accounts import providers
    from annotator.rate_limits import RateLimit

    monkeypatch.setattr(providers, "OF_ADDRESS", RateLimit("few", 1, 1000))
    assert leave(client, firm)
    page = client.post("/login/with/firm/")
    assert page.status_code == 429
    assert int(page["Retry-After"]) > 0
    assert "Too many sign-ins were begun" in page.content.decode()


def test_nothing_secret_stands_in_the_page_that_leads_there(client, firm: SigningProvider) -> None:
    page = client.post("/login/with/firm/")
    wish_of(page)
    question = next(iter(client.session["provider_questions"].values()))
    assert "hush" not in page.content.decode()
    assert question["verifier"] not in page.content.decode()


def test_an_unknown_provider_is_not_found(client, firm) -> None:
    assert client.post("/login/with/nobody/").status_code == 404
    assert client.get("/login/with/nobody/back/").status_code == 404
    assert client.post("/login/with/nobody/ended/").status_code == 404
