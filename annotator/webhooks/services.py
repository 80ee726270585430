"""Writes of webhooks: added, tried out, given another secret, removed."""

import base64
import secrets
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import transaction

from annotator import audit_log
from annotator.adjudication.settled.queries import settled_candidates
from annotator.models import Campaign, Delivery, User, Webhook
from annotator.outgoing.queue import queue_for
from annotator.outgoing.rules import (
    EVENTS,
    SECRET_BYTES,
    SECRET_PREFIX,
    SETTLED,
    TEST,
    WrongAddress,
    checked_url,
)
from annotator.rate_limits import RateLimit, refuse_haste
from annotator.sealing import seal
from annotator.webhooks.events import note_announced
from core.clock import database_now
from core.errors import OutOfDate, Refused

MOST_WEBHOOKS: Final = 5
OF_TESTS: Final = RateLimit("webhook tests", 5, 30)
OFF: Final = (
    "This site sends no webhooks. Whoever runs it can name in WEBHOOK_HOSTS where webhooks may "
    "lead."
)
GONE: Final = "This webhook was removed."


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A webhook with its secret, which is shown this once."""

    row: Webhook
    secret: str


def add_webhook(*, campaign: Campaign, url: str, events: list[str], by: User) -> NewSecret:
    """Add a webhook to a campaign; Refused by field where it may not lead there."""
    if not settings.WEBHOOK_HOSTS:
        raise Refused(OFF)
    if not events or not set(events) <= EVENTS.keys():
        raise Refused.at("events", f"Choose of: {', '.join(EVENTS)}.")
    try:
        host = checked_url(url, settings.WEBHOOK_HOSTS, is_local=settings.IS_LOCAL).netloc
    except WrongAddress as error:
        raise Refused.at("url", str(error)) from error
    with transaction.atomic():
        # Of two admins at one moment the second is counted with the first.
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if locked.webhooks.count() >= MOST_WEBHOOKS:
            raise OutOfDate(f"A campaign has at most {MOST_WEBHOOKS} webhooks; remove one first.")
        row = Webhook(campaign=locked, url=url, made_by=by, made_at=database_now())
        row.events = [event for event in EVENTS if event in events]
        secret = _new_secret(row)
        row.save()
        if SETTLED in row.events:
            # What was settled before is no news.
            note_announced(row, sorted(settled_candidates(locked)))
        audit_log.record_on(row, "webhook.added", by, host=host, events=row.events)
    return NewSecret(row, secret)


@transaction.atomic
def rotate_secret(*, webhook: Webhook, by: User) -> NewSecret:
    """Give a webhook another secret; what is sent from now on is signed with it alone."""
    row = _locked(webhook)
    secret = _new_secret(row)
    row.save(update_fields=["secret"])
    audit_log.record_on(row, "webhook.secret_renewed", by)
    return NewSecret(row, secret)


@transaction.atomic
def remove_webhook(*, webhook: Webhook, by: User) -> None:
    """Remove a webhook with its deliveries; what waits is not sent any more."""
    row = _locked(webhook)
    audit_log.record_on(row, "webhook.removed", by)
    row.delete()


def try_webhook(*, webhook: Webhook, by: User) -> Delivery:
    """Queue a delivery about nothing; to be called outside of a transaction."""
    refuse_haste(OF_TESTS, by, "Tests")
    with transaction.atomic():
        row = _locked(webhook)
        delivery = queue_for(row, TEST, state="test")
        audit_log.record_on(row, "webhook.tested", by)
    return delivery


def _new_secret(row: Webhook) -> str:
    key = base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    secret = f"{SECRET_PREFIX}{key}"
    row.secret = seal(secret, owner=str(row.pk))
    return secret


def _locked(webhook: Webhook) -> Webhook:
    rows = Webhook.objects.select_for_update(no_key=True, of=("self",))
    row = rows.filter(pk=webhook.pk).first()
    if row is None:
        raise OutOfDate(GONE)
    return row
