"""Mails to a real server: encrypted, refused, too early; and nothing of a claim in any of them."""

import re
from datetime import timedelta

import pytest

from annotator.mail.letters import LETTERS
from annotator.mail.reminders import mail_of_job, remind_everybody
from annotator.mail.services import ask_reset, set_address
from annotator.models import AuditEvent, Delivery, MailAddress, MailKind
from annotator.outgoing import mailing
from annotator.outgoing.queries import refused_mails
from annotator.outgoing.queue import queue_mail
from annotator.reliability.services import carry_out_reliability, request_reliability
from core.clock import database_now
from core.jobs.rows import JobStatus
from tests.annotator.mail.conftest import SENDER, deliver, send_mail_to, text_of
from tests.conftest import CLAIMS
from tests.served.hook_receiver import CERTIFICATE
from tests.served.mail_receiver import receiving_mail

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


def finished(user, state="succeeded"):
    content = {"event": "freeze", "state": state}
    return queue_mail(MailKind.FINISHED, person=user, content=content)


def test_a_mail_arrives_whole_and_says_from_where_it_is(mailbox, reachable, cast) -> None:
    reachable(cast.ada)
    queued = finished(cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer) == ("succeeded", "250")
    (mail,) = mailbox.mails
    assert mail["Subject"] == "claims.example.org: a job has ended"
    assert (mail["From"], mail["To"]) == (SENDER, "ada@example.org")
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"] == f"<{queued.pk}@claims.example.org>"
    assert text_of(mail).startswith("A freeze that you asked for is finished.")
    assert "https://claims.example.org/" in text_of(mail)


def test_it_is_encrypted_where_that_is_set(
    tmp_path, reachable, cast, settings, monkeypatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    reachable(cast.ada)
    with receiving_mail(tmp_path, has_certificate=True) as mailbox:
        send_mail_to(settings, mailbox)
        settings.EMAIL_USE_TLS = True
        finished(cast.ada)
        (row,) = deliver()
        assert (row.status, row.answer) == ("succeeded", "250")
        assert [one["is_encrypted"] for one in mailbox.received] == [True]


def test_a_server_without_a_trusted_certificate_gets_nothing(
    tmp_path, reachable, cast, settings
) -> None:
    reachable(cast.ada)
    with receiving_mail(tmp_path, has_certificate=True) as mailbox:
        send_mail_to(settings, mailbox)
        settings.EMAIL_USE_TLS = True
        finished(cast.ada)
        (row,) = deliver()
        assert (row.status, row.answer) == ("queued", "no trusted certificate")
        assert not mailbox.received


def test_one_that_speaks_no_tls_gets_nothing_either(mailbox, reachable, cast, settings) -> None:
    reachable(cast.ada)
    settings.EMAIL_USE_TLS = True
    finished(cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer) == ("queued", "no connection")
    assert not mailbox.received


def test_who_is_refused_is_mailed_no_more_and_admins_see_it(mailbox, reachable, cast) -> None:
    reachable(cast.ada, address="refused@example.org")
    finished(cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "550")
    address = MailAddress.objects.get()
    assert address.refused_code == "550" and address.refused_at is not None
    (refused,) = refused_mails()
    assert (refused.about, refused.username, refused.answer) == ("finished", "ada", "550")
    act = AuditEvent.objects.get(action="delivery.given_up")
    assert "refused@" not in str(act.details)
    finished(cast.ada)
    assert [one.answer for one in deliver()] == ["550", "nothing to send"]


def test_what_is_refused_for_now_is_sent_again_later(mailbox, reachable, cast) -> None:
    reachable(cast.ada, address="later@example.org")
    finished(cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer, row.attempt) == ("queued", "451", 1)
    assert row.due_at > database_now()
    assert MailAddress.objects.get().refused_at is None
    MailAddress.objects.update(address="ada@example.org")
    Delivery.objects.update(due_at=database_now() - SECOND)
    (row,) = deliver()
    assert (row.status, row.attempt) == ("succeeded", 2)
    assert [mail["Message-ID"] for mail in mailbox.mails] == [f"<{row.pk}@claims.example.org>"]


def test_a_server_that_is_away_is_waited_for(reachable, cast, settings, sends) -> None:
    settings.EMAIL_PORT, settings.EMAIL_USE_TLS = 1, False
    reachable(cast.ada)
    finished(cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer) == ("queued", "no connection")


@pytest.mark.parametrize(
    "change",
    [
        {"confirmed_at": None},
        {"kinds": ["digest"]},
        {"refused_at": database_now, "refused_code": "550"},
    ],
)
def test_what_nobody_wants_any_more_is_not_sent(mailbox, reachable, cast, change) -> None:
    reachable(cast.ada)
    finished(cast.ada)
    changed = {name: value() if callable(value) else value for name, value in change.items()}
    MailAddress.objects.update(**changed)
    (row,) = deliver()
    assert (row.status, row.answer) == ("succeeded", "nothing to send")
    assert not mailbox.received


def test_a_deactivated_account_is_not_mailed(mailbox, reachable, cast) -> None:
    reachable(cast.ada)
    finished(cast.ada)
    cast.ada.is_active = False
    cast.ada.save()
    deliver()
    assert not mailbox.received


def test_mail_that_the_site_no_longer_sends_is_given_up(mailbox, reachable, cast, settings) -> None:
    reachable(cast.ada)
    finished(cast.ada)
    settings.EMAIL_HOST = ""
    assert finished(cast.ada) is None
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "not allowed")


