"""Reads of webhooks: those of a campaign, and what became of their latest deliveries."""

from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from annotator.models import Campaign, Delivery, Webhook
from annotator.outgoing.rules import EVENTS, TEST, TRIES
from core.jobs.rows import JobStatus

MOST_LISTED: Final = 20
STATES: Final = {
    JobStatus.RUNNING: "being sent",
    JobStatus.SUCCEEDED: "delivered",
    JobStatus.FAILED: "given up",
    JobStatus.CANCELLED: "given up",
}


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """One delivery as it is shown."""

    row: Delivery

    @property
    def about(self) -> str:
        return "a test" if self.row.about == TEST else EVENTS.get(self.row.about, self.row.about)

    @property
    def state(self) -> str:
        row = self.row
        if row.status == JobStatus.QUEUED:
            return "next try" if row.attempt else "waits"
        return STATES[JobStatus(row.status)]


@dataclass(frozen=True, slots=True)
class WebhookPart:
    """A webhook as its page shows it."""

    row: Webhook
    events: tuple[str, ...]
    deliveries: tuple[DeliveryLine, ...]
    tries: int = TRIES

    @property
    def rows(self) -> tuple[Delivery, ...]:
        return tuple(line.row for line in self.deliveries)


def webhooks_of(campaign: Campaign) -> QuerySet[Webhook]:
    """Return the webhooks of a campaign, the oldest first."""
    return Webhook.objects.filter(campaign=campaign)


def webhook_part(row: Webhook) -> WebhookPart:
    """Return a webhook with its latest deliveries."""
    latest = Delivery.objects.filter(webhook=row).order_by("-created_at", "pk")
    lines = tuple(DeliveryLine(one) for one in latest[:MOST_LISTED])
    return WebhookPart(row, tuple(EVENTS.get(one, one) for one in row.events), lines)
