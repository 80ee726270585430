"""The queue of deliveries: rows are added with what they announce, sent by a worker, and swept."""

import json
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F

from annotator import audit_log
from annotator.models import Delivery, User, Way, Webhook
from annotator.outgoing import mailing, posting
from annotator.outgoing.rules import Outcome, wait_after
from annotator.sealing import seal
from core.clock import database_now
from core.jobs import leases
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import FINAL_STATUSES, JobStatus
from core.jobs.running import run_job

# Of one webhook; what comes on top is counted and not sent.
MOST_WAITING: Final = 500
OTHERS_WAIT: Final = timedelta(minutes=1)
# How long what has ended is listed.
LISTED: Final = timedelta(days=30)


def queue_for(webhook: Webhook, about: str, **content: Any) -> Delivery | None:
    """Queue a delivery for a webhook, in the transaction of what it announces.

    None where too many wait: it is counted, and not sent.
    """
    waiting = Delivery.objects.filter(webhook=webhook).exclude(status__in=FINAL_STATUSES)
    if waiting.count() >= MOST_WAITING:
        Webhook.objects.filter(pk=webhook.pk).update(dropped=F("dropped") + 1)
        return None
    content = {"campaign": str(webhook.campaign_id), "at": _now(), **content}
    row = Delivery.objects.create(way=Way.WEBHOOK, webhook=webhook, about=about, content=content)
    enqueue_on_commit(row)
    return row


def notify_webhooks(campaign_id: UUID | None, event: str, **content: Any) -> None:
    """Queue an event for each webhook of a campaign that asks for it, as `queue_for` does."""
    if campaign_id is None or not settings.WEBHOOK_HOSTS:
        return
    for row in Webhook.objects.filter(campaign=campaign_id):
        if event in row.events:
            queue_for(row, event, **content)


def queue_mail(
    about: str,
    *,
    person: User | UUID | None = None,
    content: dict[str, Any] | None = None,
    sealed: dict[str, str] | None = None,
    once: str | None = None,
) -> Delivery | None:
    """Queue a mail; None where the site sends none, too many wait, or `once` was queued before.

    Its text is written when it is sent, by whoever registered the letter. `sealed` is what
    nobody may read in the database meanwhile.
    """
    pk = person.pk if isinstance(person, User) else person
    if not settings.EMAIL_HOST or _waits_for_too_many(pk):
        return None
    row = Delivery(way=Way.MAIL, about=about, person_id=pk, content=content or {}, once=once)
    if sealed:
        row.sealed = seal(json.dumps(sealed), owner=str(row.pk))
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        if once is None:
            raise
        return None
    enqueue_on_commit(row)
    return row


def _waits_for_too_many(pk: UUID | None) -> bool:
    # Nobody's are those of lost passwords, which anybody may ask for.
    waiting = Delivery.objects.filter(way=Way.MAIL, person=pk).exclude(status__in=FINAL_STATUSES)
    return waiting.count() >= MOST_WAITING


def _now() -> str:
    return database_now().isoformat(timespec="seconds").replace("+00:00", "Z")


def carry_out_delivery(pk: UUID | str) -> None:
    """Claim a delivery that is due, try it once, and end it or queue it for its next try."""
    run_job(Delivery, pk, _send, noun="The delivery")


def _send(row: Delivery, check: Any) -> dict[str, Any] | None:
    outcome = mailing.send(row) if row.way == Way.MAIL else posting.send(row)
    check()
    if outcome.is_sent:
        return {"answer": outcome.answer, "sealed": ""}
    wait = wait_after(row.attempt) if outcome.may_help else None
    if wait is None:
        _give_up(row, outcome)
    else:
        _put_off(row, outcome, wait)
    return None


def _give_up(row: Delivery, outcome: Outcome) -> None:
    with transaction.atomic():
        leases.close(row, JobStatus.FAILED, answer=outcome.answer, sealed="")
        audit_log.record(
            action="delivery.given_up",
            object_type="delivery",
            object_id=row.pk,
            campaign=row.webhook.campaign_id if row.webhook else None,
            details={"way": row.way, "about": row.about, "answer": outcome.answer},
        )


def _put_off(row: Delivery, outcome: Outcome, wait: timedelta) -> None:
    """Queue it for later, and for a minute at most all that waits for the same receiver.

    One that is slow or away else holds the worker once for each of them.
    """
    now = database_now()
    with transaction.atomic():
        leases.put_back(row, wait, answer=outcome.answer)
        soonest = now + min(wait, OTHERS_WAIT)
        waiting = Delivery.objects.filter(way=row.way, webhook=row.webhook_id)
        waiting.filter(status=JobStatus.QUEUED, due_at__lt=soonest).update(due_at=soonest)


def delete_old_deliveries() -> int:
    """Delete what ended a while ago; return how many rows."""
    old = Delivery.objects.filter(
        status__in=FINAL_STATUSES, finished_at__lt=database_now() - LISTED
    )
    count, _ = old.delete()
    return count
