"""Few passwords are hashed at once: more are refused at once, and nothing of them is counted."""

import threading
from typing import Any

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.test import Client

from annotator.accounts.password_hashers import MOST_AT_ONCE, MOST_WAITING, sign_in_slot
from annotator.accounts.services import confirm_password
from annotator.models import AuditEvent, UsedPace
from config import settings as as_shipped
from core.errors import TooOften
from tests.crowd import at_once

PASSWORD = "a long enough phrase"
LONGEST_WAIT_SECONDS = 20


class SlowHash:
    """Stands for the computation; it lasts until as many were refused as should be."""

    def __init__(self, refusals: int) -> None:
        self.most = self.now = 0
        self.left = refusals
        self.may_end = threading.Event()
        self.lock = threading.Lock()

    def __call__(self, *_given: Any, **_more: Any) -> bytes:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.may_end.wait(timeout=LONGEST_WAIT_SECONDS)
        with self.lock:
            self.now -= 1
        return b"digest"

    def count_refusal(self) -> None:
        with self.lock:
            self.left -= 1
            if not self.left:
                self.may_end.set()


@pytest.mark.parametrize("algorithm", ["pbkdf2", "scrypt"])
@pytest.mark.parametrize("is_checked", [True, False], ids=["checked", "made"])
def test_two_passwords_are_hashed_at_once_and_the_fifth_is_refused(
    algorithm: str, is_checked: bool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PASSWORD_HASHERS = as_shipped.PASSWORD_HASHERS
    name = "pbkdf2_sha256" if algorithm == "pbkdf2" else algorithm
    stored = make_password(PASSWORD, hasher=name)
    callers = 10
    slow = SlowHash(callers - MOST_AT_ONCE - MOST_WAITING)
    place = "django.contrib.auth.hashers" if algorithm == "pbkdf2" else "hashlib"
    monkeypatch.setattr(f"{place}.{algorithm}", slow)

    def hash_once() -> str:
        try:
            check_password("wrong", stored) if is_checked else make_password("new", hasher=name)
        except TooOften:
            slow.count_refusal()
            return "refused"
        return "hashed"

    answers = at_once([hash_once] * callers)

    assert answers.count("refused") == callers - MOST_AT_ONCE - MOST_WAITING
    assert answers.count("hashed") == MOST_AT_ONCE + MOST_WAITING
    assert slow.most == MOST_AT_ONCE


def sign_in(client: Client, **headers: str) -> Any:
    return client.post("/login/", {"username": "alice", "password": PASSWORD}, headers=headers)


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_a_wrong_password_ends_its_turn(cast: Any) -> None:
    answers = [
        Client().post("/login/", {"username": "alice", "password": f"wrong {number}"})
        for number in range(2)
    ]
    assert [answer.status_code for answer in answers] == [422, 422]


@pytest.mark.django_db
def test_who_is_signed_in_confirms_their_password_beside_a_sign_in(cast: Any) -> None:
    cast.alice.set_password(PASSWORD)
    with sign_in_slot():
        assert confirm_password(cast.alice, PASSWORD)
        assert not confirm_password(cast.alice, "wrong")
