"""One password is checked at a time in each process: another sign-in is refused and not counted."""

from typing import Any

import pytest
from django.test import Client

from annotator.accounts.services import confirm_password
from annotator.accounts.sign_in import sign_in_slot
from annotator.models import AuditEvent, UsedPace

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough phrase"


def sign_in(client: Client, **headers: str) -> Any:
    return client.post("/login/", {"username": "alice", "password": PASSWORD}, headers=headers)


def test_a_sign_in_beside_another_is_told_to_come_again_and_is_not_counted(
    cast: Any, client: Client
) -> None:
    cast.alice.set_password(PASSWORD)
    cast.alice.save()
    with sign_in_slot():
        page, script = sign_in(client), sign_in(client, hx_request="true")
    assert (page.status_code, page["Retry-After"]) == (429, "1")
    assert "try again in a second" in page.text and 'value="alice"' in page.text
    assert (script.status_code, script["Retry-After"]) == (429, "1")
    assert "try again in a second" in script.json()["sentence"]
    assert not UsedPace.objects.exists() and not AuditEvent.objects.filter(action="sign_in.refused")
    assert sign_in(client).status_code == 302


def test_a_wrong_password_ends_its_turn(cast: Any) -> None:
    answers = [
        Client().post("/login/", {"username": "alice", "password": f"wrong {number}"})
        for number in range(2)
    ]
    assert [answer.status_code for answer in answers] == [422, 422]


def test_who_is_signed_in_confirms_their_password_beside_a_sign_in(cast: Any) -> None:
    cast.alice.set_password(PASSWORD)
    with sign_in_slot():
        assert confirm_password(cast.alice, PASSWORD)
        assert not confirm_password(cast.alice, "wrong")
