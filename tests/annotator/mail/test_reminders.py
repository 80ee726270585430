"""What the sweeper mails: once each, whoever looks at the same moment, and by one's own clock."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection

from annotator.mail import reminders
from annotator.mail.reminders import remind_everybody
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Delivery,
    MailKind,
    Round,
    SecondLook,
)
from annotator.outgoing.queue import queue_mail
from core.clock import database_now
from tests.annotator.mail.conftest import deliver, text_of


def due(cast, **ahead: int) -> datetime:
    cast.assign(cast.alice, cast.reference("r1", 2))
    at = database_now() + timedelta(**ahead)
    Assignment.objects.update(due_at=at)
    return at


@pytest.mark.django_db
def test_what_is_due_within_a_day_is_mailed_once(mailbox, reachable, cast) -> None:
    reachable(cast.alice, MailKind.DUE)
    due(cast, hours=20)
    assert remind_everybody() == 1
    assert remind_everybody() == 0
    deliver()
    (mail,) = mailbox.mails
    assert "2 candidates of yours are due on" in text_of(mail)
    assert remind_everybody() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("ahead", [{"hours": 30}, {"hours": -1}])
def test_what_is_due_later_or_was_is_not_announced(sends, reachable, cast, ahead) -> None:
    reachable(cast.alice, MailKind.DUE)
    due(cast, **ahead)
    assert remind_everybody() == 0


@pytest.mark.django_db
def test_what_was_done_meanwhile_is_not_announced(mailbox, reachable, cast) -> None:
    reachable(cast.alice, MailKind.DUE)
    due(cast, hours=20)
    remind_everybody()
    Assignment.objects.update(status=AssignmentStatus.WITHDRAWN)
    deliver()
    assert not mailbox.received
    due_again = Campaign.objects.update(status="closed")
    assert due_again and remind_everybody() == 0


@pytest.mark.django_db
def test_a_question_to_look_again_is_mailed_once(mailbox, reachable, cast) -> None:
    reachable(cast.alice, MailKind.SECOND_LOOK)
    (row, *_) = cast.assign(cast.alice, cast.reference("r1", 1))
    asked = Round.objects.create(
        candidate=Candidate.objects.get(), number=2, kind="again", made_at=database_now()
    )
    SecondLook.objects.create(round=asked, assignment=row)
    assert remind_everybody() == 1
    assert remind_everybody() == 0
    deliver()
    (mail,) = mailbox.mails
    assert "look again at 1 candidate that you rated" in text_of(mail)
    Delivery.objects.all().delete()
    Round.objects.update(made_at=database_now() - timedelta(days=20))
    assert remind_everybody() == 0


def at(monkeypatch, hour: int) -> datetime:
    now = database_now().replace(hour=hour, minute=30)
    monkeypatch.setattr(reminders, "database_now", lambda: now)
    return now


@pytest.mark.django_db
def test_a_digest_comes_in_the_morning_of_ones_own_zone(sends, reachable, cast, monkeypatch):
    reachable(cast.alice, MailKind.DIGEST)
    reachable(cast.bob, MailKind.DIGEST)
    cast.bob.time_zone = "Asia/Tokyo"
    cast.bob.save()
    at(monkeypatch, 5)  # 14:30 in Tokyo
    assert remind_everybody() == 1
    assert Delivery.objects.get().person == cast.bob
    at(monkeypatch, 7)
    assert remind_everybody() == 1
    assert remind_everybody() == 0
    at(monkeypatch, 16)  # the next day in Tokyo, half past one
    assert remind_everybody() == 0


@pytest.mark.django_db
def test_a_digest_says_how_much_waits_and_nothing_where_nothing_does(mailbox, reachable, cast):
    reachable(cast.alice, MailKind.DIGEST)
    reachable(cast.bob, MailKind.DIGEST)
    due(cast, hours=-1)
    for person in (cast.alice, cast.bob):
        queue_mail(MailKind.DIGEST, person=person)
    deliver()
    (mail,) = mailbox.mails
    assert mail["To"] == "alice@example.org"
    text = text_of(mail)
    assert "- 2 candidates open for you to rate" in text and "of these overdue" in text


@pytest.mark.django_db
def test_a_name_that_was_queued_is_refused_a_second_time(sends, cast) -> None:
    assert queue_mail(MailKind.DIGEST, person=cast.ada, once="digest:ada:today") is not None
    assert queue_mail(MailKind.DIGEST, person=cast.ada, once="digest:ada:today") is None
    assert Delivery.objects.count() == 1


@pytest.mark.django_db
def test_without_a_server_nobody_is_reminded(reachable, cast) -> None:
    reachable(cast.alice)
    due(cast, hours=20)
    assert remind_everybody() == 0


@pytest.mark.django_db
def test_a_deliverys_person_takes_it_along(sends, reachable, cast) -> None:
    reachable(cast.mallory)
    queue_mail(MailKind.DIGEST, person=cast.mallory)
    cast.mallory.delete()
    assert not Delivery.objects.exists()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_sweepers_at_one_moment_queue_each_mail_once(sends, reachable, cast, monkeypatch):
    reachable(cast.alice, MailKind.DUE, MailKind.DIGEST)
    due(cast, hours=20)
    now = at(monkeypatch, 9)
    Assignment.objects.update(due_at=now + timedelta(hours=20))

    def sweep(_: int) -> int:
        try:
            return remind_everybody()
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(sweep, range(8))) == 2
    abouts = Delivery.objects.order_by("about").values_list("about", flat=True)
    assert list(abouts) == ["digest", "due"]
