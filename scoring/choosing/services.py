"""The order of a campaign's references: asked for by the sweeper, worked out by a worker."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import transaction

from annotator import audit_log
from annotator.models import GENUINE, Campaign, Candidate
from annotator.planning.choosing.queries import (
    begun_references,
    choosing_campaigns,
    is_out_of_order,
    waiting_references,
)
from annotator.planning.choosing.services import order_queue
from core.clock import database_now
from core.errors import OutOfDate
from core.jobs import leases
from core.jobs.registry import enqueue_on_commit
from core.jobs.rows import JobStatus
from core.jobs.running import run_job
from scoring.choosing.rules import Lesson, lesson_of, teaching_order
from scoring.models import QueueOrder

WAITING: Final = "Waiting for a worker."
UNFINISHED: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
AGAIN_AFTER: Final = timedelta(hours=1)
"""One that failed is asked for again after so long: what was wrong may have been mended."""
RENEW_EVERY: Final = 20


def request_orders() -> int:
    """Ask for the order of every campaign that has none yet, or not of all; return how many.

    Called by the sweeper. One under way is enough for a campaign, and one that failed rests.
    """
    return sum(_requested(campaign) for campaign in choosing_campaigns())


@transaction.atomic
def _requested(campaign: Campaign) -> bool:
    # Two sweepers wait here for each other, and the second finds the row of the first.
    list(Campaign.objects.select_for_update(no_key=True).filter(pk=campaign.pk))
    rows = QueueOrder.objects.filter(campaign=campaign)
    since = {"created_at__gte": campaign.choosing_since, "status": JobStatus.SUCCEEDED}
    if rows.filter(**since).exists() and not is_out_of_order(campaign):
        return False
    failed = rows.filter(status=JobStatus.FAILED, finished_at__gt=database_now() - AGAIN_AFTER)
    if rows.filter(status__in=UNFINISHED).exists() or failed.exists():
        return False
    row = QueueOrder.objects.create(campaign=campaign, message=WAITING)
    enqueue_on_commit(row)
    return True


def carry_out_order(pk: UUID | str) -> None:
    """Claim an order, work it out, and end in one final state."""
    run_job(
        QueueOrder,
        pk,
        _order,
        noun="The order",
        on_failure=lambda row: audit_log.record_on(row, "order.failed", None),
    )


def _order(row: QueueOrder, check: Callable[[], None]) -> dict[str, Any] | None:
    waiting, begun = waiting_references(row.campaign), begun_references(row.campaign)
    lessons = _lessons(row, [*waiting, *begun], check)
    from scoring.patclaimeval.config import STRENGTH

    places = teaching_order(
        [lessons[pk] for pk in waiting], [lessons[pk] for pk in begun], STRENGTH
    )
    check()
    teaching = [waiting[place] for place in places]
    with transaction.atomic(), suppress(OutOfDate):
        # Switched off or closed meanwhile: then there is nothing to put into order.
        order_queue(campaign=row.campaign, teaching=teaching)
        leases.close(row, JobStatus.SUCCEEDED, progress=1.0, message="")
        return None
    return {}


def _lessons(
    row: QueueOrder, references: list[UUID], check: Callable[[], None]
) -> dict[UUID, Lesson]:
    """Return what each reference teaches; no score, rating or label is read, texts only."""
    from scoring.patclaimeval.features import FEATURES, GROUPS, feature_vector
    from scoring.patclaimeval.prior import prior_scales
    from scoring.patclaimeval.ridge import group_scores

    scales, names = prior_scales(), list(GROUPS)
    found = {}
    for done, pk in enumerate(references):
        check()
        if done % RENEW_EVERY == 0:
            share = done / len(references)
            leases.renew_lease(row, progress=share, message="Reading the claims.")
        texts = Candidate.objects.filter(reference=pk, purpose__in=GENUINE).order_by("candidate_id")
        pairs = texts.values_list("reference__claims", "claims")
        rows = [feature_vector(reference, claims) for reference, claims in pairs]
        features = np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))
        found[pk] = lesson_of(group_scores(features, scales, names))
    return found
