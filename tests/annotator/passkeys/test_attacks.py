"""What is no answer of the person, to this site, for this question, lets nobody in."""

import json
import threading
import tracemalloc
from datetime import timedelta

import pytest
from django.db import connection
from fido2.utils import websafe_encode
from hypothesis import HealthCheck, example, given
from hypothesis import settings as tried
from hypothesis import strategies as st

from annotator.models import AuditEvent, Passkey, UsedPace
from core.clock import database_now
from core.webauthn import BadAnswer, digest_named, made, place_of, used
from tests.amounts import tries
from tests.annotator.passkeys.authenticator import HERE, Authenticator
from tests.annotator.passkeys.conftest import (
    CODE,
    add,
    asked_on,
    browser,
    enter,
    sign_in,
    who,
)

pytestmark = pytest.mark.django_db


def refused_in(client, answer, action: str = "second_factor.refused") -> str:
    """Return what is said to who stays out, on record."""
    page = client.post(CODE, {"passkey": answer})
    assert page.status_code == 422 and who(client) == ""
    assert AuditEvent.objects.filter(action=action).count() == 1
    return page.content.decode()


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:8000"},
        {"origin": "https://localhost"},
        {"origin": "http://sub.localhost"},
        {"rp_id": "evil.example"},
        {"is_present": False},
        {"is_framed": True},
        {"handle": b"somebody else"},
        {"credential_id": b"a key that nobody has"},
        {"is_backup_eligible": True},
        {"more": {"rawId": "AAAA"}},
    ],
)
def test_another_origin_site_person_or_key_is_refused(key, change) -> None:
    client, page = sign_in()
    vars(key).update(change)
    assert "Begin again" in refused_in(client, key.use(asked_on(page)))


def test_another_key_under_the_same_id_is_refused(key) -> None:
    client, page = sign_in()
    false = Authenticator(handle=key.handle)
    assert "Begin again" in refused_in(client, false.use(asked_on(page)))


def test_an_answer_where_a_key_was_to_be_made_is_none_where_one_is_used(key) -> None:
    client, page = sign_in()
    asked = json.loads(asked_on(page)) | {"user": {"id": websafe_encode(key.handle)}}
    assert "Begin again" in refused_in(client, key.make(json.dumps(asked)))


def test_the_passkey_of_another_person_is_none_of_this_account(key, cast) -> None:
    bob, _ = sign_in("bob")
    of_bob = Authenticator(credential_id=b"of bob")
    add(bob, of_bob)
    client, page = sign_in("alice")
    assert "Begin again" in refused_in(client, of_bob.use(asked_on(page)))


def test_an_answer_counts_once(key) -> None:
    client, page = sign_in()
    answer = key.use(asked_on(page))
    assert client.post(CODE, {"passkey": answer}).status_code == 302
    for again in (client, sign_in()[0]):
        again.post("/logout/")
        again.post("/login/", {"username": "alice", "password": "a long enough phrase"})
        assert again.post(CODE, {"passkey": answer}).status_code == 422


def test_a_wrong_answer_uses_the_question_up(key) -> None:
    client, page = sign_in()
    for answer in ("{}", key.use(asked_on(page))):
        assert client.post(CODE, {"passkey": answer}).status_code == 422


def test_another_browsers_question_is_not_answered(key) -> None:
    _, page = sign_in()
    client, _ = sign_in()
    assert "Begin again" in refused_in(client, key.use(asked_on(page)))


def test_a_question_is_answered_within_five_minutes(key, monkeypatch) -> None:
    client, page = sign_in()
    session = client.session
    question = session["passkey_question"]
    for seconds, status in ((301, 422), (299, 302)):
        then = database_now() - timedelta(seconds=seconds)
        session = client.session
        session["passkey_question"] = question | {"asked_at": then.isoformat()}
        session.save()
        Passkey.objects.update(asked_at=then - timedelta(seconds=1))
        answer = client.post(CODE, {"passkey": key.use(asked_on(page))})
        assert answer.status_code == status


def test_a_question_for_one_thing_is_no_question_for_another(key) -> None:
    client, page = sign_in()
    session = client.session
    session["passkey_question"] |= {"purpose": "sign rulings"}
    session.save()
    assert client.post(CODE, {"passkey": key.use(asked_on(page))}).status_code == 422


def test_after_the_password_a_touch_is_enough(key) -> None:
    key.is_verified, key.handle = False, None
    assert enter(key)[1].status_code == 302


