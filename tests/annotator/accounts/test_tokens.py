import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.accounts.sessions import create_token
from annotator.models import ApiToken, AuditEvent, Campaign, User
from patclaimeval.rubric import CRITERIA
from tests.annotator.accounts.conftest import PASSWORD
from tests.conftest import grant

pytestmark = pytest.mark.django_db


PAGE = "/account/tokens/"
GOOD = {"scope": "read", "days": "7", "campaign": "", "password": PASSWORD}


@pytest.fixture
def alice(alice: User, client: Client) -> User:
    client.force_login(alice)
    return alice


def by(token: str) -> Client:
    return Client(headers={"Authorization": f"Token {token}"})


def test_a_token_is_shown_once_works_and_ends_when_revoked(alice, client) -> None:
    html = client.post(PAGE, GOOD | {"campaign": "cups"}).content.decode()
    token = re.search(r"<code[^>]*>([\w-]{43})</code>", html)
    assert token and token[1] not in client.get(PAGE).content.decode()
    row = ApiToken.objects.get()
    assert (row.user, row.scope, row.campaign) == (alice, "read", Campaign.objects.get(slug="cups"))
    assert row.last_used_on is None
    assert by(token[1]).get("/api/v1/campaigns/").status_code == 200
    row.refresh_from_db()
    assert row.last_used_on is not None
    assert f"{row.last_used_on:%-d %b %Y}" in client.get(PAGE).content.decode()
    asked = client.post(f"{PAGE}{row.pk}/revoke/").content.decode()
    assert "<strong>1 API token</strong> stops at once" in asked and ApiToken.objects.exists()
    client.post(f"{PAGE}{row.pk}/revoke/", {"confirmed": "1"})
    assert by(token[1]).get("/api/v1/campaigns/").status_code == 401
    assert AuditEvent.objects.filter(action="token.revoked", actor=alice).count() == 1


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        ("scope", "all"),
        ("days", "0"),
        ("days", "91"),
        ("days", "x"),
        ("campaign", "elsewhere"),
        ("campaign", "\x00"),
        ("password", "wrong"),
        ("password", ""),
    ],
)
def test_a_token_that_cannot_be_is_refused_by_its_field(alice, client, field, sent) -> None:
    answer = client.post(PAGE, GOOD | {field: sent})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_nobody_sees_or_revokes_the_tokens_of_another(alice, client, cast) -> None:
    row = create_token(user=cast.bob).row
    assert str(row.pk) not in client.get(PAGE).content.decode()
    assert client.post(f"{PAGE}{row.pk}/revoke/").status_code == 404
    assert ApiToken.objects.filter(pk=row.pk).exists()


def test_a_day_of_use_costs_one_write(alice, django_assert_num_queries) -> None:
    caller = by(create_token(user=alice).token)
    caller.get("/api/v1/schema/")
    with django_assert_num_queries(3):
        caller.get("/api/v1/schema/")


def test_a_token_for_one_campaign_finds_no_other(alice, cast) -> None:
    grant(cast.alice, cast.elsewhere, "annotator", "researcher", "admin")
    here = create_token(user=cast.alice, campaign=cast.campaign).token
    both = create_token(user=cast.alice).token
    own = cast.assign(cast.alice, cast.reference("r1", 1))[0]
    other = cast.assign(cast.alice, cast.reference("r2", 1, cast.elsewhere))[0]
    slugs = [row["slug"] for row in by(here).get("/api/v1/campaigns/").json()]
    assert slugs == ["cups"]
    paths = ["/api/v1/campaigns/elsewhere/", "/api/v1/campaigns/elsewhere/progress/"]
    assert [by(both).get(path).status_code for path in paths] == [200, 200]
    assert [by(here).get(path).status_code for path in paths] == [404, 404]
    # Roles that the person has elsewhere only open nothing here.
    assert by(both).get("/api/v1/datasets/").status_code == 200
    assert by(here).get("/api/v1/datasets/").status_code == 403
    codes = []
    for row in (other, own):
        body = {"assignment": str(row.pk), "scores": dict.fromkeys(CRITERIA, 5)}
        sent = by(here).post("/api/v1/ratings/", body, content_type="application/json")
        codes.append(sent.status_code)
    assert codes == [404, 201]
    cast.submit(other)
    mine = cast.alice.ratings.get(assignment=other)
    assert by(here).get(f"/api/v1/ratings/{mine.pk}/").status_code == 404
    assert by(both).get(f"/api/v1/ratings/{mine.pk}/").status_code == 200


def test_a_site_admins_token_for_a_campaign_is_none_of_a_site_admin(cast) -> None:
    boss = User.objects.create(username="boss", is_superuser=True)
    grant(boss, Campaign.objects.get(slug="cups"), "annotator")
    token = create_token(user=boss, campaign=cast.campaign).token
    assert by(token).get("/api/v1/campaigns/cups/").status_code == 200


def get(header: str):
    return Client(headers={"Authorization": header}).get("/api/v1/campaigns/")


@pytest.mark.parametrize("header", ["Token wrong", "Token", "Token a b", "Token \xff", ""])
def test_a_wrong_token_or_none_is_401_json_that_says_how_to_send_one(cast, header: str) -> None:
    answer = get(header)
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Token")
    assert answer["Content-Type"] == "application/json"


def test_an_expired_token_and_a_deactivated_owner_are_refused(cast) -> None:
    made = create_token(user=cast.alice)
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert get(f"Token {made.token}").status_code == 401
    ApiToken.objects.update(expires_at=timezone.now() + timedelta(days=1))
    cast.alice.is_active = False
    cast.alice.save()
    assert get(f"Token {made.token}").status_code == 401
