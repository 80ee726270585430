"""An invitation that is mailed: its link as it is shown, once, to the address that was typed."""

import re

import pytest

from annotator.models import AuditEvent, Delivery, Invitation
from tests.annotator.mail.conftest import SITE, deliver, text_of
from tests.conftest import make_user, signed_in

pytestmark = pytest.mark.django_db
PAGE = "/campaigns/cups/members/invite/"
ADDRESS = "new@example.org"


def link_in(mail: object) -> str:
    (link,) = re.findall(rf"{SITE}(/invitation/\S+/)\n", text_of(mail))
    return link


def test_the_link_that_is_shown_is_mailed_and_nowhere_to_be_read(mailbox, cast) -> None:
    answer = signed_in(cast.ada).post(PAGE, {"role": "reader", "address": ADDRESS})
    page = answer.content.decode()
    assert answer.status_code == 200 and ADDRESS in page
    row = Delivery.objects.get()
    assert ADDRESS not in str(Delivery.objects.values())
    deliver()
    (mail,) = mailbox.mails
    assert mail["To"] == ADDRESS
    link = link_in(mail)
    assert link in page
    row.refresh_from_db()
    assert row.sealed == ""
    act = AuditEvent.objects.get(action="invitation.made")
    assert act.details == {"role": "reader", "is_mailed": True}
    assert signed_in(cast.mallory).post(link).status_code == 303
    assert Invitation.objects.get().accepted_by == cast.mallory


def test_without_an_address_nothing_is_mailed(sends, cast) -> None:
    assert signed_in(cast.ada).post(PAGE, {"role": "reader"}).status_code == 200
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    "address", ["nobody", "a@b.org\r\nBcc: eve@example.org", "a@b.org, eve@example.org"]
)
def test_a_wrong_address_invites_nobody_and_is_not_lost(sends, cast, address) -> None:
    answer = signed_in(cast.ada).post(PAGE, {"role": "reader", "address": address})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Write an address such as" in page
    if "\n" not in address:
        assert f'value="{address}"' in page
    assert not Invitation.objects.exists()


def test_a_site_without_mail_asks_for_no_address(cast) -> None:
    ada = signed_in(cast.ada)
    assert 'name="address"' not in ada.get("/campaigns/cups/members/").content.decode()
    assert ada.post(PAGE, {"role": "reader", "address": ADDRESS}).status_code == 200
    assert not Delivery.objects.exists()


def test_a_site_admin_mails_one_too_and_sees_what_was_refused(mailbox, cast) -> None:
    boss = signed_in(make_user("boss", is_superuser=True))
    assert "Mail that was refused" not in boss.get("/users/").content.decode()
    assert boss.post("/users/", {"address": "refused@example.org"}).status_code == 200
    (row,) = deliver()
    assert (row.status, row.answer, row.sealed) == ("failed", "550", "")
    page = boss.get("/users/").content.decode()
    assert "Mail that was refused" in page and ">550<" in page and ">invitation<" in page
    assert "refused@example.org" not in page


def test_mailing_too_many_is_refused(sends, cast, rate_limits_stand_still) -> None:
    ada = signed_in(cast.ada)
    for number in range(20):
        sent = {"role": "reader", "address": f"a{number}@example.org"}
        assert ada.post(PAGE, sent).status_code == 200
    answer = ada.post(PAGE, {"role": "reader", "address": ADDRESS})
    assert answer.status_code == 429 and f'value="{ADDRESS}"' in answer.content.decode()
    assert Delivery.objects.count() == 20
    assert ada.post(PAGE, {"role": "reader"}).status_code == 200


def test_a_program_has_one_mailed(mailbox, cast, call) -> None:
    body: dict[str, str | None] = {"role": "reader", "address": ADDRESS}
    answer = call(cast.ada, "post", "campaigns/cups/invitations/", body)
    assert answer.status_code == 201
    deliver()
    assert link_in(mailbox.mails[0]) in answer.json()["link"]
    body["address"] = "no address"
    assert call(cast.ada, "post", "campaigns/cups/invitations/", body).status_code == 400
    body = {"role": "reader", "address": None}
    assert call(cast.ada, "post", "campaigns/cups/invitations/", body).status_code == 201
