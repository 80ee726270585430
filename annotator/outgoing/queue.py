"""The queue of deliveries: rows are added with what they announce; old ones are deleted."""

import json
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from annotator.models import Delivery, User, Way, Webhook
from annotator.sealing import seal
from core.clock import database_now
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import FINAL_STATUSES

# How long what has ended is listed.
LISTED: Final = timedelta(days=30)


def queue_for(webhook: Webhook, about: str, **content: Any) -> Delivery:
    """Queue a delivery for a webhook, in the transaction of what it announces."""
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
    """Queue a mail; None where the site sends none or `once` was queued before.

    Its text is written when it is sent, by its kind (mail.letters). `sealed` is what
    nobody may read in the database meanwhile.
    """
    pk = person.pk if isinstance(person, User) else person
    if not settings.EMAIL_HOST:
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


def _now() -> str:
    return database_now().isoformat(timespec="seconds").replace("+00:00", "Z")


def delete_old_deliveries() -> int:
    """Delete what ended a while ago; return how many rows."""
    old = Delivery.objects.filter(
        status__in=FINAL_STATUSES, finished_at__lt=database_now() - LISTED
    )
    count, _ = old.delete()
    return count
