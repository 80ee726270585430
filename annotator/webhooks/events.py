"""What webhooks get: jobs as they end, and candidates once they are settled."""

from operator import attrgetter
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from annotator.access.visibility import counts_withheld
from annotator.adjudication.settled.queries import settled_candidates
from annotator.models import AnnouncedCandidate, Webhook
from annotator.outgoing.queue import notify_webhooks, queue_for
from annotator.outgoing.rules import SETTLED
from core.jobs.rows import JobRow, JobStatus

# In one delivery.
MOST_CANDIDATES: Final = 500


def notify_of_job(row: JobRow, status: JobStatus) -> None:
    """Queue the end of a job for the webhooks of its campaign, in the transaction that ends it.

    Ids, kind and state: the message of a failure may quote claims.
    """
    if row.is_announced(status):
        campaign = attrgetter(row.campaign_path)(row)
        notify_webhooks(campaign, row.event, job=str(row.pk), state=status.value)


def announce_settled() -> int:
    """Queue for each webhook that asks what has settled since the last time; return how many.

    Time settles candidates, too: a window closes and nobody writes a row. Hence this search.
    """
    if not settings.WEBHOOK_HOSTS:
        return 0
    rows = Webhook.objects.select_related("campaign", "made_by")
    asking = [row for row in rows if SETTLED in row.events]
    settled = {row.campaign_id: row.campaign for row in asking}
    now = {pk: settled_candidates(campaign) for pk, campaign in settled.items()}
    return sum(_announce(row, now[row.campaign_id]) for row in asking)


def _announce(webhook: Webhook, settled: set[UUID]) -> int:
    if settled == _announced(webhook) or _is_withheld(webhook):
        return 0
    with transaction.atomic():
        # Of two sweepers at one moment the second finds everything announced.
        locked = Webhook.objects.select_for_update(no_key=True, of=("self",))
        row = locked.filter(pk=webhook.pk).first()
        if row is None:
            return 0
        known = _announced(row)
        # What is in question again is announced anew once it is settled again.
        AnnouncedCandidate.objects.filter(webhook=row, candidate__in=known - settled).delete()
        new = sorted(settled - known)
        note_announced(row, new)
        for start in range(0, len(new), MOST_CANDIDATES):
            part = [str(pk) for pk in new[start : start + MOST_CANDIDATES]]
            queue_for(row, SETTLED, candidates=part, state="settled")
    return len(new)


def note_announced(webhook: Webhook, candidates: list[UUID]) -> None:
    """Store that a webhook knows of these."""
    AnnouncedCandidate.objects.bulk_create(
        AnnouncedCandidate(webhook=webhook, candidate_id=pk) for pk in candidates
    )


def _announced(webhook: Webhook) -> set[UUID]:
    return set(webhook.announced.values_list("candidate_id", flat=True))


def _is_withheld(webhook: Webhook) -> bool:
    """Whether who made it rates here now: they may not learn when others have rated."""
    maker = webhook.made_by
    return maker is None or counts_withheld(webhook.campaign, maker)