def test_a_copy_that_counts_backwards_is_refused_and_the_first_goes_on(key) -> None:
    key.count = 7
    assert enter(key)[1].status_code == 302
    for count in (7, 6, 0):
        key.count = count
        client, answer = enter(key)
        assert answer.status_code == 422 and who(client) == ""
        assert "Somebody may have copied it" in answer.content.decode()
    event = AuditEvent.objects.filter(action="passkey.cloned").latest("pk")
    assert event.object_id == str(Passkey.objects.get().pk)
    key.count = 8
    assert enter(key)[1].status_code == 302


def test_one_removed_meanwhile_is_refused(key) -> None:
    client, page = sign_in()
    Passkey.objects.update(credential_sha256="another")
    assert "Begin again" in refused_in(client, key.use(asked_on(page)))


def test_answers_are_tried_five_times_and_then_not_looked_at(key) -> None:
    client, page = sign_in()
    statuses = []
    for _ in range(6):
        page = client.post(CODE, {"passkey": "{}"})
        statuses.append(page.status_code)
    assert statuses == [422] * 5 + [429] and int(page["Retry-After"]) > 0
    assert client.post(CODE, {"passkey": key.use(asked_on(page))}).status_code == 429
    UsedPace.objects.all().delete()
    assert client.post(CODE, {"passkey": key.use(asked_on(client.get(CODE)))}).status_code == 302


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "https://evil.example"},
        {"rp_id": "evil.example"},
        {"is_present": False},
        {"is_framed": True},
        {"credential_id": b"x" * 1024},
    ],
)
def test_a_key_made_elsewhere_is_not_stored(alice, change) -> None:
    client, _ = sign_in()
    refused = add(client, Authenticator(**change))
    assert refused.status_code == 422 and not Passkey.objects.exists()
    assert "made no passkey for this page" in refused.content.decode()


def test_a_key_of_an_algorithm_that_was_not_asked_for_is_not_stored(alice, monkeypatch) -> None:
    from fido2.cose import CoseKey

    monkeypatch.setattr(CoseKey, "supported_algorithms", staticmethod(lambda: [-257]))
    client, _ = sign_in()
    assert add(client, Authenticator()).status_code == 422


PIECES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just("AAAA"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
NAMES = ["id", "rawId", "type", "response", "clientExtensionResults", "authenticatorAttachment"]
PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]


@pytest.mark.pure
@tried(max_examples=tries(500), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(NAMES), PIECES), st.dictionaries(st.sampled_from(PARTS), PIECES)
)
@example({"rawId": "AAAA", "id": "AAAA"}, {"attestationObject": "gYGBgQ" * 4000})
@example({"rawId": "AAAA"}, dict.fromkeys(PARTS, websafe_encode(b"\x81" * 9000)))
def test_whatever_is_sent_is_refused_without_a_fault(outer, parts) -> None:
    answer = json.dumps({"type": "public-key", "rawId": "AAAA", "response": parts} | outer)
    place = place_of(HERE)
    key = Authenticator()
    stored = made(place, "AAAA", key.make('{"user": {"id": "AAAA"}, "challenge": "AAAA"}'))
    for text in (answer, answer[1:], "[]", "\ud800", "x" * 70_000):
        with pytest.raises(BadAnswer):
            made(place, "AAAA", text)
        with pytest.raises(BadAnswer):
            used(
                place,
                "AAAA",
                text,
                key=stored.credential,
                user_id=b"",
                is_verified=False,
            )
    for text in ("[]", "{}", '{"rawId": 1, "response": {}}', '{"rawId": "\ud800"}'):
        with pytest.raises(BadAnswer):
            digest_named(text)


@pytest.mark.parametrize("name", PARTS)
def test_a_number_where_bytes_belong_fills_no_memory(name) -> None:
    """One number could ask for gigabytes of zeros."""
    place, key = place_of(HERE), Authenticator()
    stored = made(place, "AAAA", key.make('{"user": {"id": "AAAA"}, "challenge": "AAAA"}'))
    parts = dict.fromkeys(PARTS, "AAAA") | {name: 2**26}
    answer = json.dumps({"type": "public-key", "rawId": "AAAA", "id": "AAAA", "response": parts})
    tracemalloc.start()
    try:
        with pytest.raises(BadAnswer):
            made(place, "AAAA", answer)
        with pytest.raises(BadAnswer):
            used(place, "AAAA", answer, key=stored.credential, user_id=b"", is_verified=False)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.django_db(transaction=True)
def test_of_two_answers_to_one_question_at_one_moment_one_counts(key) -> None:
    """A session is read by both before either has written what it took out of it."""
    client, page = sign_in()
    answer, cookies = key.use(asked_on(page)), client.cookies
    start, statuses = threading.Barrier(6), []

    def send() -> None:
        other = browser()
        other.cookies = cookies
        start.wait()
        statuses.append(other.post(CODE, {"passkey": answer}).status_code)
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(302) == 1
    assert Passkey.objects.exclude(used_at=None).count() == 1
