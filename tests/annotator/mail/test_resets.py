"""A lost password: the same answer for every name, and a link that counts once."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from annotator.accounts.services import change_password
from annotator.accounts.sessions import create_token
from annotator.mail.services import (
    GONE,
    delete_old_resets,
    make_reset,
    reset_of,
    reset_password,
)
from annotator.models import (
    ApiToken,
    AuditEvent,
    BrowserSession,
    Delivery,
    MailAddress,
    PasswordReset,
)
from core.clock import database_now
from core.errors import OutOfDate
from tests.annotator.mail.conftest import SITE, deliver, text_of
from tests.conftest import signed_in

FORGOTTEN = "/password/forgotten/"
OLD, NEW = "an old password of a test", "a new password of a test"


@pytest.fixture
def alice(cast, reachable):
    cast.alice.set_password(OLD)
    cast.alice.save()
    reachable(cast.alice)
    return cast.alice


def made() -> str:
    """Return the token of a new link for alice."""
    found = make_reset(username="alice")
    assert found is not None
    return found[2]


def asked(name: str, **more: str):
    return Client().post(FORGOTTEN, {"username": name}, **more)


@pytest.mark.django_db
def test_a_link_lets_its_owner_choose_a_password_once(mailbox, alice) -> None:
    signed_in(alice)
    create_token(user=alice)
    assert asked("alice").status_code == 200
    deliver()
    (mail,) = mailbox.mails
    assert mail["To"] == "alice@example.org" and "account alice" in text_of(mail)
    (link,) = re.findall(rf"{SITE}(/password/reset/\S+/)\n", text_of(mail))
    browser = Client()
    assert browser.get(link).status_code == 200
    weak = browser.post(link, {"new": "short", "again": "short"})
    assert weak.status_code == 422
    apart = browser.post(link, {"new": NEW, "again": OLD})
    assert apart.status_code == 422
    done = browser.post(link, {"new": NEW, "again": NEW})
    assert (done.status_code, done["Location"]) == (303, "/login/")
    alice.refresh_from_db()
    assert alice.check_password(NEW)
    assert not BrowserSession.objects.filter(user=alice).exists()
    assert not ApiToken.objects.exists()
    assert browser.get(link).status_code == 404
    assert browser.post(link, {"new": OLD, "again": OLD}).status_code == 404
    actions = AuditEvent.objects.values_list("action", flat=True)
    assert {"password.reset_sent", "password.changed"} <= set(actions)


@pytest.mark.django_db
def test_every_name_is_answered_alike(mailbox, alice, cast, reachable) -> None:
    """A name with an address, without, refused, deactivated, unknown, and what is no name."""
    reachable(cast.carol)
    MailAddress.objects.filter(user=cast.carol).update(refused_at=database_now())
    reachable(cast.rita)
    cast.rita.is_active = False
    cast.rita.save()
    answers = {}
    for name in ("alice", "bob", "carol", "rita", "nobody", "Alice", "x' OR 1=1 --"):
        answer = asked(name)
        text = re.sub(r"[A-Za-z0-9]{64}", "", answer.content.decode())
        answers[name] = (answer.status_code, text)
    assert len(set(answers.values())) == 1
    # In the database as well: a row each, in which no name can be read.
    rows = list(Delivery.objects.values("about", "content", "person", "status"))
    assert len(rows) == 7 and len({str(row) for row in rows}) == 1
    assert "nobody" not in str(list(Delivery.objects.values()))
    deliver()
    assert [mail["To"] for mail in mailbox.mails] == ["alice@example.org"]
    assert set(Delivery.objects.values_list("sealed", flat=True)) == {""}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_asking_too_often_is_refused_alike(sends, alice, name, rate_limits_stand_still) -> None:
    for _ in range(3):
        assert asked(name).status_code == 200
    answer = asked(name)
    assert answer.status_code == 429
    assert "asked for too often" in answer.content.decode()
    assert Delivery.objects.count() == 3


@pytest.mark.django_db
def test_one_address_asks_for_a_few_names_only(sends, db, rate_limits_stand_still) -> None:
    codes = [asked(f"name{number}").status_code for number in range(11)]
    assert codes == [200] * 10 + [429]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "\x00", "x" * 151])
def test_what_can_be_no_name_is_said(sends, name) -> None:
    assert asked(name).status_code == 422
    assert not Delivery.objects.exists()


@pytest.mark.django_db
def test_a_site_without_a_server_offers_no_link(db) -> None:
    assert "Forgotten" not in Client().get("/login/").content.decode()
    assert "sends no mail" in Client().get(FORGOTTEN).content.decode()
    assert asked("alice").status_code == 422


@pytest.mark.django_db
def test_the_page_of_sign_in_leads_there(sends) -> None:
    assert f'href="{FORGOTTEN}"' in Client().get("/login/").content.decode()


@pytest.mark.django_db
def test_a_link_ends_with_its_hour_its_successor_the_password_and_the_account(sends, alice) -> None:
    token = made()
    assert reset_of(token) is not None
    second = made()
    assert reset_of(token) is None and reset_of(second) is not None
    change_password(user=alice, current=OLD, new=NEW)
    assert reset_of(second) is None
    third = made()
    alice.is_active = False
    alice.save()
    assert reset_of(third) is None
    alice.is_active = True
    alice.save()
    assert reset_of(third) is not None
    PasswordReset.objects.update(expires_at=database_now() - timedelta(seconds=1))
    assert reset_of(third) is None
    assert delete_old_resets() == 1


@pytest.mark.django_db
def test_the_database_holds_no_link(sends, alice) -> None:
    token = made()
    assert token not in str(list(PasswordReset.objects.values()))


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_of_many_who_use_one_link_at_one_moment_one_gets_in(sends, alice) -> None:
    token = made()

    def use(number: int) -> str:
        try:
            reset_password(token=token, new=f"{NEW} {number}")
        except OutOfDate as refusal:
            return refusal.sentence
        finally:
            connection.close()
        return "in"

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(use, range(8))) == [*[GONE] * 7, "in"]
    assert AuditEvent.objects.filter(action="password.changed").count() == 1
