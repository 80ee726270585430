"""Writes of freezes as jobs: asked for on a page, carried out by a worker, cancelled."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from annotator.files.full_disk import why_stopped
from annotator.jobs import leases
from annotator.jobs.heartbeat import heartbeat
from annotator.jobs.rows import FINAL_STATUSES, JobStatus
from annotator.models import Campaign, User
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from scoring.models import Freeze
from scoring.queries.quadruplets import prepare_pages
from scoring.services.dataset_versions import Frozen, refuse_name, refuse_who_rates
from scoring.services.freezing import freeze_dataset

WAITING: Final = "Waiting for a worker."
UNFINISHED: Final = (JobStatus.QUEUED, JobStatus.RUNNING)
# Each beat is a write; what comes in between only looks whether the lease is still ours.
BEAT_EVERY_SECONDS: Final = 0.5


def request_freeze(
    *, campaign: Campaign, settings: dict[str, Any], asked_by: User | None = None
) -> Freeze:
    """Return the freeze of the campaign with these settings, queued when none is under way.

    `settings` are the keywords of `freeze_dataset` as JSON values; the same ones give the row
    that waits or runs already. Raises Refused for a name that the dataset cannot have, Forbidden
    for who rates in the open campaign.
    """
    refuse_who_rates(campaign, asked_by)
    try:
        refuse_name(settings["name"] or campaign.slug, campaign)
    except Refused as refusal:
        raise Refused(refusal.sentence, {"name": [refusal.sentence]}) from refusal
    with transaction.atomic():
        # Two requests at once make one row: the second waits here, and finds it.
        list(Campaign.objects.select_for_update(no_key=True).filter(pk=campaign.pk))
        rows = Freeze.objects.filter(
            campaign=campaign, status__in=UNFINISHED, cancel_requested=False
        )
        under_way = next((row for row in rows if row.settings == settings), None)
        if under_way is not None:
            return under_way
        freeze = Freeze.objects.create(
            campaign=campaign, settings=settings, asked_by=asked_by, message=WAITING
        )
        _record("freeze.requested", freeze, asked_by)
    return freeze


def carry_out_freeze(pk: UUID | str) -> None:
    """Claim a freeze, make the version, and end in one final state.

    A worker that dies after the version was stored leaves nothing doubled: the next one finds
    that the dataset has this content already.
    """
    freeze = leases.claim(Freeze, pk)
    if freeze is None:
        return
    try:
        with heartbeat(freeze) as check:
            frozen = _freeze(freeze, check)
        with transaction.atomic():
            leases.close(
                freeze,
                JobStatus.SUCCEEDED,
                version=frozen.version,
                is_new=_is_of(freeze, frozen),
                progress=1.0,
                message="Done.",
            )
            _record("freeze.finished", freeze, freeze.asked_by)
        prepare_pages(frozen.version)
    except leases.LostLease:
        leases.settle_cancelled(freeze)
    except Refused as refusal:
        _fail(freeze, refusal.sentence)
    except Exception as error:
        _fail(freeze, why_stopped("The freeze", error))
        raise


def cancel_freeze(*, freeze: Freeze, cancelled_by: User | None = None) -> None:
    """Ask a freeze to stop; OutOfDate when it has ended already."""
    with transaction.atomic():
        if freeze.status in FINAL_STATUSES or not leases.request_cancel(freeze):
            raise OutOfDate("This freeze has ended already.")
        _record("freeze.cancelled", freeze, cancelled_by)


def _freeze(freeze: Freeze, check: Callable[[], None]) -> Frozen:
    leases.beat(freeze, progress=0.0, message="Reading the ratings.")
    beaten_at = time.monotonic()

    def progress(share: float, words: str) -> None:
        nonlocal beaten_at
        check()
        if time.monotonic() - beaten_at >= BEAT_EVERY_SECONDS:
            leases.beat(freeze, progress=share, message=words)
            beaten_at = time.monotonic()

    return freeze_dataset(
        campaign=freeze.campaign,
        created_by=freeze.asked_by,
        progress=progress,
        **freeze.settings,
    )


def _is_of(freeze: Freeze, frozen: Frozen) -> bool:
    """Say whether this freeze made the version, if only in an attempt that died afterwards."""
    by_an_attempt = freeze.attempt > 1 and frozen.version.created_at > freeze.created_at
    return frozen.is_new or by_an_attempt


def _fail(freeze: Freeze, sentence: str) -> None:
    # A lost lease means that another worker owns the freeze now: nothing of ours is written.
    with suppress(leases.LostLease), transaction.atomic():
        leases.close(freeze, JobStatus.FAILED, message=sentence)
        _record("freeze.failed", freeze, None)


def _record(action: str, freeze: Freeze, actor: User | None) -> None:
    audit.record(
        actor=actor,
        campaign=freeze.campaign_id,
        action=action,
        object_type="freeze",
        object_id=freeze.pk,
    )
