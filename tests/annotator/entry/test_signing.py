"""Who signs in at a provider signs there: asked anew, by themselves, with nothing typed lost."""

import time
from typing import Any

import pytest

from annotator.models import Adjudication, ApiToken, AuditEvent, Identity, PreparedRuling
from tests.annotator.adjudication.discrepant import disagree, of
from tests.annotator.adjudication.test_prepared_rulings import address, text_of, typed
from tests.annotator.entry.conftest import come_back, sign_in, wish_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def carol(client, cast, firm) -> Any:
    """Sign carol, who has no password, in at the provider."""
    cast.carol.set_unusable_password()
    cast.carol.save()
    Identity.objects.create(issuer=firm.issuer, subject="s-1", user=cast.carol)
    sign_in(client, firm)
    return cast.carol


@pytest.fixture
def case(client, cast, carol) -> Any:
    candidate = disagree(cast)
    client.post(f"{address(candidate)}take/")
    return candidate


def to_sign(client: Any, firm: Any, case: Any) -> dict[str, str]:
    """Press the button of the ruling form; return what the provider is asked."""
    wish = wish_of(client.post(address(case), typed(case, password="")))
    firm.nonce = wish["nonce"]
    return wish


def test_the_page_asks_for_no_password(client, firm, case) -> None:
    page = client.get(address(case)).content.decode()
    assert "Sign the ruling at Firm" in page
    assert 'id="id_password"' not in page


def test_a_ruling_is_signed_by_a_sign_in_of_this_moment(client, firm, case, carol) -> None:
    wish = to_sign(client, firm, case)
    assert (wish["prompt"], wish["max_age"]) == ("login", "0")
    assert not Adjudication.objects.exists()
    firm.claims = {"auth_time": int(time.time())}
    assert come_back(client, firm, wish)["Location"] == "/adjudication/"
    row = Adjudication.objects.get()
    assert (row.adjudicator, row.signed_as) == (carol, "carol")
    assert AuditEvent.objects.filter(action="conflict.ruled", actor=carol).count() == 1
    # The same answer signs nothing twice.
    come_back(client, firm, wish)
    assert Adjudication.objects.count() == 1


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"auth_time": None}, "does not say when you signed in there"),
        ({"auth_time": "now"}, "does not say when you signed in there"),
        ({"auth_time": True}, "does not say when you signed in there"),
        ({"auth_time": 3600}, "did not ask you anew"),
        ({"auth_time": 0, "sub": "s-2"}, "somebody else signed in"),
    ],
)
def test_nothing_else_signs_and_what_was_typed_is_there(
    client, firm, case, carol, claims, words
) -> None:
    """A number stands for so many seconds ago."""
    wish = to_sign(client, firm, case)
    ago = claims["auth_time"]
    is_number = isinstance(ago, int) and not isinstance(ago, bool)
    firm.claims = claims | ({"auth_time": int(time.time()) - ago} if is_number else {})
    back = come_back(client, firm, wish)
    assert words in text_of(client.get(back["Location"]))
    assert not Adjudication.objects.exists()
    row = PreparedRuling.objects.get()
    assert (row.reason, row.decision) == ("Claim 2 was overlooked.", "mean")
    assert "Claim 2 was overlooked." in client.get(address(case)).content.decode()


def test_a_provider_that_is_down_loses_nothing(client, firm, case, carol, monkeypatch) -> None:
    from core.oidc.client import ProviderDown

    def down(*_: Any) -> None:
        raise ProviderDown("discovery: it answered 503")

    monkeypatch.setattr("annotator.accounts.providers.published", down)
    page = client.post(address(case), typed(case, password=""))
    assert page.status_code == 422
    assert "Firm cannot be reached" in text_of(page)
    assert "Claim 2 was overlooked." in page.content.decode()


def test_a_list_is_signed_at_once(client, cast, firm, carol) -> None:
    cases = [disagree(cast, f"x{number}") for number in range(2)]
    for one in cases:
        client.post(f"{address(one)}take/")
        client.post(address(one), typed(one, later="1", password=""))
    sent = {"ruling": [str(row.pk) for row in PreparedRuling.objects.all()]}
    wish = wish_of(client.post("/adjudication/sign/", sent))
    firm.nonce, firm.claims = wish["nonce"], {"auth_time": int(time.time())}
    come_back(client, firm, wish)
    assert Adjudication.objects.count() == 2
    assert client.post("/adjudication/sign/", {}).status_code == 422


def test_over_rest_such_an_account_signs_nothing(client, cast, firm, case, carol) -> None:
    from annotator.accounts.sessions import create_token

    token = create_token(user=carol).token
    sent = {
        "conflict": str(of(case).pk),
        "decision": "mean",
        "reason_code": "overlooked",
        "reason": "x",
        "password": "whatever",
    }
    answer = client.post(
        "/api/v1/adjudications/",
        sent,
        content_type="application/json",
        headers={"Authorization": f"Token {token}"},
    )
    assert answer.status_code == 400
    assert "You sign at Firm" in str(answer.json())
    assert not Adjudication.objects.exists()


def test_somebody_elses_session_signs_nothing(client, cast, firm, case, carol) -> None:
    """Carol leaves her desk while the provider asks; bob comes back with the answer."""
    wish = to_sign(client, firm, case)
    questions = client.session["provider_questions"]
    client.force_login(cast.ada)
    session = client.session
    session["provider_questions"] = questions
    session.save()
    firm.claims = {"auth_time": int(time.time())}
    come_back(client, firm, wish)
    assert not Adjudication.objects.exists()


def test_a_token_is_made_by_a_sign_in_of_this_moment(client, firm, carol) -> None:
    page = client.get("/account/tokens/").content.decode()
    assert 'name="password"' not in page and "Firm asks you anew first" in page
    sent = {"scope": "read", "days": "7", "campaign": ""}
    wish = wish_of(client.post("/account/tokens/", sent))
    assert not ApiToken.objects.exists()
    firm.nonce, firm.claims = wish["nonce"], {"auth_time": int(time.time())}
    page = come_back(client, firm, wish)
    assert "shown this once" in page.content.decode()
    assert ApiToken.objects.get().scope == "read"


def test_who_has_a_password_signs_with_it(client, cast, firm, carol) -> None:
    carol.set_password("a long enough phrase")
    carol.save()
    client.force_login(carol)
    case = disagree(cast)
    client.post(f"{address(case)}take/")
    assert 'id="id_password"' in client.get(address(case)).content.decode()
    client.post(address(case), typed(case))
    assert Adjudication.objects.count() == 1
