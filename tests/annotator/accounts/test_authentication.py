"""Tokens."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.accounts.sessions import create_token
from annotator.models import ApiToken


def get(header: str, method: str = "get", path: str = "campaigns/"):
    return getattr(Client(), method)(f"/api/v1/{path}", headers={"Authorization": header})


def test_a_token_signs_in_its_owner_and_is_stored_as_a_digest(cast) -> None:
    token = create_token(user=cast.alice).token
    answer = get(f"Token {token}")
    assert [row["slug"] for row in answer.json()] == ["cups"]
    assert not ApiToken.objects.filter(token_sha256__contains=token).exists()


@pytest.mark.parametrize("header", ["Token wrong", "Token", "Token a b", "Token \xff"])
def test_a_wrong_token_is_401_and_says_how_to_send_one(cast, header: str) -> None:
    answer = get(header)
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Token")


def test_without_a_token_the_answer_is_401_json(cast) -> None:
    answer = Client().get("/api/v1/campaigns/")
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/json")


def test_an_expired_token_and_a_deactivated_owner_are_refused(cast) -> None:
    made = create_token(user=cast.alice)
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert get(f"Token {made.token}").status_code == 401
    ApiToken.objects.update(expires_at=timezone.now() + timedelta(days=1))
    cast.alice.is_active = False
    cast.alice.save()
    assert get(f"Token {made.token}").status_code == 401


def test_a_read_token_reads_and_cannot_write(cast) -> None:
    cast.reference()
    header = f"Token {create_token(user=cast.alice, scope='read').token}"
    assert get(header).status_code == 200
    answer = get(header, "post", "campaigns/cups/assignments/next/")
    assert answer.status_code == 403
    assert not cast.alice.assignments.exists()


def test_a_browser_session_needs_the_csrf_token(cast) -> None:
    cast.reference()
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.alice)
    assert client.get("/api/v1/campaigns/").status_code == 200
    assert client.post("/api/v1/campaigns/cups/assignments/next/").status_code == 403
    client.get("/")
    token = client.cookies["csrftoken"].value
    answer = client.post(
        "/api/v1/campaigns/cups/assignments/next/",
        content_type="application/json",
        headers={"X-CSRFToken": token},
    )
    assert answer.status_code == 200