def test_what_was_sealed_under_another_key_is_given_up(mailbox, cast) -> None:
    Delivery.objects.create(way="mail", about="invitation", sealed="gAAAAAB", person=cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "cannot be opened")


def test_a_header_cannot_be_forged_by_an_address(mailbox, reachable, cast) -> None:
    """One that came past the forms, as by a careless import."""
    reachable(cast.ada, address="ada@example.org\r\nBcc: eve@example.org")
    finished(cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "wrong address")
    assert not mailbox.received


def test_a_letter_of_many_lines_in_its_subject_is_not_sent(mailbox, reachable, cast, monkeypatch):
    letter = mailing.Letter("ada@example.org", "a\r\nBcc: eve@example.org", "text")
    monkeypatch.setitem(LETTERS, "finished", lambda row: letter)
    finished(cast.ada)
    (row,) = deliver()
    assert row.status == "failed" and not mailbox.received


def test_no_mail_holds_a_text_a_title_a_score_or_a_rating(
    mailbox, reachable, cast, quick_passwords
) -> None:
    """Every kind, in a campaign in which all of that is a canary."""
    for person in (cast.alice, cast.bob, cast.carol, cast.rita, cast.ada):
        reachable(person)
        person.set_password("long enough to be one")
        person.save()
    cast.campaign.name = "campaignnamecanary"
    cast.campaign.save()
    (row, *_) = cast.assign(cast.alice, cast.reference("titlecanary"))
    type(row).objects.update(due_at=database_now() + timedelta(hours=5))
    report = request_reliability(campaign=cast.campaign, asked_by=cast.rita)
    carry_out_reliability(report.pk)
    finished(cast.rita, "failed")
    set_address(user=cast.carol, address="carol2@example.org", password="long enough to be one")
    ask_reset(username="bob", asked_from="127.0.0.1")
    queue_mail("invitation", person=cast.ada, sealed={"token": "t", "address": "new@example.org"})
    queue_mail(MailKind.DIGEST, person=cast.alice)
    remind_everybody()
    deliver()
    abouts = set(Delivery.objects.filter(answer="250").values_list("about", flat=True))
    assert abouts >= {"due", "finished", "confirm", "reset", "invitation", "digest"}
    everything = " ".join(one["content"] for one in mailbox.received)
    for canary in (
        *("campaignnamecanary", "titlecanary", "Title of", cast.system_canary, "handle"),
        *(cast.candidate_canary, CLAIMS[:20], "score", "rating:", "failed because"),
        *(row.label, str(row.pk), str(report.pk)),
    ):
        assert canary.lower() not in everything.lower(), canary
    # The end of a link is random and may contain these letters, so look for whole words.
    assert not re.search(r"\b(cups|mug)\b", everything, re.IGNORECASE)
    assert not re.search(r"\b\d\.\d\d\b", everything)


def test_a_job_is_mailed_to_who_asked_for_it_and_once(mailbox, reachable, cast) -> None:
    reachable(cast.rita)
    reachable(cast.ada)
    report = request_reliability(campaign=cast.campaign, asked_by=cast.rita)
    carry_out_reliability(report.pk)
    mail_of_job(report, JobStatus.SUCCEEDED)
    deliver()
    assert [mail["To"] for mail in mailbox.mails] == ["rita@example.org"]
    assert "A reliability report that you asked for is finished." in text_of(mailbox.mails[0])
