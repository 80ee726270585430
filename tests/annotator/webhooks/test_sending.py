"""Deliveries to a receiver that is a process of its own, and fails in every way."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network

import pytest

from annotator.mail.deliveries import carry_out_delivery
from annotator.models import AuditEvent, Delivery, Webhook
from annotator.outgoing import posting
from annotator.outgoing.queue import (
    LISTED,
    delete_old_deliveries,
    queue_for,
)
from annotator.outgoing.rules import TRIES
from annotator.webhooks.services import remove_webhook, rotate_secret, try_webhook
from core.clock import database_now
from core.jobs.registry import sweep
from tests.annotator.webhooks.hooks import add, checked, deliver
from tests.served.hook_receiver import CERTIFICATE, Receiver, receiving

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def no_heartbeat(settings) -> None:
    """A heartbeat has a connection of its own, which does not see what a test has made."""
    settings.JOB_LEASE_SECONDS = 3600


@pytest.fixture
def receiver(tmp_path, settings) -> Iterator[Receiver]:
    with receiving(tmp_path) as found:
        settings.WEBHOOK_HOSTS = [f"127.0.0.1:{found.port}"]
        yield found


def test_a_test_arrives_signed_and_says_nothing_else(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204?a=b")
    try_webhook(webhook=made.row, by=cast.ada)
    (row,) = deliver()
    assert (row.status, row.answer, row.attempt) == ("succeeded", "204", 1)
    (request,) = receiver.received
    body = checked(request, made.secret)
    assert body.keys() == {"id", "event", "campaign", "at", "state"}
    assert (body["event"], body["campaign"]) == ("test", str(cast.campaign.pk))
    assert request["path"] == "/status/204?a=b"
    headers = {name.lower(): value for name, value in request["headers"].items()}
    sent = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    assert abs(sent - database_now()) < timedelta(minutes=1)
    assert headers["content-type"] == "application/json"
    assert "cookie" not in headers and "authorization" not in headers


def test_what_fails_for_now_is_sent_again_later_under_the_same_id(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/first/503")
    queue_for(made.row, "test", state="test")
    (row,) = deliver()
    assert (row.status, row.answer, row.attempt) == ("queued", "503", 1)
    wait = row.due_at - database_now()
    assert timedelta() < wait <= timedelta(seconds=10)
    # Before its time no message has it tried.
    carry_out_delivery(row.pk)
    assert len(receiver.received) == 1
    assert sweep() == 0
    Delivery.objects.update(due_at=database_now() - SECOND)
    (row,) = deliver()
    assert (row.status, row.answer, row.attempt) == ("succeeded", "204", 2)
    first, second = (checked(request, made.secret) for request in receiver.received)
    assert first == second


@pytest.mark.parametrize(
    ("path", "answer"),
    [("status/404", "404"), ("status/410", "410"), ("status/302", "302"), ("status/308", "308")],
)
def test_what_would_fail_again_is_given_up_and_no_redirect_is_followed(
    receiver, cast, path, answer
) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/{path}")
    queue_for(made.row, "test", state="test")
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", answer)
    assert len(receiver.received) == 1
    act = AuditEvent.objects.get(action="delivery.given_up")
    assert act.details == {"way": "webhook", "about": "test", "answer": answer}
    assert act.campaign_id == cast.campaign.pk


def test_a_receiver_that_does_not_answer_is_left_after_a_time(receiver, cast, monkeypatch) -> None:
    monkeypatch.setattr(posting, "TIMEOUT_SECONDS", 0.3)
    made = add(cast.campaign, cast.ada, f"{receiver.base}/slow")
    queue_for(made.row, "test", state="test")
    (row,) = deliver()
    assert (row.status, row.answer) == ("queued", "timeout")


def test_after_its_last_try_it_is_given_up(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/500")
    queue_for(made.row, "test", state="test")
    for number in range(1, TRIES + 1):
        Delivery.objects.update(due_at=database_now() - SECOND)
        (row,) = deliver()
        assert (row.attempt, row.status) == (number, "failed" if number == TRIES else "queued")
    assert len(receiver.received) == TRIES
    assert AuditEvent.objects.filter(action="delivery.given_up").count() == 1


def test_a_name_that_leads_to_a_private_address_is_not_reached(receiver, cast, settings) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204")
    settings.IS_LOCAL = False
    settings.WEBHOOK_HOSTS = [f"localhost:{receiver.port}"]
    # Allowed by its name, as one whose DNS answer changes later.
    Webhook.objects.update(url=f"https://localhost:{receiver.port}/status/204")
    queue_for(made.row, "test", state="test")
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "private address")
    assert not receiver.received


def test_what_the_site_no_longer_allows_is_not_sent(receiver, cast, settings) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204")
    queue_for(made.row, "test", state="test")
    settings.WEBHOOK_HOSTS = []
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "not allowed")
    assert not receiver.received


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_certificate_is_checked(tmp_path, cast, settings, monkeypatch, is_trusted) -> None:
    settings.IS_LOCAL = False
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with receiving(tmp_path, has_certificate=True) as receiver:
        settings.WEBHOOK_HOSTS = [f"127.0.0.1:{receiver.port}"]
        made = add(cast.campaign, cast.ada, f"{receiver.base}/status/200")
        queue_for(made.row, "test", state="test")
        (row,) = deliver()
        expected = ("succeeded", "200") if is_trusted else ("queued", "no trusted certificate")
        assert (row.status, row.answer) == expected
        assert len(receiver.received) == is_trusted


def test_nobody_there_is_tried_again(cast, settings) -> None:
    settings.WEBHOOK_HOSTS = ["127.0.0.1:1"]
    made = add(cast.campaign, cast.ada, "http://127.0.0.1:1/")
    queue_for(made.row, "test", state="test")
    (row,) = deliver()
    assert (row.status, row.answer) == ("queued", "no connection")


def test_a_new_secret_signs_what_waits_too_and_the_old_one_nothing(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204")
    queue_for(made.row, "test", state="test")
    renewed = rotate_secret(webhook=made.row, by=cast.ada)
    assert renewed.secret != made.secret
    deliver()
    (request,) = receiver.received
    assert checked(request, renewed.secret)
    with pytest.raises(AssertionError):
        checked(request, made.secret)


def test_a_secret_of_another_key_signs_nothing(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204")
    Webhook.objects.update(secret="gAAAAAB")
    queue_for(made.row, "test", state="test")
    (row,) = deliver()
    assert (row.status, row.answer) == ("failed", "secret cannot be opened")


def test_what_was_delivered_is_listed_for_a_time_and_goes_with_its_webhook(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204")
    for _ in range(2):
        queue_for(made.row, "test", state="test")
    deliver()
    queue_for(made.row, "test", state="test")
    assert delete_old_deliveries() == 0
    old = Delivery.objects.filter(status="succeeded").first()
    assert old is not None
    Delivery.objects.filter(pk=old.pk).update(finished_at=database_now() - LISTED - SECOND)
    assert delete_old_deliveries() == 1
    remove_webhook(webhook=made.row, by=cast.ada)
    assert not Delivery.objects.exists()


def test_what_waits_for_a_webhook_that_is_removed_meanwhile_ends(receiver, cast) -> None:
    made = add(cast.campaign, cast.ada, f"{receiver.base}/status/204")
    row = queue_for(made.row, "test", state="test")
    remove_webhook(webhook=made.row, by=cast.ada)
    assert posting.send(row).answer == "removed"
    carry_out_delivery(row.pk)
    assert not Delivery.objects.exists() and not receiver.received
