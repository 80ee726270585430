"""One's own address: set with the password, confirmed by a link, chosen for, removed."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from annotator.mail.services import OFF, set_address
from annotator.models import AuditEvent, Delivery, MailAddress, MailKind, PasswordReset
from core.clock import database_now
from tests.annotator.mail.conftest import SITE, deliver, text_of
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/account/mail/"
PASSWORD = "a long password of a test"
ADDRESS = "alice@example.org"


@pytest.fixture
def alice(cast) -> Client:
    cast.alice.set_password(PASSWORD)
    cast.alice.save()
    return signed_in(cast.alice)


def sent(**changed: str) -> dict[str, str]:
    return {"address": ADDRESS, "password": PASSWORD} | changed


def link_in(mail: object) -> str:
    (link,) = re.findall(rf"{SITE}(/\S+/)\n", text_of(mail))
    return link


def test_an_address_counts_once_its_link_was_opened(alice, mailbox, cast) -> None:
    assert alice.post(PAGE, sent())["Location"] == PAGE
    assert "not confirmed" in alice.get(PAGE).content.decode()
    deliver()
    (mail,) = mailbox.mails
    assert mail["To"] == ADDRESS
    link = link_in(mail)
    # A program that opens links confirms nothing.
    assert alice.get(link).status_code == 200
    assert MailAddress.objects.get().confirmed_at is None
    assert alice.post(link)["Location"] == PAGE
    row = MailAddress.objects.get()
    assert row.confirmed_at is not None and row.kinds == []
    assert alice.get(link).status_code == 404 and alice.post(link).status_code == 404
    acts = list(AuditEvent.objects.filter(action__startswith="mail.").values("action", "details"))
    assert [act["action"] for act in acts] == ["mail.address_set", "mail.address_confirmed"]
    assert ADDRESS not in str(acts)


def test_a_link_is_for_its_account_alone_and_for_a_day(alice, mailbox, cast) -> None:
    alice.post(PAGE, sent())
    deliver()
    link = link_in(mailbox.mails[0])
    assert signed_in(cast.bob).post(link).status_code == 404
    assert Client().post(link).status_code == 302
    MailAddress.objects.update(token_expires_at=database_now() - timedelta(seconds=1))
    assert alice.post(link).status_code == 404
    assert MailAddress.objects.get().confirmed_at is None


@pytest.mark.parametrize(
    "address",
    [
        *("", "nobody", "a@b@c", "Alice <alice@example.org>", "a b@example.org"),
        *("alice@example.org\r\nBcc: eve@example.org", "alice@example.org,eve@example.org"),
        *("alice@example.org\nBcc:eve@example.org", "a@exämple.org", "x" * 250 + "@example.org"),
        *("alice@example.org%0aBcc:eve@example.org", '"a\r\nb"@example.org', "<a@example.org>"),
    ],
)
def test_what_is_no_plain_address_is_refused_and_not_lost(alice, sends, address) -> None:
    answer = alice.post(PAGE, sent(address=address))
    assert answer.status_code == 422
    assert not MailAddress.objects.exists() and not Delivery.objects.exists()


def test_a_wrong_password_sets_nothing(alice, sends) -> None:
    answer = alice.post(PAGE, sent(password="not the right one"))
    assert answer.status_code == 422
    assert f'value="{ADDRESS}"' in answer.content.decode()
    assert not MailAddress.objects.exists()


def test_another_address_has_to_be_confirmed_anew(alice, mailbox, reachable, cast) -> None:
    reachable(cast.alice, MailKind.DUE)
    MailAddress.objects.update(refused_at=database_now(), refused_code="550")
    assert "refused a mail" in alice.get(PAGE).content.decode()
    PasswordReset.objects.create(user=cast.alice, token_sha256="a", expires_at=database_now())
    alice.post(PAGE, sent(address="other@example.org"))
    row = MailAddress.objects.get()
    assert (row.confirmed_at, row.refused_at, row.kinds) == (None, None, ["due"])
    assert not PasswordReset.objects.exists()
    deliver()
    assert [mail["To"] for mail in mailbox.mails] == ["other@example.org"]


def test_too_many_mails_to_new_addresses_are_refused(alice, sends, rate_limits_stand_still) -> None:
    for number in range(5):
        assert alice.post(PAGE, sent(address=f"a{number}@example.org")).status_code == 303
    answer = alice.post(PAGE, sent())
    assert answer.status_code == 429
    assert MailAddress.objects.get().address == "a4@example.org"


def test_each_person_chooses_by_kind(alice, sends, reachable, cast) -> None:
    reachable(cast.alice, MailKind.DUE)
    page = alice.get(PAGE).content.decode()
    assert page.count("checked") == 1
    answer = alice.post(f"{PAGE}kinds/", {"kinds": ["digest", "finished"]})
    assert answer["Location"] == PAGE
    assert MailAddress.objects.get().kinds == ["finished", "digest"]
    alice.post(f"{PAGE}kinds/", {})
    assert MailAddress.objects.get().kinds == []
    assert alice.post(f"{PAGE}kinds/", {"kinds": ["nonsense"]}).status_code == 422
    MailAddress.objects.all().delete()
    assert alice.post(f"{PAGE}kinds/", {"kinds": ["due"]}).status_code == 409


def test_an_address_is_removed_once_that_is_confirmed(alice, sends, reachable, cast) -> None:
    reachable(cast.alice)
    assert "Remove your address?" in alice.post(f"{PAGE}remove/").content.decode()
    assert MailAddress.objects.exists()
    assert alice.post(f"{PAGE}remove/", {"confirmed": "1"})["Location"] == PAGE
    assert not MailAddress.objects.exists()
    page = alice.post(f"{PAGE}remove/", {"confirmed": "1"}, follow=True).content.decode()
    assert "There is no address any more." in page


def test_a_site_without_a_server_says_so(alice) -> None:
    assert OFF in alice.get(PAGE).content.decode()
    answer = alice.post(PAGE, sent())
    assert answer.status_code == 422 and OFF in answer.content.decode()


def test_links_begin_with_the_sites_name_whatever_the_request_says(alice, mailbox, cast, settings):
    settings.ALLOWED_HOSTS = ["*"]
    set_address(user=cast.alice, address=ADDRESS, password=PASSWORD)
    signed_in(cast.alice).post(PAGE, sent(), headers={"Host": "evil.example.org"})
    deliver()
    assert len(mailbox.mails) == 2
    assert not [mail for mail in mailbox.received if "evil" in mail["content"]]
